package memo

import "golang.org/x/sys/unix"

// cleanPages writes the changed pages of an open file to its disk.
func cleanPages(fd int) { _ = unix.Fsync(fd) }

// hidesWrites: there is no file system in memory to look out for.
func hidesWrites(string, uint64) bool { return false }

// Born is when a file was made, in ns since 1970.
func Born(path string) int64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return unix.TimespecToNsec(st.Btim)
}
