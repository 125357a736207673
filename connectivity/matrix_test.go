package connectivity

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A Matrix is gonum's matrix: gonum computes with it, and with its transpose, as with its own.
func TestMatrixIsGonums(t *testing.T) {
	m := Matrix{Rows: 2, Cols: 3, Data: []float64{1, 2, 3, 4, 5, 6}}
	var product mat.Dense
	product.Mul(m, m.T())
	if want := mat.NewDense(2, 2, []float64{14, 32, 32, 77}); !mat.Equal(&product, want) {
		t.Errorf("m·mᵀ is %v", mat.Formatted(&product))
	}
	if r, c := m.T().Dims(); r != 3 || c != 2 || m.T().At(2, 0) != 3 {
		t.Errorf("the transpose is %d×%d with %v at (2, 0)", r, c, m.T().At(2, 0))
	}
	for _, at := range [][2]int{{0, 3}, {1, -1}, {2, 0}, {-1, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("At%v of a 2×3 matrix did not panic", at)
				}
			}()
			m.At(at[0], at[1])
		}()
	}
	// gonum refuses to overwrite what it still reads, which it knows by RawMatrix.
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a product into its own factor did not panic")
			}
		}()
		square := Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}}
		part := square.Dense().Slice(0, 1, 0, 2).(*mat.Dense)
		part.Mul(Matrix{Rows: 1, Cols: 2, Data: []float64{1, 1}}, square)
	}()
}

func TestDenseSharesMemory(t *testing.T) {
	m := NewMatrix(3, 4)
	d := m.Dense()
	d.Set(2, 1, 7)
	m.Row(0)[3] = 5
	if m.At(2, 1) != 7 || d.At(0, 3) != 5 {
		t.Errorf("%v and %v do not share memory", m, mat.Formatted(d))
	}
	back := FromDense(d)
	if back.Rows != 3 || back.Cols != 4 || &back.Data[0] != &m.Data[0] {
		t.Errorf("%d×%d over other memory", back.Rows, back.Cols)
	}

	// Whole rows share memory; some columns of a wider matrix are copied.
	rows := FromDense(d.Slice(1, 3, 0, 4).(*mat.Dense))
	if rows.Rows != 2 || rows.Cols != 4 || &rows.Data[0] != &m.Data[4] {
		t.Errorf("rows 1 and 2 are %d×%d over other memory", rows.Rows, rows.Cols)
	}
	part := FromDense(d.Slice(0, 3, 1, 4).(*mat.Dense))
	if part.Rows != 3 || part.Cols != 3 || !slices.Equal(part.Data, []float64{0, 0, 5, 0, 0, 0, 7, 0, 0}) {
		t.Errorf("columns 1 to 3: %v", part)
	}
	part.Data[0] = 9
	if m.At(0, 1) != 0 {
		t.Error("the copied columns share memory")
	}

	for _, none := range []Matrix{{}, {Rows: 0, Cols: 5}, {Rows: 5}} {
		if d := none.Dense(); !d.IsEmpty() {
			t.Errorf("%v is not empty", d)
		}
	}
	if m := FromDense(&mat.Dense{}); m.Rows != 0 || m.Cols != 0 || len(m.Data) != 0 {
		t.Errorf("%v of an empty matrix", m)
	}
}
