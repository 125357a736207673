package whole

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"prgnn/internal/need"
)

// A directory is synced when a name was given in it since, and not else: what is gone cannot be synced.
func TestDirs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names in directories are not synced there")
	}
	var d Dirs
	dir := filepath.Join(t.TempDir(), "dir")
	need.NoError(t, d.Sync(dir)) // nothing was given
	d.Mark([]string{dir, dir})
	if d.Sync(dir) == nil {
		t.Error("a directory with new names was not synced")
	}
	need.NoError(t, os.Mkdir(dir, 0o777))
	need.NoError(t, d.Sync(dir)) // what failed is due still
	need.NoError(t, os.Remove(dir))
	need.NoError(t, d.Sync(dir))
	d.Mark([]string{dir})
	if d.Sync(dir) == nil {
		t.Error("a directory with newer names was not synced again")
	}

	// Of many at a time each is served: none returns while its own name may not be durable.
	need.NoError(t, os.Mkdir(dir, 0o777))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			d.Mark([]string{dir})
			d.mu.Lock()
			mine := d.dirs[dir].given
			d.mu.Unlock()
			if err := d.Sync(dir); err != nil {
				t.Error(err)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if durable := d.dirs[dir].durable; durable < mine {
				t.Errorf("%d of %d names are durable", durable, mine)
			}
		})
	}
	wg.Wait()
}
