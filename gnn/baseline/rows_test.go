package baseline

import (
	"context"
	"testing"

	"prgnn/internal/need"
)

// A kernel of inputs whose squares overflow or vanish is no model: all cases would be alike.
func TestKernelsRefuseWhatCannotBeSquared(t *testing.T) {
	label := []int{0, 1, 0, 1}
	for _, size := range []float64{1e160, 1e-160, 1e-170} {
		x := Rows{N: 4, D: 3, X: []float64{1, 2, 4, 5, 1, 3, 2, 2, 5, 7, 1, 2}}
		for i := range x.X {
			x.X[i] *= size
		}
		for _, kernel := range []string{"rbf", "linear"} {
			_, err := FitSVM(context.Background(), SVM{Kernel: kernel, C: 1, Tolerance: 1e-3}, x, label, 2, 1)
			need.Error(t, err, "their squares are beyond double precision")
		}
		_, err := FitKernelRidge(context.Background(), KernelRidge{Penalties: []float64{1}}, x, label, 2, 1)
		need.Error(t, err, "their squares are beyond double precision")
	}
}
