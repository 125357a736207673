package connectivity

import "math"

// A Matrix is Rows × Cols numbers in C order: a run of ROI series (T×N: time by
// ROI), a correlation matrix (N×N), a table of confounds (T×K).
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix makes a matrix of zeros.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Row is row i, not copied.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At is the entry in row i, column j.
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Cols+j] }

// Clone copies the matrix.
func (m Matrix) Clone() Matrix {
	m.Data = append([]float64(nil), m.Data...)
	return m
}

// column copies column j into dst.
func (m Matrix) column(dst []float64, j int) []float64 {
	dst = dst[:0]
	for i := range m.Rows {
		dst = append(dst, m.Data[i*m.Cols+j])
	}
	return dst
}

// setColumn overwrites column j.
func (m Matrix) setColumn(j int, v []float64) {
	for i, x := range v {
		m.Data[i*m.Cols+j] = x
	}
}

// rows copies the rows of these numbers, in their order.
func (m Matrix) rows(keep []int) Matrix {
	out := NewMatrix(len(keep), m.Cols)
	for i, r := range keep {
		copy(out.Row(i), m.Row(r))
	}
	return out
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
