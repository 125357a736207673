//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever is no regular file is named, and nothing is waited for.
func TestOpen(t *testing.T) {
	dir, err := os.MkdirTemp("", "open") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, pipe, socket, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, err := ReadFile(file); string(b) != "text" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for path, want := range map[string]string{pipe: "a named pipe", link: "a named pipe", socket: "a socket", "/dev/zero": "a device", dir: "a directory"} {
		_, err := ReadFile(path)
		var what *Error
		if !errors.As(err, &what) || !strings.Contains(err.Error(), path+" is "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
