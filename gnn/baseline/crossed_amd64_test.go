//go:build !purego

package baseline

import "golang.org/x/sys/cpu"

// vectorized are the loops in assembly that this machine can run.
func vectorized() []sums[float32] {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	s := sums[float32]{fill[float32], add[float32], slopes[float32]}
	vectorize(&s)
	return []sums[float32]{s}
}
