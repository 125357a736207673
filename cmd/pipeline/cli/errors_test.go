package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"
	"syscall"
	"testing"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/pipelines/tree"
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
		{&os.LinkError{Op: "rename", Old: "s/tmp/a", New: "s/runs/b", Err: syscall.ENOTDIR}, "s/runs: it is a file, or below one, but a directory is needed"},
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

// A table can have a mistake in each of its rows: the first ones are printed, and how many more there are.
func TestManyErrors(t *testing.T) {
	for n, want := range map[int]int{1: 1, mostErrors + 1: mostErrors + 1, 3000: mostErrors + 1} {
		var all []error
		for i := range n {
			all = append(all, fmt.Errorf("line %d", i))
		}
		var out strings.Builder
		(&app{Console: console.New(nil, &out, &out)}).explain(errors.Join(all...))
		need.Equal(t, strings.Count(out.String(), "\n"), want)
		need.Equal(t, strings.Contains(out.String(), "and 2900 more errors"), n == 3000)
		var mistakes tree.Mistakes
		for i := range n {
			mistakes.Add(dag.Pos{File: "x.yaml", Line: i + 1}, "no kind")
		}
		out.Reset()
		_ = (&app{Console: console.New(nil, &out, &out)}).mistaken("x.yaml", mistakes.List)
		need.Equal(t, strings.Contains(out.String(), "and 2900 more\n"), n == 3000)
		need.Equal(t, strings.Count(out.String(), "no kind"), min(want, n-n/3000*2900))
	}
}

// net/http prints through the standard logger what a server sends unasked, past -q, --json and the console that makes
// control characters visible.
func TestNoLogOfLibraries(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(os.Stderr)
	need.Equal(t, run([]string{"version"}, io.Discard, io.Discard), 0)
	if log.Writer() != io.Discard {
		t.Error("the standard logger prints")
	}
}
