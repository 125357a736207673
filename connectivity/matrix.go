package connectivity

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Matrix is Rows × Cols numbers in C order: a run of ROI series (T×N: time by
// ROI), a correlation matrix (N×N), a table of confounds (T×K). It is a mat.Matrix of
// gonum. This package computes nothing by gonum, whose sums have other last bits on
// other processors.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

var _ mat.RawMatrixer = Matrix{}

// NewMatrix makes a matrix of zeros.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Row is row i, not copied.
func (m Matrix) Row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At is the entry in row i, column j. As in gonum, it panics outside the matrix.
func (m Matrix) At(i, j int) float64 {
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	return m.Data[i*m.Cols+j]
}

// Dims are the numbers of rows and of columns.
func (m Matrix) Dims() (rows, cols int) { return m.Rows, m.Cols }

// T is the transpose, Cols × Rows, over the same memory.
func (m Matrix) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix is the matrix as BLAS takes it, over the same memory. With it gonum computes on a
// Matrix as fast as on a mat.Dense.
func (m Matrix) RawMatrix() blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: m.Data}
}

// Dense is the matrix as gonum's, Rows × Cols over the same memory: what is written to one is seen
// in the other. A matrix without elements becomes the empty mat.Dense.
func (m Matrix) Dense() *mat.Dense {
	if m.Rows == 0 || m.Cols == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data)
}

// FromDense is gonum's matrix as a Matrix of the same size. It shares the memory of d, unless d is
// a slice of a wider matrix: the rows of such a slice do not adjoin, and are copied.
func FromDense(d *mat.Dense) Matrix {
	raw := d.RawMatrix()
	if raw.Stride == raw.Cols || raw.Rows < 2 {
		return Matrix{Rows: raw.Rows, Cols: raw.Cols, Data: raw.Data[:raw.Rows*raw.Cols]}
	}
	m := NewMatrix(raw.Rows, raw.Cols)
	for i := range raw.Rows {
		copy(m.Row(i), raw.Data[i*raw.Stride:])
	}
	return m
}

// Clone copies the matrix.
func (m Matrix) Clone() Matrix {
	m.Data = append([]float64(nil), m.Data...)
	return m
}

// column copies column j.
func (m Matrix) column(j int) []float64 {
	v := make([]float64, m.Rows)
	for i := range v {
		v[i] = m.Data[i*m.Cols+j]
	}
	return v
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
