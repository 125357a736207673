package connectivity

import "math"

// A spd is the work space to invert one symmetric positive definite matrix of
// order n after another. Its matrices are m×m with m = padded(n); what lies
// beyond n is the identity.
type spd struct {
	n, m int
	u    []float64 // upper factor, A = UᵀU
	y    []float64 // lower triangular, the inverse of Uᵀ
	t    []float64 // one row of tiles, 4×m
}

func newSPD(n int) *spd {
	m := padded(n)
	return &spd{n: n, m: m, u: make([]float64, m*m), y: make([]float64, m*m), t: make([]float64, tileRows*m)}
}

// factor finds U with A = UᵀU from the upper triangle of a (row length m).
// It returns false when a pivot is not above tiny times the largest diagonal
// entry: A is not positive definite to working precision.
//
// Row i of U is row i of A, less Σ_{k<i} U[k][i]·U[k][·], over its pivot: the sum
// over whole blocks of eight rows first, by tiles, then the rows of its own block.
func (w *spd) factor(a []float64) bool {
	n, m, u := w.n, w.m, w.u
	largest := 0.0
	for i := range n {
		largest = max(largest, a[i*m+i])
	}
	tiny := float64(n) * 0x1p-52 * largest
	for i0 := 0; i0 < m; i0 += tileCols {
		for i := i0; i < i0+tileCols; i += tileRows {
			w.sums(u, i, i0, m, 0, i0)
			for r := range tileRows {
				row, at, sum := u[(i+r)*m:][:m], a[(i+r)*m:][:m], w.t[r*m:][:m]
				for j := i0; j < m; j++ {
					row[j] = at[j] - sum[j]
				}
			}
		}
		for i := i0; i < i0+tileCols; i++ {
			row := u[i*m:][:m]
			if i >= n { // padding: the identity
				clear(row)
				row[i] = 1
				continue
			}
			for k := i0; k < i; k++ {
				above := u[k*m:][:m]
				f := above[i]
				for j := i; j < n; j++ {
					row[j] -= float64(f * above[j])
				}
			}
			if !(row[i] > tiny) {
				return false
			}
			p := math.Sqrt(row[i])
			row[i] = p
			inv := 1 / p
			for j := i + 1; j < n; j++ {
				row[j] *= inv
			}
			clear(row[:i])
			clear(row[n:])
		}
	}
	return true
}

// sums sets w.t[r][j] = Σ_{k0≤k<k1} U[k][i+r]·b[k][j] for four rows and the
// columns from j0 to j1 (multiples of 8).
func (w *spd) sums(b []float64, i, j0, j1, k0, k1 int) {
	m := w.m
	for r := range tileRows {
		clear(w.t[r*m+j0 : r*m+j1])
	}
	for j := j0; j < j1; j += tileCols {
		for k := k0; k < k1; k += rowBlock {
			tileAdd(w.t[j:], m, w.u[k*m+i:], b[k*m+j:], m, min(rowBlock, k1-k))
		}
	}
}

// invert sets dst (row length m) to the inverse of A = UᵀU after factor: the
// inverse Y of Uᵀ, by forward substitution on the rows of the identity, then
// A⁻¹ = YᵀY, where Y[k][i] is 0 for k < i. Both triangles are set; the padding is
// the identity.
func (w *spd) invert(dst []float64) {
	m, u, y := w.m, w.u, w.y
	for i0 := 0; i0 < m; i0 += tileCols {
		for i := i0; i < i0+tileCols; i += tileRows {
			for j := 0; j < i0; j += tileCols { // Y[k][j] starts at k = j
				w.sums(y, i, j, j+tileCols, j, i0)
				for r := range tileRows {
					row, sum := y[(i+r)*m+j:][:tileCols], w.t[r*m+j:][:tileCols]
					for c := range row {
						row[c] = -sum[c]
					}
				}
			}
		}
		for i := i0; i < i0+tileCols; i++ {
			row := y[i*m:][:m]
			clear(row[i0:])
			row[i] = 1
			for k := i0; k < i; k++ {
				above := y[k*m:][:m]
				f := u[k*m+i]
				for j := 0; j <= k; j++ {
					row[j] -= float64(f * above[j])
				}
			}
			inv := 1 / u[i*m+i]
			for j := 0; j <= i; j++ {
				row[j] *= inv
			}
		}
	}
	clear(dst[:m*m])
	for j := 0; j < m; j += tileCols {
		for k := j; k < m; k += rowBlock {
			for i := 0; i < j+tileCols; i += tileRows {
				tileAdd(dst[i*m+j:], m, y[k*m+i:], y[k*m+j:], m, min(rowBlock, m-k))
			}
		}
	}
	mirror(dst, m)
}
