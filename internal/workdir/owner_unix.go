//go:build unix

package workdir

import (
	"os"
	"syscall"
)

// ours reports whether this user made a file.
func ours(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
