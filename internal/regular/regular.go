// Package regular opens files that others may have put there: regular ones only, and
// without waiting.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file for reading. Anything else, such as a named pipe that nobody
// writes to, or a device without an end, is an error that names it (an *Error).
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile for regular files; see Open.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|NonBlock, perm)
	if err != nil {
		if info, statErr := os.Stat(path); statErr == nil && Otherwise(info) != "" { // a socket cannot be opened
			err = &Error{path, Otherwise(info)}
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && Otherwise(info) != "" {
		err = &Error{path, Otherwise(info)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a regular file; see Open.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, info.Size()+1) // one more, so that a read tells the end
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}

// An Error says what lies where a file was expected.
type Error struct{ Path, What string }

func (e *Error) Error() string {
	return fmt.Sprintf("%s is %s and not a regular file", e.Path, e.What)
}

// Otherwise says what something is that is not a regular file; "" if it is one.
func Otherwise(info fs.FileInfo) string {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0: // of os.Lstat
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
