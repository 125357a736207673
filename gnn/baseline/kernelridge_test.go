package baseline

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/numeric/dense"
)

// npy reads an array of testdata/kernel-ridge (numpy, scikit-learn; kernel_ridge.py): 60 participants, the
// first 40 of whom are trained on, 91 correlations.
func npy(t *testing.T, name string) []float64 {
	t.Helper()
	return testdir.Floats(t, filepath.Join("testdata", "kernel-ridge", name+".npy"))
}

const ridgeTrain, ridgeAll, ridgeInputs = 40, 60, 91

func ridgeRows(t *testing.T) (train, test Rows) {
	t.Helper()
	x := npy(t, "features")
	return Rows{N: ridgeTrain, D: ridgeInputs, X: x[:ridgeTrain*ridgeInputs]},
		Rows{N: ridgeAll - ridgeTrain, D: ridgeInputs, X: x[ridgeTrain*ridgeInputs:]}
}

func ints(v []float64) []int {
	out := lists.Map(v, func(x float64) int { return int(x) })
	return out
}

// Dual coefficients, intercept and predictions of scores for each of the 23 penalties.
func TestKernelRidgeAgainstTheOracle(t *testing.T) {
	train, test := ridgeRows(t)
	z := unitRows(train)
	k := make([]float64, ridgeTrain*ridgeTrain)
	dense.Gram(k, z.view(), ridgeTrain, ridgeInputs, 1)
	y := npy(t, "y")[:ridgeTrain]
	lambda := npy(t, "lambda")
	near(t, "the penalties of CBIG", CBIG(), lambda, 0)
	duals, biases, predictions := npy(t, "reg/dual"), npy(t, "reg/bias"), npy(t, "reg/pred")
	chosen := ints(npy(t, "reg/choice"))[2]
	for l, penalty := range lambda {
		tolerance := 1e-9
		if penalty == 0 {
			tolerance = 1e-8
		}
		alpha, beta, err := dual(k, penalty, y, 1)
		need.NoError(t, err)
		near(t, "dual", alpha, duals[l*ridgeTrain:][:ridgeTrain], tolerance)
		near(t, "bias", []float64{beta}, biases[l:l+1], tolerance)
		m := &kernelMachine{alpha: alpha, linear: linear{w: weights(z, alpha, 1), b: beta}}
		near(t, "predictions", m.decide(test, 1), predictions[l*20:][:20], tolerance)
		if l != chosen {
			continue
		}
		near(t, "weights", m.weights(), npy(t, "reg/edge_weight"), tolerance)
		pattern := Pattern(train, m.decide(train, 1))
		near(t, "pattern", pattern, npy(t, "reg/haufe"), tolerance)
		var region [14]float64
		at := 0
		for i := range 14 { // lower triangle by rows
			for j := range i {
				region[i] += math.Abs(pattern[at])
				region[j] += math.Abs(pattern[at])
				at++
			}
		}
		near(t, "regions", region[:], npy(t, "reg/region_score"), tolerance)
	}
	// Inner squared errors of scores.
	o := KernelRidge{Penalties: lambda, Inner: ints(npy(t, "inner_fold"))}
	mse := need.Value(o.inner(context.Background(), k, [][]float64{y}, 3))(t)
	inner, want := npy(t, "reg/inner"), make([]float64, len(lambda))
	for l := range want {
		want[l] = inner[l*5+4]
	}
	near(t, "inner squared errors", mse[0][1:], want[1:], 1e-9)
	near(t, "inner squared error without penalty", mse[0][:1], want[:1], 1e-7)
	need.Equal(t, smallestAt(mse[0]), ints(npy(t, "reg/choice"))[4], "penalty", "is chosen")
}

