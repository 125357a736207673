//go:build !linux

package claim

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"

	"prgnn/artifacts/whole"
)

// A Set has the claims of one directory: locked files, one each. Locks of single bytes belong to the process here, and
// not to the open file, so that two stores of one process would not keep each other out.
type Set struct {
	Dir string // it may come later
}

// Try takes the claim of a name, unless another process, or another goroutine of this one, has it: then ok is false.
func (c *Set) Try(k [32]byte) (release func() error, ok bool, err error) {
	name := hex.EncodeToString(k[:])
	path := filepath.Join(c.Dir, name[:2], name)
	for {
		l := whole.NewLock(path)
		ok, err := l.TryLock()
		switch {
		case os.IsNotExist(err):
			if err := whole.MkdirAll(filepath.Dir(path)); err != nil {
				return nil, false, err
			}
			continue
		case err != nil || !ok:
			return nil, false, err
		}
		// Who had the claim before may have removed the file between our opening and
		// our locking it; then we hold a lock that nobody else will look at.
		ours, err := l.Stat()
		if err == nil {
			if named, err := os.Stat(path); err == nil && os.SameFile(ours, named) {
				return func() error {
					if runtime.GOOS == "windows" { // which keeps the files that somebody has open
						err := l.Unlock()
						os.Remove(path)
						return err
					}
					os.Remove(path) // first, so that none is left behind for each task ever run
					return l.Unlock()
				}, true, nil
			}
		}
		l.Unlock()
	}
}

// Close gives up all claims: here, each is given up alone.
func (*Set) Close() {}

// RemoveStale removes the files of claims that nobody has: a process that was killed leaves one.
func (c *Set) RemoveStale() {
	shards, _ := os.ReadDir(c.Dir)
	for _, shard := range shards {
		if !shard.IsDir() {
			continue // the gate
		}
		claims, _ := os.ReadDir(filepath.Join(c.Dir, shard.Name()))
		for _, e := range claims {
			if name, err := hex.DecodeString(e.Name()); err == nil && len(name) == 32 {
				if release, ok, _ := c.Try([32]byte(name)); ok {
					_ = release()
				}
			}
		}
	}
}
