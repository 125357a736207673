//go:build unix

package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// Whatever is no regular file is named, and nothing is waited for.
func TestOpen(t *testing.T) {
	dir, err := os.MkdirTemp("", "open") // short: a socket's path is
	need.NoError(t, err)
	defer os.RemoveAll(dir)
	file, pipe, socket, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"),
		filepath.Join(dir, "link")
	need.NoError(t, errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(pipe, 0o600),
		os.Symlink(pipe, link)))
	l, err := net.Listen("unix", socket)
	need.NoError(t, err)
	defer l.Close()
	if b, err := ReadFile(file); string(b) != "text" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for path, want := range map[string]string{pipe: "a named pipe", link: "a named pipe", socket: "a socket",
		"/dev/zero": "a device", dir: "a directory"} {
		_, err := ReadFile(path)
		var what *Error
		if !errors.As(err, &what) || !strings.Contains(err.Error(), path+" is "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if !IsPipe(pipe) || !IsPipe(link) || IsPipe(file) || IsPipe(dir) || IsPipe(filepath.Join(dir, "none")) {
		t.Error("IsPipe")
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What is read once may come through a pipe, from a writer that comes late, too; from one without an end it is
// refused.
func TestReadPiped(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	need.NoError(t, syscall.Mkfifo(pipe, 0o600))
	long := strings.Repeat("x", 1<<20)
	for _, text := range []string{"key", long} {
		go os.WriteFile(pipe, []byte(text), 0) // waits for a reader
		if b, err := ReadPiped(pipe); string(b) != text || err != nil {
			t.Errorf("%d bytes of %d, %v", len(b), len(text), err)
		}
	}
	r, w, err := os.Pipe()
	need.NoError(t, err)
	defer r.Close()
	go func() { w.WriteString(long); w.Close() }()
	if path := fmt.Sprintf("/dev/fd/%d", r.Fd()); !IsPipe(path) {
		t.Logf("there is no %s", path)
	} else if b, err := ReadPiped(path); string(b) != long || err != nil {
		t.Errorf("%s: %d bytes of %d, %v", path, len(b), len(long), err)
	}
	go func() {
		f, _ := os.OpenFile(pipe, os.O_WRONLY, 0)
		for err := error(nil); err == nil; {
			_, err = f.WriteString(long)
		}
		f.Close()
	}()
	if _, err := ReadPiped(pipe); err == nil || !strings.Contains(err.Error(), "the pipe holds more than 64 MiB") {
		t.Error(err)
	}
	if _, err := ReadPiped("/dev/zero"); !errors.As(err, new(*Error)) {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, []byte("text"), 0o600)
	if b, err := ReadPiped(file); string(b) != "text" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