func TestKernelRidgeClassifies(t *testing.T) {
	train, test := ridgeRows(t)
	label := ints(npy(t, "class"))
	o := KernelRidge{Penalties: CBIG(), Inner: ints(npy(t, "inner_fold"))}
	for _, threads := range []int{1, 4} {
		c, err := FitKernelRidge(context.Background(), o, train, label[:ridgeTrain], 2, threads)
		need.NoError(t, err)
		m := c.(machines)[0].(*kernelMachine)
		near(t, "dual", m.alpha, npy(t, "cls/dual"), 1e-9)
		near(t, "bias", []float64{m.b}, npy(t, "cls/bias"), 1e-9)
		decision := m.decide(test, threads)
		near(t, "decision", decision, npy(t, "cls/decision"), 1e-9)
		for i, want := range npy(t, "cls/pred") {
			if p := c.Probability(test, threads)[2*i+1]; (p > 0.5) != (want == 1) {
				t.Errorf("participant %d: probability %v, want class %v", i, p, want)
			}
		}
		lambda := CBIG()[ints(npy(t, "cls/choice"))[0]]
		if want := "λ = 1.5, of 23 by inner cross-validation"; lambda != 1.5 || c.Note() != want || c.Parameters() != 41 {
			t.Errorf("%s, %d parameters; the oracle has λ = %v", c.Note(), c.Parameters(), lambda)
		}
	}
	// Three classes, each against the others: the machine of class 0 is that of class 0 against the rest.
	three, rest := make([]int, ridgeTrain), make([]int, ridgeTrain)
	for i := range three {
		three[i] = label[i] + i%2*label[i]
		if three[i] == 0 {
			rest[i] = 1
		}
	}
	c3 := need.Value(FitKernelRidge(context.Background(), o, train, three, 3, 1))(t)
	c2 := need.Value(FitKernelRidge(context.Background(), o, train, rest, 2, 1))(t)
	near(t, "one class against the rest", c3.(machines)[0].(*kernelMachine).alpha, c2.(machines)[0].(*kernelMachine).alpha, 0)
}

// Without a penalty a kernel of more rows than values is singular: it is not chosen, and alone an error.
func TestKernelRidgeSingular(t *testing.T) {
	train, _ := ridgeRows(t)
	few := Rows{N: ridgeTrain, D: 20}
	for i := range ridgeTrain {
		few.X = append(few.X, train.Row(i)[:20]...)
	}
	label := ints(npy(t, "class"))[:ridgeTrain]
	_, err := FitKernelRidge(context.Background(), KernelRidge{Penalties: []float64{0}}, few, label, 2, 1)
	need.Error(t, err, "use a penalty above 0", "no penalty")
	c, err := FitKernelRidge(context.Background(), KernelRidge{Penalties: []float64{0, 1},
		Inner: ints(npy(t, "inner_fold"))}, few, label, 2, 1)
	if err != nil || c.Note() != "λ = 1" {
		t.Errorf("%v, %v", c, err)
	}
	// Rows that average to 0, as tangent vectors do, with a target that no penalty suits best: the kernel of all
	// is singular, that of a part is not.
	centered := Rows{N: ridgeTrain, D: ridgeInputs, X: slices.Clone(train.X)}
	standard := make([]float64, ridgeInputs)
	for i := range ridgeTrain {
		for j, v := range centered.Row(i) {
			standard[j] += v / ridgeTrain
		}
	}
	for i := range ridgeTrain {
		row, side := centered.Row(i), float64(2*label[i]-1)
		for j := range row {
			row[j] -= standard[j]
			row[j] += side * float64(j)
		}
	}
	for j := range ridgeInputs { // once more, of what was added
		sum := 0.0
		for i := range ridgeTrain {
			sum += centered.Row(i)[j] / ridgeTrain
		}
		for i := range ridgeTrain {
			centered.Row(i)[j] -= sum
		}
	}
	c, err = FitKernelRidge(context.Background(), KernelRidge{Penalties: []float64{0, 1e-3},
		Inner: ints(npy(t, "inner_fold"))}, centered, label, 2, 1)
	if err != nil || c.Note() != "λ = 0.001" {
		t.Errorf("rows that average to 0: %v, %v", c, err)
	}
}

// Kernel ridge regression by its inputs chooses the penalties, and predicts what that by all pairs does.
func TestPrimalKernelRidge(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ n, d int }{{300, 12}, {60, 90}} {
		x, _, sign := shifted(c.n, c.d)
		other := make([]float64, c.n)
		o := KernelRidge{Penalties: CBIG()[1:]}
		for i := range c.n {
			other[i] = 30 + 10*x.Row(i)[1] + math.Sin(float64(i))
			o.Inner = append(o.Inner, i%5)
		}
		for _, o.relative = range []bool{false, true} {
			for _, penalties := range [][]float64{CBIG()[1:], {2}} {
				o.Penalties = penalties
				targets := [][]float64{sign, other}
				want := need.Value(o.fit(ctx, x, targets, 2))(t)
				for threads := 1; threads < 4; threads += 2 {
					got := need.Value(o.primal(ctx, x, targets, threads))(t)
					need.Equal(t, got.Note(), want.Note(), "the", "penalty")
					need.Equal(t, got.Parameters(), want.Parameters(), "parameters", "")
					near(t, fmt.Sprint(c), got.Decide(x, 1), want.Decide(x, 1), 1e-8)
				}
			}
		}
	}
	x, _, sign := shifted(100, 5)
	_, err := KernelRidge{Penalties: []float64{0}}.primal(ctx, x, [][]float64{sign}, 1)
	need.Error(t, err, "use a penalty above 0", "no penalty")
}
