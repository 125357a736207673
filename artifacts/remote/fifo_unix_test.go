//go:build unix

package remote

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
)

// What is no file, such as a pipe that nobody writes to, is missing: it is not waited for.
func TestPipeIsNoObject(t *testing.T) {
	at := t.TempDir()
	if err := os.Mkdir(filepath.Join(at, "actions"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(at, "actions", "pipe"), 0o666); err != nil {
		t.Skip("no named pipes in this directory:", err)
	}
	r, err := Open("file://" + filepath.ToSlash(at))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() {
		_, err := r.Get(context.Background(), "actions/pipe")
		done <- err
		_, err = r.Size(context.Background(), "actions/pipe")
		done <- err
	}()
	for range 2 {
		select {
		case err := <-done:
			if !errors.Is(err, artifacts.ErrMiss) {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it waits for the pipe")
		}
	}
}
