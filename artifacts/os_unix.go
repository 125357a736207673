//go:build linux || darwin

package artifacts

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// A statDir asks for the state of files in the shards of one directory. Asking
// relative to an open directory is three times as fast as by path (0.7 against
// 2.2 µs), and a check of a large pipeline is little else.
type statDir struct {
	path string
	fd   int
}

func (d *statDir) open(path string) {
	d.path = path
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1 // it may be made later: then by path
	}
	d.fd = fd
}

func (d *statDir) close() {
	if d.fd >= 0 {
		unix.Close(d.fd)
		d.fd = -1
	}
}

// stat looks at the object of that name, a symbolic link not followed.
func (d *statDir) stat(name string) (fileStat, error) {
	var st unix.Stat_t
	var err error
	if d.fd >= 0 {
		err = unix.Fstatat(d.fd, name[:2]+"/"+name, &st, unix.AT_SYMLINK_NOFOLLOW)
	} else {
		err = unix.Lstat(d.path+"/"+name[:2]+"/"+name, &st)
	}
	return statOf(&st), err
}

// statPath looks at a file of the user's, symbolic links followed.
func statPath(path string) (fileStat, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return fileStat{}, err
	}
	s := statOf(&st)
	s.unsure = hidesWrites(path, s.device)
	return s, nil
}

// writeBack writes the changed pages of a file to its disk, whoever changed them. It
// needs no right to write. On a file system that is mounted read-only it fails:
// nobody here writes to that.
func writeBack(path string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return // whoever reads the file finds out
	}
	cleanPages(fd)
	unix.Close(fd)
}

// isFull reports whether an error means that there is no room.
func isFull(no syscall.Errno) bool { return no == syscall.ENOSPC || no == syscall.EDQUOT }

// locksUnknown reports whether the file system has no locks at all.
func locksUnknown(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK)
}

func statOf(st *unix.Stat_t) fileStat {
	return fileStat{
		regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
		size:    st.Size,
		mtime:   unix.TimespecToNsec(st.Mtim),
		ctime:   unix.TimespecToNsec(st.Ctim),
		inode:   st.Ino,
		device:  uint64(st.Dev),
	}
}
