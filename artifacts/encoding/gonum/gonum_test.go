package gonum

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

func counted(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	return v
}

func TestMatrixSharesMemory(t *testing.T) {
	data := counted(6)
	m := need.Value(Matrix(encoding.NewArray(data, 2, 3)))(t)
	need.Equal(t, m.At(1, 0), 3)
	m.Set(1, 2, 50)
	need.Equal(t, data[5], 50)
	back := FromMatrix(m)
	if got := need.Value(encoding.Data[float64](back))(t); &got[0] != &data[0] || !slices.Equal(back.Shape,
		[]int{2, 3}) {
		t.Errorf("the array that comes back has shape %v over other memory", back.Shape)
	}
	all := need.Value(Matrices(encoding.NewArray(data, 3, 1, 2)))(t)
	all[2].Set(0, 0, 40)
	need.Equal(t, data[4], 40)
	need.Equal(t, len(all), 3)
	v := need.Value(Vector(encoding.NewArray(data, 6)))(t)
	v.SetVec(0, -1)
	need.Equal(t, data[0], -1)
	narrow := need.Value(Matrix(encoding.NewArray([]int16{1, -2}, 2, 1)))(t)
	need.Equal(t, narrow.At(1, 0), -2)
}

// Every kind of matrix gives the array of its elements by index.
func TestFromMatrix(t *testing.T) {
	m := mat.NewDense(3, 4, counted(12))
	for name, of := range map[string]mat.Matrix{
		"dense": m, "a part": m.Slice(1, 3, 1, 3), "transposed": m.T(), "vector": mat.NewVecDense(3, counted(3)),
		"symmetric": mat.NewSymDense(2, []float64{1, 2, 9, 3}), "diagonal": mat.NewDiagDense(2, []float64{4, 5}),
		"nothing": &mat.Dense{},
	} {
		a := FromMatrix(of)
		rows, cols := of.Dims()
		if !slices.Equal(a.Shape, []int{rows, cols}) {
			t.Errorf("%s: shape %v", name, a.Shape)
		}
		for i, x := range a.Float64s() {
			need.Equal(t, x, of.At(i/cols, i%cols), name, i)
		}
	}
	all := need.Value(FromMatrices(m, m))(t)
	if !slices.Equal(all.Shape, []int{2, 3, 4}) || all.Float64s()[12] != 0 || all.Float64s()[23] != 11 {
		t.Errorf("%v", all)
	}
}

func TestSymmetric(t *testing.T) {
	nan := math.NaN()
	a := encoding.NewArray([]float64{1, 2, nan, 2, 3, 4, nan, 4, 5}, 3, 3)
	s := need.Value(Symmetric(a))(t)
	need.Equal(t, s.At(2, 1), 4)
	back := FromMatrix(s).Float64s()
	for i, x := range a.Float64s() {
		need.Equal(t, math.Float64bits(back[i]), math.Float64bits(x), i)
	}
}

func TestRefused(t *testing.T) {
	_, err := Matrix(encoding.NewArray(counted(6), 1, 2, 3))
	need.Error(t, err, "the array has the shape [1 2 3], not [rows, cols]")
	_, err = Matrix(encoding.NewArray([]float64{}, 0, 3))
	need.Error(t, err, "the array has the shape [0 3], so no elements")
	_, err = Matrices(encoding.NewArray(counted(6), 2, 3))
	need.Error(t, err, "not [n, rows, cols]")
	_, err = Vector(encoding.NewArray([]complex128{1}, 1))
	need.Error(t, err, "the array holds complex numbers (<c16)")
	_, err = Symmetric(encoding.NewArray(counted(6), 2, 3))
	need.Error(t, err, "it is not square")
	_, err = Symmetric(encoding.NewArray(counted(4), 2, 2))
	need.Error(t, err, "the matrix is not symmetric: element [1, 0] is 2, but [0, 1] is 1")
	_, err = FromMatrices[*mat.Dense]()
	need.Error(t, err, "no matrices")
	_, err = FromMatrices(mat.NewDense(1, 2, nil), mat.NewDense(2, 1, nil))
	need.Error(t, err, "matrix 1 has the shape [2 1], but matrix 0 has [1 2]")
}
