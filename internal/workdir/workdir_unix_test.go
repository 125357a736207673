//go:build unix

package workdir

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"prgnn/internal/need"
)

// A directory is removed whose deepest paths are longer than the system takes, also where it cannot be listed, and with
// few open files.
func TestRemovesDeep(t *testing.T) {
	parent := t.TempDir()
	d := need.Value(Make(parent, "deep-"))(t)
	name := strings.Repeat("n", 200)
	root := need.Value(os.OpenRoot(d.Path))(t)
	for range 100 {
		need.NoError(t, errors.Join(root.Mkdir(name, 0o700), root.WriteFile("0", nil, 0o400), root.Mkdir("1", 0o000)))
		deeper := need.Value(root.OpenRoot(name))(t)
		need.NoError(t, errors.Join(root.Chmod(".", 0o500), root.Close()))
		root = deeper
	}
	need.NoError(t, errors.Join(root.Chmod(".", 0), root.Close()))
	var limit syscall.Rlimit
	need.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 64
	need.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	need.NoError(t, d.Remove())
	need.Equal(t, len(need.Value(os.ReadDir(parent))(t)), 0)
}
