package artifacts

import (
	"sync"

	"golang.org/x/sys/unix"
)

func fdatasync(fd int) error { return unix.Fdatasync(fd) }

// inMemory tells of a device (uint64) whether its files lie in memory only.
var inMemory sync.Map

// hidesWrites tells whether writes through a memory map may leave the times of a
// file as they are, even after writeBack: in a tmpfs no page is ever written back.
func hidesWrites(path string, device uint64) bool {
	if known, ok := inMemory.Load(device); ok {
		return known.(bool)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return true
	}
	hides := fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC || fs.Type == unix.HUGETLBFS_MAGIC
	inMemory.Store(device, hides)
	return hides
}
