package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"prgnn/cmd/pipeline/exit"
	"prgnn/internal/lists"
	"prgnn/internal/need"
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
		{&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENOTDIR}, "a: it is a file, or below one, but a directory is needed"},
		{open(syscall.EIO), "open x.tar: " + syscall.EIO.Error()},
		{errors.New("open question"), "open question"},
	} {
		need.Equal(t, inWords(c.err), c.want)
	}
}

// TestFlatten: what errors.Join put together becomes lines of its own; an error
// that wraps several in a sentence of its own stays one.
func TestFlatten(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, x := range []struct {
		err  error
		want string
	}{
		{a, "a"},
		{errors.Join(a, errors.Join(b, c)), "a|b|c"},
		{fmt.Errorf("both %w and %w", a, b), "both a and b"},
		{exit.Wrong(errors.Join(a, b)), "a|b"},
	} {
		got := lists.Map(flatten(x.err), func(e error) string { return e.Error() })
		if strings.Join(got, "|") != x.want {
			t.Errorf("got %q, want %s", got, x.want)
		}
	}
}
