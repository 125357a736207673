//go:build linux || darwin

package memo

import "golang.org/x/sys/unix"

// A Dir asks for the state of files in the shards of one directory. Asking
// relative to an open directory is three times as fast as by path (0.7 against
// 2.2 µs), and a check of a large pipeline is little else.
type Dir struct {
	path string
	fd   int
}

// Open opens the directory, which may come later.
func (d *Dir) Open(path string) {
	d.path = path
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1 // it may be made later: then by path
	}
	d.fd = fd
}

// Close closes it.
func (d *Dir) Close() {
	if d.fd >= 0 {
		unix.Close(d.fd)
		d.fd = -1
	}
}

// Stat looks at the object of that name, a symbolic link not followed.
func (d *Dir) Stat(name string) (State, error) {
	var st unix.Stat_t
	var err error
	if d.fd >= 0 {
		err = unix.Fstatat(d.fd, name[:2]+"/"+name, &st, unix.AT_SYMLINK_NOFOLLOW)
	} else {
		err = unix.Lstat(d.path+"/"+name[:2]+"/"+name, &st)
	}
	return statOf(&st), err
}

// StateOf looks at a file of the user's, symbolic links followed.
func StateOf(path string) (State, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return State{}, err
	}
	s := statOf(&st)
	s.Unsure = hidesWrites(path, s.Device)
	return s, nil
}

// WriteBack writes the changed pages of a file to its disk, whoever changed them. It
// needs no right to write. On a file system that is mounted read-only it fails:
// nobody here writes to that.
func WriteBack(path string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return // whoever reads the file finds out
	}
	cleanPages(fd)
	unix.Close(fd)
}

func statOf(st *unix.Stat_t) State {
	return State{
		Regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
		Size:    st.Size,
		Mtime:   unix.TimespecToNsec(st.Mtim),
		Ctime:   unix.TimespecToNsec(st.Ctim),
		Inode:   st.Ino,
		Device:  uint64(st.Dev),
	}
}
