//go:build !purego

package gnn

// vectorKernels are the kernels in assembly that this machine can run.
func vectorKernels() map[string]*kernels[float32] {
	return map[string]*kernels[float32]{"NEON": fastest[float32]()}
}
