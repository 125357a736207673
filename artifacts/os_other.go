//go:build !linux && !darwin

package artifacts

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// A statDir asks for the state of files in the shards of one directory.
type statDir struct{ path string }

func (d *statDir) open(path string) { d.path = path }
func (d *statDir) close()           {}

// stat looks at the object of that name, a symbolic link not followed. There is
// no inode or ctime here: an object that was replaced shows by its mtime.
func (d *statDir) stat(name string) (fileStat, error) {
	fi, err := os.Lstat(filepath.Join(d.path, name[:2], name))
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{regular: fi.Mode().IsRegular(), size: fi.Size(), mtime: fi.ModTime().UnixNano()}, nil
}

// isFull reports whether an error means that there is no room: 39 and 112 are
// ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL of Windows.
func isFull(no syscall.Errno) bool {
	return no == syscall.ENOSPC || no == syscall.EDQUOT || no == 39 || no == 112
}

// locksUnknown reports whether the file system has no locks at all.
func locksUnknown(err error) bool { return errors.Is(err, errors.ErrUnsupported) }
