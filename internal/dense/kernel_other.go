//go:build !amd64 || purego

package dense

// kernels are those that this machine can run.
func kernels[T Float]() []*kernel[T] { return []*kernel[T]{portable[T]()} }
