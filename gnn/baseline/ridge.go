package baseline

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
)

// A linear machine is f(x) = w·x + b.
type linear struct {
	w    []float64
	b    float64
	note string
}

func (m *linear) decide(x Rows, threads int) []float64 {
	out := make([]float64, x.N)
	x.times(out, m.w, threads)
	for i := range out {
		out[i] += m.b
	}
	return out
}

func (m *linear) describe() (int, string) { return len(m.w) + 1, m.note }

// weights are w = Xᵀα, of each of some α: with a penalty on ‖w‖², w lies in the span of the cases.
func weights(x Rows, alpha []float64, threads int) []float64 {
	w := make([]float64, len(alpha)/x.N*x.D)
	x.each(func(first int, b Rows) {
		dense.Multiply(w, x.D, dense.Rows(alpha[first:], x.N), b.view(), len(alpha)/x.N, b.N, x.D, first > 0, threads)
	})
	return w
}

// FitRidge is ridge regression to ±1 (Hoerl & Kennard 1970): it minimizes
// Σ (y − w·x − b)² + penalty·‖w‖².
func FitRidge(x Rows, label []int, classes int, penalty float64, threads int) (Classifier, error) {
	fit, err := ridge(x, penalty, threads)
	if err != nil {
		return nil, err
	}
	return oneAgainstRest(label, classes, fit)
}

// RidgeTo is the same to numbers y.
func RidgeTo(x Rows, y []float64, penalty float64, threads int) (Regressor, error) {
	fit, err := ridge(x, penalty, threads)
	if err != nil {
		return nil, err
	}
	m, err := fit(y)
	return machines{m}, err
}

// ridge gives a function that fits to targets of the rows.
func ridge(x Rows, penalty float64, threads int) (func(target []float64) (machine, error), error) {
	if err := x.squares(); err != nil {
		return nil, err
	}
	if x.N > MostPaired {
		return primalRidge(x, penalty, threads)
	}
	k := gram[float64](x, threads)
	d := make([]float64, x.N)
	for i := range d {
		d[i] = penalty
	}
	return func(target []float64) (machine, error) {
		alpha, b, err := weighted(k, d, target, threads)
		if err != nil {
			return nil, err
		}
		return &linear{weights(x, alpha, threads), b, fmt.Sprintf("penalty %g", penalty)}, nil
	}, nil
}

// primalRidge is ridge of more cases than have a matrix of pairs: it solves (XᵀX + penalty)·w = Xᵀy, X and y less their
// means, in as many equations as there are inputs.
func primalRidge(x Rows, penalty float64, threads int) (func(target []float64) (machine, error), error) {
	d := x.D
	if d > MostPaired {
		return nil, tooWide(x)
	}
	mean, a := x.mean(), make([]float64, d*d)
	x.products(a, mean, nil, threads, func(int, []float64) {})
	for j := range d {
		a[j*d+j] += penalty
	}
	if err := cholesky(a, d, threads); err != nil {
		return nil, err
	}
	return func(target []float64) (machine, error) {
		level := dense.Sum(target)
		level /= float64(x.N)
		w, sum := make([]float64, d), 0.0
		x.eachRow(func(i int, row []float64) {
			dense.Axpy(w, target[i]-level, row)
			sum += target[i] - level // not 0 but for rounding
		})
		dense.Axpy(w, -sum, mean)
		substitute(a, w)
		return &linear{w, level - dense.Inner(w, mean), fmt.Sprintf("penalty %g", penalty)}, nil
	}, nil
}

func tooWide(x Rows) error {
	return fmt.Errorf("%d training graphs with %d inputs each: this model compares all pairs of the one or of the other, and takes at most %d; use fewer draws, or fewer regions", x.N, x.D, MostPaired)
}

// products sets the lower triangle of a, which is 0, to Σ weight_i·x_i·x_iᵀ of the cases less a mean; weights are 1
// where they are nil. It is summed up in the order of the cases, a block after the other. visit sees each case less the
// mean.
func (r Rows) products(a, mean, weight []float64, threads int, visit func(i int, centered []float64)) {
	d := r.D
	const block, strip = 1024, 96 // rows at a time; rows of the matrix, each up to its diagonal
	centered := make([]float64, 0, block*d)
	sumUp := func() {
		dense.Each(threads, (d+strip-1)/strip, func(c int) {
			i0 := c * strip
			m := min(strip, d-i0)
			dense.Multiply(a[i0*d:], d, dense.View[float64]{Data: centered[i0:], Row: 1, Col: d},
				dense.Rows(centered, d), m, len(centered)/d, i0+m, true, 1)
		})
		centered = centered[:0]
	}
	r.eachRow(func(i int, row []float64) {
		centered = append(centered, row...)
		last := centered[len(centered)-d:]
		dense.Axpy(last, -1, mean)
		visit(i, last)
		if weight != nil {
			root := math.Sqrt(weight[i])
			for j := range last {
				last[j] *= root
			}
		}
		if len(centered) == block*d || i == r.N-1 {
			sumUp()
		}
	})
}

// weighted solves (K + D)α + b·1 = target with Σα = 0, D diagonal and positive:
// kernel ridge regression with a free offset. With S = D^−½ the matrix
// 1 + S·K·S has no eigenvalue below 1, so that the solution is stable whatever K is.
func weighted(k, d, target []float64, threads int) (alpha []float64, b float64, err error) {
	n := len(d)
	s, a := make([]float64, n), make([]float64, n*n)
	for i := range s {
		s[i] = math.Sqrt(1 / d[i])
	}
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = float64(s[i]*s[j]) * k[i*n+j]
		}
		a[i*n+i]++
	}
	if err := cholesky(a, n, threads); err != nil {
		return nil, 0, err
	}
	solve := func(v func(int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = s[i] * v(i)
		}
		substitute(a, x)
		for i := range x {
			x[i] *= s[i]
		}
		return x
	}
	u, v := solve(func(i int) float64 { return target[i] }), solve(func(int) float64 { return 1 })
	return u, balance(u, v), nil
}
