package workdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"prgnn/internal/need"
	"prgnn/internal/testdir"
)

func TestMain(m *testing.M) {
	if parent := os.Getenv("WORKDIR_TEST_PARENT"); parent != "" { // a process that is killed
		d, err := Make(parent, "x-")
		if err != nil {
			panic(err)
		}
		for i := range 200 {
			deep := filepath.Join(d.Path, fmt.Sprint("deep", i))
			os.Mkdir(deep, 0o700)
			os.WriteFile(filepath.Join(deep, "file"), []byte("x"), 0o400)
			os.Chmod(deep, 0o500)
		}
		os.Stdout.WriteString("ready\n")
		if os.Getenv("WORKDIR_TEST_REMOVE") != "" {
			d.Remove()
		}
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// started starts a process that makes a directory in parent, and waits until it is made.
func started(t *testing.T, parent string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "WORKDIR_TEST_PARENT="+parent), env...)
	out := need.Value(cmd.StdoutPipe())(t)
	need.NoError(t, cmd.Start())
	t.Cleanup(func() { // where the test did not come to it
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// What a killed process left goes, what a living one has stays.
func TestSweep(t *testing.T) {
	parent := testdir.Memory(t)
	cmd := started(t, parent)
	own := need.Value(Make(parent, "x-"))(t)
	if entries, err := os.ReadDir(own.Path); err != nil || len(entries) > 0 {
		t.Errorf("it begins with %v, %v", entries, err)
	}
	need.Equal(t, Sweep(parent, "x-"), 0, "directories of living processes were removed")
	cmd.Process.Kill()
	cmd.Wait()
	need.Equal(t, Sweep(parent, "y-"), 0, "directories of another name were removed")
	if n := Sweep(parent, "x-"); n != 1 {
		t.Errorf("%d directories of a dead process were removed, want 1", n)
	}
	if _, err := os.Stat(own.Path); err != nil {
		t.Error(err)
	}
	need.NoError(t, own.Remove())
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A process that is killed while it removes its directory leaves nothing that the next sweep
// cannot remove, and nothing that others may read.
func TestKilledWhileRemoving(t *testing.T) {
	parent := testdir.Memory(t)
	for i := range 15 {
		cmd := started(t, parent, "WORKDIR_TEST_REMOVE=yes")
		time.Sleep(time.Duration(i) * 600 * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		filepath.WalkDir(parent, func(path string, e fs.DirEntry, err error) error {
			if info, _ := os.Lstat(path); path != parent && info != nil && info.Mode().Perm()&0o077 != 0 && e.IsDir() {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
		Sweep(parent, "x-")
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			inside, _ := os.ReadDir(filepath.Join(parent, left[0].Name()))
			t.Fatalf("killed for the %d. time, %s holds %v after a sweep", i+1, left[0].Name(), inside)
		}
	}
}

// Directories that are being made while others sweep are whole once they are made.
func TestMakeDuringSweeps(t *testing.T) {
	parent := testdir.Memory(t)
	stop := make(chan bool)
	var sweeps, makers sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Sweep(parent, "x-")
				}
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 25 {
				d, err := Make(parent, "x-")
				if err != nil {
					t.Error(err)
					return
				}
				err = os.WriteFile(filepath.Join(d.Path, "file"), nil, 0o600)
				if _, lockErr := os.Stat(filepath.Join(d.outer, lockName)); err != nil || lockErr != nil {
					t.Error(err, lockErr)
				}
				need.Equal(t, d.Remove(), nil)
			}
		})
	}
	makers.Wait()
	close(stop)
	sweeps.Wait()
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Every state in which a kill can leave a directory is cleared by the next sweep.
func TestSweepHalfMade(t *testing.T) {
	host := need.Value(os.Hostname())(t)
	for _, c := range []struct {
		name string
		make func(dir string) error
	}{
		{"no lock", func(string) error { return nil }},
		{"empty lock", func(dir string) error { return os.WriteFile(filepath.Join(dir, lockName), nil, 0o600) }},
		{"no work", func(dir string) error { return os.WriteFile(filepath.Join(dir, lockName), []byte(host), 0o600) }},
	} {
		for name, prefix := range map[string]string{"x-1": "x-", ".pipeline-bids-1": Unfinished} {
			parent := t.TempDir()
			dir := filepath.Join(parent, name)
			need.NoError(t, errors.Join(os.Mkdir(dir, 0o700), c.make(dir)))
			if n := Sweep(parent, prefix); n != 1 {
				t.Errorf("%s, %s: it was not removed", name, c.name)
			}
		}
	}
}

// Nothing is removed that another machine, or nobody of ours, has made.
func TestSweepLeavesOthers(t *testing.T) {
	parent := t.TempDir()
	long := time.Now().Add(-time.Hour)
	make := func(name, lock string) {
		need.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o700))
		path := filepath.Join(parent, name, lockName)
		if lock == "" {
			return
		}
		need.NoError(t, os.WriteFile(path, []byte(lock), 0o600))
		os.Chtimes(path, long, long)
	}
	make("x-elsewhere", "another machine")
	make("x-no-lock", "")
	os.WriteFile(filepath.Join(parent, "x-no-lock", "data"), nil, 0o600) // of another program
	os.Chtimes(filepath.Join(parent, "x-no-lock"), long, long)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(parent, "x-link")); err == nil {
		host, _ := os.Hostname()
		os.WriteFile(filepath.Join(outside, lockName), []byte(host), 0o600)
		os.Chtimes(filepath.Join(outside, lockName), long, long)
	}
	need.Equal(t, Sweep(parent, "x-"), 0, "removed")
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// Without a directory for temporary files, the error names the variable that is wrong.
func TestNoDirectoryForTemporaryFiles(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("TMPDIR", nowhere)
	t.Setenv("TMP", nowhere)
	_, err := Make("", "prefix-")
	need.Error(t, err, nowhere+", where temporary files go, is no directory", "no directory")
	need.Error(t, err, "by the variable TMP", "no directory")
	if runtime.GOOS == "linux" {
		t.Setenv("TMPDIR", "/proc") // where nobody makes a directory
		_, err := Make("", "x-")
		need.Error(t, err, "/proc, where temporary files go, cannot be written: make room or change its mode")
	}
}

// TestRemoveAbove: what a program writes above its directory goes with it.
func TestRemoveAbove(t *testing.T) {
	parent := t.TempDir()
	d := need.Value(Make(parent, "room-"))(t)
	above := filepath.Dir(d.Path)
	need.NoError(t, os.MkdirAll(filepath.Join(above, "evil", "more"), 0o700))
	need.NoError(t, os.WriteFile(filepath.Join(above, "evil", "more", "file"), nil, 0o400))
	need.NoError(t, os.Chmod(filepath.Join(above, "evil", "more"), 0o500))
	need.NoError(t, d.Remove())
	if left := need.Value(os.ReadDir(parent))(t); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestMakeThroughLink: the directory of temporary files may be LINK/.., above where the link leads.
func TestMakeThroughLink(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.MkdirAll(filepath.Join(dir, "real", "sub"), 0o755))
	need.NoError(t, os.Symlink(filepath.Join(dir, "real", "sub"), filepath.Join(dir, "link")))
	t.Setenv("TMPDIR", dir+"/link/..")
	d := need.Value(Make("", "x-"))(t)
	defer d.Remove()
	if got := filepath.Dir(filepath.Dir(d.Path)); got != filepath.Join(dir, "real") {
		t.Error(got)
	}
}
