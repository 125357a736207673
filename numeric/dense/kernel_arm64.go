//go:build !purego

package dense

// kernels are the portable one and that of the vectors which every arm64 processor has; their results are the same,
// bit for bit.
func kernels[T Float]() []*kernel[T] {
	fast := any(&kernel[float32]{rows: 6, cols: 16, run: bytes(4, run32)})
	if _, double := any(*new(T)).(float64); double {
		fast = &kernel[float64]{rows: 6, cols: 8, run: bytes(8, run64)}
	}
	return []*kernel[T]{portable[T](), fast.(*kernel[T])}
}

const hasVectors = true
