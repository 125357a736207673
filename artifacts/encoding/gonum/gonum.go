// Package gonum takes arrays to the matrices of gonum.org/v1/gonum/mat and back, for a lab's own stages.
//
//	array                    matrix                       shared memory
//	[rows, cols]             Matrix     → *mat.Dense      if the elements are float64
//	[n, rows, cols]          Matrices   → []*mat.Dense    if the elements are float64
//	[rows, rows], symmetric  Symmetric  → *mat.SymDense   if the elements are float64
//	[n]                      Vector     → *mat.VecDense   if the elements are float64
//	[rows, cols]             FromMatrix ← mat.Matrix      if it is a *mat.Dense without gaps
//	[n, rows, cols]          FromMatrices ← mat.Matrix …  never
//
// Where memory is shared, what is written to one is seen in the other.
package gonum

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"prgnn/artifacts/encoding"
)

// Matrix is an array of shape [rows, cols] as a matrix. Arrays of another number of axes, without elements (mat has no
// such matrices) or of complex numbers are errors.
func Matrix(a *encoding.Array) (*mat.Dense, error) {
	v, err := numbers(a, "[rows, cols]", 2)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], v), nil
}

// Matrices is an array of shape [n, rows, cols], such as a matrix per draw, as n matrices. Its errors are those of
// Matrix.
func Matrices(a *encoding.Array) ([]*mat.Dense, error) {
	v, err := numbers(a, "[n, rows, cols]", 3)
	if err != nil {
		return nil, err
	}
	out, size := make([]*mat.Dense, a.Shape[0]), a.Shape[1]*a.Shape[2]
	for i := range out {
		out[i] = mat.NewDense(a.Shape[1], a.Shape[2], v[i*size:(i+1)*size:(i+1)*size])
	}
	return out, nil
}

// Symmetric is an array of shape [rows, rows] as a symmetric matrix. Two elements [i, j] and [j, i] that differ are an
// error; its other errors are those of Matrix.
func Symmetric(a *encoding.Array) (*mat.SymDense, error) {
	v, err := numbers(a, "[rows, rows]", 2)
	if err != nil {
		return nil, err
	}
	n := a.Shape[0]
	if a.Shape[1] != n {
		return nil, fmt.Errorf("an array of shape %v cannot be a symmetric matrix: it is not square", a.Shape)
	}
	for i := range n {
		for j := range i {
			if x, y := v[i*n+j], v[j*n+i]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				return nil, fmt.Errorf("the matrix is not symmetric: element [%d, %d] is %v, but [%d, %d] is %v", i, j, x, j, i, y)
			}
		}
	}
	return mat.NewSymDense(n, v), nil
}

// Vector is an array of shape [n] as a vector. Its errors are those of Matrix.
func Vector(a *encoding.Array) (*mat.VecDense, error) {
	v, err := numbers(a, "[n]", 1)
	if err != nil {
		return nil, err
	}
	return mat.NewVecDense(len(v), v), nil
}

func numbers(a *encoding.Array, want string, axes int) ([]float64, error) {
	switch {
	case a.IsComplex():
		return nil, fmt.Errorf("the array holds complex numbers (%s): matrices have real ones", a.DType())
	case len(a.Shape) != axes:
		return nil, fmt.Errorf("the array has the shape %v, not %s", a.Shape, want)
	case a.Len() == 0:
		return nil, fmt.Errorf("the array has the shape %v, so no elements: a matrix needs at least one", a.Shape)
	}
	return a.Float64s(), nil
}

// FromMatrix is a matrix as an array of float64 of shape [rows, cols]; a vector has shape [n, 1].
func FromMatrix(m mat.Matrix) *encoding.Array {
	rows, cols := m.Dims()
	if d, ok := m.(*mat.Dense); ok {
		if raw := d.RawMatrix(); raw.Stride == cols {
			return encoding.NewArray(raw.Data[:rows*cols], rows, cols)
		}
	}
	return encoding.NewArray(appendTo(make([]float64, 0, rows*cols), m), rows, cols)
}

// FromMatrices is matrices of one shape as an array of float64 of shape [n, rows, cols]. No matrix, or two shapes, are
// errors.
func FromMatrices[M mat.Matrix](all ...M) (*encoding.Array, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("no matrices, so the shape of the array is unknown")
	}
	rows, cols := all[0].Dims()
	data := make([]float64, 0, len(all)*rows*cols)
	for i, m := range all {
		if r, c := m.Dims(); r != rows || c != cols {
			return nil, fmt.Errorf("matrix %d has the shape [%d %d], but matrix 0 has [%d %d]", i, r, c, rows, cols)
		}
		data = appendTo(data, m)
	}
	return encoding.NewArray(data, len(all), rows, cols), nil
}

func appendTo(data []float64, m mat.Matrix) []float64 {
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			data = append(data, m.At(i, j))
		}
	}
	return data
}
