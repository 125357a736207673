package baseline

import (
	"context"
	"math"
	"testing"

	"prgnn/gnn/network"
	"prgnn/internal/need"
	"prgnn/numeric/random"
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
				want := m.Decide(Rows{N: 1, D: test.D, X: make([]float64, test.D)}, 1)[0]
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

// The loss of an MLP of numbers is the mean squared error of its slow definition, and its gradient is that of central
// differences. Without a hidden layer it is linear, and its training ends at the least squares of the normal equations.
func TestMLPOfNumbers(t *testing.T) {
	r := random.New(7)
	const n, d = 12, 4
	x := Rows{N: n, D: d, X: make([]float64, n*d)}
	y, all := make([]float64, n), make([]int, n)
	for i := range x.X {
		x.X[i] = r.Normal()
	}
	for i := range y {
		y[i], all[i] = r.Normal(), i
	}
	widths := []int{d, 3, 1}
	m := newMLP[float64](x, nil, y, widths)
	params := network.Initial[float64](m.l, network.Training{Seed: 3})
	slow := func() (sum float64) {
		w1, b1, w2, b2 := params[:12], params[12:15], params[15:18], params[18]
		for i := range n {
			out := b2
			for h := range 3 {
				z := b1[h]
				for j, v := range x.Row(i) {
					z += v * w1[j*3+h]
				}
				out += max(z, 0) * w2[h]
			}
			sum += (out - y[i]) * (out - y[i]) / n
		}
		return sum
	}
	grad := make([]float64, len(params))
	loss, _ := m.Gradient(params, grad, all, nil, 2)
	near(t, "loss", []float64{loss / n}, []float64{slow()}, 1e-12)
	for i := range params {
		const h = 1e-6
		at := params[i]
		params[i] = at + h
		up := slow()
		params[i] = at - h
		down := slow()
		params[i] = at
		if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-8 {
			t.Errorf("gradient %d: %v, by differences %v", i, grad[i], want)
		}
	}

	training := network.Training{Epochs: 3000, Batch: n, Rate: 0.01, Halve: 500}
	linear, err := MLPTo(context.Background(), nil, training, x, y)
	if err != nil {
		t.Fatal(err)
	}
	ols, err := RidgeTo(x, y, 1e-9, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "least squares", linear.Decide(x, 1), ols.Decide(x, 1), 1e-4)
}
