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
