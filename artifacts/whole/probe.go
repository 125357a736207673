package whole

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"prgnn/internal/regular"
)

// Abilities are what a store needs of its file system.
type Abilities struct {
	Rename bool // a rename replaces what has the name: without it, nothing can be stored safely
	// a lock excludes other processes; without it, two runs may do the same work twice, and gc must not run during a
	// run
	Lock bool
	Link bool // a file may have two names: without it, inputs of exec stages are copied
}

// Probe tries them in a directory. On a network file system it tells what this machine sees; whether locks hold
// between machines, two of them have to try.
func Probe(dir string) (Abilities, error) {
	a := Abilities{Lock: locksHold(filepath.Join(dir, RandomName()))}
	other := filepath.Join(dir, RandomName())
	if err := os.WriteFile(other, []byte("old"), 0o666); err != nil {
		return a, err
	}
	defer os.Remove(other)
	link := filepath.Join(dir, RandomName())
	a.Link = os.Link(other, link) == nil
	os.Remove(link)
	third := filepath.Join(dir, RandomName())
	if err := os.WriteFile(third, []byte("new"), 0o666); err != nil {
		return a, err
	}
	err := Rename(third, other)
	b, readErr := os.ReadFile(other)
	a.Rename = err == nil && readErr == nil && string(b) == "new"
	if err != nil {
		os.Remove(third)
	}
	return a, nil
}

// locksHold reports whether a lock keeps out a second one, of the same file opened again.
func locksHold(path string) bool {
	defer os.Remove(path)
	first, second := NewLock(path), NewLock(path)
	defer first.Unlock()
	defer second.Unlock()
	got, err := first.TryLock()
	if !got || err != nil {
		return false
	}
	got, err = second.TryLock()
	return !got && err == nil
}

// Problems says what is missing, and what that means.
func (a Abilities) Problems() error {
	var all []error
	if !a.Rename {
		all = append(all, errors.New("a rename does not replace a file: a store cannot be kept there"))
	}
	if !a.Lock {
		all = append(all, errors.New("file locks do not work (Lustre: mount with -o flock; NFS: version 4, or a lock daemon): results stay correct, but two runs may do the same work twice, and gc must not run during a run"))
	}
	return errors.Join(all...)
}

// NewLock opens for writing what it may: NFS version 4 refuses an exclusive lock of a file that is open for reading
// only (EBADF). What belongs to another user, who lets others read it, can be locked everywhere else.
func NewLock(path string) *flock.Flock {
	access := os.O_RDWR
	if f, err := os.OpenFile(path, os.O_RDWR|regular.NonBlock, 0); err == nil {
		f.Close()
	} else if !errors.Is(err, os.ErrNotExist) {
		access = os.O_RDONLY
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|access|regular.NonBlock), flock.SetPermissions(0o666))
}
