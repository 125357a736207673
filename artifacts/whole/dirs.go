package whole

import (
	"sync"

	"prgnn/artifacts/pack"
)

// Dirs are the directories in which this process has given names that may not be durable yet.
type Dirs struct {
	mu   sync.Mutex
	dirs map[string]*marks
}

// marks count the names that were given in a directory, and how many of them are durable.
type marks struct {
	syncing        sync.Mutex // held during a sync, which serves all who wait for it
	given, durable int
}

// Mark notes names that may not be durable.
func (d *Dirs) Mark(dirs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]*marks{}
	}
	for _, dir := range dirs {
		if d.dirs[dir] == nil {
			d.dirs[dir] = &marks{}
		}
		d.dirs[dir].given++
	}
}

// Sync makes the names in a directory durable, if any may not be.
func (d *Dirs) Sync(dir string) error {
	m, given := d.open(dir)
	if given == 0 {
		return nil
	}
	m.syncing.Lock()
	defer m.syncing.Unlock()
	if _, given = d.open(dir); given == 0 { // another sync has served this one
		return nil
	}
	if err := pack.SyncDir(dir); err != nil {
		return err
	}
	d.mu.Lock()
	m.durable += given
	d.mu.Unlock()
	return nil
}

// open is how many names in a directory may not be durable.
func (d *Dirs) open(dir string) (m *marks, given int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m = d.dirs[dir]; m != nil {
		given = m.given - m.durable
	}
	return m, given
}
