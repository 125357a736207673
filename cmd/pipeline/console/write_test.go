package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// What a killed process had not finished is gone after the next file of that directory.
func TestKilledWhileWriting(t *testing.T) {
	if path := os.Getenv("PRGNN_TEST_WRITES"); path != "" { // the process that is killed
		t.Fatal(new(Console).WriteFile(path, func(w io.Writer) error {
			os.Stdout.WriteString("writing\n")
			select {}
		}))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWhileWriting$")
	child.Env = append(os.Environ(), "PRGNN_TEST_WRITES="+path)
	out := need.Value(child.StdoutPipe())(t)
	need.NoError(t, child.Start())
	defer func() { // where the test does not come to it
		child.Process.Kill()
		child.Wait()
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
		t.Fatalf("%q, %v", line, err)
	}
	need.NoError(t, child.Process.Kill())
	_ = child.Wait() // killed
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Fatalf("the killed process left %v, %v", left, err)
	}
	need.NoError(t, new(Console).WriteFile(path, Content([]byte("whole"))))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "page.html" {
		t.Errorf("beside the page lies %v, %v", left, err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
}

// A pipe or a device is written into, and stays what it is.
func TestWriteIntoPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/fd")
	}
	r, w, err := os.Pipe()
	need.NoError(t, err)
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	need.NoError(t, new(Console).WriteFile(path, Content([]byte("whole"))))
	w.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
	if err := new(Console).WriteFile(t.TempDir(), Content(nil)); err == nil {
		t.Error("a directory was written into")
	}
}

// An error names the file that was asked for, and not the unfinished one beside it.
func TestWriteErrorNamesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	writers := map[string]func(io.Writer) error{
		"the file does not take its bytes": func(w io.Writer) error {
			f := unfinished(t, filepath.Dir(path)) // as a full disk says it
			return &os.PathError{Op: "write", Path: f, Err: syscall.ENOSPC}
		},
		"the file cannot be renamed": func(io.Writer) error {
			need.NoError(t, os.Remove(unfinished(t, filepath.Dir(path))))
			return nil
		},
	}
	for name, write := range writers {
		err := new(Console).WriteFile(path, write)
		if err == nil || !strings.HasPrefix(err.Error(), path+" cannot be written: ") ||
			strings.Contains(err.Error(), "/file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := &os.PathError{Op: "open", Path: "scan.nii", Err: syscall.ENOENT}
	if err := new(Console).WriteFile(path, func(io.Writer) error { return other }); err != other {
		t.Errorf("an error of another file became %v", err)
	}
}

// unfinished finds the unfinished file of a directory.
func unfinished(t *testing.T, dir string) string {
	found := need.Value(filepath.Glob(filepath.Join(dir, ".*", "*", "file")))(t)
	if len(found) != 1 {
		t.Fatalf("unfinished files: %v", found)
	}
	return found[0]
}

// A stream that takes no more bytes ends in an error, also of objects.
func TestFullStream(t *testing.T) {
	c := New(nil, fullStream{}, io.Discard)
	c.JSON = true
	for range 10000 {
		c.Object("error", map[string]string{"error": "much of it"})
	}
	c.Complain("more")
	need.Error(t, c.Flush(), "no room")
}

type fullStream struct{}

func (fullStream) Write([]byte) (int, error) { return 0, errors.New("no room") }
