//go:build unix

package regular

import (
	"fmt"
	"os"
	"syscall"
)

// NonBlock is a flag that lets the opening of a named pipe return before there is a writer.
const NonBlock = syscall.O_NONBLOCK

// Identity is equal for two paths of one file, through whatever links.
func Identity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(uint64(st.Dev), st.Ino), nil
	}
	return path, nil
}
