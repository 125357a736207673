package dense

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Eigenvalues are gonum's, V·Vᵀ = 1 and VᵀΛV = A, of random, graded, diagonal and repeated ones.
func TestEigenAgreesWithGonum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 15, 40, 84, 111} {
		padded, _ := wishart(uint64(n), n+5, n)
		random := make([]float64, n*n)
		for i := range n {
			copy(random[i*n:][:n], padded[i*Padded(n):])
		}
		graded, diagonal, ones := slices.Clone(random), make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				graded[i*n+j] *= math.Pow(10, -float64(i+j)/float64(n)*6)
				ones[i*n+j] = 1
			}
			diagonal[i*n+i] = float64(1 + i%3)
		}
		for name, a := range map[string][]float64{"random": random, "graded": graded, "diagonal": diagonal,
			"ones": ones, "zero": make([]float64, n*n)} {
			values, vectors, ok := Eigen(a, n)
			if !ok {
				t.Fatalf("%s, n = %d: no eigenvalues", name, n)
			}
			if alone, ok := Eigenvalues(a, n); !ok || !slices.Equal(alone, values) {
				t.Errorf("%s, n = %d: eigenvalues alone %v, with vectors %v", name, n, alone, values)
			}
			var e mat.EigenSym
			if !e.Factorize(mat.NewSymDense(n, slices.Clone(a)), false) {
				t.Fatal("gonum cannot factorize")
			}
			want, largest := e.Values(nil), 0.0
			for _, v := range want {
				largest = max(largest, math.Abs(v))
			}
			for i, v := range slices.Sorted(slices.Values(values)) {
				if math.Abs(v-want[i]) > 1e-13*largest {
					t.Errorf("%s, n = %d: eigenvalue %v, gonum %v", name, n, v, want[i])
				}
			}
			back, one := make([]float64, n*n), make([]float64, n*n)
			Spectral(back, values, vectors, n, func(l float64) float64 { return l })
			Spectral(one, values, vectors, n, func(float64) float64 { return 1 })
			for i := range n {
				for j := range n {
					id := 0.0
					if i == j {
						id = 1
					}
					if math.Abs(back[i*n+j]-a[i*n+j]) > 1e-13*largest || math.Abs(one[i*n+j]-id) > 1e-13 ||
						back[i*n+j] != back[j*n+i] {
						t.Fatalf("%s, n = %d, (%d,%d): VᵀΛV %v, A %v, VᵀV %v", name, n, i, j, back[i*n+j], a[i*n+j], one[i*n+j])
					}
				}
			}
		}
	}
	if _, _, ok := Eigen([]float64{1, math.NaN(), math.NaN(), 1}, 2); ok {
		t.Error("a matrix with NaN has eigenvalues")
	}
}
