package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/random"
)

// Training again on other labels gives what the ordinary training on them gives, of two classes and of three.
func TestRetrainIsTraining(t *testing.T) {
	ctx := context.Background()
	const n, train, d = 36, 28, 21
	r := random.New(1, "test", "retrain")
	x := Rows{N: n, D: d, X: make([]float64, n*d)}
	r.Normals(x.X)
	inner := make([]int, train)
	for i := range inner {
		inner[i] = i * 7 % 4
	}
	kernelRidge := KernelRidge{Penalties: CBIG(), Inner: inner}
	svm := func(kernel string) SVM { return SVM{Kernel: kernel, C: 1, Tolerance: 1e-9} }
	for _, classes := range []int{2, 3} {
		var labels [][]int
		for range 6 {
			of := r.Perm(train)
			for i := range of {
				of[i] %= classes
			}
			labels = append(labels, of)
		}
		for name, c := range map[string]struct {
			again func() (Retrainer, error)
			fit   func(label []int) (Classifier, error)
			slack float64
		}{
			"ridge": {func() (Retrainer, error) { return RetrainRidge(x, train, 1, 2) },
				func(l []int) (Classifier, error) { return FitRidge(x.First(train), l, classes, 1, 2) }, 1e-12},
			"kernel-ridge": {func() (Retrainer, error) { return RetrainKernelRidge(kernelRidge, false, x, train, 2) },
				func(l []int) (Classifier, error) {
					return FitKernelRidge(ctx, kernelRidge, x.First(train), l, classes, 2)
				}, 1e-10},
			"svm": {func() (Retrainer, error) { return RetrainSVM(svm("rbf"), x, train, 2) },
				func(l []int) (Classifier, error) {
					return FitSVM(ctx, svm("rbf"), x.First(train), l, classes, 2)
				}, 1e-8},
			"linear-svm": {func() (Retrainer, error) { return RetrainSVM(svm("linear"), x, train, 2) },
				func(l []int) (Classifier, error) {
					return FitSVM(ctx, svm("linear"), x.First(train), l, classes, 2)
				}, 1e-8},
			"logistic": {func() (Retrainer, error) { return RetrainLogistic(x, train, 1, 2) },
				func(l []int) (Classifier, error) { return FitLogistic(ctx, x.First(train), l, classes, 1, 2) }, 1e-9},
		} {
			again := need.Value(need.Value(c.again())(t).Probabilities(ctx, labels, classes))(t)
			for b, of := range labels {
				want := need.Value(c.fit(of))(t).Probability(x, 1)[train*classes:]
				compareTo(t, fmt.Sprintf("%s, %d classes, labels %d", name, classes, b), again[b], want, c.slack)
			}
		}
	}
}

// Products that training and training again share are those that each computes, and so are all results, to the bit.
func TestPairedRowsAreTheSame(t *testing.T) {
	ctx := context.Background()
	const n, d = 61, 300
	r := random.New(3, "test", "retrain")
	x := Rows{N: n, D: d, X: make([]float64, n*d)}
	r.Normals(x.X)
	for _, train := range []int{31, 44, 60} {
		label := r.Perm(train)
		for i := range label {
			label[i] %= 2
		}
		results := func(paired bool) string {
			var all [][]float64
			for _, kernel := range []string{"rbf", "linear", ""} {
				x, o := x, SVM{Kernel: kernel, C: 1, Tolerance: 1e-3}
				if paired {
					x = x.Paired()
				}
				fit := func() (Classifier, error) { return FitSVM(ctx, o, x.First(train), label, 2, 2) }
				retrain := func() (Retrainer, error) { return RetrainSVM(o, x, train, 2) }
				if kernel == "" {
					fit = func() (Classifier, error) { return FitRidge(x.First(train), label, 2, 1, 2) }
					retrain = func() (Retrainer, error) { return RetrainRidge(x, train, 1, 2) }
				}
				for range 2 { // a second time, too
					all = append(all, need.Value(fit())(t).Probability(x, 1))
					all = append(all, need.Value(need.Value(retrain())(t).Probabilities(ctx, [][]int{label}, 2))(t)...)
				}
			}
			return testdir.Bits(all...)
		}
		need.Equal(t, results(true), results(false), train)
	}
}

// The same with numbers, where the penalty is chosen by another measure.
func TestRetrainToNumbers(t *testing.T) {
	ctx := context.Background()
	const n, train, d = 30, 24, 15
	r := random.New(2, "test", "retrain")
	x, inner := Rows{N: n, D: d, X: make([]float64, n*d)}, make([]int, train)
	r.Normals(x.X)
	var targets [][]float64
	for b := range 4 {
		y := make([]float64, train)
		r.Normals(y)
		for i := range y {
			inner[i] = i % 3
			y[i] += float64(b) * x.X[i*d]
		}
		targets = append(targets, y)
	}
	o := KernelRidge{Penalties: CBIG(), Inner: inner}
	ridge := need.Value(need.Value(RetrainRidge(x, train, 2, 1))(t)(ctx, targets))(t)
	kernel := need.Value(need.Value(RetrainKernelRidge(o, true, x, train, 1))(t)(ctx, targets))(t)
	for b, y := range targets {
		compareTo(t, fmt.Sprint("ridge ", b), ridge[b],
			need.Value(RidgeTo(x.First(train), y, 2, 1))(t).Decide(x, 1)[train:], 1e-12)
		compareTo(t, fmt.Sprint("kernel ridge ", b), kernel[b],
			need.Value(KernelRidgeTo(ctx, o, x.First(train), y, 1))(t).Decide(x, 1)[train:], 1e-10)
	}
}

