package dense

import (
	"math"
	"unsafe"

	"prgnn/numeric/exact"
)

// Operations on vectors. Each function defines its result; the vector code does the same roundings in
// the same order, several elements at once.

// axpyGo: y[i] += f·x[i].
func axpyGo[T Float](y []T, f T, x []T) {
	x = x[:len(y)]
	if unsafe.Sizeof(f) == 4 && len(y) > 0 {
		axpySingle(unsafe.Slice((*float32)(unsafe.Pointer(&y[0])), len(y)), float32(f),
			unsafe.Slice((*float32)(unsafe.Pointer(&x[0])), len(x)))
		return
	}
	for i := range y {
		y[i] = T(math.FMA(float64(f), float64(x[i]), float64(y[i])))
	}
}

// axpySingle calls exact.FMA32 for those sums alone that rounding to float64 and then to float32 may get wrong.
func axpySingle(y []float32, f float32, x []float32) {
	const normal = 2 * (1023 - 126) << 52
	x = x[:len(y)]
	factor := float64(f)
	for i := range y {
		s := float64(factor*float64(x[i])) + float64(y[i])
		if b := math.Float64bits(s); b<<35 == 1<<63 || b<<1-1 < normal-1 {
			y[i] = exact.FMA32(f, x[i], y[i])
		} else {
			y[i] = float32(s)
		}
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

// Sum adds v in its order.
func Sum(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
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
