package content

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// TestTooMuch refuses a directory with more bytes than are read, before it reads them.
func TestTooMuch(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "scan")
	need.NoError(t, os.WriteFile(file, nil, 0o644))
	if err := os.Truncate(file, mostBytes+1); err != nil {
		need.Missing(t, "a file system with sparse files: %v", err)
	}
	var f Digests
	_, err := f.Code(HashFile, []string{dir}, nil)
	need.Error(t, err, "holds more than 16 GiB: connect what the command needs as inputs, for an environment the list of its packages as the input packages, or run it in a container")
	need.NoError(t, os.Truncate(file, 3))
	var again Digests
	one := need.Value(again.Code(HashFile, []string{dir}, nil))(t)
	need.NoError(t, os.WriteFile(file, []byte("abc"), 0o644))
	var changed Digests
	if one == need.Value(changed.Code(HashFile, []string{dir}, nil))(t) {
		t.Error("another file has the same digest")
	}
}

// TestTooMany: of too many files none is read.
func TestTooMany(t *testing.T) {
	dir := t.TempDir()
	defer func(most int) { mostCode = most }(mostCode)
	mostCode = 100
	for i := range mostCode + 1 {
		need.NoError(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o644))
	}
	read := 0
	hash := func(path string, again bool) (artifacts.Ref, error) { read++; return HashFile(path, again) }
	_, err := new(Digests).Code(hash, []string{dir}, nil)
	need.Error(t, err, "holds more than 100 files")
	need.Equal(t, read, 0)
}

// TestNotFiles: a socket, like a named pipe, counts by its name.
func TestNotFiles(t *testing.T) {
	dir := t.TempDir()
	before := need.Value(new(Digests).Code(HashFile, []string{dir}, nil))(t)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		need.Missing(t, "sockets of Unix: %v", err)
	}
	defer l.Close()
	if before == need.Value(new(Digests).Code(HashFile, []string{dir}, nil))(t) {
		t.Error("with a socket, the directory has the same digest")
	}
}

// TestExcept: what lies within the exceptions does not count, also through a link, and neither does a directory that is
// made for it.
func TestExcept(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		need.Missing(t, "links: %v", err)
	}
	of := func(except ...string) string {
		var f Digests
		return need.Value(f.Code(HashFile, []string{dir}, except))(t)
	}
	except := []string{filepath.Join(dir, "deep", "cache"), filepath.Join(link, "log")}
	before, all := of(except...), of()
	need.NoError(t, os.MkdirAll(except[0], 0o755))
	for _, path := range []string{filepath.Join(except[0], "made"), except[1]} {
		need.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	need.Equal(t, of(except...), before, "the exceptions changed")
	if of() == all {
		t.Error("without exceptions, the directory has the same digest")
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "deep", "other"), []byte("x"), 0o644))
	if of(except...) == before {
		t.Error("beside an exception, another file has no effect")
	}
}

// TestInterruptedCode: files whose reading was interrupted have no digest, and do not count as files that cannot be
// read.
func TestInterruptedCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	need.NoError(t, os.WriteFile(path, nil, 0o666))
	hash := func(string, bool) (artifacts.Ref, error) { return artifacts.Ref{}, context.Canceled }
	if _, err := new(Digests).Code(hash, []string{path}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestComputed: what the system computes does not count, also behind a link: it is another one with each reading.
func TestComputed(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		need.Missing(t, "%v", err)
	}
	dir := t.TempDir()
	of := func() string {
		return need.Value(new(Digests).Code(HashFile, []string{dir, "/proc/self/stat"}, nil))(t)
	}
	before := of()
	need.NoError(t, os.Symlink("/proc/self/stat", filepath.Join(dir, "mtab")))
	need.NoError(t, os.Symlink("/proc/self/fdinfo", filepath.Join(dir, "directory")))
	need.Equal(t, of(), before)
	need.NoError(t, os.Symlink(os.Args[0], filepath.Join(dir, "other")))
	if of() == before {
		t.Error("a link to a file does not count")
	}
}
