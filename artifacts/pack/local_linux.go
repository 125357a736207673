package pack

import (
	"os"

	"golang.org/x/sys/unix"
)

// Local reports whether a directory is on a local disk.
func Local(path string) bool {
	dir, err := os.Open(path)
	if err != nil {
		return false
	}
	defer dir.Close()
	return local(dir)
}

// local reports whether an open directory tells of each change in it at once: no server is asked for it.
func local(dir *os.File) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(int(dir.Fd()), &fs) != nil {
		return false
	}
	switch fs.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}
