package connectivity

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// wishart is XᵀX/t of t×n random numbers, row length m = padded(n), and the same
// for gonum.
func wishart(seed uint64, t, n int) ([]float64, *mat.SymDense) {
	m := padded(n)
	x := make([]float64, t*m)
	for i, v := range randoms(seed, t*n) {
		x[i/n*m+i%n] = v
	}
	a := make([]float64, m*m)
	gram(a, x, t, m)
	mirror(a, m)
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
		w := newSPD(n)
		if !w.factor(a) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		inv := make([]float64, w.m*w.m)
		w.invert(inv)
		var ch mat.Cholesky
		if !ch.Factorize(s) {
			t.Fatal("gonum cannot factorize")
		}
		var want mat.SymDense
		if err := ch.InverseTo(&want); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if d := math.Abs(inv[i*w.m+j] - want.At(i, j)); d > 1e-12*math.Sqrt(want.At(i, i)*want.At(j, j)) {
					t.Fatalf("n = %d, (%d,%d): %v, gonum %v", n, i, j, inv[i*w.m+j], want.At(i, j))
				}
			}
		}
	}
}

func TestFactorRefusesSingularMatrices(t *testing.T) {
	a, _ := wishart(3, 10, 20) // rank 10 of 20
	if newSPD(20).factor(a) {
		t.Error("a matrix of rank 10 and order 20 was taken for positive definite")
	}
	b, _ := wishart(3, 100, 20)
	b[padded(20)+1] = math.NaN()
	if newSPD(20).factor(b) {
		t.Error("a NaN on the diagonal was taken for positive definite")
	}
}

func BenchmarkFactor84(b *testing.B) {
	a, _ := wishart(1, 146, 84)
	w := newSPD(84)
	for b.Loop() {
		w.factor(a)
	}
}

func BenchmarkInvert84(b *testing.B) {
	a, _ := wishart(1, 146, 84)
	w := newSPD(84)
	w.factor(a)
	dst := make([]float64, w.m*w.m)
	for b.Loop() {
		w.invert(dst)
	}
}
