package baseline

import (
	"context"
	"math"
	"testing"

	"prgnn/internal/need"
)

// Ridge and support vector regression predict what scikit-learn's do.
func TestRegressorsAgainstScikitLearn(t *testing.T) {
	var f struct {
		X, Test   [][]float64
		Y         []float64
		Predicted map[string][]float64
		Vectors   map[string]int
	}
	readFixture(t, "regression.json", &f)
	train, test := rowsOf(f.X), rowsOf(f.Test)
	ctx := context.Background()
	svr := func(kernel string, c, epsilon float64) (Regressor, error) {
		return SVMTo(ctx, SVM{Kernel: kernel, C: c, Tolerance: 1e-10}, epsilon, train, f.Y, 2)
	}
	for name, fit := range map[string]func() (Regressor, error){
		"ridge":                 func() (Regressor, error) { return RidgeTo(train, f.Y, 1, 2) },
		"ridge 50":              func() (Regressor, error) { return RidgeTo(train, f.Y, 50, 1) },
		"svr":                   func() (Regressor, error) { return svr("linear", 1, 0.1) },
		"svr C=0.1 epsilon=0.5": func() (Regressor, error) { return svr("linear", 0.1, 0.5) },
		"rbf-svr":               func() (Regressor, error) { return svr("rbf", 1, 0.1) },
	} {
		m, err := fit()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tolerance := 1e-10
		if f.Vectors[name] > 0 { // libsvm keeps its kernel in single precision
			tolerance = 1e-6
		}
		near(t, name, m.Decide(test, 3), f.Predicted[name], tolerance)
		v, is := m.(machines)[0].(*vectorMachine)
		if is && v.vectors.N != f.Vectors[name] {
			t.Errorf("%s: %d support vectors, want %d", name, v.vectors.N, f.Vectors[name])
		}
		if lin, ok := AsLinear(m); ok != (name != "rbf-svr") {
			t.Errorf("%s: linear is %v", name, ok)
		} else if ok {
			w := lin.Weights()[0]
			for i, got := range m.Decide(test, 1) {
				want := m.Decide(Rows{1, test.D, make([]float64, test.D)}, 1)[0]
				for j, x := range test.Row(i) {
					want += w[j] * x
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: row %d is %v, its weights say %v", name, i, got, want)
				}
			}
		}
	}
	mean := 0.0
	for _, y := range f.Y {
		mean += y / float64(len(f.Y))
	}
	for _, p := range Mean(f.Y).Decide(test, 1) {
		if math.Abs(p-mean) > 1e-15 {
			t.Errorf("the mean of the training cases is %v, want %v", p, mean)
		}
	}
}

// The penalty that the inner folds choose is that of the oracle, by R² about the mean of the rows that were fitted to;
// so are its predictions.
func TestKernelRidgeToNumbers(t *testing.T) {
	train, test := ridgeRows(t)
	o := KernelRidge{Penalties: CBIG(), Inner: ints(npy(t, "inner_fold"))}
	for _, threads := range []int{1, 4} {
		m, err := KernelRidgeTo(context.Background(), o, train, npy(t, "y")[:ridgeTrain], threads)
		need.NoError(t, err)
		chosen := ints(npy(t, "reg/choice"))[2]
		near(t, "predictions", m.Decide(test, threads), npy(t, "reg/pred")[chosen*20:][:20], 1e-9)
	}
}
