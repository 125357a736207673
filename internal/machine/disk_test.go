//go:build linux

package machine

import (
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// What is free is that of the directory in which one would be made, and not known below a file.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	here, known := Free(dir)
	need.Equal(t, known && here > 0, true, "a directory")
	there, known := Free(filepath.Join(dir, "a", "b"))
	if !known || there < here/2 || there > 2*here { // others write meanwhile
		t.Errorf("%d bytes are free there, and %d here", there, here)
	}
	_, known = Free("/proc/version/store")
	need.Equal(t, known, false, "below a file")
}
