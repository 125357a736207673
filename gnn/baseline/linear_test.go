package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// readFixture reads what an outside program computed; the script is beside it.
func readFixture(t *testing.T, name string, to any) {
	t.Helper()
	b := need.Value(os.ReadFile(filepath.Join("testdata", name)))(t)
	need.NoError(t, json.Unmarshal(b, to), name)
}

func rowsOf(x [][]float64) Rows {
	r := Rows{N: len(x), D: len(x[0])}
	for _, row := range x {
		r.X = append(r.X, row...)
	}
	return r
}

type fitted struct {
	Decision, W []float64
	B           float64
	Vectors     int
}

// near compares with the largest value of want as the scale.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*scale) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// Support vector machines, ridge and logistic regression agree with scikit-learn,
// each class against the others.
func TestMachinesAgainstScikitLearn(t *testing.T) {
	var fixture struct {
		Cases []struct {
			X, Test  [][]float64
			Y        []int
			Classes  int
			Machines []map[string]fitted
		}
	}
	readFixture(t, "linear.json", &fixture)
	ctx := context.Background()
	fits := map[string]func(x Rows, y []int, classes int) (Classifier, error){
		"rbf": func(x Rows, y []int, n int) (Classifier, error) {
			return FitSVM(ctx, SVM{Kernel: "rbf", C: 1, Tolerance: 1e-10}, x, y, n, 2)
		},
		"rbf C=10": func(x Rows, y []int, n int) (Classifier, error) {
			return FitSVM(ctx, SVM{Kernel: "rbf", C: 10, Gamma: 0.5, Tolerance: 1e-10}, x, y, n, 1)
		},
		"linear": func(x Rows, y []int, n int) (Classifier, error) {
			return FitSVM(ctx, SVM{Kernel: "linear", C: 1, Tolerance: 1e-10}, x, y, n, 1)
		},
		"ridge":          func(x Rows, y []int, n int) (Classifier, error) { return FitRidge(x, y, n, 1, 2) },
		"ridge 50":       func(x Rows, y []int, n int) (Classifier, error) { return FitRidge(x, y, n, 50, 1) },
		"logistic":       func(x Rows, y []int, n int) (Classifier, error) { return FitLogistic(ctx, x, y, n, 1, 2) },
		"logistic C=100": func(x Rows, y []int, n int) (Classifier, error) { return FitLogistic(ctx, x, y, n, 100, 1) },
	}
	for i, c := range fixture.Cases {
		x, test := rowsOf(c.X), rowsOf(c.Test)
		for name, fit := range fits {
			what := fmt.Sprintf("case %d, %s", i, name)
			m, err := fit(x, c.Y, c.Classes)
			need.NoError(t, err, what)
			ms := m.(machines)
			decision := ms.Decide(test, 2)
			if len(ms) != len(c.Machines) {
				t.Fatalf("%s: %d machines, want %d", what, len(ms), len(c.Machines))
			}
			for j, wants := range c.Machines {
				want := wants[name]
				var got []float64
				for k := range test.N {
					got = append(got, decision[k*len(ms)+j])
				}
				switch m := ms[j].(type) {
				case *vectorMachine:
					near(t, what, got, want.Decision, 1e-6) // libsvm keeps its kernel in single precision
					need.Equal(t, m.vectors.N, want.Vectors, what, "support vectors")
				case *linear:
					near(t, what, got, want.Decision, 1e-9)
					near(t, what+" weights", m.w, want.W, 1e-9)
					near(t, what+" intercept", []float64{m.b}, []float64{want.B}, 1e-8)
				}
			}
		}
	}
}

// cholesky times its transpose is the matrix, whatever the number of goroutines.
func TestCholesky(t *testing.T) {
	for _, n := range []int{1, 47, 48, 49, 150} {
		r := random.New(1, n)
		x := make([]float64, n*(n+2))
		for i := range x {
			x[i] = r.Normal()
		}
		a := kernel{linear: true}.gram(Rows{N: n, D: n + 2, X: x}, 1)
		var first []float64
		for threads := 1; threads < 4; threads++ {
			l := append([]float64(nil), a...)
			need.NoError(t, cholesky(l, n, threads))
			for i := range n {
				for j := range i + 1 {
					s := 0.0
					for p := range j + 1 {
						s += l[i*n+p] * l[j*n+p]
					}
					if math.Abs(s-a[i*n+j]) > 1e-11*float64(n) {
						t.Fatalf("n %d: element %d, %d is %v, want %v", n, i, j, s, a[i*n+j])
					}
					if first != nil && l[i*n+j] != first[i*n+j] {
						t.Fatalf("n %d: %d threads give other bits", n, threads)
					}
				}
			}
			first = l
		}
	}
	if cholesky([]float64{1, 2, 2, 1}, 2, 1) == nil {
		t.Error("an indefinite matrix has a factor")
	}
}

// Probabilities are of each class, sum to 1, and follow the decision values.
func TestProbability(t *testing.T) {
	x := Rows{N: 6, D: 1, X: []float64{-3, -2, -1, 1, 2, 3}}
	two := need.Value(FitRidge(x, []int{0, 0, 0, 1, 1, 1}, 2, 1, 1))(t)
	p := two.Probability(x, 1)
	for i := range x.N {
		if (p[2*i+1] > 0.5) != (x.X[i] > 0) || math.Abs(p[2*i]+p[2*i+1]-1) > 1e-15 {
			t.Errorf("x = %v: %v", x.X[i], p[2*i:][:2])
		}
	}
	three := need.Value(FitRidge(x, []int{0, 0, 1, 1, 2, 2}, 3, 1, 1))(t)
	p = three.Probability(x, 1)
	if len(p) != 18 || p[0] < p[2] || p[17] < p[15] {
		t.Errorf("%v", p)
	}
	share := Majority([]int{0, 1, 1, 1}, 2).Probability(x, 1)
	if share[0] != 0.25 || share[11] != 0.75 {
		t.Errorf("%v", share)
	}
}
