package dense

import (
	"math"

	"prgnn/numeric/exact"
)

// A Cholesky factors and inverts one symmetric positive definite matrix of order N after
// another. Its matrices are M × M, row-major, M = Padded(N); beyond N they are the identity.
// N may be changed between matrices as long as M stays.
type Cholesky struct {
	N, M int
	u    []float64 // upper factor, A = UᵀU
	y    []float64 // lower triangular, the inverse of Uᵀ

	panels []float64 // panels of blocks of rows
}

// NewCholesky makes the memory for matrices of order n.
func NewCholesky(n int) *Cholesky {
	m := Padded(n)
	return &Cholesky{N: n, M: m, u: make([]float64, m*m), y: make([]float64, m*m)}
}

// Factor finds U with A = UᵀU from the upper triangle of a. It
// returns false when a pivot is not above tiny times the largest diagonal entry: A is
// not positive definite to working precision.
//
//	U[i][j] = (A[i][j] − Σ_{k<i} U[k][i]·U[k][j]) / U[i][i],   k ascending;
//
// the sum over the rows before the tile of i by tiles, over those within it by rows.
func (w *Cholesky) Factor(a []float64) bool {
	n, m, u := w.N, w.M, w.u
	largest := 0.0
	for i := range n {
		largest = max(largest, a[i*m+i])
	}
	tiny := float64(n) * 0x1p-52 * largest
	clear(u)
	block := w.block()
	for i0 := 0; i0 < m; i0 += tileRows {
		k0 := i0 - i0%block // rows before it have been added already
		if i0 == k0 && k0 > 0 {
			packPanels(w.panels, u[(k0-block)*m:], m, block, k0, m)
			addGram(u, w.panels, m, block, k0, m)
		}
		for j := i0 &^ (tileCols - 1); j < m; j += tileCols {
			addRows(u[i0*m+j:], u[k0*m+i0:], u[k0*m+j:], m, tileRows, i0-k0)
		}
		for i := i0; i < i0+tileRows; i++ {
			row := u[i*m:][:m]
			if i >= n { // padding: the identity
				clear(row)
				row[i] = 1
				continue
			}
			for k := i0; k < i; k++ {
				Axpy(row[i:], u[k*m+i], u[k*m+i:][:m-i])
			}
			d := a[i*m+i] - row[i]
			if !(d > tiny) {
				return false
			}
			p := math.Sqrt(d)
			inv := 1 / p
			clear(row[:i])
			row[i] = p
			from, to := a[i*m+i+1:][:n-i-1], row[i+1:n]
			for j, v := range from {
				to[j] = (v - to[j]) * inv
			}
		}
	}
	return true
}

// addRows adds Σ_{k<n} a[k][r]·b[k][s] to rows × 8 of c; all have the row length m.
func addRows(c, a, b []float64, m, rows, n int) {
	for k := 0; k < n; k += rowBlock {
		addTiles(c, m, a[k*m:], b[k*m:], m, rows, min(rowBlock, n-k))
	}
}

// LogDet is log det A = 2·Σ log U[i][i] after Factor.
func (w *Cholesky) LogDet() float64 {
	sum := 0.0
	for i := range w.N {
		sum += float64(2 * exact.Log(w.u[i*w.M+i]))
	}
	return sum
}

// Invert sets dst to the inverse of A = UᵀU after Factor: first the
// inverse Y of Uᵀ,
//
//	Y[i][j] = (δ_ij − Σ_{j≤k<i} U[k][i]·Y[k][j]) / U[i][i],   k ascending,
//
// then A⁻¹ = YᵀY, where Y[k][i] is 0 for k < i. Both triangles are set; the padding is
// the identity.
func (w *Cholesky) Invert(dst []float64) {
	m, u, y := w.M, w.u, w.y
	clear(y)
	block := w.block()
	for i0 := 0; i0 < m; i0 += tileRows {
		k0 := i0 - i0%block
		if i0 == k0 && k0 > 0 {
			w.addBlock(k0, block)
		}
		for j := 0; j < i0; j += tileCols {
			k := max(j, k0) // Y[k][j] is 0 for k < j
			addRows(y[i0*m+j:], u[k*m+i0:], y[k*m+j:], m, tileRows, i0-k)
		}
		for i := i0; i < i0+tileRows; i++ {
			row := y[i*m:][:i+1]
			for k := i0; k < i; k++ {
				Axpy(row[:k+1], u[k*m+i], y[k*m:][:k+1])
			}
			inv := 1 / u[i*m+i]
			for j := range row {
				row[j] = -row[j] * inv
			}
			row[i] = inv
		}
	}
	clear(dst[:m*m])
	if block < m {
		for k := 0; k < m; k += block {
			rows := min(block, m-k)
			packPanels(w.panels, y[k*m:], m, rows, 0, k+rows)
			addGram(dst, w.panels, m, rows, 0, k+rows)
		}
		Mirror(dst, m)
		return
	}
	for j := 0; j < m; j += tileCols {
		addRows(dst[j:], y[j*m:], y[j*m+j:], m, j+tileCols, m-j)
	}
	Mirror(dst, m)
}

// block is how many rows are added to all later ones at once; all, for a small matrix.
func (w *Cholesky) block() int {
	if w.M <= manyColumns {
		return w.M
	}
	if len(w.panels) < 2*packBlock*w.M {
		w.panels = make([]float64, 2*packBlock*w.M)
	}
	return packBlock
}

// addBlock adds the block of rows that ends at k0 to all rows of y from there on:
// Y[i][j] += Σ_k U[k][i]·Y[k][j].
func (w *Cholesky) addBlock(k0, block int) {
	m, u, y := w.M, w.u, w.y
	us, ys := w.panels[:block*m], w.panels[block*m:][:block*m]
	packPanels(us, u[(k0-block)*m:], m, block, k0, m)
	packPanels(ys, y[(k0-block)*m:], m, block, 0, k0)
	for j := 0; j < k0; j += tileCols {
		for i := k0; i < m; i += tileRows {
			addTiles(y[i*m+j:], m, us[((i-k0)&^(tileCols-1))*block+(i-k0)%tileCols:], ys[j*block:], tileCols,
				tileRows, block)
		}
	}
}
