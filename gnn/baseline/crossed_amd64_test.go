//go:build !purego

package baseline

import "golang.org/x/sys/cpu"

// vectorized are the loops in assembly that this machine can run.
func vectorized() []sums[float32] {
	var out []sums[float32]
	for _, wide := range []bool{false, true} {
		if cpu.X86.HasAVX2 && (!wide || cpu.X86.HasAVX512F) {
			s := sums[float32]{fill[float32], add[float32], slopes[float32]}
			vectorize(&s, wide)
			out = append(out, s)
		}
	}
	return out
}
