//go:build unix

package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// What is made has the rights of the directory above, as far as this lets others than its owner write.
func TestShared(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	for above, want := range map[fs.FileMode][2]fs.FileMode{
		0o755:                 {0o750, 0o640},
		0o750:                 {0o750, 0o640},
		0o775:                 {0o770 | fs.ModeSetgid, 0o660},
		0o770 | fs.ModeSetgid: {0o770 | fs.ModeSetgid, 0o660},
		0o777:                 {0o777 | fs.ModeSetgid, 0o666},
	} {
		dir := t.TempDir()
		need.NoError(t, os.Chmod(dir, above))
		in := filepath.Join(dir, "a", "b")
		need.NoError(t, errors.Join(MkdirAll(in), MkdirAll(in)))
		file := filepath.Join(dir, "file")
		need.NoError(t, errors.Join(os.WriteFile(file, nil, 0o666), ShareFile(file)))
		for path, want := range map[string]fs.FileMode{in: want[0], filepath.Dir(in): want[0], file: want[1]} {
			info := need.Value(os.Stat(path))(t)
			need.Equal(t, info.Mode()&^fs.ModeDir, want, above, path)
		}
	}
	if err := MkdirAll(filepath.Join(os.DevNull, "a")); err == nil {
		t.Error("a directory in a file")
	}
}
