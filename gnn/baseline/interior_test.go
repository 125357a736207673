package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/random"
)

// hinges are the linear terms and signs of the multipliers of a classification.
func hinges(sign []float64) (p, y []float64) { return slices.Repeat([]float64{-1}, len(sign)), sign }

// tubes are those of a regression to y.
func tubes(y []float64, epsilon float64) (p, sign []float64) {
	for _, v := range y {
		p, sign = append(p, epsilon-v), append(sign, 1)
	}
	for _, v := range y {
		p, sign = append(p, epsilon+v), append(sign, -1)
	}
	return p, sign
}

// objective is that of a support vector machine, by definition.
func objective(x Rows, p, y, w []float64, b, c float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v / 2
	}
	for k := range p {
		f := b
		for j, v := range x.Row(k % x.N) {
			f += w[j] * v
		}
		sum += c * max(0, -p[k]-y[k]*f)
	}
	return sum
}

// Solved for the weights, machines decide as those that are solved for all pairs do, with the same bits at any number
// of goroutines: more cases than a block, more inputs than cases, classes that a plane parts, numbers.
func TestInteriorAgainstAllPairs(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d    int
		c       float64
		numbers bool
	}{{300, 7, 1, false}, {300, 7, 100, false}, {600, 60, 1, false}, {1100, 40, 0.01, false}, {120, 200, 1, false},
		{300, 7, 1, true}, {400, 60, 0.1, true}, {100, 150, 10, true}} {
		x, _, sign := shifted(c.n, c.d)
		p, y := hinges(sign)
		if c.numbers {
			numbers, r := make([]float64, c.n), random.New(1, "numbers")
			for i := range numbers {
				numbers[i] = 40 + 3*x.Row(i)[0] + r.Normal()
			}
			p, y = tubes(numbers, 0.3)
		}
		k := kernel{linear: true}
		alpha, rho, err := smo(ctx, k.gram(x, 2), p, y, c.c, 1e-9)
		need.NoError(t, err)
		coef := make([]float64, x.N)
		for i, a := range alpha {
			coef[i%x.N] += a * y[i]
		}
		pairs := newVectorMachine(k, x, coef, rho)
		want := pairs.decide(x, 1)
		sameBits(t, c, func(threads int) []float64 {
			m := need.Value(fitInterior(ctx, SVM{Kernel: "linear", C: c.c}, x, p, y, threads))(t).(*primalMachine)
			got := m.decide(x, 1)
			near(t, fmt.Sprint(c), got, want, 1e-6)
			best := objective(x, p, y, pairs.weights(), -rho, c.c)
			if mine := objective(x, p, y, m.w, m.b, c.c); mine > best*(1+1e-9) {
				t.Errorf("%v: an objective of %.12g, by all pairs %.12g", c, mine, best)
			}
			return got
		})
	}
}

// Solved for the weights, regression predicts what scikit-learn's does.
func TestInteriorAgainstScikitLearn(t *testing.T) {
	var numbers struct {
		X, Test   [][]float64
		Y         []float64
		Predicted map[string][]float64
	}
	readFixture(t, "regression.json", &numbers)
	p, y := tubes(numbers.Y, 0.1)
	m := need.Value(fitInterior(context.Background(), SVM{Kernel: "linear", C: 1}, rowsOf(numbers.X), p, y, 2))(t)
	near(t, "svr", m.decide(rowsOf(numbers.Test), 1), numbers.Predicted["svr"], 1e-6)
}

// Linear support vector machines take more cases than have a matrix of pairs: from their optimum no direction leads
// down, by definition. Machines with another kernel refuse them.
func TestManyCasesOfSupportVectors(t *testing.T) {
	ctx := context.Background()
	x, label, sign := shifted(MostPaired+500, 6)
	numbers := make([]float64, x.N)
	for i := range numbers {
		numbers[i] = x.Row(i)[0] - x.Row(i)[1]*x.Row(i)[2] + 5*sign[i]
	}
	o := SVM{Kernel: "linear", C: 1, Tolerance: 1e-3}
	p, y := hinges(sign)
	tubeP, tubeY := tubes(numbers, 0.1)
	for name, c := range map[string]struct {
		p, y  []float64
		model any
	}{
		"linear-svm": {p, y, need.Value(FitSVM(ctx, o, x, label, 2, 2))(t)},
		"svr":        {tubeP, tubeY, need.Value(SVMTo(ctx, o, 0.1, x, numbers, 2))(t)},
	} {
		m := c.model.(machines)[0].(*primalMachine)
		at, r := objective(x, c.p, c.y, m.w, m.b, 1), random.New(2, name)
		for range 60 {
			w := slices.Clone(m.w)
			for j := range w {
				w[j] += 1e-4 * r.Normal()
			}
			if near := objective(x, c.p, c.y, w, m.b+1e-4*r.Normal(), 1); near < at*(1-1e-10) {
				t.Fatalf("%s: an objective of %.14g, and %.14g near by", name, at, near)
			}
		}
	}
	_, err := FitSVM(ctx, SVM{Kernel: "rbf", C: 1, Tolerance: 1e-3}, x, label, 2, 2)
	need.Error(t, err, "12085 training graphs", "at most 11585", "draws: 1")
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

// From a file linear machines of many cases have the same bits.
func TestRowFileOfManyLinearCases(t *testing.T) {
	ctx := context.Background()
	x, label, sign := shifted(MostPaired+500, 6)
	o := SVM{Kernel: "linear", C: 0.1, Tolerance: 1e-3}
	ridge := KernelRidge{Penalties: []float64{0.1, 10}}
	for i := range x.N {
		ridge.Inner = append(ridge.Inner, i%3)
	}
	inFile, _ := filed(t, ctx, x, 1<<20)
	for name, fit := range map[string]func(x Rows) (any, error){
		"linear-svm":   func(x Rows) (any, error) { return FitSVM(ctx, o, x, label, 2, 2) },
		"svr":          func(x Rows) (any, error) { return SVMTo(ctx, o, 0.1, x, sign, 2) },
		"kernel-ridge": func(x Rows) (any, error) { return FitKernelRidge(ctx, ridge, x, label, 2, 2) },
	} {
		want, got := need.Value(fit(x))(t).(machines), need.Value(fit(inFile))(t).(machines)
		if !slices.Equal(got.Decide(inFile, 2), want.Decide(x, 2)) || got.Note() != want.Note() {
			t.Errorf("%s: other decisions", name)
		}
		need.NoError(t, inFile.Err())
	}
}
