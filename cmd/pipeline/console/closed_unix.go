//go:build unix

package console

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// isClosed reports whether the caller closed a stream (>&-). Go opens /dev/null in its place, for reading and writing;
// a shell's >/dev/null is for writing alone. But Python's subprocess.DEVNULL is the same as the first, for all that a
// process can see, and who runs a command with that wants its exit code. So only who asks for the bytes of a file, and
// has no use for either, is refused.
func isClosed(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	null, err1 := os.Stat(os.DevNull)
	info, err2 := f.Stat()
	if err1 != nil || err2 != nil || !os.SameFile(null, info) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
