//go:build (!amd64 && !arm64) || purego

package gnn

// fastest gives the kernels for this machine; their results are those of the
// portable ones, bit for bit.
func fastest[T Float]() *kernels[T] { return portable[T]() }
