package dense

import (
	"math"
	"unsafe"

	"prgnn/numeric/exact"
)

// fma is x·y + z with one rounding, in the precision of T. It is inlined, and in float64 it is one instruction.
func fma[T Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 4 {
		return fmaSingle(x, y, z)
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

//go:noinline
func fmaSingle[T Float](x, y, z T) T { return T(exact.FMA32(float32(x), float32(y), float32(z))) }

// portable is the kernel in plain Go. It defines the result; the others agree bit for bit.
func portable[T Float]() *kernel[T] {
	k := any(&kernel[float64]{rows: 2, cols: 4, run: run})
	if unsafe.Sizeof(*new(T)) == 4 {
		k = &kernel[float32]{rows: 1, cols: 16, run: runSingle}
	}
	return k.(*kernel[T])
}

func runSingle(c []float32, cs int, a []float32, ai, ap int, b []float32, bs, m, depth, cols int, add bool) {
	for i := range m {
		row := c[i*cs:][:cols]
		if !add {
			clear(row)
		}
		for p := range depth {
			axpySingle(row, a[i*ai+p*ap], b[p*bs:][:cols])
		}
	}
}

func run(c []float64, cs int, a []float64, ai, ap int, b []float64, bs, m, depth, _ int, add bool) {
	i := 0
	for ; i+1 < m; i += 2 {
		var c00, c01, c02, c03, c10, c11, c12, c13 float64
		c0, c1 := c[i*cs:][:4:4], c[(i+1)*cs:][:4:4]
		if add {
			c00, c01, c02, c03 = c0[0], c0[1], c0[2], c0[3]
			c10, c11, c12, c13 = c1[0], c1[1], c1[2], c1[3]
		}
		x, y, at := i*ai, (i+1)*ai, 0
		for range depth {
			b := b[at:][:4:4]
			a0, a1 := a[x], a[y]
			c00 = math.FMA(a0, b[0], c00)
			c01 = math.FMA(a0, b[1], c01)
			c02 = math.FMA(a0, b[2], c02)
			c03 = math.FMA(a0, b[3], c03)
			c10 = math.FMA(a1, b[0], c10)
			c11 = math.FMA(a1, b[1], c11)
			c12 = math.FMA(a1, b[2], c12)
			c13 = math.FMA(a1, b[3], c13)
			x, y, at = x+ap, y+ap, at+bs
		}
		c0[0], c0[1], c0[2], c0[3] = c00, c01, c02, c03
		c1[0], c1[1], c1[2], c1[3] = c10, c11, c12, c13
	}
	if i == m {
		return
	}
	var s0, s1, s2, s3 float64
	c = c[i*cs:][:4:4]
	if add {
		s0, s1, s2, s3 = c[0], c[1], c[2], c[3]
	}
	x, at := i*ai, 0
	for range depth {
		b := b[at:][:4:4]
		v := a[x]
		s0 = math.FMA(v, b[0], s0)
		s1 = math.FMA(v, b[1], s1)
		s2 = math.FMA(v, b[2], s2)
		s3 = math.FMA(v, b[3], s3)
		x, at = x+ap, at+bs
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}
