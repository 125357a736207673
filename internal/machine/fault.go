package machine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// A Fault is a failure that no input causes: a lost node, a limit of memory or time, a missing program.
type Fault struct {
	Err     error
	Remedy  string // "" where Err states it
	OfStage bool   // the remedy concerns the stage alone: more memory, more time
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }

// Caused reports whether the machine caused a failure, and no input: to leave a participant out would not help.
func Caused(err error) bool {
	var fault *Fault
	var ended *exec.ExitError
	return errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, exec.ErrNotFound) || errors.As(err, &ended) && outside(ended.ExitCode()) || Remedy(err) != ""
}

// outside reports whether a command ended by a signal (-1; of a shell's or a container's command 128 and its number),
// or a shell did not find it (127) or may not start it (126).
func outside(code int) bool {
	return code == -1 || code == 126 || code == 127 || code > 128 && code < 160
}

// Remedy says what to do about a failure that the machine causes: a full disk, too many open files. It is "" where the
// failure states it, and where an input may be the cause.
func Remedy(err error) string {
	if fault := (*Fault)(nil); errors.As(err, &fault) && fault.Remedy != "" {
		return fault.Remedy
	}
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
	case syscall.ESTALE, syscall.ETIMEDOUT, syscall.ENOTCONN, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
		syscall.ENETUNREACH:
		return where + " is on a file system that does not answer: see that it is mounted"
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
