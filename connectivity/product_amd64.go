package connectivity

import "golang.org/x/sys/cpu"

// Each function here is its portable twin in product.go, by the vector unit where
// there is one: the same roundings in the same order, so the same bits.

var hasAVX = cpu.X86.HasAVX

func tileAdd(c []float64, ldc int, a, b []float64, ld, n int) {
	if !hasAVX {
		tileAddGo(c, ldc, a, b, ld, n)
		return
	}
	_ = c[(tileRows-1)*ldc+tileCols-1]
	_ = a[(n-1)*ld+tileRows-1]
	_ = b[(n-1)*ld+tileCols-1]
	tileAddAVX(&c[0], ldc, &a[0], &b[0], ld, n)
}

func axpy(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	n := 0
	if hasAVX && len(y) >= 8 {
		n = len(y) &^ 3
		axpyAVX(&y[0], &x[0], n, f)
	}
	axpyGo(y[n:], f, x[n:])
}

func addSquares(y, x []float64) {
	x = x[:len(y)]
	n := 0
	if hasAVX && len(y) >= 8 {
		n = len(y) &^ 3
		addSquaresAVX(&y[0], &x[0], n)
	}
	addSquaresGo(y[n:], x[n:])
}

func scale(y, x []float64, f float64, g []float64) {
	x, g = x[:len(y)], g[:len(y)]
	n := 0
	if hasAVX && len(y) >= 8 {
		n = len(y) &^ 3
		scaleAVX(&y[0], &x[0], &g[0], n, f)
	}
	scaleGo(y[n:], x[n:], f, g[n:])
}

func clip(v []float64) {
	n := 0
	if hasAVX && len(v) >= 8 {
		n = len(v) &^ 3
		clipAVX(&v[0], n)
	}
	clipGo(v[n:])
}

func sumSquares(v []float64) float64 {
	if !hasAVX || len(v) == 0 || len(v)%8 != 0 {
		return sumSquaresGo(v)
	}
	return sumSquaresAVX(&v[0], len(v))
}

func sumMagnitudes(v []float64) float64 {
	if !hasAVX || len(v) == 0 || len(v)%8 != 0 {
		return sumMagnitudesGo(v)
	}
	return sumMagnitudesAVX(&v[0], len(v))
}

//go:noescape
func tileAddAVX(c *float64, ldc int, a, b *float64, ld, n int)

//go:noescape
func axpyAVX(y, x *float64, n int, f float64)

//go:noescape
func addSquaresAVX(y, x *float64, n int)

//go:noescape
func scaleAVX(y, x, w *float64, n int, f float64)

//go:noescape
func clipAVX(v *float64, n int)

//go:noescape
func sumSquaresAVX(v *float64, n int) float64

//go:noescape
func sumMagnitudesAVX(v *float64, n int) float64
