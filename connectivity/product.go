package connectivity

import "math"

// All heavy work of this package is one operation on row-major matrices,
//
//	c[i][j] += Σ_k a[k][i]·b[k][j],   k ascending, each product rounded before it is added,
//
// so the order of every sum is defined by its formula alone: how the loops are
// cut into tiles, and whether a vector unit does eight columns at once, cannot
// change a bit. A correlation is the product of the series with itself; the
// Cholesky factor U (A = UᵀU), the inverse of its transpose, and the inverse of A
// are the same product over part of the rows (cholesky.go).
//
// A tile is 4 rows by 8 columns of c. Matrices that enter tiles are padded with
// zeros to a multiple of 8 columns (and, where square, rows).
const (
	tileRows = 4
	tileCols = 8
)

// padded rounds n up to whole tiles.
func padded(n int) int { return (n + tileCols - 1) &^ (tileCols - 1) }

// rowBlock bounds the rows of a and b that one pass reads, so that the eight
// columns of b stay in the first-level cache (256 × 64 bytes of 32 KiB).
const rowBlock = 256

// Matrices wider than manyColumns are worked on in blocks of packBlock rows that are
// copied into panels first: eight columns of a block lie together, and a block of 1,000
// columns (512 KiB) in the second-level cache. The order of every sum stays.
const (
	manyColumns = 256
	packBlock   = 64
)

// gram sets the upper triangle of dst (n×n, row length n) to XᵀX for x of rows×n;
// n is a multiple of 8. What it leaves below the diagonal has no meaning.
func gram(dst, x []float64, rows, n int) {
	clear(dst[:n*n])
	if n > manyColumns {
		packed := make([]float64, packBlock*n)
		for k := 0; k < rows; k += packBlock {
			m := min(packBlock, rows-k)
			pack(packed, x[k*n:], n, m, 0, n)
			addGram(dst, packed, n, m, 0, n)
		}
		return
	}
	for k := 0; k < rows; k += rowBlock {
		m := min(rowBlock, rows-k)
		for j := 0; j < n; j += tileCols {
			for i := 0; i < j+tileCols; i += tileRows {
				tileAdd(dst[i*n+j:], n, x[k*n+i:], x[k*n+j:], n, m)
			}
		}
	}
}

// pack copies the columns from … to−1 of m rows of x (row length ld) into panels of
// eight: panel p is m×8.
func pack(dst, x []float64, ld, m, from, to int) {
	for j := from; j < to; j += tileCols {
		panel := dst[(j-from)*m:][:m*tileCols]
		for k := range m {
			copy(panel[k*tileCols:][:tileCols], x[k*ld+j:][:tileCols])
		}
	}
}

// addGram adds to the upper triangle of dst (row length n), between the columns from and
// to, the product with itself of a block of m rows that is packed from the column from.
func addGram(dst, packed []float64, n, m, from, to int) {
	for j := from; j < to; j += tileCols {
		b := packed[(j-from)*m:]
		for i := from; i < j+tileCols; i += tileRows {
			tileAdd(dst[i*n+j:], n, packed[((i-from)&^(tileCols-1))*m+(i-from)%tileCols:], b, tileCols, m)
		}
	}
}

// mirror copies the upper triangle of a (row length n) to the lower.
func mirror(a []float64, n int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			a[j*n+i] = a[i*n+j]
		}
	}
}

// tileAddGo is the portable tile: c[r][s] += Σ_{k<n} a[k·ld+r]·b[k·ld+s] for
// r < 4, s < 8; n ≥ 1.
func tileAddGo(c []float64, ldc int, a, b []float64, ld, n int) {
	for r := 0; r < tileRows; r += 2 {
		for s := 0; s < tileCols; s += 4 {
			c0 := c[r*ldc+s:][:4]
			c1 := c[(r+1)*ldc+s:][:4]
			s00, s01, s02, s03 := c0[0], c0[1], c0[2], c0[3]
			s10, s11, s12, s13 := c1[0], c1[1], c1[2], c1[3]
			for k, p := 0, 0; k < n; k, p = k+1, p+ld {
				x := a[p+r:][:2]
				y := b[p+s:][:4]
				x0, x1 := x[0], x[1]
				s00 += float64(x0 * y[0])
				s01 += float64(x0 * y[1])
				s02 += float64(x0 * y[2])
				s03 += float64(x0 * y[3])
				s10 += float64(x1 * y[0])
				s11 += float64(x1 * y[1])
				s12 += float64(x1 * y[2])
				s13 += float64(x1 * y[3])
			}
			c0[0], c0[1], c0[2], c0[3] = s00, s01, s02, s03
			c1[0], c1[1], c1[2], c1[3] = s10, s11, s12, s13
		}
	}
}

// The following are the portable forms; product_amd64.go and product_other.go choose.

// axpyGo: y[i] += f·x[i].
func axpyGo(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float64(f * x[i])
	}
}

// addSquaresGo: y[i] += x[i]².
func addSquaresGo(y, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float64(x[i] * x[i])
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
		lane[i%8] += float64(x * x)
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
