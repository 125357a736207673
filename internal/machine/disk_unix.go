//go:build linux || darwin

package machine

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free are the bytes that this user may still write to the file system of a directory, or of the one in which it would
// be made; ok is false where that is not known. A quota may leave fewer.
func Free(dir string) (bytes int64, ok bool) {
	var fs unix.Statfs_t
	err := unix.Statfs(dir, &fs)
	for above := filepath.Dir(dir); err == unix.ENOENT && above != dir; above = filepath.Dir(dir) {
		dir = above
		err = unix.Statfs(dir, &fs)
	}
	return int64(fs.Bavail) * int64(fs.Bsize), err == nil
}
