package regular

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// Files are copies by their bytes or as one file; one byte between the blocks that are read first makes them two.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("0123456789abcdef", 1<<14)
	other := []byte(long)
	other[len(other)/5] = 'x'
	var paths []string
	for _, text := range []string{long, "b", string(other), "a", long, "", "", string(other), "b", "c"} {
		path := filepath.Join(dir, string(rune('a'+len(paths))))
		need.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		paths = append(paths, path)
	}
	link := filepath.Join(dir, "link")
	need.NoError(t, os.Symlink("d", link))
	paths = append(paths, link, filepath.Join(dir, "none"), dir, dir, paths[5])
	need.Equal(t, fmt.Sprint(Copies(paths)), "[[0 4] [1 8] [2 7] [3 10] [5 14]]")
	need.Equal(t, len(Copies(nil)), 0)
}
