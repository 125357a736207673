package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/need"
)

// A text that changes without the file system's notice is not printed: the run that meets it ends with the exit code
// of damage, whatever it prints, and the next one restores it.
func TestSilentlyDamagedText(t *testing.T) {
	for _, flags := range [][]string{{}, {"-q"}, {"--json"}} {
		c := newRot(t)
		// What lies in a pack is read by each run, so this text is a file of its own.
		text := strings.Replace(small, "echo banana >", "yes banana | head -n 40000 >", 1)
		need.NoError(t, os.WriteFile(filepath.Join(c.dir, "small.yaml"), []byte(text), 0o666))
		c.run("run", "small.yaml")
		path := ""
		for _, o := range c.files("store") {
			if bytes.HasPrefix(o.Read(t), []byte("banana\nbanana")) {
				path = o.Path
			}
		}
		rotSilently(t, path, func() { c.run("run", "small.yaml") })
		args := append([]string{"run", "small.yaml"}, flags...)
		out, err := c.try(args...)
		var failed *exec.ExitError
		if !errors.As(err, &failed) || failed.ExitCode() != exit.Damaged || !strings.Contains(out, ": damaged") ||
			strings.Contains(out, "ban") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		out = c.run("run", "small.yaml", "--summary")
		if !strings.Contains(out, "banana\n") || !strings.Contains(out, "damaged and restored: ") {
			t.Errorf("then: %s", out)
		}
		c.run("verify")
	}
}

// rotSilently changes a byte of a file after look has read it, so that neither its size nor its times
// tell: through a memory map whose page is dirty already.
func rotSilently(t *testing.T, path string, look func()) {
	t.Helper()
	for range 10 {
		need.NoError(t, os.Chmod(path, 0o644))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		need.NoError(t, err)
		defer f.Close()
		b, err := unix.Mmap(int(f.Fd()), 0, 2, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		need.NoError(t, err)
		defer unix.Munmap(b)
		copy(b, []byte{b[0], b[1]}) // makes the page dirty
		look()
		var before, after unix.Stat_t
		err = unix.Stat(path, &before)
		b[0] ^= 4
		if err = errors.Join(err, unix.Stat(path, &after)); err != nil {
			t.Fatal(err)
		}
		if before.Mtim == after.Mtim && before.Ctim == after.Ctim {
			return
		}
		b[0] ^= 4 // the page had been written to the disk meanwhile
	}
	need.Missing(t, "a file system that does not tell of every write through a memory map")
}
