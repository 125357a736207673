package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/numeric/random"
)

// shifted are n cases of d values far from 0, with labels that they tell apart in part.
func shifted(n, d int) (x Rows, label []int, sign []float64) {
	r := random.New(5, fmt.Sprint(n, d))
	x, label, sign = Rows{N: n, D: d, X: make([]float64, n*d)}, make([]int, n), make([]float64, n)
	for i := range n {
		label[i] = i % 2
		sign[i] = float64(2*label[i] - 1)
		for j := range d {
			x.X[i*d+j] = 0.7 + 0.3*r.Normal() + 0.1*sign[i]/float64(1+j)
		}
	}
	return x, label, sign
}

// sameBits fits with one to three goroutines, which must give the same bits.
func sameBits(t *testing.T, what any, fit func(threads int) []float64) {
	t.Helper()
	first := fit(1)
	for threads := 2; threads < 4; threads++ {
		if !slices.Equal(first, fit(threads)) {
			t.Fatalf("%v: %d goroutines give other bits", what, threads)
		}
	}
}

// Ridge by its inputs and logistic regression without the pairs predict what those by all pairs of cases do, with the
// same bits at any number of goroutines: more cases than a block, more inputs than a strip, and more inputs than cases.
func TestPrimalAgainstAllPairs(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, d    int
		penalty float64
	}{{1500, 130, 1}, {300, 7, 50}, {60, 100, 0.1}} {
		x, label, sign := shifted(c.n, c.d)
		dual := need.Value(need.Value(ridge(x, c.penalty, 2))(t)(sign))(t)
		pairs := need.Value(fitDualLogistic(ctx, x, label, 2, 1/c.penalty, true, 2))(t)
		sameBits(t, c, func(threads int) []float64 {
			m := need.Value(need.Value(primalRidge(x, c.penalty, threads))(t)(sign))(t)
			got := m.decide(x, 1)
			near(t, fmt.Sprint("ridge", c), got, dual.decide(x, 1), 1e-9)
			l := need.Value(fitDualLogistic(ctx, x, label, 2, 1/c.penalty, false, threads))(t).Decide(x, 1)
			near(t, fmt.Sprint("logistic", c), l, pairs.Decide(x, 1), 1e-9)
			return append(got, l...)
		})
	}
}

// gradientOf is that of ½‖w‖² and of losses of the cases, by definition; slope is the derivative of a loss by f. The
// offset is last.
func gradientOf(l *linear, x Rows, target []float64, slope func(y, f float64) float64) []float64 {
	gradient := append(slices.Clone(l.w), 0)
	for i := range x.N {
		f := l.b
		for j, v := range x.Row(i) {
			f += l.w[j] * v
		}
		pull := slope(target[i], f)
		for j, v := range x.Row(i) {
			gradient[j] += pull * v
		}
		gradient[x.D] += pull
	}
	return gradient
}

// Ridge and logistic regression take more cases than have a matrix of pairs, and their gradients vanish.
func TestManyCases(t *testing.T) {
	ctx := context.Background()
	x, label, sign := shifted(MostPaired+500, 6)
	for _, c := range []struct {
		model any
		slope func(y, f float64) float64
	}{
		{need.Value(FitRidge(x, label, 2, 1, 2))(t), func(y, f float64) float64 { return f - y }},
		{need.Value(FitLogistic(ctx, x, label, 2, 1, 2))(t),
			func(y, f float64) float64 { return -y / (1 + math.Exp(y*f)) }},
	} {
		l := c.model.(machines)[0].(*linear)
		if got := norm(gradientOf(l, x, sign, c.slope)); !(got <= 1e-7) {
			t.Errorf("%s: the gradient is %g", l.note, got)
		}
	}
}
