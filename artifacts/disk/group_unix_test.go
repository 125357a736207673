//go:build unix

package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// In a store whose directory lets the group write, the group may read every file, and write to every directory, and to
// every file that its owner may write to, whatever the umask; in another, the umask decides.
func TestGroupStore(t *testing.T) {
	for _, c := range []struct{ mode, umask, want fs.FileMode }{
		{0o775, 0o022, 0o060}, {0o775, 0o077, 0o060}, {0o755, 0o022, 0o040}, {0o755, 0o077, 0}} {
		defer syscall.Umask(syscall.Umask(int(c.umask)))
		for _, size := range []int64{0, smallUpTo} {
			dir := t.TempDir()
			need.NoError(t, os.Chmod(dir, c.mode))
			s := need.Value(Open(dir))(t)
			s.packing.Store(size)
			need.NoError(t, s.Remote.Attach(t.Context(), newShelf()))
			task := doListed(t, s, 1)
			log := s.Work.Log(task.Key)
			need.Value(log.Write([]byte("a word")))(t)
			log.Close()
			claim, _, err := s.Work.TryClaim(task.Key)
			need.NoError(t, err)
			need.NoError(t, s.appendForgotten([]artifacts.Key{task.Key}))
			need.NoError(t, s.Work.Scratch(task.Key).Put([]byte("x")))
			need.NoError(t, s.SaveRun(&artifacts.RunRecord{ID: ids(1), Tasks: []artifacts.RunTask{task}}))
			n := 0
			look := func(path string, e fs.DirEntry, err error) error {
				if path == dir {
					return err
				}
				info := need.Value(e.Info())(t)
				want := c.want
				if info.Mode().Perm()&0o200 == 0 {
					want &^= 0o020
				}
				if n++; info.Mode().Perm()&0o060 != want {
					t.Errorf("%v, umask %v: %s has %v", c.mode, c.umask, path, info.Mode())
				}
				return err
			}
			need.NoError(t, filepath.WalkDir(dir, look))
			if n < 20 {
				t.Errorf("%d files and directories: the test tests little", n)
			}
			need.NoError(t, claim.Release())
			need.NoError(t, s.Close())
			need.NoError(t, filepath.WalkDir(dir, look)) // packs have ended
		}
	}
}
