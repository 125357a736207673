package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/internal/need"
)

// Whatever happens to the file of a blob, Damaged tells, and reads no more than it must.
func TestDamaged(t *testing.T) {
	unpacked(t)
	text := strings.Repeat("result ", 1000)
	for _, c := range []struct {
		name   string
		how    func(t *testing.T, path string)
		damage bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"touched", func(t *testing.T, path string) { age(t, path, time.Hour) }, false},
		{"gone", func(t *testing.T, path string) { os.Remove(path) }, false},
		{"flipped", func(t *testing.T, path string) { overwrite(t, path, flip) }, true},
		{"flipped, with the old mtime", func(t *testing.T, path string) {
			fi := need.Value(os.Stat(path))(t)
			overwrite(t, path, flip)
			need.NoError(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}, true},
		{"cut", func(t *testing.T, path string) { overwrite(t, path, func(b []byte) []byte { return b[1:] }) }, true},
		{"longer", func(t *testing.T, path string) {
			overwrite(t, path,
				func(b []byte) []byte { return append(b, 'x') })
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			_, r := work(t, s, "recipe", text)
			c.how(t, s.Health.BlobPath(r.Digest))
			other := openStore(t, s.Dir()) // one that has read the memo, or finds none
			for i, st := range []*Store{s, s, other, other} {
				need.Equal(t, st.Health.Damaged(r), c.damage, "look", i+1)
				need.Equal(t, st.Health.KnownDamaged(r), c.damage, "look", i+1, "known to be damaged")
			}
			need.NoError(t, s.Health.Discard(r))
			if _, err := os.Stat(s.Health.BlobPath(r.Digest)); c.damage != errors.Is(err, os.ErrNotExist) &&
				c.name != "gone" {
				t.Errorf("after Discard: %v", err)
			}
			need.Value(s.Put(artifacts.Text(text)))(t)
			if err := s.Health.Discard(artifacts.Ref{Digest: r.Digest, Size: 1, Format: "text"}); err != nil ||
				!s.Has(r) {
				t.Errorf("a record of another size removes what is whole: %v", err)
			}
			if s.Health.Damaged(r) || other.Health.Damaged(r) {
				t.Error("what was made again is damaged")
			}
			s.Close()
			if rep := mustVerify(t, s.Dir()); rep.Damaged() != 0 {
				t.Error(damage(rep))
			}
		})
	}
}

// Damage that somebody met is known to the next process without reading, and a blob that was
// written or read is not read again.
func TestDamageIsRemembered(t *testing.T) {
	unpacked(t)
	s := newStore(t)
	_, good := work(t, s, "one", "good")
	_, bad := work(t, s, "two", "bad")
	overwrite(t, s.Health.BlobPath(bad.Digest), flip)
	if s.Health.KnownDamaged(bad) {
		t.Error("known before anybody has read it")
	}
	if _, err := content(s, bad); !errors.Is(err, artifacts.ErrCorrupt) {
		t.Fatal(err)
	}
	s.Close()
	next := openStore(t, s.Dir())
	if !next.Health.KnownDamaged(bad) {
		t.Error("not known to the next process")
	}
	if wrong, known := next.known(good); wrong || !known {
		t.Error("what was written is read again")
	}
	next.bytes.Each(func(name string, st memo.State, _ [32]byte) {
		if st.Device != 0 {
			t.Errorf("%x: the device counts, which another machine of a cluster numbers differently", name)
		}
	})
	// A mark of use moves the times, and nothing is read for that.
	age(t, s.Health.BlobPath(good.Digest), 24*time.Hour)
	if next.Health.Damaged(good) {
		t.Error("an old blob is damaged")
	}
	need.NoError(t, next.Work.Hold())
	if !next.Has(good) {
		t.Error("it is not there")
	}
	if fi := need.Value(os.Stat(s.Health.BlobPath(good.Digest)))(t); time.Since(fi.ModTime()) > time.Hour {
		t.Fatal("it is not marked")
	}
	if wrong, known := next.known(good); wrong || !known {
		t.Error("what was marked is read again")
	}
	need.NoError(t, next.Health.Discard(bad))
}

// What one process found damaged in a remote is missing there for the next one, until it
// is replaced.
func TestDamageThereIsRemembered(t *testing.T) {
	f := newShelf()
	one := attached(t, f)
	k, outputs := recordWork(t, one, "recipe")
	share(one)
	f.change("blobs/", func(b []byte) []byte { b = []byte(string(b)); b[0] ^= 1; return b })
	dir := filepath.Join(t.TempDir(), "two")
	open := func() *Store {
		s := need.Value(Open(dir))(t)
		need.NoError(t, s.Remote.Attach(context.Background(), f))
		return s
	}
	two := open()
	if _, err := two.Lookup(k); err != nil || !two.Has(outputs.Of("a")) || two.Health.KnownDamaged(outputs.Of("a")) {
		t.Fatal("before anybody has read it", err)
	}
	if _, err := readText(two, outputs.Of("a")); !errors.Is(err, artifacts.ErrCorrupt) ||
		!strings.Contains(err.Error(), "in shelf") {
		t.Error(err)
	}
	two.Close()
	two = open()
	if two.Has(outputs.Of("a")) || !two.Health.KnownDamaged(outputs.Of("a")) || two.Remote.Report().Refused != 1 {
		t.Errorf("the next process: %+v", two.Remote.Report())
	}
	recordWork(t, two, "recipe")
	share(two)
	if r := two.Remote.Report(); r.Refused != 0 || r.Replaced != 1 {
		t.Errorf("%+v", r)
	}
	two.Close()
	two = open()
	if r := two.Remote.Report(); r.Refused != 0 || two.Health.KnownDamaged(outputs.Of("a")) {
		t.Errorf("after it was replaced: %+v", r)
	}
	// With it went what nobody had read yet.
	three := attached(t, f)
	for _, ref := range outputs {
		if _, err := readText(three, ref.Ref); err != nil {
			t.Errorf("output %s: %v", ref.Name, err)
		}
	}
	two.Close()
}