// Many right sides are solved as each is by itself, but for rounding, with the same bits in any company.
func TestSubstituteAll(t *testing.T) {
	r := random.New(4, "test", "substitute")
	for _, n := range []int{1, 2, 47, 48, 49, 150} {
		const many = 37
		l, all, one := make([]float64, n*n), make([]float64, n*many), make([]float64, n)
		r.Normals(l)
		for i := range n {
			l[i*n+i] += 2 * float64(n)
		}
		r.Normals(all)
		for i := range n {
			one[i] = all[i*many+5]
		}
		want := slices.Clone(one)
		substitute(l, want)
		substituteAll(l, all, n, 2)
		substituteAll(l, one, n, 1)
		for i := range n {
			need.Equal(t, all[i*many+5], one[i], n, i)
			compareTo(t, fmt.Sprint(n), one[i:i+1], want[i:i+1], 1e-15)
		}
	}
}

// Logistic regressions that are trained at the same time are those that are trained alone, to the bit.
func TestInStepIsAlone(t *testing.T) {
	ctx := context.Background()
	const n, train, d = 70, 50, 30
	r := random.New(5, "test", "retrain")
	x := Rows{N: n, D: d, X: make([]float64, n*d)}
	r.Normals(x.X)
	var targets [][]float64
	for range 70 {
		of := r.Perm(train)
		for i := range of {
			of[i] %= 2
		}
		targets = append(targets, signs(of, 2)...)
	}
	again := need.Value(RetrainLogistic(x, train, 3, 2))(t)
	all := need.Value(again(ctx, targets))(t)
	for b, y := range targets {
		need.Equal(t, testdir.Bits(all[b]), testdir.Bits(need.Value(again(ctx, [][]float64{y}))(t)[0]), b)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	if _, err := again(over, targets); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func compareTo(t *testing.T, what string, got, want []float64, slack float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > slack {
			t.Fatalf("%s, value %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// The decision values of scikit-learn under four labelings, and its hat matrix.
func TestRetrainAgainstOracle(t *testing.T) {
	read := func(name string) *encoding.Array {
		f := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "multiverse", name+".npy")))(t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(t)
	}
	edges, y, fold, perm := read("edges_A"), read("y").Float64s(), read("fold").Float64s(), read("perm").Float64s()
	n, d := edges.Shape[0], edges.Shape[1]
	ctx := context.Background()
	svm, logistic, hat := read("svm_decision").Float64s(), read("logistic_decision").Float64s(), read("hat_u0_f0")
	for f := range 4 {
		x := Rows{D: d}
		var at []int
		train := 0
		for side := range 2 {
			for i := range n {
				if (int(fold[i]) == f) == (side == 1) {
					at = append(at, i)
					for _, v := range edges.Float64s()[i*d:][:d] {
						x.X = append(x.X, math.Atanh(v))
					}
					if side == 0 {
						train++
					}
				}
			}
		}
		x.N = n
		var targets [][]float64
		for _, b := range []int{0, 1, 57, 199} {
			of := lists.Map(at[:train], func(i int) float64 { return y[int(perm[b*n+i])] })
			targets = append(targets, of)
		}
		linear := SVM{Kernel: "linear", C: 1, Tolerance: 1e-10}
		bySVM := need.Value(need.Value(RetrainSVM(linear, x, train, 1))(t)(ctx, targets))(t)
		byLogistic := need.Value(need.Value(RetrainLogistic(x, train, 1, 1))(t)(ctx, targets))(t)
		for j := range targets {
			var want, wantLogistic []float64
			for _, i := range at[train:] {
				want, wantLogistic = append(want, svm[j*n+i]), append(wantLogistic, logistic[j*n+i])
			}
			compareTo(t, fmt.Sprintf("SVM, fold %d, labels %d", f, j), bySVM[j], want, 1e-6)
			compareTo(t, fmt.Sprintf("logistic, fold %d, labels %d", f, j), byLogistic[j], wantLogistic, 1e-6)
		}
		if f > 0 {
			continue
		}
		unit := make([][]float64, train) // its predictions are the columns of the hat matrix
		for i := range unit {
			unit[i] = make([]float64, train)
			unit[i][i] = 1
		}
		got := need.Value(need.Value(RetrainRidge(x, train, 1, 1))(t)(ctx, unit))(t)
		for i := range unit {
			for k, v := range got[i] {
				if want := hat.Float64s()[k*train+i]; math.Abs(v-want) > 1e-12 {
					t.Fatalf("hat matrix, row %d, column %d: %v, want %v", k, i, v, want)
				}
			}
		}
	}
}
