// Package regular opens files that others may have put there: regular ones only, and
// without waiting.
package regular

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
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

// Until is r until ctx ends: a large file takes long to read, and its reader must end promptly when it is interrupted.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx, r} }

type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// What ReadPiped bounds: the bytes of a pipe, and how long it waits for somebody who writes to it.
const (
	longestPipe = 64 << 20
	patience    = 10 * time.Second
)

// ReadPiped is ReadFile for what is read once and neither stored nor hashed, such as a key: it reads what a pipe
// gives, too, as --sign-key <(command) in a shell.
func ReadPiped(path string) ([]byte, error) {
	if !IsPipe(path) {
		return ReadFile(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		b, err := io.ReadAll(io.LimitReader(f, longestPipe+1))
		switch {
		case err != nil:
			return nil, err
		case len(b) > longestPipe:
			return nil, fmt.Errorf("%s: the pipe holds more than %d MiB", path, longestPipe>>20)
		case len(b) > 0:
			return b, nil
		case time.Since(begin) > patience: // a pipe without a writer is at its end
			return nil, fmt.Errorf("%s: nobody has written to the pipe", path)
		}
	}
}

// IsPipe reports whether a pipe lies there.
func IsPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// An Error says what lies where a file was expected.
type Error struct{ Path, What string }

func (e *Error) Error() string {
	return fmt.Sprintf("%s is %s, not a regular file", e.Path, e.What)
}

// Otherwise names what lies at a path that is not a regular file; "" for a regular file.
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

// Not says what lies where a file was expected.
func Not(path string, stat func(string) (os.FileInfo, error)) error {
	info, err := stat(path)
	if err != nil {
		return err
	}
	return &Error{Path: path, What: cmp.Or(Otherwise(info), "replaced")}
}

// Cause is the error behind that of a path.
func Cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
