package baseline

import (
	"context"
	"math"
	"testing"

	"prgnn/internal/need"
)

// Inputs that are not finite, or whose squares overflow or vanish, are no model: all cases would be alike. So it is for
// few cases, which are compared in pairs, and for many.
func TestModelsRefuseWhatCannotBeSquared(t *testing.T) {
	ctx, ridge := context.Background(), KernelRidge{Penalties: []float64{1}}
	fits := map[string]func(x Rows, label []int) error{
		"svm": func(x Rows, label []int) error {
			_, err := FitSVM(ctx, SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, x, label, 2, 1)
			return err
		},
		"linear-svm": func(x Rows, label []int) error {
			_, err := FitSVM(ctx, SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}, x, label, 2, 1)
			return err
		},
		"kernel-ridge": func(x Rows, label []int) error {
			_, err := FitKernelRidge(ctx, ridge, x, label, 2, 1)
			return err
		},
		"ridge":      func(x Rows, label []int) error { _, err := FitRidge(x, label, 2, 1, 1); return err },
		"logistic":   func(x Rows, label []int) error { _, err := FitLogistic(ctx, x, label, 2, 1, 1); return err },
		"to numbers": func(x Rows, _ []int) error { _, err := RidgeTo(x, make([]float64, x.N), 1, 1); return err },
	}
	small := []float64{1, 2, 4, 5, 1, 3, 2, 2, 5, 7, 1, 2}
	for _, n := range []int{4, MostPaired + 1} {
		for _, size := range []float64{1e160, 1e-160, 1e-170, math.NaN(), math.Inf(1)} {
			label, x := make([]int, n), Rows{N: n, D: 3, X: make([]float64, 3*n)}
			for i := range x.X {
				x.X[i] = size * small[i%len(small)]
			}
			for i := range n {
				label[i] = i % 2
			}
			want := "their squares are beyond double precision"
			if size-size != 0 {
				want = "which is not finite"
			}
			for name, fit := range fits {
				if (name == "svm" || name == "linear-svm") && n > MostPaired {
					continue // refused for their number
				}
				need.Error(t, fit(x, label), want)
			}
		}
	}
}

// The mean of equal numbers is rounded: an input that all have is no input that varies.
func TestStandardizeEqualNumbers(t *testing.T) {
	for n := 2; n < 60; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = 0.1
		}
		rows := Rows{N: n, D: 1, X: x}
		other := Rows{N: 1, D: 1, X: []float64{0.3}}
		if _, sd := Standardize(rows, other); sd[0] != 1 || other.X[0] > 0.3 {
			t.Errorf("%d equal numbers: SD %v, z of another one %v", n, sd[0], other.X[0])
		}
	}
}
