package dense

import (
	"math"
	"unsafe"

	"prgnn/numeric/exact"
)

// fma is x·y + z with one rounding, in the precision of T.
func fma[T Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(exact.FMA32(float32(x), float32(y), float32(z)))
}

// portable is the kernel in plain Go. It defines the result; the others agree bit for bit.
func portable[T Float]() *kernel[T] { return &kernel[T]{rows: 2, cols: 4, run: run[T]} }

func run[T Float](c []T, cs int, a []T, ai, ap int, b []T, bs, m, depth, _ int, add bool) {
	i := 0
	for ; i+1 < m; i += 2 {
		var c00, c01, c02, c03, c10, c11, c12, c13 T
		c0, c1 := c[i*cs:][:4:4], c[(i+1)*cs:][:4:4]
		if add {
			c00, c01, c02, c03 = c0[0], c0[1], c0[2], c0[3]
			c10, c11, c12, c13 = c1[0], c1[1], c1[2], c1[3]
		}
		x, y, at := i*ai, (i+1)*ai, 0
		for range depth {
			b := b[at:][:4:4]
			a0, a1 := a[x], a[y]
			c00 = fma(a0, b[0], c00)
			c01 = fma(a0, b[1], c01)
			c02 = fma(a0, b[2], c02)
			c03 = fma(a0, b[3], c03)
			c10 = fma(a1, b[0], c10)
			c11 = fma(a1, b[1], c11)
			c12 = fma(a1, b[2], c12)
			c13 = fma(a1, b[3], c13)
			x, y, at = x+ap, y+ap, at+bs
		}
		c0[0], c0[1], c0[2], c0[3] = c00, c01, c02, c03
		c1[0], c1[1], c1[2], c1[3] = c10, c11, c12, c13
	}
	if i == m {
		return
	}
	var s0, s1, s2, s3 T
	c = c[i*cs:][:4:4]
	if add {
		s0, s1, s2, s3 = c[0], c[1], c[2], c[3]
	}
	x, at := i*ai, 0
	for range depth {
		b := b[at:][:4:4]
		v := a[x]
		s0 = fma(v, b[0], s0)
		s1 = fma(v, b[1], s1)
		s2 = fma(v, b[2], s2)
		s3 = fma(v, b[3], s3)
		x, at = x+ap, at+bs
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}
