//go:build !amd64 || purego

package dense

// Axpy adds f·x to y.
func Axpy(y []float64, f float64, x []float64) { axpyGo(y, f, x) }

// AddSquares adds x[i]² to y[i].
func AddSquares(y, x []float64) { addSquaresGo(y, x) }

// Scale sets y[i] to x[i]·(f·g[i]).
func Scale(y, x []float64, f float64, g []float64) { scaleGo(y, x, f, g) }

// Clip limits each v[i] to −1 … 1.
func Clip(v []float64) { clipGo(v) }

// SumSquares is Σ v[i]², added in eight lanes.
func SumSquares(v []float64) float64 { return sumSquaresGo(v) }

// SumMagnitudes is Σ |v[i]|, added in eight lanes.
func SumMagnitudes(v []float64) float64 { return sumMagnitudesGo(v) }
