package dense

import "math"

// Operations on vectors. Each function defines its result; the vector code does the same roundings in
// the same order, several elements at once.

// axpyGo: y[i] += f·x[i].
func axpyGo(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] = math.FMA(f, x[i], y[i])
	}
}

// addSquaresGo: y[i] += x[i]².
func addSquaresGo(y, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] = math.FMA(x[i], x[i], y[i])
	}
}

// scaleGo: y[i] = x[i]·(f·g[i]).
func scaleGo(y, x []float64, f float64, g []float64) {
	x, g = x[:len(y)], g[:len(y)]
	for i := range y {
		y[i] = x[i] * float64(f*g[i])
	}
}

// clipGo: v[i] = min(max(v[i], −1), 1).
func clipGo(v []float64) {
	for i, x := range v {
		if x > 1 {
			v[i] = 1
		} else if x < -1 {
			v[i] = -1
		}
	}
}

// sumSquaresGo adds the squares of v in eight lanes, v[0]²+v[8]²+…, v[1]²+v[9]²+…, and
// then the lanes: in a single chain each addition waits for the one before.
func sumSquaresGo(v []float64) float64 {
	var lane [8]float64
	for i, x := range v {
		lane[i%8] = math.FMA(x, x, lane[i%8])
	}
	return sumLanes(lane)
}

// sumMagnitudesGo does the same for |v|.
func sumMagnitudesGo(v []float64) float64 {
	var lane [8]float64
	for i, x := range v {
		lane[i%8] += math.Abs(x)
	}
	return sumLanes(lane)
}

func sumLanes(l [8]float64) float64 {
	return ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]))
}
