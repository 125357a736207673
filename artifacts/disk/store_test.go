package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/internal/record"
	"prgnn/internal/need"
)

func TestPutAndOpen(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		a := encoding.NewArray([]float64{1, 2, 3}, 3)
		r := need.Value(s.Put(a))(t)
		file := encoded(t, a)
		need.Equal(t, r, (artifacts.Ref{Digest: artifacts.DigestOf(file), Size: int64(len(file)), Format: "npy"}))
		if !s.Has(r) || s.Has(artifacts.Ref{Digest: r.Digest, Size: r.Size + 1}) || s.Has(artifacts.Ref{Size: 3}) {
			t.Error("Has is wrong")
		}
		if got, err := content(s, r); err != nil || got != string(file) {
			t.Errorf("%q, %v", got, err)
		}
		sealed(t, s)
		fi := need.Value(os.Stat(lies(s, r.Digest)))(t)
		if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o444 {
			t.Errorf("a blob has mode %v", fi.Mode())
		}
		if _, err := content(s, artifacts.Ref{Size: 3}); !errors.Is(err, artifacts.ErrMiss) {
			t.Error(err)
		}
		need.Equal(t, need.Value(s.Put(a))(t), r, "put again")
	})
}

// A second checker that is not ours agrees: sha256sum gives every blob its name.
func TestSha256sum(t *testing.T) {
	tool := need.Program(t, "coreutils", "sha256sum")
	s := newStore(t)
	for i := range 20 {
		result := strings.Repeat(fmt.Sprint("result ", i), 1+i%2*packedUpTo)
		_, r := work(t, s, fmt.Sprint("recipe ", i), result)
		need.Value(s.File(r))(t) // which writes out what lies in a pack
	}
	paths := need.Value(filepath.Glob(filepath.Join(s.Dir(), "blobs", "*", "*")))(t)
	out, err := exec.Command(tool, paths...).Output()
	if err != nil || len(paths) != 20 {
		t.Fatal(err, len(paths))
	}
	for line := range strings.Lines(string(out)) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if filepath.Base(path) != sum {
			t.Errorf("%s has the digest %s", path, sum)
		}
	}
}

func TestRecordAndLookup(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		r1, r2 := need.Value(s.Put(artifacts.Text("one")))(t), need.Value(s.Put(artifacts.Text("two")))(t)
		a := artifacts.Action{Recipe: "kind echo\nvalue = 1\n", Outputs: artifacts.Refs{{Name: "a", Ref: r1}, {Name: "b", Ref: r2}}}
		k := need.Value(s.Record(a))(t)
		if k != artifacts.KeyOf(a.Recipe) {
			t.Error("the key is not that of the recipe")
		}
		want := fmt.Sprintf("prgnn action 1\noutput %s 3 text a\noutput %s 3 text b\nrecipe 20\nkind echo\nvalue = 1\n\nsha256 ", r1.Digest, r2.Digest)
		text := string(need.Value(s.readObject(s.recordObject(k)))(t))
		if !strings.HasPrefix(text, want) || len(text) != len(want)+65 {
			t.Errorf("the record is\n%s\nwant\n%s", text, want)
		}
		// In this process and in others.
		other := openStore(t, s.Dir())
		third := openStore(t, s.Dir())
		for i, st := range []*Store{s, other, third} {
			if got, err := st.Lookup(k); err != nil || !reflect.DeepEqual(got, a) {
				t.Errorf("%d: %+v, %v", i, got, err)
			}
		}
		if _, err := s.Lookup(artifacts.KeyOf("other")); !errors.Is(err, artifacts.ErrMiss) {
			t.Error(err)
		}
	})
}

func TestRecordRefuses(t *testing.T) {
	s := newStore(t)
	for _, a := range []artifacts.Action{
		{Outputs: artifacts.Refs{{Name: "two words", Ref: artifacts.Ref{Format: "npy"}}}},
		{Outputs: artifacts.Refs{{Name: "", Ref: artifacts.Ref{Format: "npy"}}}},
		{Outputs: artifacts.Refs{{Name: "x", Ref: artifacts.Ref{}}}},
		{Outputs: artifacts.Refs{{Name: "x", Ref: artifacts.Ref{Format: "a\nb"}}}},
		{Outputs: artifacts.Refs{{Name: "x", Ref: artifacts.Ref{Format: "npy", Size: -1}}}},
	} {
		if k, err := s.Record(a); err == nil {
			t.Errorf("%+v was recorded as %s", a, k)
		}
	}
	if _, err := s.Put(artifacts.Bytes{Kind: "two words"}); err == nil {
		t.Error("a blob of two words was put")
	}
}

