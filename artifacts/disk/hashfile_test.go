package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
	"prgnn/internal/need"
)

// userFile writes a file of the user's, as old as d.
func userFile(t testing.TB, text string, d time.Duration) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scan.nii")
	need.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	age(t, path, d)
	return path
}

// poison makes the memo wrong, so that it shows whether it is believed.
func poison(s *Store, path string) artifacts.Digest {
	var wrong artifacts.Digest
	found := false
	var state memo.State
	s.files.Each(func(name string, st memo.State, _ [32]byte) {
		if name == path {
			found, state = true, st
		}
	})
	if !found {
		return artifacts.DigestOf(nil)
	}
	s.files.Remember(path, state, wrong)
	return wrong
}

// settle moves a memo entry, and so the file as the memo knows it, out of the two
// seconds in which nothing is believed: the ctime of a new file cannot be set.
func settle(t *testing.T) {
	t.Helper()
	time.Sleep(memo.Racy + 10*time.Millisecond)
}

func TestHashFileMemo(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for files to be two seconds old")
	}
	t.Parallel()
	s := newStore(t)
	path := userFile(t, "some scan", time.Hour)
	want := artifacts.DigestOf([]byte("some scan"))

	// Young by its ctime, whatever its mtime says: hashed, and not remembered.
	if r := need.Value(s.HashFile(context.Background(), path, false))(t); r != (artifacts.Ref{Digest: want, Size: 9}) {
		t.Fatal(r)
	}
	if remembered(&s.files) != 0 {
		t.Error("a file younger than two seconds is remembered")
	}
	settle(t)
	need.Value(s.HashFile(context.Background(), path, false))(t)
	wrong := poison(s, path)
	if r := need.Value(s.HashFile(context.Background(), path, false))(t); r.Digest != wrong {
		t.Error("the memo is not used")
	}
	if r := need.Value(s.HashFile(context.Background(), path, true))(t); r.Digest != want {
		t.Error("rehash believes the memo")
	}
	// Another process finds it in the store; touching, moving and editing void it.
	other := openStore(t, s.Dir())
	need.Value(other.HashFile(context.Background(), path, false))(t)
	other.files.Each(func(name string, _ memo.State, d [32]byte) {
		if name == path && d != want {
			t.Error("another process does not find the memo")
		}
	})
	for name, edit := range map[string]func(){
		"touched":  func() { age(t, path, 2*time.Hour) },
		"replaced": func() { replace(t, path, "some scan") },
		"same size and mtime": func() {
			fi := need.Value(os.Stat(path))(t)
			need.NoError(t, errors.Join(os.WriteFile(path, []byte("some scam"), 0o666),
				os.Chtimes(path, fi.ModTime(), fi.ModTime())))
		},
	} {
		poison(s, path)
		edit()
		data := need.Value(os.ReadFile(path))(t)
		if r := need.Value(s.HashFile(context.Background(), path, false))(t); r.Digest != artifacts.DigestOf(data) {
			t.Errorf("%s: the memo is believed", name)
		}
	}
}

// Every part of a file's state counts.
func TestFileMemoKey(t *testing.T) {
	s := newStore(t)
	st := memo.State{Regular: true, Size: 1, Mtime: 2, Ctime: 3, Inode: 4, Device: 5}
	s.files.Remember("/a", st, artifacts.DigestOf(nil))
	s.files.Close()
	for _, m := range []*memo.Files{&s.files, &openStore(t, s.Dir()).files} {
		if d, ok := m.Lookup("/a", st); !ok || d != artifacts.DigestOf(nil) {
			t.Error("the same state is not known")
		}
		if _, ok := m.Lookup("/b", st); ok {
			t.Error("another path is known")
		}
		for i, change := range []func(*memo.State){
			func(st *memo.State) { st.Size++ }, func(st *memo.State) { st.Mtime++ },
			func(st *memo.State) { st.Ctime++ },
			func(st *memo.State) { st.Inode++ }, func(st *memo.State) { st.Device++ },
		} {
			other := st
			change(&other)
			if _, ok := m.Lookup("/a", other); ok {
				t.Errorf("change %d is not seen", i)
			}
		}
	}
}

// replace writes a new file of the same size and mtime, and moves it into place.
func replace(t *testing.T, path, text string) {
	t.Helper()
	fi := need.Value(os.Stat(path))(t)
	need.NoError(t, errors.Join(os.WriteFile(path+".new", []byte(text), 0o666), os.Chtimes(path+".new", fi.ModTime(),
		fi.ModTime()), os.Rename(path+".new", path)))
}

