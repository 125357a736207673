package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// What the system says of a file is told with the file in front, and once.
func TestErrorsInWords(t *testing.T) {
	open := func(cause error) error { return &fs.PathError{Op: "open", Path: "x.tar", Err: cause} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{open(syscall.ENOENT), "x.tar: there is no such file or directory"},
		{fmt.Errorf("x.tar: %w", open(syscall.ENOENT)), "x.tar: there is no such file or directory"},
		{fmt.Errorf("the lock: %w", open(syscall.EACCES)), "the lock: x.tar: permission denied"},
		{&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENOTDIR}, "a: it is a file, or lies below one, where a directory is needed"},
		{open(syscall.EIO), "open x.tar: " + syscall.EIO.Error()},
		{errors.New("open question"), "open question"},
	} {
		if got := inWords(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
