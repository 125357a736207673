//go:build !purego

package dense

// Scale sets y[i] to x[i]·(f·g[i]).
func Scale(y, x []float64, f float64, g []float64) {
	x, g = x[:len(y)], g[:len(y)]
	n := whole(len(y))
	if n > 0 {
		scaleVec(&y[0], &x[0], &g[0], n, f)
	}
	scaleGo(y[n:], x[n:], f, g[n:])
}

// Clip limits each v[i] to −1 … 1.
func Clip(v []float64) {
	n := whole(len(v))
	if n > 0 {
		clipVec(&v[0], n)
	}
	clipGo(v[n:])
}

// SumMagnitudes is Σ |v[i]|, added in eight lanes.
func SumMagnitudes(v []float64) float64 {
	if !hasVectors || len(v) == 0 || len(v)%8 != 0 {
		return sumMagnitudesGo(v)
	}
	var lane [8]float64
	sumMagnitudesVec(&lane, &v[0], len(v))
	return sumLanes(lane)
}
