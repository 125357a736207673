//go:build !linux && !darwin

package memo

import (
	"os"
	"path/filepath"
)

// A Dir asks for the state of files in the shards of one directory.
type Dir struct{ path string }

// Open opens the directory, which may come later.
func (d *Dir) Open(path string) { d.path = path }

// Close closes it.
func (d *Dir) Close() {}

// Stat looks at the object of that name, a symbolic link not followed. There is
// no inode or ctime here: an object that was replaced shows by its mtime.
func (d *Dir) Stat(name string) (State, error) {
	fi, err := os.Lstat(filepath.Join(d.path, name[:2], name))
	if err != nil {
		return State{}, err
	}
	return State{Regular: fi.Mode().IsRegular(), Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}, nil
}

// Born is 0: it is not asked for.
func Born(string) int64 { return 0 }
