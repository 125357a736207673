package address

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// An object that this user may not read is a damaged one: the remote answers for all others, and takes another in its
// place.
func TestUnreadableObject(t *testing.T) {
	dir := t.TempDir() // it is open already when this thread is nobody
	r := open(t, "file://"+filepath.ToSlash(dir))
	file := filepath.Join(t.TempDir(), "file")
	need.NoError(t, os.WriteFile(file, []byte("a record"), 0o644))
	for _, name := range []string{"actions/ab/abc", "actions/cd/cde"} {
		need.NoError(t, r.Put(context.Background(), name, file))
	}
	need.NoError(t, os.Chmod(filepath.Join(dir, "actions", "ab", "abc"), 0))
	get := func(name string) error {
		body, err := r.Get(context.Background(), name)
		if err == nil {
			body.Close()
		}
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Getuid() == 0 { // root reads everything, and this thread is nobody meanwhile
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		defer syscall.Setfsuid(0)
	}
	unreadable, readable := get("actions/ab/abc"), get("actions/cd/cde")
	if !errors.Is(unreadable, artifacts.ErrCorrupt) || readable != nil {
		t.Errorf("unreadable %v, readable %v", unreadable, readable)
	}
	if os.Getuid() == 0 {
		syscall.Setfsuid(0)
	}
	if err := r.Put(context.Background(), "actions/ab/abc", file); err != nil || get("actions/ab/abc") != nil {
		t.Errorf("it is not replaced: %v", err)
	}
}
