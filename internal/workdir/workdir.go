// Package workdir makes directories to work in that do not outlast the work: a process
// removes its own, and those that processes left which were killed.
//
// A directory in use holds a locked file, and the kernel drops the lock when its process
// dies. Who finds one that is not locked removes it, if it was made by the same user on
// this machine (elsewhere, locks may not be seen), and not in the last minute (it may not
// have been locked yet).
package workdir

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// A Dir is a directory to work in.
type Dir struct {
	Path  string // empty when it is made
	outer string // holds it, and the lock
	lock  *flock.Flock
}

const (
	lockName = "lock"
	workName = "work"
)

// young is the age below which nothing is cleared.
const young = time.Minute

// swept are the places that this process has looked at.
var swept sync.Map

// Make makes a directory in parent ("" for that of temporary files), whose name begins
// with prefix. The first call for a place clears what dead processes left there.
func Make(parent, prefix string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if _, again := swept.LoadOrStore([2]string{parent, prefix}, true); !again {
		Sweep(parent, prefix)
	}
	outer, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: filepath.Join(outer, workName), outer: outer, lock: flock.New(filepath.Join(outer, lockName))}
	if err := d.begin(); err != nil {
		d.Remove()
		return nil, err
	}
	return d, nil
}

func (d *Dir) begin() error {
	host, err := os.Hostname()
	if err == nil {
		err = os.WriteFile(d.lock.Path(), []byte(host), 0o600)
	}
	if err != nil {
		return err
	}
	d.lock.TryLock() // where a file system has no locks, nobody can lock it to clear it either
	return os.Mkdir(d.Path, 0o755)
}

// Remove removes the directory with all that is in it.
func (d *Dir) Remove() error {
	d.lock.Close()
	return remove(d.outer)
}

// Sweep removes the directories that dead processes left, and tells how many.
func Sweep(parent, prefix string) (removed int) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if strings.HasPrefix(e.Name(), prefix) && e.IsDir() && abandoned(dir) && remove(dir) == nil {
			removed++
		}
	}
	return removed
}

// abandoned tells whether the process that made a directory is gone.
func abandoned(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !ours(info) {
		return false
	}
	path := filepath.Join(dir, lockName)
	lock, err := os.Lstat(path)
	if err != nil || !lock.Mode().IsRegular() || time.Since(lock.ModTime()) < young {
		return false
	}
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	if made, err := os.ReadFile(path); err != nil || string(made) != host {
		return false
	}
	f := flock.New(path)
	defer f.Close()
	locked, err := f.TryLock()
	return err == nil && locked
}

// remove removes a directory, also where its own directories are read-only.
func remove(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
