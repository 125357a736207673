package dense

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"prgnn/internal/need"
)

// wishart is XᵀX/t of t×n random numbers, row length m = Padded(n), and the same
// for gonum.
func wishart(seed uint64, t, n int) ([]float64, *mat.SymDense) {
	m := Padded(n)
	x := make([]float64, t*m)
	for i, v := range normals[float64](t*n, seed) {
		x[i/n*m+i%n] = v
	}
	a := make([]float64, m*m)
	GramColumns(a, x, t, m)
	Mirror(a, m)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a[i*m+j])
		}
	}
	return a, s
}

func TestInverseAgreesWithGonum(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8, 9, 16, 37, 84, 111} {
		a, s := wishart(uint64(n), 3*n+5, n)
		w := NewCholesky(n)
		if !w.Factor(a) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		inv := make([]float64, w.M*w.M)
		w.Invert(inv)
		var ch mat.Cholesky
		if !ch.Factorize(s) {
			t.Fatal("gonum cannot factorize")
		}
		if got, want := w.LogDet(), ch.LogDet(); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Errorf("n = %d: log det %v, gonum %v", n, got, want)
		}
		var want mat.SymDense
		need.NoError(t, ch.InverseTo(&want))
		for i := range n {
			for j := range n {
				if d := math.Abs(inv[i*w.M+j] - want.At(i, j)); d > 1e-12*math.Sqrt(want.At(i, i)*want.At(j, j)) {
					t.Fatalf("n = %d, (%d,%d): %v, gonum %v", n, i, j, inv[i*w.M+j], want.At(i, j))
				}
			}
		}
	}
}

func TestFactorRefusesSingularMatrices(t *testing.T) {
	a, _ := wishart(3, 10, 20) // rank 10 of 20
	if NewCholesky(20).Factor(a) {
		t.Error("a matrix of rank 10 and order 20 was taken for positive definite")
	}
	b, _ := wishart(3, 100, 20)
	b[Padded(20)+1] = math.NaN()
	if NewCholesky(20).Factor(b) {
		t.Error("a NaN on the diagonal was taken for positive definite")
	}
}
