package workdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if parent := os.Getenv("WORKDIR_TEST_PARENT"); parent != "" { // a process that is killed
		d, err := Make(parent, "x-")
		if err != nil {
			panic(err)
		}
		os.Mkdir(filepath.Join(d.Path, "deep"), 0o700)
		os.WriteFile(filepath.Join(d.Path, "deep", "file"), []byte("x"), 0o400)
		os.Chmod(filepath.Join(d.Path, "deep"), 0o500)
		os.Stdout.WriteString("ready\n")
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// What a killed process left goes, what a living one has stays.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORKDIR_TEST_PARENT="+parent)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	age := func(d time.Duration) {
		locks, _ := filepath.Glob(filepath.Join(parent, "*", lockName))
		for _, l := range locks {
			if err := os.Chtimes(l, time.Now().Add(-d), time.Now().Add(-d)); err != nil {
				t.Fatal(err)
			}
		}
	}
	own, err := Make(parent, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(own.Path); err != nil || len(entries) > 0 {
		t.Errorf("it begins with %v, %v", entries, err)
	}
	age(time.Hour)
	if n := Sweep(parent, "x-"); n != 0 {
		t.Errorf("%d directories of living processes were removed", n)
	}
	cmd.Process.Kill()
	cmd.Wait()
	age(0)
	if n := Sweep(parent, "x-"); n != 0 {
		t.Errorf("%d directories were removed that may be about to be locked", n)
	}
	age(time.Hour)
	if n := Sweep(parent, "y-"); n != 0 {
		t.Errorf("%d directories of another name were removed", n)
	}
	if n := Sweep(parent, "x-"); n != 1 {
		t.Errorf("%d directories of a dead process were removed, want 1", n)
	}
	if _, err := os.Stat(own.Path); err != nil {
		t.Error(err)
	}
	if err := own.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Nothing is removed that another machine, or nobody of ours, has made.
func TestSweepLeavesOthers(t *testing.T) {
	parent := t.TempDir()
	long := time.Now().Add(-time.Hour)
	make := func(name, lock string) {
		if err := os.Mkdir(filepath.Join(parent, name), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(parent, name, lockName)
		if lock == "" {
			return
		}
		if err := os.WriteFile(path, []byte(lock), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(path, long, long)
	}
	make("x-elsewhere", "another machine")
	make("x-no-lock", "")
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(parent, "x-link")); err == nil {
		host, _ := os.Hostname()
		os.WriteFile(filepath.Join(outside, lockName), []byte(host), 0o600)
		os.Chtimes(filepath.Join(outside, lockName), long, long)
	}
	if n := Sweep(parent, "x-"); n != 0 {
		t.Errorf("%d removed", n)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}