// A clock that was set back makes files of the future: they are never believed.
func TestHashFileFuture(t *testing.T) {
	s := newStore(t)
	path := userFile(t, "scan", -time.Hour)
	need.Value(s.HashFile(context.Background(), path, false))(t)
	if remembered(&s.files) != 0 {
		t.Error("a file of the future is remembered")
	}
	now := time.Unix(1e9, 0)
	for ago, young := range map[time.Duration]bool{3 * time.Second: false, 2 * time.Second: false, time.Second: true,
		0: true, -time.Hour: true} {
		for _, st := range []memo.State{{Mtime: now.Add(-ago).UnixNano()}, {Ctime: now.Add(-ago).UnixNano()}} {
			if st.Younger(now, memo.Racy) != young {
				t.Errorf("a file of %v ago: younger is %v", ago, !young)
			}
		}
	}
}

func TestHashFileRefuses(t *testing.T) {
	s := newStore(t)
	if _, err := s.HashFile(context.Background(), "no such file", false); !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "open no such file: ") {
		t.Error(err)
	}
	if _, err := s.HashFile(context.Background(), t.TempDir(), false); err == nil || !strings.HasSuffix(err.Error(), " is a directory, not a regular file") {
		t.Error(err)
	}
}

// A symbolic link stands for the file that it names.
func TestHashFileLink(t *testing.T) {
	s := newStore(t)
	path := userFile(t, "scan", time.Hour)
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		need.Missing(t, "symbolic links: %v", err)
	}
	if r := need.Value(s.HashFile(context.Background(), link,
		false))(t); r.Digest != artifacts.DigestOf([]byte("scan")) {
		t.Error(r)
	}
}

// A file that is written to while it is read has no digest.
func TestHashFileChanging(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a pipe with a name")
	}
	s := newStore(t)
	path := userFile(t, strings.Repeat("scan", 8<<20), time.Hour)
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for i := int64(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err == nil {
					f.WriteAt([]byte{byte(i)}, i%1000)
					f.Close()
				}
			}
		}
	}()
	var err error
	for range 50 { // on a busy machine nobody may write meanwhile
		if _, err = s.HashFile(context.Background(), path, false); err != nil {
			break
		}
	}
	close(stop)
	<-done
	if !errors.Is(err, artifacts.ErrChanged) || !strings.HasPrefix(err.Error(), path) {
		t.Error(err)
	}
}

// The memo logs are only memos: whatever happens to them, the answers are right.
func TestMemoDamage(t *testing.T) {
	s := newStore(t)
	var paths []string
	for i := range 50 {
		path := filepath.Join(t.TempDir(), "file")
		need.NoError(t, os.WriteFile(path, fmt.Append(nil, i), 0o666))
		age(t, path, time.Hour)
		paths = append(paths, path)
	}
	hash := func(what string) {
		t.Helper()
		st := need.Value(Open(s.Dir()))(t)
		defer st.Close()
		for i, path := range paths {
			st.files.Remember(path, memo.State{Size: int64(i)},
				artifacts.Digest{byte(i)}) // of a state that it does not have
			if r, err := st.HashFile(context.Background(), path, false); err != nil ||
				r.Digest != artifacts.DigestOf(fmt.Append(nil, i)) {
				t.Errorf("%s: file %d: %+v, %v", what, i, r, err)
			}
		}
	}
	hash("at first")
	path := filepath.Join(s.Dir(), "memo", "files")
	whole := need.Value(os.ReadFile(path))(t)
	for _, n := range []int{0, 1, 7, 8, 9, len(whole) / 2, len(whole) - 1} {
		for name, b := range map[string][]byte{"cut": whole[:n], "flipped": append(append([]byte(nil), whole[:n]...),
			flip(append([]byte(nil), whole[n:]...))...)} {
			need.NoError(t, os.WriteFile(path, b, 0o666))
			hash(fmt.Sprintf("%s at %d", name, n))
			// What is read again is remembered again.
			again := need.Value(Open(s.Dir()))(t)
			need.Equal(t, remembered(&again.files), len(paths), name, "at", n, "of", "are remembered")
			again.Close()
		}
	}
}

// A log in which most entries are outdated is written anew.
func TestMemoCompacts(t *testing.T) {
	s := newStore(t)
	for i := range 200 {
		s.files.Remember("one path", memo.State{Size: int64(i)}, artifacts.Digest{})
	}
	s.Close()
	path := filepath.Join(s.Dir(), "memo", "files")
	before := need.Value(os.Stat(path))(t).Size()
	openStore(t, s.Dir()).files.Lookup("one path", memo.State{})
	if after := need.Value(os.Stat(path))(t).Size(); after*200 != before {
		t.Errorf("%d bytes became %d", before, after)
	}
}

func remembered(m *memo.Files) (n int) {
	m.Each(func(string, memo.State, [32]byte) { n++ })
	return n
}
