//go:build !purego

package baseline

import (
	"golang.org/x/sys/cpu"

	"prgnn/gnn"
)

//go:generate -command asm go run -C ../../internal/asm . -pkg baseline
//go:generate asm -out ../../gnn/baseline/crossed_amd64.s -stubs ../../gnn/baseline/crossed_stubs_amd64.go crossed

// fastest are the loops for this machine; their results are those of the portable ones, bit for bit.
func fastest[T gnn.Float]() sums[T] {
	s := sums[T]{fill[T], add[T], slopes[T]}
	if v, ok := any(&s).(*sums[float32]); ok && cpu.X86.HasAVX2 {
		vectorize(v)
	}
	return s
}

// vectorize sets the loops to those in assembly for whole blocks. They check that every access is inside the
// slices, and pass on addresses and strides in bytes.
func vectorize(s *sums[float32]) {
	s.fill = func(a, b, weights []float32, stride, cols int, along side[float32]) {
		d := len(along.order)
		if cols < block {
			fill(a, b, weights, stride, cols, along)
			return
		}
		_, _, _ = a[(d+1)*block-1], weights[(d-1)*stride+block-1], along.v[d-1]
		if b == nil {
			fillA16(&a[0], &weights[0], 4*stride, &along.order[0], d)
			return
		}
		_ = b[(d+1)*block-1]
		fill16(&a[0], &b[0], &weights[0], 4*stride, &along.v[0], &along.order[0], d)
	}
	s.add = func(out []float32, stride, cols int, a, b []float32, across side[float32], slope float32) {
		d := len(across.v)
		if cols < block {
			add(out, stride, cols, a, b, across, slope)
			return
		}
		_, _, _, _ = out[(d-1)*stride+block-1], a[(d+1)*block-1], b[(d+1)*block-1], across.above[d-1]
		add16(&out[0], 4*stride, &a[0], &b[0], &across.v[0], &across.above[0], d, slope, 1-slope)
	}
	s.slopes = func(dv, x []float32, stride, cols int, a []float32, across side[float32], slope float32) {
		d := len(across.v)
		if cols < block || d < 8 {
			slopes(dv, x, stride, cols, a, across, slope)
			return
		}
		_, _, _, _ = dv[d-1], x[(d-1)*stride+block-1], a[(d+1)*block-1], across.above[d-1]
		slopes16(&dv[0], &x[0], 4*stride, &a[0], &across.above[0], d, slope, 1-slope)
	}
}
