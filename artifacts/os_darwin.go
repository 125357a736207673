package artifacts

import "golang.org/x/sys/unix"

func fdatasync(fd int) error { return unix.Fsync(fd) }

// hidesWrites: there is no file system in memory to look out for.
func hidesWrites(string, uint64) bool { return false }
