package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/internal/record"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

// A shelf is a remote in memory that can be made to fail.
type shelf struct {
	mu      sync.Mutex
	objects map[string][]byte
	asked   atomic.Int64
	down    atomic.Bool
	locked  bool // takes nothing
}

func newShelf() *shelf { return &shelf{objects: map[string][]byte{}} }

func (f *shelf) String() string { return "shelf" }

func (f *shelf) object(name string) ([]byte, error) {
	f.asked.Add(1)
	if f.down.Load() {
		return nil, errors.New("connection refused")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b, ok := f.objects[name]
	if !ok {
		return nil, artifacts.ErrMiss
	}
	return b, nil
}

func (f *shelf) Size(_ context.Context, name string) (int64, error) {
	b, err := f.object(name)
	return int64(len(b)), err
}

func (f *shelf) Get(_ context.Context, name string) (io.ReadCloser, error) {
	b, err := f.object(name)
	return io.NopCloser(bytes.NewReader(b)), err
}

func (f *shelf) Put(_ context.Context, name, file string) error {
	if _, err := f.object(name); err != nil && !errors.Is(err, artifacts.ErrMiss) {
		return err
	}
	if f.locked {
		return artifacts.ErrReadOnly
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[name] = b
	return nil
}

// change replaces every object whose name begins so.
func (f *shelf) change(prefix string, how func([]byte) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, b := range f.objects {
		if strings.HasPrefix(name, prefix) {
			if b = how(b); b == nil {
				delete(f.objects, name)
			} else {
				f.objects[name] = b
			}
		}
	}
}

func (f *shelf) count(prefix string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.objects {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n
}

func attached(t *testing.T, r remote.Remote) *Store {
	t.Helper()
	s := newStore(t)
	need.NoError(t, s.Remote.Attach(context.Background(), r))
	return s
}

// recordWork records an action with two outputs.
func recordWork(t *testing.T, s *Store, recipe string) (artifacts.Key, artifacts.Refs) {
	t.Helper()
	outputs := artifacts.Refs{}
	for _, name := range []string{"a", "b"} {
		ref := need.Value(s.Put(artifacts.Text(recipe + "/" + name)))(t)
		outputs.Set(name, ref)
	}
	k := need.Value(s.Record(artifacts.Action{Recipe: recipe, Outputs: outputs}))(t)
	return k, outputs
}

func share(s *Store) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Remote.Share(ctx, func(int) {})
}

func readText(s *Store, r artifacts.Ref) (string, error) {
	rc, err := s.OpenBlob(r)
	if err != nil {
		return "", err
	}
	defer rc.Close()
	b, err := io.ReadAll(rc)
	return string(b), err
}

func TestTwoStoresShareWork(t *testing.T) {
	f := newShelf()
	one, two := attached(t, f), attached(t, f)
	k, outputs := recordWork(t, one, "recipe")
	share(one)
	if n := f.count("blobs/"); n != 2 || f.count("actions/") != 1 {
		t.Fatalf("the remote has %d blobs and %d actions", n, f.count("actions/"))
	}
	a, err := two.Lookup(k)
	if err != nil || a.Recipe != "recipe" || a.Outputs.Of("a") != outputs.Of("a") {
		t.Fatalf("the other store finds %+v, %v", a, err)
	}
	if !two.Has(outputs.Of("a")) || two.hasHere(outputs.Of("a")) {
		t.Error("a blob is known, and is not brought before it is needed")
	}
	if text, err := readText(two, outputs.Of("a")); text != "recipe/a" || err != nil {
		t.Errorf("it reads %q, %v", text, err)
	}
	if !two.hasHere(outputs.Of("a")) || two.hasHere(outputs.Of("b")) {
		t.Error("what was read stays, what was not stays away")
	}
	if here := two.Remote.Fetch(context.Background(), outputs.Of("b"), artifacts.Ref{Size: 3}); !here[0] || here[1] {
		t.Errorf("fetched: %v", here)
	}
	if r := two.Remote.Report(); r.Fetched != 2 || r.Down != nil || r.Refused != 0 {
		t.Errorf("it tells %+v", r)
	}
	// newStore verifies both: what is not here is no damage.
}

func TestARecordOfOthersIsKept(t *testing.T) {
	f := newShelf()
	one, two := attached(t, f), attached(t, f)
	k, outputs := recordWork(t, one, "recipe")
	share(one)
	if _, err := two.Lookup(k); err != nil {
		t.Fatal(err)
	}
	f.down.Store(true)
	if _, err := two.Lookup(k); err != nil {
		t.Errorf("without the remote: %v", err)
	}
	if _, err := readText(two, outputs.Of("a")); !errors.Is(err, artifacts.ErrMiss) {
		t.Errorf("a blob that was not brought: %v", err)
	}
}

// Work that was fetched and done here all the same, with other outputs: a record that the remote cannot keep is
// replaced, signed by us or by nobody; one that it can keep is another's word, and stays.
func TestContradictedRecords(t *testing.T) {
	for _, trust := range []remote.Trust{{}, {Signer: stamp("lab"), Keys: []remote.Verifier{stamp("lab")}}} {
		for _, lost := range []bool{false, true} {
			f := newShelf()
			joined := func() *Store {
				s := newStore(t)
				s.Remote.SetTrust(trust)
				need.NoError(t, s.Remote.Attach(context.Background(), f))
				return s
			}
			name := fmt.Sprintf("signer %v, files lost %v", trust.Signer, lost)
			one, two := joined(), joined()
			k, _ := recordWork(t, one, "recipe")
			share(one)
			if lost {
				f.change("blobs/", func([]byte) []byte { return nil })
			}
			if a, err := two.Lookup(k); err != nil || a.Origin == "" {
				t.Fatal(name, a, err)
			}
			ref := need.Value(two.Put(artifacts.Text("made here")))(t)
			need.Value(two.Record(artifacts.Action{Recipe: "recipe", Outputs: artifacts.Refs{{Name: "a",
				Ref: ref}, {Name: "b", Ref: ref}}}))(t)
			share(two)
			want := 0
			if lost {
				want = f.count("actions/") + f.count("signed/")
			}
			if r := two.Remote.Report(); r.Refused != 0 || r.Replaced != want {
				t.Errorf("%s: %+v, want %d replaced", name, r, want)
			}
			if a, err := joined().Lookup(k); err != nil || (a.Outputs.Of("a") == ref) != lost {
				t.Errorf("%s: a third store finds %v, %v", name, a, err)
			}
			plain := newStore(t)
			need.NoError(t, plain.Remote.Attach(context.Background(), f))
			if a, err := plain.Lookup(k); err != nil || (a.Outputs.Of("a") == ref) != lost {
				t.Errorf("%s: one without keys finds %v, %v", name, a, err)
			}
		}
	}
}

func TestWhatIsDamagedThereIsRefusedAndMended(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		how          func([]byte) []byte
	}{
		{"a flipped bit", "blobs/", func(b []byte) []byte { b = bytes.Clone(b); b[0] ^= 1; return b }},
		{"cut short", "blobs/", func(b []byte) []byte { return b[:len(b)-1] }},
		{"empty", "blobs/", func(b []byte) []byte { return []byte{} }},
		{"too long", "blobs/", func(b []byte) []byte { return append(bytes.Clone(b), 'x') }},
		{"missing", "blobs/", func(b []byte) []byte { return nil }},
		{"a flipped bit in the record", "actions/", func(b []byte) []byte { b = bytes.Clone(b); b[20] ^= 1; return b }},
		{"a record cut short", "actions/", func(b []byte) []byte { return b[:40] }},
		{"a record gone", "actions/", func(b []byte) []byte { return nil }},
		{"a record of other work", "actions/", func(b []byte) []byte {
			other, _ := record.EncodeAction(artifacts.Action{Recipe: "other"})
			return other
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newShelf()
			one := attached(t, f)
			k, outputs := recordWork(t, one, "recipe")
			share(one)
			f.change(c.prefix, c.how)

			two := attached(t, f)
			_, err := two.Lookup(k)
			if c.prefix == "actions/" && !errors.Is(err, artifacts.ErrMiss) {
				t.Errorf("the record: %v", err)
			}
			if here := two.Remote.Fetch(context.Background(), outputs.Of("a")); c.prefix == "blobs/" && here[0] {
				t.Error("the blob was taken")
			}
			// Made again, it replaces what is damaged.
			recordWork(t, two, "recipe")
			share(two)
			three := attached(t, f)
			if _, err := three.Lookup(k); err != nil {
				t.Errorf("afterwards: %v", err)
			}
			if text, err := readText(three, outputs.Of("a")); text != "recipe/a" || err != nil {
				t.Errorf("afterwards it reads %q, %v", text, err)
			}
		})
	}
}

func TestARemoteThatIsAway(t *testing.T) {
	f := newShelf()
	f.down.Store(true)
	s := attached(t, f)
	asked := f.asked.Load()
	for i := range 100 {
		recordWork(t, s, fmt.Sprint("recipe ", i))
		if _, err := s.Lookup(artifacts.KeyOf(fmt.Sprint("nobody's ", i))); !errors.Is(err, artifacts.ErrMiss) {
			t.Fatal(err)
		}
	}
	share(s)
	if n := f.asked.Load() - asked; n > 3 {
		t.Errorf("it was asked %d times while it was away", n)
	}
	if r := s.Remote.Report(); r.Down == nil || r.Left != 100 {
		t.Errorf("it tells %+v", r)
	}
	// The next run, with the remote back, carries all of it.
	need.NoError(t, s.Close())
	f.down.Store(false)
	again := openStore(t, s.Dir())
	need.NoError(t, again.Remote.Attach(context.Background(), f))
	share(again)
	need.Equal(t, f.count("actions/"), 100, "actions arrived")
	again.Close()
	if left, _ := os.ReadDir(filepath.Join(s.Dir(), memoDir, unsharedDir)); len(left) != 0 {
		t.Errorf("%d lists are left", len(left))
	}
}

// A process that is killed leaves its list.
func TestAListOfADeadProcessIsTaken(t *testing.T) {
	f := newShelf()
	f.down.Store(true)
	dead := attached(t, f)
	recordWork(t, dead, "recipe")
	// No Close: what stands on the disk is what a killed process leaves, whose lease
	// the kernel drops.
	dead.session.Lease.Unlock()
	f.down.Store(false)
	s := openStore(t, dead.Dir())
	t.Cleanup(func() { os.RemoveAll(dead.session.Dir()) })
	need.NoError(t, s.Remote.Attach(context.Background(), f))
	share(s)
	if f.count("actions/") != 1 {
		t.Error("its work was not shared")
	}
}

// The list of one that lives is left alone: it would be lost if that one were
// killed after we have ended.
func TestAListOfALiveProcessIsLeft(t *testing.T) {
	f := newShelf()
	f.down.Store(true)
	alive := attached(t, f)
	recordWork(t, alive, "recipe")
	brief := need.Value(Open(alive.Dir()))(t)
	f.down.Store(false)
	need.NoError(t, brief.Remote.Attach(context.Background(), f))
	if brief.Remote.Report().Left != 0 {
		t.Error("it took what another carries")
	}
	brief.Close()
	recordWork(t, alive, "more")
	alive.session.Lease.Unlock() // it is killed
	last := openStore(t, alive.Dir())
	t.Cleanup(func() { os.RemoveAll(alive.session.Dir()) })
	need.NoError(t, last.Remote.Attach(context.Background(), f))
	if share(last); f.count("actions/") != 2 {
		t.Errorf("%d of its 2 actions were shared", f.count("actions/"))
	}
}

// What cannot be written down anew stays where it stands.
func TestListsOnAFullDisk(t *testing.T) {
	f := newShelf()
	f.down.Store(true)
	first := attached(t, f)
	recordWork(t, first, "recipe")
	first.Close()
	s := openStore(t, first.Dir())
	need.NoError(t, s.Remote.Attach(context.Background(), f))
	recordWork(t, s, "more")
	if err := os.MkdirAll(s.share.list.Name()+".part/x", 0o777); err != nil { // in the way, as a full disk is
		t.Fatal(err)
	}
	s.Close()
	f.down.Store(false)
	last := openStore(t, s.Dir())
	need.NoError(t, last.Remote.Attach(context.Background(), f))
	if share(last); f.count("actions/") != 2 {
		t.Errorf("%d of 2 actions were shared", f.count("actions/"))
	}
}

func TestARemoteThatOnlyGives(t *testing.T) {
	f := newShelf()
	one := attached(t, f)
	k, _ := recordWork(t, one, "recipe")
	share(one)
	f.locked = true
	two := attached(t, f)
	if _, err := two.Lookup(k); err != nil {
		t.Error(err)
	}
	recordWork(t, two, "more")
	share(two)
	if r := two.Remote.Report(); r.ReadOnly == nil || f.count("actions/") != 1 {
		t.Errorf("it tells %+v", r)
	}
}

// What our own disk has damaged is not passed on.
func TestDamageAtHomeStaysAtHome(t *testing.T) {
	unpacked(t)
	f := newShelf()
	f.down.Store(true)
	s := openStore2(t)
	need.NoError(t, s.Remote.Attach(context.Background(), f))
	_, outputs := recordWork(t, s, "recipe")
	path := s.Health.BlobPath(outputs.Of("a").Digest)
	os.Chmod(path, 0o644)
	need.NoError(t, os.WriteFile(path, []byte("recipe/A"), 0o644))
	s.Close()
	f.down.Store(false)
	again := need.Value(Open(s.Dir()))(t)
	defer again.Close()
	need.NoError(t, again.Remote.Attach(context.Background(), f))
	share(again)
	if f.count("actions/") != 0 {
		t.Error("the action was shared")
	}
}

func TestARemoteOfAnotherLayout(t *testing.T) {
	f := newShelf()
	f.objects[versionFile] = []byte("prgnn store 9\n")
	need.Error(t, newStore(t).Remote.Attach(context.Background(), f), "prgnn store 9")
	f.objects[versionFile] = []byte(version) // of a store that was copied there
	need.Error(t, newStore(t).Remote.Attach(context.Background(), f), "it holds a store, whose packs are not read there")
}

// A damaged version is not replaced: it may be another program's file.
func TestADamagedVersion(t *testing.T) {
	f := newShelf()
	for _, text := range []string{"rubbish", remote.Version + remote.Version, "prgnn store 1", "prgnn store 9\n\x00"} {
		f.objects[versionFile] = []byte(text)
		need.Error(t, newStore(t).Remote.Attach(t.Context(), f), "its file version is damaged")
	}
}

// openStore2 is a store that may end damaged.
func openStore2(t *testing.T) *Store {
	t.Helper()
	s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
	return s
}
