package baseline

import (
	"context"
	"fmt"
	"math"

	"prgnn/internal/dense"
	"prgnn/internal/exact"
)

// A linear machine is f(x) = w·x + b.
type linear struct {
	w    []float64
	b    float64
	note string
}

func (m *linear) decide(x Rows, threads int) []float64 {
	out := make([]float64, x.N)
	dense.Multiply(out, 1, x.view(), dense.View[float64]{Data: m.w, Row: 1, Col: 1}, x.N, x.D, 1, false, threads)
	for i := range out {
		out[i] += m.b
	}
	return out
}

func (m *linear) describe() (int, string) { return len(m.w) + 1, m.note }

// weights are w = Xᵀα: with a penalty on ‖w‖², w lies in the span of the cases.
func weights(x Rows, alpha []float64, threads int) []float64 {
	w := make([]float64, x.D)
	dense.Multiply(w, x.D, dense.View[float64]{Data: alpha, Row: x.N, Col: 1}, x.view(), 1, x.N, x.D, false, threads)
	return w
}

// FitRidge is ridge regression to ±1 (Hoerl & Kennard 1970): it minimises
// Σ (y − w·x − b)² + penalty·‖w‖².
func FitRidge(x Rows, label []int, classes int, penalty float64, threads int) (Classifier, error) {
	if err := tooMany(x.N); err != nil {
		return nil, err
	}
	gram := kernel{linear: true}.gram(x, threads)
	d := make([]float64, x.N)
	for i := range d {
		d[i] = penalty
	}
	var failed error
	ms := oneAgainstRest(label, classes, func(sign []float64) machine {
		alpha, b, err := weighted(gram, d, sign, threads)
		if err != nil {
			failed = err
			return nil
		}
		return &linear{weights(x, alpha, threads), b, fmt.Sprintf("penalty %g", penalty)}
	})
	return ms, failed
}

// FitLogistic is logistic regression with a penalty on the weights: it minimises
// C·Σ log(1 + exp(−y·f(x))) + ½‖w‖², f(x) = w·x + b, by Newton's method.
func FitLogistic(ctx context.Context, x Rows, label []int, classes int, c float64, threads int) (Classifier, error) {
	if err := tooMany(x.N); err != nil {
		return nil, err
	}
	gram := kernel{linear: true}.gram(x, threads)
	var failed error
	ms := oneAgainstRest(label, classes, func(sign []float64) machine {
		alpha, b, steps, err := newton(ctx, gram, sign, c, threads)
		if err != nil {
			failed = err
			return nil
		}
		return &linear{weights(x, alpha, threads), b, fmt.Sprintf("C = %g, %d Newton steps", c, steps)}
	})
	return ms, failed
}

// newton finds α and b of the logistic regression, with w = Xᵀα. Each step is a
// weighted ridge regression (iteratively reweighted least squares; Rasmussen &
// Williams 2006, Algorithm 3.1, with an offset): with p = 1/(1+exp(−y·f)), the
// weights are s = C·p(1−p) and the target is f + C·y(1−p)/s.
func newton(ctx context.Context, k, y []float64, c float64, threads int) (alpha []float64, b float64, steps int, err error) {
	n := len(y)
	alpha = make([]float64, n)
	f, target, d := make([]float64, n), make([]float64, n), make([]float64, n)
	now := logisticLoss(k, alpha, b, y, c, f, threads)
	for steps = 1; steps <= 100; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, 0, err
		}
		for i := range f {
			p := sigmoid(y[i] * f[i])
			s := max(c*p*(1-p), 1e-12*c)
			d[i], target[i] = 1/s, f[i]+c*y[i]*(1-p)/s
		}
		to, toB, err := weighted(k, d, target, threads)
		if err != nil {
			return nil, 0, 0, err
		}
		// Half the way, as long as the whole way leads up.
		moved := math.Inf(1)
		for half := 0; half < 40; half++ {
			share := math.Ldexp(1, -half)
			next := make([]float64, n)
			largest, change := 0.0, 0.0
			for i := range next {
				step := float64(share * (to[i] - alpha[i]))
				next[i] = alpha[i] + step
				largest, change = max(largest, math.Abs(next[i])), max(change, math.Abs(step))
			}
			nextB := b + float64(share*(toB-b))
			value := logisticLoss(k, next, nextB, y, c, f, threads)
			if value <= now || change <= 1e-12*largest {
				alpha, b, now, moved = next, nextB, value, change/max(largest, math.SmallestNonzeroFloat64)
				break
			}
		}
		if moved <= 1e-10 {
			return alpha, b, steps, nil
		}
		if math.IsInf(moved, 1) { // no way leads down: as near as rounding lets it come
			logisticLoss(k, alpha, b, y, c, f, threads)
			return alpha, b, steps, nil
		}
	}
	return nil, 0, 0, fmt.Errorf("logistic regression has not converged in 100 steps: take a smaller C")
}

// logisticLoss is the objective; it leaves f = Kα + b.
func logisticLoss(k, alpha []float64, b float64, y []float64, c float64, f []float64, threads int) float64 {
	n := len(y)
	dense.Multiply(f, 1, dense.Rows(k, n), dense.Rows(alpha, 1), n, n, 1, false, threads)
	loss, norm := 0.0, 0.0
	for i := range f {
		norm += float64(alpha[i] * f[i])
		f[i] += b
		z := y[i] * f[i]
		loss += exact.Log1p(exact.Exp(-math.Abs(z))) + max(0, -z)
	}
	return float64(c*loss) + float64(norm/2)
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
	sumU, sumV := 0.0, 0.0
	for i := range u {
		sumU += u[i]
		sumV += v[i]
	}
	b = sumU / sumV
	for i := range u {
		u[i] -= float64(b * v[i])
	}
	return u, b, nil
}
