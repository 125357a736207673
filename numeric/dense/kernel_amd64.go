//go:build !purego

package dense

import "golang.org/x/sys/cpu"

// kernels are those that this machine can run, the fastest last; their results
// are those of the portable one, bit for bit.
func kernels[T Float]() []*kernel[T] {
	all := []any{portable[T]()}
	if _, double := any(*new(T)).(float64); double && hasVectors {
		all = append(all, &kernel[float64]{rows: 6, cols: 8, run: bytes(8, run64)})
		if cpu.X86.HasAVX512F {
			all = append(all, &kernel[float64]{rows: 12, cols: 16, run: bytes(8, run64wide)})
		}
	} else if hasVectors {
		all = append(all, &kernel[float32]{rows: 6, cols: 16, run: bytes(4, run32)})
		if cpu.X86.HasAVX512F {
			all = append(all, &kernel[float32]{rows: 12, cols: 32, run: bytes(4, run32wide)})
		}
	}
	out := make([]*kernel[T], len(all))
	for i, k := range all {
		out[i] = k.(*kernel[T])
	}
	return out
}

// hasVectors is whether there are AVX2 and FMA; with AVX2 alone, as in some processors of VIA, all is portable code.
var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA
