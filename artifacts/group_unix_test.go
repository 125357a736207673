//go:build unix

package artifacts

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// In a store whose directory lets the group write, the group may write to every directory, and to every file that its
// owner may write to; in another, to none.
func TestGroupStore(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for mode, want := range map[fs.FileMode]fs.FileMode{0o775: 0o020, 0o755: 0} {
		for _, size := range []int64{0, smallUpTo} {
			dir := t.TempDir()
			need.NoError(t, os.Chmod(dir, mode))
			s := need.Value(Open(dir))(t)
			s.packing.Store(size)
			task := doListed(t, s, 1)
			log := s.Log(task.Key)
			need.Value(log.Write([]byte("a word")))(t)
			log.Close()
			claim, _, err := s.TryClaim(task.Key)
			need.NoError(t, err)
			need.NoError(t, s.appendForgotten([]Key{task.Key}))
			need.NoError(t, s.Scratch(task.Key).Put([]byte("x")))
			need.NoError(t, s.SaveRun(&RunRecord{ID: ids(1), Tasks: []RunTask{task}}))
			n := 0
			look := func(path string, e fs.DirEntry, err error) error {
				info := need.Value(e.Info())(t)
				part, _, _ := strings.Cut(s.relative(path), "/")
				// One process alone writes the files of these.
				private := !e.IsDir() && slices.Contains([]string{tmpDir, packsDir, logsDir}, part)
				if n++; info.Mode().Perm()&0o200 != 0 && !private && info.Mode().Perm()&0o020 != want {
					t.Errorf("%v: %s has %v", mode, path, info.Mode())
				}
				return err
			}
			need.NoError(t, filepath.WalkDir(dir, look))
			if n < 20 {
				t.Errorf("%d files and directories: the test tests little", n)
			}
			need.NoError(t, claim.Release())
			need.NoError(t, s.Close())
		}
	}
}
