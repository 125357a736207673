//go:build linux && (amd64 || arm64)

package spill

import (
	"testing"

	"golang.org/x/sys/unix"

	"prgnn/internal/need"
)

// uncached has an engine read past the system's cache.
func uncached(e engine) {
	if d, ok := e.(*direct); ok {
		d.cache = -1
	}
}

// What the system's cache lacked once is read past it from then on; what it has is taken from there.
func TestDirectAsksTheCacheOnce(t *testing.T) {
	f, _ := filled(t, 100, 9000)
	d, direct := newEngine(f.file).(*direct)
	if !direct {
		need.Missing(t, "a file system that reads past its cache")
	}
	defer d.close()
	at := func(i int) request { return request{at: f.records[i].at, memory: aligned(int(f.records[i].size))} }
	need.Equal(t, d.resident(at(10)), true, "what was just written")
	need.NoError(t, f.file.Sync())
	need.NoError(t, unix.Fadvise(int(f.file.Fd()), 0, 0, unix.FADV_DONTNEED))
	need.Equal(t, d.resident(at(10)), false, "what the cache was told to forget")
	need.Value(f.file.ReadAt(at(10).memory, f.records[10].at))(t)
	need.Equal(t, d.resident(at(10)), false, "it is not asked again")
}

// What the kernel refuses is an error.
func TestDirectRefusal(t *testing.T) {
	f, _ := filled(t, 1, 100)
	d, direct := newEngine(f.file).(*direct)
	if !direct {
		need.Missing(t, "a file system that reads past its cache")
	}
	d.close()
	need.Error(t, d.wait(1, func(int32, error) {}), unix.EINVAL.Error())
}
