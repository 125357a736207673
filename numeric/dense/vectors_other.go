//go:build !amd64 || purego

package dense

// Scale sets y[i] to x[i]·(f·g[i]).
func Scale(y, x []float64, f float64, g []float64) { scaleGo(y, x, f, g) }

// Clip limits each v[i] to −1 … 1.
func Clip(v []float64) { clipGo(v) }

// SumMagnitudes is Σ |v[i]|, added in eight lanes.
func SumMagnitudes(v []float64) float64 { return sumMagnitudesGo(v) }
