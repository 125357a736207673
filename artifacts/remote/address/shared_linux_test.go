package address

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"prgnn/artifacts/remote"
	"prgnn/internal/need"
)

const lab, ann, bob = 3000, 2001, 2002 // a group, and two users with groups of their own

// as does something as another user of the lab with a umask of 022, in this thread alone.
func as(t *testing.T, user int, do func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	groups := need.Value(syscall.Getgroups())(t)
	set := func(user, group int, groups []int) {
		need.NoError(t, errors.Join(syscall.Setgroups(groups), syscall.Setfsgid(group), syscall.Setfsuid(user)))
	}
	set(user, user, []int{lab})
	defer set(0, 0, groups)
	do()
}

// sharedDir is a directory that all users may reach, of ann and the lab.
func sharedDir(t *testing.T, mode fs.FileMode) string {
	t.Helper()
	if os.Getuid() != 0 {
		need.Missing(t, "two users: run as root")
	}
	umask := syscall.Umask(0o022)
	t.Cleanup(func() { syscall.Umask(umask) })
	dir := need.Value(os.MkdirTemp("", "prgnn-test-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "file")
	need.NoError(t, os.Chmod(dir, 0o755))
	need.NoError(t, os.WriteFile(file, []byte("bytes"), 0o644))
	dir = filepath.Join(dir, "remote")
	need.NoError(t, errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, ann, lab), os.Chmod(dir, mode)))
	return dir
}

// TestTwoUsers: a directory that lets its group write is a remote for the group, and one that does not is its owner's.
func TestTwoUsers(t *testing.T) {
	const setgid = fs.ModeSetgid
	for mode, shared := range map[fs.FileMode]bool{0o775 | setgid: true, 0o775: true, 0o777: true, 0o755: false} {
		dir := sharedDir(t, mode)
		r := open(t, "file://"+filepath.ToSlash(dir))
		file := filepath.Join(filepath.Dir(dir), "file")
		as(t, ann, func() { need.NoError(t, r.Put(t.Context(), "blobs/ab/abc", file)) })
		as(t, bob, func() {
			for _, name := range []string{"blobs/ab/abd", "blobs/cd/cde", "actions/ab/abc"} {
				if err := r.Put(t.Context(), name, file); (err == nil) != shared {
					t.Errorf("%v: the other user puts %s: %v", mode, name, err)
				}
			}
			err := r.(remote.Pruner).Remove(t.Context(), "blobs/ab/abc", time.Now())
			if (err == nil) != shared {
				t.Errorf("%v: the other user removes: %v", mode, err)
			}
		})
	}
}

// Directories that were made before are named, with who mends them.
func TestHalfShared(t *testing.T) {
	dir := sharedDir(t, 0o775|fs.ModeSetgid)
	blobs := filepath.Join(dir, "blobs")
	need.NoError(t, errors.Join(os.Mkdir(blobs, 0o755), os.Chown(blobs, ann, lab)))
	r := open(t, "file://"+filepath.ToSlash(dir))
	as(t, bob, func() {
		err := r.Put(context.Background(), "blobs/ab/abc", filepath.Join(filepath.Dir(dir), "file"))
		if !errors.Is(err, remote.ErrHalfShared) || !strings.Contains(err.Error(), "chmod -R g+w "+dir) {
			t.Error(err)
		}
	})
}
