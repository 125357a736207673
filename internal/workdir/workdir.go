// Package workdir makes directories to work in that do not outlast the work: a process
// removes its own, and those left by killed processes. Only their user may look inside.
//
//	PREFIX123/lock   locked by the process that works there; the kernel drops the lock when it dies
//	PREFIX123/work   made after the lock was taken, removed before the lock file is
//
// A sweep removes a directory if this user made it, on this machine (elsewhere, locks may not
// be seen), and nobody holds its lock. It takes the lock itself for that; whoever was about to
// lock the directory makes another one.
package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Unfinished begins the names of the directories in which files are written beside their place, before they
// are renamed. It is one for all, so that whatever writes there next removes what was left.
const Unfinished = ".pipeline-write-"

// formerUnfinished begins the names that earlier versions gave the directories of unfinished datasets.
const formerUnfinished = ".pipeline-bids-"

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

// swept are the places that this process has looked at.
var swept sync.Map

// Make makes a directory in parent ("" for that of temporary files), whose name begins
// with prefix. The first call for a place clears what dead processes left there.
func Make(parent, prefix string) (*Dir, error) {
	temporary := parent == ""
	if temporary {
		parent = os.TempDir()
		if info, err := os.Stat(parent); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s, where temporary files go, is no directory: make it, or name another one by the variable %s", parent, tempVariable())
		}
	}
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real // LINK/.. is the directory above where the link leads, and not the one of the link
	}
	if _, again := swept.LoadOrStore([2]string{parent, prefix}, true); !again {
		Sweep(parent, prefix)
	}
	for tries := 1; ; tries++ {
		outer, err := os.MkdirTemp(parent, prefix)
		switch {
		case err != nil && temporary:
			return nil, fmt.Errorf("%s, where temporary files go, cannot be written: make room or change its mode, or name another one by the variable %s: %w", parent, tempVariable(), err)
		case err != nil:
			return nil, err
		}
		d := &Dir{Path: filepath.Join(outer, workName), outer: outer, lock: open(filepath.Join(outer, lockName))}
		if err = d.begin(); err == nil {
			return d, nil
		}
		d.Remove()
		if !errors.Is(err, errSwept) || tries == mostTries {
			return nil, err
		}
	}
}

// tempVariable names the place of temporary files.
func tempVariable() string {
	if runtime.GOOS == "windows" {
		return "TMP"
	}
	return "TMPDIR"
}

// open names a lock file without making one that has gone meanwhile.
func open(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_RDWR)) }

// mostTries bounds how often a directory is removed by the sweeps of others while it is made.
const mostTries = 100

var errSwept = errors.New("removed while it was being made")

func (d *Dir) begin() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	err = os.WriteFile(d.lock.Path(), []byte(host), 0o600)
	if err == nil {
		var locked bool
		// Where a file system has no locks, nobody can lock it to clear it either.
		if locked, err = d.lock.TryLock(); locked || err != nil && !errors.Is(err, os.ErrNotExist) {
			err = os.Mkdir(d.Path, 0o700)
		} else if err == nil {
			return errSwept
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return errSwept
	}
	return err
}

// Remove removes the directory with all that is in it.
func (d *Dir) Remove() error { return remove(d.outer, d.lock) }

// ExecRooms begins the names of the directories that commands work in, among the
// temporary files.
const ExecRooms = "pipeline-exec-"

// Sweep removes the directories that dead processes left, and returns how many.
func Sweep(parent, prefix string) (removed int) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		named := strings.HasPrefix(e.Name(), prefix) ||
			prefix == Unfinished && strings.HasPrefix(e.Name(), formerUnfinished)
		if named && e.IsDir() && reclaim(filepath.Join(parent, e.Name())) {
			removed++
		}
	}
	return removed
}

// reclaim removes a directory if the process that made it is gone.
func reclaim(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !ours(info) {
		return false
	}
	path := filepath.Join(dir, lockName)
	lock, err := os.Lstat(path)
	if os.IsNotExist(err) { // killed before it wrote the lock file, or after it removed it
		return os.Remove(dir) == nil // only if empty
	}
	if err != nil || !lock.Mode().IsRegular() {
		return false
	}
	_, err = os.Lstat(filepath.Join(dir, workName))
	begun := err == nil
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	made, err := os.ReadFile(path)
	if err != nil || string(made) != host && (begun || len(made) > 0) { // killed before it wrote its host: empty
		return false
	}
	f := open(path)
	if locked, err := f.TryLock(); err != nil || !locked {
		f.Close()
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, workName)); !begun && err == nil { // begun meanwhile, and left unlocked
		f.Close()
		return false
	}
	return remove(dir, f) == nil
}

// remove removes a directory: the lock file last, so that what a kill leaves of it is found
// by the next sweep.
func remove(dir string, lock *flock.Flock) error {
	defer lock.Close()
	_ = os.RemoveAll(filepath.Join(dir, workName)) // as a rule that is all, and needs no directory moved
	if err := empty(dir); err != nil && !os.IsNotExist(err) {
		return err
	}
	if runtime.GOOS == "windows" { // which removes no open file
		lock.Close()
	}
	for _, path := range []string{lock.Path(), dir} { // another sweep may be quicker with the empty directory
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// empty removes what is in a directory but for the lock file, also what a program wrote above its own directory. It
// moves directories up before it empties them: the paths of nested ones can be longer than the system takes.
func empty(dir string) error {
	_ = os.Chmod(dir, 0o700) // a read-only directory cannot be emptied
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var wrong error // the first
	failed := func(err error) bool {
		if wrong == nil && !errors.Is(err, fs.ErrNotExist) {
			wrong = err
		}
		return err != nil
	}
	left, err := entriesOf(root, ".")
	failed(err)
	next := 0
	for len(left) > 0 {
		var inner []fs.DirEntry
		e := left[len(left)-1]
		left = left[:len(left)-1]
		if e.Name() == lockName {
			continue
		}
		if e.IsDir() {
			_ = root.Chmod(e.Name(), 0o700)
			inner, err = entriesOf(root, e.Name())
			failed(err)
		}
		for _, in := range inner {
			path := filepath.Join(e.Name(), in.Name())
			if !in.IsDir() {
				failed(root.Remove(path))
				continue
			}
			_ = root.Chmod(path, 0o700)
			up := ""
			for free := false; !free; next++ {
				up = strconv.Itoa(next)
				_, missing := root.Lstat(up)
				free = missing != nil
			}
			if !failed(root.Rename(path, up)) {
				left = append(left, movedDir{in, up})
			}
		}
		failed(root.Remove(e.Name()))
	}
	return wrong
}

func entriesOf(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// A movedDir is a directory under its new name.
type movedDir struct {
	fs.DirEntry
	name string
}

func (d movedDir) Name() string { return d.name }
