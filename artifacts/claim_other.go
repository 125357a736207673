//go:build !linux

package artifacts

import (
	"os"
	"path/filepath"
	"runtime"

	"prgnn/artifacts/whole"
)

// Claims are locked files, one each: locks of single bytes belong to the process here, and not to the open
// file, so that two stores of one process would not keep each other out.
type claims struct{}

func (claims) try(s *Store, k Key) (release func() error, ok bool, err error) {
	path := s.object(locksDir, k.String())
	for {
		l := whole.NewLock(path)
		ok, err := l.TryLock()
		switch {
		case os.IsNotExist(err):
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
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

func (claims) close() {}

// removeStaleClaims removes the files of claims that nobody has: a process that was killed leaves one.
func (s *Store) removeStaleClaims() {
	shards, _ := os.ReadDir(filepath.Join(s.dir, locksDir))
	for _, shard := range shards {
		if !shard.IsDir() {
			continue // the gate
		}
		claims, _ := os.ReadDir(filepath.Join(s.dir, locksDir, shard.Name()))
		for _, c := range claims {
			if k, err := ParseKey(c.Name()); err == nil {
				if c, ok, _ := s.TryClaim(k); ok {
					c.Release()
				}
			}
		}
	}
}
