package exit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MachineRemedy says what to do about a failure that the machine causes, and no input: a full disk, too many open
// files. It is "" for any other failure.
func MachineRemedy(err error) string {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return ""
	}
	where, elsewhere := "the disk", ""
	if call := (*fs.PathError)(nil); errors.As(err, &call) {
		at, temp := filepath.Dir(call.Path), filepath.Clean(os.TempDir())
		// What is temporary is gone by now; a store may lie below the directory of temporary files too.
		switch there := existing(at, temp); {
		case there == temp:
			at, elsewhere = temp, ", or name another directory for temporary files (TMPDIR)"
		case there != filepath.Dir(there):
			at = there
		}
		where += " of " + at
	}
	switch no {
	case syscall.EMFILE, syscall.ENFILE, syscall.EBADF: // a process cannot be started without a file of its own
		return "too many files are open: raise the limit (ulimit -n), or run fewer tasks at once (-j)"
	case syscall.EAGAIN:
		return "too many processes: raise the limit (ulimit -u), or run fewer tasks at once (-j)"
	case syscall.ENOMEM:
		return "memory ran out: run fewer tasks at once (-j)"
	case syscall.ENOSPC, syscall.EDQUOT:
		return where + " or its quota is full: free space" + elsewhere
	case syscall.EROFS:
		return where + " is mounted read-only: mount it for writing" + elsewhere
	case syscall.EIO:
		return where + " reports an error: look into the log of the system (dmesg)"
	}
	return ""
}

// existing is the directory at or the nearest one above it that exists, or last if that comes first.
func existing(at, last string) string {
	for at != last && at != filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	return at
}