// Whatever is done to a record, Lookup misses; and with the index as without it.
func TestDamagedActionIsMiss(t *testing.T) {
	unpacked(t)
	for name, change := range map[string]func([]byte) []byte{
		"flipped":    flip,
		"cut":        func(b []byte) []byte { return b[:len(b)-1] },
		"emptied":    func(b []byte) []byte { return nil },
		"lengthened": func(b []byte) []byte { return append(b, '\n') },
		"digit": func(b []byte) []byte { // another digest, and as good as the right one to look at
			at := bytes.Index(b, []byte("output ")) + len("output ")
			b[at] = map[bool]byte{true: '1', false: '0'}[b[at] == '0']
			return b
		},
		"forged": func(b []byte) []byte { // sealed, and another recipe's
			a, _ := record.EncodeAction(artifacts.Action{Recipe: "another"})
			return a
		},
	} {
		s := newStore(t)
		k, _ := work(t, s, "recipe "+name, "result")
		if _, err := s.Lookup(k); err != nil {
			t.Fatal(err)
		}
		fi := need.Value(os.Stat(s.actionPath(k)))(t)
		overwrite(t, s.actionPath(k), change)
		if err := os.Chtimes(s.actionPath(k), fi.ModTime(), fi.ModTime()); err != nil { // as a bad disk leaves it
			t.Fatal(err)
		}
		for _, st := range []*Store{s, openStore(t, s.Dir())} {
			if a, err := st.Lookup(k); !errors.Is(err, artifacts.ErrMiss) {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
		work(t, s, "recipe "+name, "result") // made again: healed
		if _, err := s.Lookup(k); err != nil {
			t.Errorf("%s, made again: %v", name, err)
		}
	}
}

func TestDamagedBlobIsFound(t *testing.T) {
	both(t, func(t *testing.T) {
		for name, change := range map[string]func([]byte) []byte{
			"flipped":    flip,
			"cut":        func(b []byte) []byte { return b[:len(b)-1] },
			"lengthened": func(b []byte) []byte { return append(b, 'x') },
		} {
			s := newStore(t)
			_, r := work(t, s, "recipe", strings.Repeat("result ", 100000))
			overwrite(t, s.Health.BlobPath(r.Digest), change)
			if _, err := content(s, r); !errors.Is(err, artifacts.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
			need.Equal(t, s.Has(r), (name == "flipped"), name, "Has is")
			if err := s.Health.Remove(r.Digest); err != nil || s.Has(r) {
				t.Errorf("%s: not removed: %v", name, err)
			}
			if err := s.Health.Remove(r.Digest); err != nil {
				t.Errorf("%s: removed twice: %v", name, err)
			}
			need.Value(s.Put(artifacts.Text(strings.Repeat("result ", 100000))))(t)
		}
	})
}

// Putting a value again heals a damaged blob, without anybody having noticed.
func TestPutHeals(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		_, r := work(t, s, "recipe", "result")
		spoil(t, s, packedBlob(r.Digest))
		need.Value(s.Put(artifacts.Text("result")))(t)
		if got, err := content(s, r); err != nil || got != "result" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// A value that fails to encode leaves nothing behind.
func TestPutFails(t *testing.T) {
	s := newStore(t)
	need.NoError(t, s.Work.Hold())
	wrong := errors.New("the value is wrong")
	if _, err := s.Put(failing{wrong}); !errors.Is(err, wrong) || !strings.Contains(err.Error(), s.Dir()) {
		t.Error(err)
	}
	if left := need.Value(os.ReadDir(s.session.Dir()))(t); len(left) != 1 { // the lease
		t.Errorf("left behind: %v", left)
	}
	if r := need.Value(s.Health.Verify(t.Context(), nil))(t); r.Blobs != 0 {
		t.Errorf("%d blobs", r.Blobs)
	}
}

type failing struct{ err error }

func (f failing) Format() string { return "text" }
func (f failing) Encode(w io.Writer) error {
	io.WriteString(w, strings.Repeat("some bytes", packedUpTo))
	return f.err
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "holds other files, such as thesis.tex") {
		t.Error(err)
	}
	s := newStore(t)
	overwrite(t, filepath.Join(s.Dir(), "version"), func([]byte) []byte { return []byte("prgnn store 9\n") })
	if _, err := Open(s.Dir()); err == nil || !strings.Contains(err.Error(), `its layout is "prgnn store 9\n"`) {
		t.Error(err)
	}
	// A damaged version is told from one of another program, which nobody should delete.
	for _, text := range []string{"2.3.1", "", strings.Repeat("\x00", len(version)), version + version,
		version[:len(version)-1], "prgnn store x\n", "prgnn store \n", "prgnn store 3\x00\n", "prgnn store 03\n"} {
		overwrite(t, filepath.Join(s.Dir(), "version"), func([]byte) []byte { return []byte(text) })
		_, err := Open(s.Dir())
		need.Error(t, err, "version is damaged", text)
	}
	for _, other := range []string{"main.c", "version"} {
		dir := t.TempDir()
		need.NoError(t, os.WriteFile(filepath.Join(dir, other), []byte("2.3.1"), 0o666))
		need.NoError(t, os.WriteFile(filepath.Join(dir, "version"), []byte("2.3.1"), 0o666))
		_, err := Open(dir)
		need.Error(t, err, "is not a store, although it has a file version", other)
		if strings.Contains(fmt.Sprint(err), "delete") {
			t.Error(err)
		}
	}
	// The making of a store that was interrupted goes on.
	need.NoError(t, os.Remove(filepath.Join(s.Dir(), "version")))
	work(t, openStore(t, s.Dir()), "recipe", "result")
}

// A store that cannot be written serves everything that it has.
func TestReadOnlyStore(t *testing.T) {
	// Root may write everywhere: without that capability the test runs in a process of its own.
	if os.Getuid() == 0 && os.Getenv("PRGNN_CHILD") != "no capability" {
		setpriv := need.Program(t, "util-linux", "setpriv")
		cmd := exec.Command(setpriv, "--inh-caps=-dac_override,-dac_read_search", "--bounding-set=-dac_override,-dac_read_search",
			need.Value(os.Executable())(t), "-test.v", "-test.run=^TestReadOnlyStore$")
		cmd.Env = append(os.Environ(), "PRGNN_CHILD=no capability")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestReadOnlyStore") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	s := newStore(t)
	k, r := work(t, s, "recipe", "result")
	s.Close()
	chmodTree(t, s.Dir(), 0o555)
	t.Cleanup(func() { chmodTree(t, s.Dir(), 0o755) })
	need.NoError(t, readOnly(s.Dir(), k, r))
}

// readOnly checks what a store that cannot be written does.
func readOnly(dir string, k artifacts.Key, r artifacts.Ref) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Lookup(k); err != nil {
		return err
	}
	if got, err := content(s, r); err != nil || got != "result" || !s.Has(r) {
		return fmt.Errorf("the blob is %q: %w", got, err)
	}
	if _, err := s.Put(artifacts.Text("new")); err == nil || !strings.HasPrefix(err.Error(), "store "+dir) {
		return fmt.Errorf("put: %w", err)
	}
	if err := s.Work.Hold(); err == nil {
		return errors.New("a store that cannot be written is held")
	}
	if _, err := s.HashFile(context.Background(), os.Args[0], false); err != nil {
		return err
	}
	if _, err := s.Health.PlanGC(GCOptions{}); err != nil {
		return err
	}
	return clean(s)
}

func chmodTree(t testing.TB, dir string, mode os.FileMode) {
	need.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = os.Chmod(path, mode)
		}
		return err
	}))
}

