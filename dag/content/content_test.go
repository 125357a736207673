package content

import (
	"os"
	"path/filepath"
	"testing"

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
	_, err := f.Code(HashFile, []string{dir})
	need.Error(t, err, "holds more than 16 GiB: connect what the command needs as inputs, or run it in a container")
	need.NoError(t, os.Truncate(file, 3))
	var again Digests
	one := need.Value(again.Code(HashFile, []string{dir}))(t)
	need.NoError(t, os.WriteFile(file, []byte("abc"), 0o644))
	var changed Digests
	if one == need.Value(changed.Code(HashFile, []string{dir}))(t) {
		t.Error("another file has the same digest")
	}
}
