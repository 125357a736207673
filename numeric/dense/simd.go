//go:build (amd64 || arm64) && !purego

package dense

import "unsafe"

// bytes checks that every access of the assembly is inside the slices, and passes
// on addresses and strides in bytes. The kernel that it calls has cols columns.
func bytes[T Float](size int, run func(c *T, cs int, a *T, ai, ap int, b *T, bs, m, depth, add int)) func(c []T, cs int,
	a []T, ai, ap int, b []T, bs, m, depth, cols int, add bool) {
	return func(c []T, cs int, a []T, ai, ap int, b []T, bs, m, depth, cols int, add bool) {
		_, _, _ = c[(m-1)*cs+cols-1], a[(m-1)*ai+(depth-1)*ap], b[(depth-1)*bs+cols-1]
		more := 0
		if add {
			more = 1
		}
		run(&c[0], size*cs, &a[0], size*ai, size*ap, &b[0], size*bs, m, depth, more)
	}
}

func addTiles(c []float64, cs int, a, b []float64, ld, m, depth int) {
	if !hasVectors {
		addTilesGo(c, cs, a, b, ld, m, depth)
		return
	}
	_, _, _ = c[(m-1)*cs+tileCols-1], a[(depth-1)*ld+m-1], b[(depth-1)*ld+tileCols-1]
	run64(&c[0], 8*cs, &a[0], 8, 8*ld, &b[0], 8*ld, m, depth, 1)
}

// whole is how many of n elements the vector unit takes, four at a time; short vectors are not
// worth a call.
func whole(n int) int {
	if !hasVectors || n < 8 {
		return 0
	}
	return n &^ 3
}

// Axpy adds f·x to y.
func Axpy[T Float](y []T, f T, x []T) {
	x = x[:len(y)]
	n := whole(len(y))
	if n > 0 {
		to, from := unsafe.Pointer(&y[0]), unsafe.Pointer(&x[0])
		if unsafe.Sizeof(f) == 4 {
			axpy32((*float32)(to), (*float32)(from), n, float32(f))
		} else {
			axpy64((*float64)(to), (*float64)(from), n, float64(f))
		}
	}
	if n < len(y) {
		axpyGo(y[n:], f, x[n:])
	}
}

// AddSquares adds x[i]² to y[i].
func AddSquares(y, x []float64) {
	x = x[:len(y)]
	n := whole(len(y))
	if n > 0 {
		addSquaresVec(&y[0], &x[0], n)
	}
	addSquaresGo(y[n:], x[n:])
}

// SumSquares is Σ v[i]², added in eight lanes.
func SumSquares(v []float64) float64 {
	if !hasVectors || len(v) == 0 || len(v)%8 != 0 {
		return sumSquaresGo(v)
	}
	var lane [8]float64
	sumSquaresVec(&lane, &v[0], len(v))
	return sumLanes(lane)
}

// dotLanes adds the first products of a and b to the lanes, and gives their number.
func dotLanes[T Float](lane *[4]T, a, b []T) int {
	n := whole(len(a))
	if n == 0 {
		return 0
	}
	l, x, y := unsafe.Pointer(lane), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	if unsafe.Sizeof(a[0]) == 4 {
		dot32((*[4]float32)(l), (*float32)(x), (*float32)(y), n)
	} else {
		dot64((*[4]float64)(l), (*float64)(x), (*float64)(y), n)
	}
	return n
}
