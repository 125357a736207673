//go:build !purego

package gnn

import "golang.org/x/sys/cpu"

// vectorKernels are the kernels in assembly that this machine can run.
func vectorKernels() map[string]*kernels[float32] {
	sets := map[string]*kernels[float32]{}
	if !cpu.X86.HasFMA {
		return sets
	}
	if cpu.X86.HasAVX2 {
		sets["AVX2"] = portable[float32]()
		vectorize(sets["AVX2"], false)
	}
	if cpu.X86.HasAVX512F {
		sets["AVX-512"] = portable[float32]()
		vectorize(sets["AVX-512"], true)
	}
	return sets
}
