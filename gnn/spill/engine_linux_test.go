//go:build linux && (amd64 || arm64)

package spill

// uncached has an engine read past the system's cache.
func uncached(e engine) {
	if d, ok := e.(*direct); ok {
		d.cache = -1
	}
}
