package memo

import "golang.org/x/sys/unix"

// cleanPages writes the changed pages of an open file to its disk.
func cleanPages(fd int) { _ = unix.Fsync(fd) }

// hidesWrites: there is no file system in memory to look out for.
func hidesWrites(string, uint64) bool { return false }
