//go:build unix

package whole

import (
	"io/fs"
	"syscall"
)

// group is the number of the group that a file belongs to; -1 where that is unknown.
func group(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Gid)
	}
	return -1
}
