package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A directory that lets its group write, or everybody, asks for the same of what is made in it, whatever the umask: so
// a store or a remote is shared whose own directory is, as a repository of git with core.sharedRepository.

// sharing are the permissions that what is made in a directory takes from it, and its group, which has to be that of
// what is made for the group's permissions to count.
func sharing(above fs.FileInfo) (mode fs.FileMode, gid int) {
	gid = group(above)
	if above.Mode().Perm()&0o020 != 0 && gid >= 0 {
		mode |= 0o070
	}
	if above.Mode().Perm()&0o002 != 0 {
		mode |= 0o007
	}
	return mode, gid
}

// A Place is where directories and files are made: the file system, or an os.Root.
type Place struct {
	Mkdir func(path string, mode fs.FileMode) error
	Stat  func(path string) (fs.FileInfo, error)
	Chmod func(path string, mode fs.FileMode) error
	Chown func(path string, uid, gid int) error
}

var osPlace = Place{os.Mkdir, os.Stat, os.Chmod, os.Chown}

// share gives what was made the permissions that the directory above asks for. Whose it is not, cannot, and need not.
func (p Place) share(path string) error {
	above, err := p.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	more, gid := sharing(above)
	if more == 0 {
		return nil
	}
	info, err := p.Stat(path)
	if err != nil {
		return err
	}
	if more&0o070 != 0 && group(info) != gid && p.Chown(path, -1, gid) != nil {
		more &^= 0o070 // it would be another group that may write
	}
	mode := info.Mode() & (fs.ModePerm | fs.ModeSetgid | fs.ModeSticky)
	switch {
	case !info.IsDir():
		more &= 0o666
	case more&0o070 != 0:
		more |= fs.ModeSetgid
	}
	if mode|more == mode {
		return nil
	}
	err = p.Chmod(path, mode|more)
	if errors.Is(err, fs.ErrPermission) { // another user's
		return nil
	}
	return err
}

// ShareFile shares a file as the directory above asks.
func ShareFile(path string) error { return osPlace.share(path) }

// MkdirAll makes a directory, and those above it, each shared as the one above asks.
func MkdirAll(dir string) error { return osPlace.MkdirAll(dir) }

// MkdirAll is that of a place.
func (p Place) MkdirAll(dir string) error {
	err := p.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) {
		if err = p.MkdirAll(filepath.Dir(dir)); err == nil {
			err = p.Mkdir(dir, 0o777)
		}
	}
	if err == nil {
		return p.share(dir)
	}
	info, statErr := p.Stat(dir)
	switch {
	case statErr == nil && info.IsDir():
		return nil
	case statErr == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case errors.Is(err, syscall.ENOTDIR) && dir != filepath.Dir(dir): // the file is named
		return p.MkdirAll(filepath.Dir(dir))
	}
	return err
}
