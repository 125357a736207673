//go:build !purego

package dense

import "golang.org/x/sys/cpu"

//go:generate -command asm go run -C ../../internal/asm . -pkg dense
//go:generate asm -out ../../numeric/dense/vectors_amd64.s -stubs ../../numeric/dense/vectors_stubs_amd64.go vectors

var hasAVX = cpu.X86.HasAVX

// whole is how many of n elements the vector unit takes, four at a time; short vectors are not
// worth a call.
func whole(n int) int {
	if !hasAVX || n < 8 {
		return 0
	}
	return n &^ 3
}

// Axpy adds f·x to y.
func Axpy(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	n := whole(len(y))
	if n > 0 {
		axpyAVX(&y[0], &x[0], n, f)
	}
	axpyGo(y[n:], f, x[n:])
}

// AddSquares adds x[i]² to y[i].
func AddSquares(y, x []float64) {
	x = x[:len(y)]
	n := whole(len(y))
	if n > 0 {
		addSquaresAVX(&y[0], &x[0], n)
	}
	addSquaresGo(y[n:], x[n:])
}

// Scale sets y[i] to x[i]·(f·g[i]).
func Scale(y, x []float64, f float64, g []float64) {
	x, g = x[:len(y)], g[:len(y)]
	n := whole(len(y))
	if n > 0 {
		scaleAVX(&y[0], &x[0], &g[0], n, f)
	}
	scaleGo(y[n:], x[n:], f, g[n:])
}

// Clip limits each v[i] to −1 … 1.
func Clip(v []float64) {
	n := whole(len(v))
	if n > 0 {
		clipAVX(&v[0], n)
	}
	clipGo(v[n:])
}

// SumSquares is Σ v[i]², added in eight lanes.
func SumSquares(v []float64) float64 {
	if !hasAVX || len(v) == 0 || len(v)%8 != 0 {
		return sumSquaresGo(v)
	}
	return sumSquaresAVX(&v[0], len(v))
}

// SumMagnitudes is Σ |v[i]|, added in eight lanes.
func SumMagnitudes(v []float64) float64 {
	if !hasAVX || len(v) == 0 || len(v)%8 != 0 {
		return sumMagnitudesGo(v)
	}
	return sumMagnitudesAVX(&v[0], len(v))
}