// Many goroutines of two stores on one directory put and record the same things.
func TestConcurrentWriters(t *testing.T) {
	both(t, func(t *testing.T) {
		s := newStore(t)
		stores := []*Store{s, openStore(t, s.Dir())}
		var group sync.WaitGroup
		for w := range 8 {
			group.Go(func() {
				st := stores[w%2]
				for i := range 40 {
					work(t, st, fmt.Sprint("recipe ", i%20), strings.Repeat(fmt.Sprint(i%20), 1000))
				}
			})
		}
		group.Wait()
		if r := mustVerify(t, s.Dir()); r.Blobs != 20 || r.Actions != 20 {
			t.Errorf("%d blobs and %d actions", r.Blobs, r.Actions)
		}
	})
}

func TestParseDigest(t *testing.T) {
	d := artifacts.DigestOf([]byte("abc"))
	if d.String() != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" { // FIPS 180-2, appendix B.1
		t.Error(d)
	}
	if got, err := artifacts.ParseDigest(d.String()); err != nil || got != d {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "abc", strings.Repeat("g", 64), strings.ToUpper(d.String()), d.String() + "0"} {
		if _, err := artifacts.ParseDigest(bad); err == nil {
			t.Errorf("%q is a digest", bad)
		}
		if _, err := artifacts.ParseKey(bad); err == nil {
			t.Errorf("%q is a key", bad)
		}
	}
}

// A store with a part on a disk that is not mounted is refused, and nothing is made or noted in its place.
func TestPartsOutOfReach(t *testing.T) {
	for i, name := range append(parts[:len(parts):len(parts)], versionFile, collectedFile) {
		s := need.Value(Open(filepath.Join(t.TempDir(), "store")))(t)
		recordWork(t, s, "recipe")
		need.NoError(t, s.Close())
		path, away := s.relativePath(name), filepath.Join(t.TempDir(), "away")
		need.NoError(t, os.RemoveAll(path))
		if err := os.Symlink(away, path); err != nil {
			need.Missing(t, "symbolic links: %v", err)
		}
		_, err := Open(s.Dir())
		need.Error(t, err, name+" is a link to "+away+", where there is nothing")
		need.NoError(t, errors.Join(os.Remove(path), os.Symlink(filepath.Base(path), path))) // a link to itself
		_, err = Open(s.Dir())
		need.Error(t, err, name+" is a link to "+name)
		_, err = os.Lstat(away)
		need.Equal(t, errors.Is(err, fs.ErrNotExist), true, name, "is not made")
		if i < 3 {
			need.NoError(t, errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666)))
			_, err = Open(s.Dir())
			need.Error(t, err, name+" is a file, where a directory belongs")
		}
	}
}
