package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// A failure of the machine has a remedy that names its cause, however it is wrapped; a faulty input has none.
func TestRemedy(t *testing.T) {
	at := func(no syscall.Errno) error {
		return fmt.Errorf("sub-01: %w", &fs.PathError{Op: "write", Path: "/scratch/x/file", Err: no})
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{at(syscall.EMFILE), "ulimit -n"},
		{fmt.Errorf("x: %w", syscall.ENFILE), "ulimit -n"},
		{at(syscall.ENOSPC), "the disk of /scratch/x or its quota is full"},
		{errors.Join(errors.New("x"), at(syscall.EDQUOT)), "the disk of /scratch/x or its quota is full"},
		{at(syscall.ENOMEM), "memory"},
		{at(syscall.EIO), "the disk of /scratch/x reports an error"},
		{at(syscall.EROFS), "read-only"},
		{at(syscall.ESTALE), "does not answer"},
		{&Fault{Err: errors.New("x"), Remedy: "the disk is full"}, "the disk is full"},
	} {
		if got := Remedy(c.err); !strings.Contains(strings.ReplaceAll(got, `\`, "/"), c.want) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	store := t.TempDir()
	t.Setenv("TMPDIR", "/scratch/")
	t.Setenv("TMP", "/scratch/")
	need := "the disk of /scratch or its quota is full: free space, or name another directory for temporary files (TMPDIR)"
	if got := Remedy(at(syscall.ENOSPC)); strings.ReplaceAll(got, `\`, "/") != need {
		t.Errorf("among the temporary files: %q", got)
	}
	// A store may lie below the directory of temporary files, which then is not what is full.
	t.Setenv("TMPDIR", filepath.Dir(store))
	t.Setenv("TMP", filepath.Dir(store))
	err := &fs.PathError{Op: "write", Path: filepath.Join(store, "gone", "file"), Err: syscall.ENOSPC}
	if got := Remedy(err); !strings.Contains(got, store) || strings.Contains(got, "TMPDIR") {
		t.Errorf("in a store: %q", got)
	}
	for _, err := range []error{nil, errors.New("it is damaged"), at(syscall.ENOENT), at(syscall.EACCES)} {
		if got := Remedy(err); got != "" {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// A signal, a limit, an end of the run and a missing program are no fault of an input; what a command reports may be
// one.
func TestCaused(t *testing.T) {
	for err, want := range map[error]bool{
		&Fault{Err: errors.New("lost")}: true,
		context.Canceled:                true,
		&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}: false,
		errors.New("it is damaged"):                               false,
		&exec.Error{Name: "absent", Err: exec.ErrNotFound}:        true,
	} {
		need.Equal(t, Caused(fmt.Errorf("sub-01: %w", err)), want, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for script, want := range map[string]bool{
		"kill -9 $$": true, "sh -c 'kill -9 $$'; exit $?": true, "program-that-is-nowhere": true, "exit 1": false, "exit 3": false,
	} {
		need.Equal(t, Caused(fmt.Errorf("sub-01: %w", exec.Command("sh", "-c", script).Run())), want, script)
	}
}
