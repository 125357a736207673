package dense

// Products over part of the rows, for one matrix after another of the same small size: the Gram
// matrix of columns here, and the Cholesky factor and the inverse in cholesky.go. All are
//
//	c[i][j] += Σ_k a[k][i]·b[k][j],   k ascending, each step a fused multiply-add.
//
// A tile is 4 rows by 8 columns of c. Matrices that enter tiles are padded with zeros to a
// multiple of 8 columns (and, where square, rows), so no tile is cut.
const (
	tileRows = 4
	tileCols = 8
)

// Padded rounds n up to whole tiles.
func Padded(n int) int { return (n + tileCols - 1) &^ (tileCols - 1) }

// rowBlock is the number of rows of a and b that one pass reads: eight columns of b stay in the
// first-level cache (256 × 64 bytes of 32 KiB).
const rowBlock = 256

// Matrices wider than manyColumns are read in blocks of packBlock rows that are copied into
// panels first: eight columns of a block lie together, and a block of 1,000 columns (512 KiB)
// stays in the second-level cache.
const (
	manyColumns = 256
	packBlock   = 64
)

// addTilesGo adds aᵀ·b to c (m × 8, rows cs apart), for a of depth × m and b of depth × 8 with rows
// ld apart; m and depth are above 0. addTiles is the same by the vector unit, where there is one.
func addTilesGo(c []float64, cs int, a, b []float64, ld, m, depth int) {
	run(c, cs, a, 1, ld, b, ld, m, depth, tileCols/2, true)
	run(c[tileCols/2:], cs, a, 1, ld, b[tileCols/2:], ld, m, depth, tileCols/2, true)
}

// GramColumns sets the upper triangle of c (n × n) to xᵀ·x for x of rows × n, both row-major; n is
// a multiple of 8. Below the diagonal it leaves values without a meaning.
func GramColumns(c, x []float64, rows, n int) {
	clear(c[:n*n])
	if n > manyColumns {
		panels := make([]float64, packBlock*n)
		for k := 0; k < rows; k += packBlock {
			m := min(packBlock, rows-k)
			packPanels(panels, x[k*n:], n, m, 0, n)
			addGram(c, panels, n, m, 0, n)
		}
		return
	}
	for k := 0; k < rows; k += rowBlock {
		m := min(rowBlock, rows-k)
		for j := 0; j < n; j += tileCols {
			addTiles(c[j:], n, x[k*n:], x[k*n+j:], n, j+tileCols, m)
		}
	}
}

// packPanels copies the columns from … to−1 of m rows of x (row length ld) into panels of
// eight: panel p is m×8.
func packPanels(dst, x []float64, ld, m, from, to int) {
	for j := from; j < to; j += tileCols {
		panel := dst[(j-from)*m:][:m*tileCols]
		for k := range m {
			copy(panel[k*tileCols:][:tileCols], x[k*ld+j:][:tileCols])
		}
	}
}

// addGram adds to the upper triangle of c (row length n), between the columns from and
// to, the product with itself of a block of m rows that is packed from the column from.
func addGram(c, panels []float64, n, m, from, to int) {
	for j := from; j < to; j += tileCols {
		b := panels[(j-from)*m:]
		for i := from; i < j+tileCols; i += tileRows {
			addTiles(c[i*n+j:], n, panels[((i-from)&^(tileCols-1))*m+(i-from)%tileCols:], b, tileCols, tileRows, m)
		}
	}
}

// Mirror copies the upper triangle of a (n × n) to the lower.
func Mirror(a []float64, n int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			a[j*n+i] = a[i*n+j]
		}
	}
}
