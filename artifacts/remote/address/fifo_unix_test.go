//go:build unix

package address

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

// What is no file, such as a pipe that nobody writes to, is missing: it is not waited for.
func TestPipeIsNoObject(t *testing.T) {
	at := t.TempDir()
	need.NoError(t, os.Mkdir(filepath.Join(at, "actions"), 0o777))
	if err := syscall.Mkfifo(filepath.Join(at, "actions", "pipe"), 0o666); err != nil {
		t.Skip("no named pipes in this directory:", err)
	}
	r := need.Value(Open("file://" + filepath.ToSlash(at)))(t)
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

// A directory where a file belongs is named: the remote answers, and takes other files.
func TestDirectoryForObject(t *testing.T) {
	at := t.TempDir()
	one := store(t)
	attach := func() error { return one.Remote.Attach(context.Background(), open(t, "file://"+filepath.ToSlash(at))) }
	need.NoError(t, attach())
	key := artifacts.KeyOf("blocked")
	blocked := filepath.Join(at, "actions", key.String()[:2], key.String())
	need.NoError(t, errors.Join(os.MkdirAll(blocked, 0o777), os.WriteFile(filepath.Join(blocked, "notes"),
		nil, 0o666)))
	record(t, one, "blocked")
	record(t, one, "free")
	one.Remote.Share(context.Background(), func(int) {})
	r := one.Remote.Report()
	if r.Down != nil || r.Left != 0 || r.Shared != 1 {
		t.Errorf("%+v", r)
	}
	if !errors.Is(r.Blocked, remote.ErrBlocked) || !strings.Contains(r.Blocked.Error(), blocked+" is a directory; remove it") {
		t.Errorf("it says %v", r.Blocked)
	}
	version := filepath.Join(at, "version")
	need.NoError(t, errors.Join(os.Remove(version), os.Mkdir(version, 0o777)))
	if err := attach(); !errors.Is(err, remote.ErrBlocked) || !strings.Contains(err.Error(), version) {
		t.Errorf("version: %v", err)
	}
}
