//go:build unix

package cluster

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// Files between the coordinator and the jobs follow the umask, as the store does.
func TestFilesFollowUmask(t *testing.T) {
	c := space{t.TempDir()}
	defer syscall.Umask(syscall.Umask(0o027))
	for mode, want := range map[os.FileMode]os.FileMode{0o666: 0o640, 0o555: 0o550} {
		need.NoError(t, c.write(jobsDir, "key", []byte("job"), mode))
		info, err := os.Stat(c.path(jobsDir, "key"))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, %v, want %v", info.Mode(), err, want)
		}
		dir, err := os.Stat(filepath.Join(c.dir, jobsDir))
		if err != nil || dir.Mode().Perm() != 0o750 {
			t.Errorf("directory: %v, %v", dir.Mode(), err)
		}
	}
}
