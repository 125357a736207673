//go:build !(linux && (amd64 || arm64))

package spill

func uncached(engine) {}
