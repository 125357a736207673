package whole

import (
	"sync"

	"prgnn/artifacts/pack"
)

// Dirs are the directories in which this process has given a name that may not
// be durable yet.
type Dirs struct {
	mu   sync.Mutex
	dirs map[string]int // to a count that tells whether one was marked again
	n    int
}

// Mark notes names that may not be durable.
func (d *Dirs) Mark(dirs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]int{}
	}
	for _, dir := range dirs {
		d.n++
		d.dirs[dir] = d.n
	}
}

// Sync makes the names in a directory durable, if any may not be.
func (d *Dirs) Sync(dir string) error {
	d.mu.Lock()
	n, dirty := d.dirs[dir]
	d.mu.Unlock()
	if !dirty {
		return nil
	}
	if err := pack.SyncDir(dir); err != nil {
		return err
	}
	d.mu.Lock()
	if d.dirs[dir] == n {
		delete(d.dirs, dir)
	}
	d.mu.Unlock()
	return nil
}
