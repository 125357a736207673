package cluster

import (
	"os"
	"time"
)

// A lease that nobody renews for leaseTime is that of a dead process. Both are shorter in tests.
var leaseTime, renewing = 30 * time.Second, 5 * time.Second

// Leases are those of others that this process looks at, by path.
type leases map[string]*watched

type watched struct {
	time    time.Time // of the file, as it was when it changed last
	changed time.Time // when that was seen
	looks   int       // since then
}

// expired reports whether a lease was not renewed for leaseTime. The times of the file are only compared with each
// other: no clock of another machine matters. A stall of the file system is not taken for one of the holder.
func (l leases) expired(path string) bool {
	w := l[path]
	if w == nil {
		w = &watched{changed: time.Now()}
		l[path] = w
	}
	w.looks++
	// Opened, for NFS asks the server for the times of a file when it is opened.
	if f, err := os.Open(path); err == nil {
		if fi, err := f.Stat(); err == nil && !fi.ModTime().Equal(w.time) {
			w.time, w.changed, w.looks = fi.ModTime(), time.Now(), 0
		}
		f.Close()
	}
	if time.Since(w.changed) < leaseTime || w.looks < 5 {
		return false
	}
	delete(l, path)
	return true
}
