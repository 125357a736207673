package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// FitLogistic is logistic regression with a penalty on the weights: it minimizes
// C·Σ log(1 + exp(−y·f(x))) + ½‖w‖², f(x) = w·x + b, to the optimum. The number of cases decides how.
func FitLogistic(ctx context.Context, x Rows, label []int, classes int, c float64, threads int) (Classifier, error) {
	if err := x.squares(); err != nil {
		return nil, err
	}
	return fitDualLogistic(ctx, x, label, classes, c, x.N <= MostPaired, threads)
}

// fitDualLogistic solves for the cases.
//
// The weights lie in the span of the cases, w = Xᵀα, so that all of it goes on in n
// numbers and needs X only for K = XXᵀ. K in single precision costs less than half and
// shows the way; where it has led is measured on X itself, in double precision,
// and that alone decides when the way ends. Where cases are not paired, X shows the way too.
func fitDualLogistic(ctx context.Context, x Rows, label []int, classes int, c float64, paired bool,
	threads int) (machines, error) {
	var double product
	exactly := func(f, alpha []float64) {
		x.times(f, weights(x, alpha, threads), threads)
	}
	rough := product(exactly)
	if paired {
		rough = byGram[float32](x, threads)
	} else {
		double = exactly
	}
	return oneAgainstRest(label, classes, func(sign []float64) (machine, error) {
		d := newDescent(sign, c)
		err := d.run(ctx, rough, rough, 1e-8)
		if err == nil || errors.Is(err, errStalled) {
			err = d.run(ctx, exactly, rough, optimum)
		}
		if errors.Is(err, errStalled) { // single precision is too coarse: C is large, or sizes differ much
			if double == nil {
				double = byGram[float64](x, threads)
			}
			err = d.run(ctx, double, double, optimum)
		}
		if errors.Is(err, errStalled) && !d.near() { // nearly all cases are saturated
			d.least = 0x1p-900
			err = d.run(ctx, double, double, optimum)
		}
		// or as near as rounding lets it come
		if err != nil && !errors.Is(err, errStalled) {
			return nil, err
		}
		exactly(d.f, d.alpha) // what steps have summed up is not what the weights give
		if d.measure(); !d.near() {
			return nil, stalled(x, c, d.norm/norm(d.alpha))
		}
		return &linear{weights(x, d.alpha, threads), d.b, fmt.Sprintf("C = %g, %d Newton steps", c, d.steps)}, nil
	})
}

// optimum is how small the gradient is at the optimum, as a share of what it was at w = 0. By nearly may decision
// values of the cases be off: where groups are separable, that share says little.
const optimum, nearly = 1e-12, 1e-7

var errStalled = errors.New("logistic regression does not converge")

// stalled says what keeps it from the optimum, where decision values may be off by what is missing.
func stalled(x Rows, c, missing float64) error {
	largest := 0.0
	x.eachRow(func(_ int, row []float64) {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	})
	return fmt.Errorf("%w: decision values may be off by %.1g (accepted: %g); C = %g with inputs up to %.3g is too large for double precision: use a smaller C, or inputs nearer 1 (standardize: training)",
		errStalled, missing, nearly, c, largest)
}

// A product computes f = Ku.
type product func(f, u []float64)

// byGram multiplies by K in the precision T.
func byGram[T dense.Float](x Rows, threads int) product {
	n, k := x.N, gram[T](x, threads)
	from, to := make([]T, n), make([]T, n)
	return func(f, u []float64) {
		for i, v := range u {
			from[i] = T(v)
		}
		dense.Multiply(to, n, dense.Rows(from, n), dense.Rows(k, n), 1, n, n, false, threads)
		for i, v := range to {
			f[i] = float64(v)
		}
	}
}

// A descent is a logistic regression on its way to the optimum.
type descent struct {
	y     []float64
	c     float64
	alpha []float64 // w = Xᵀα
	f     []float64 // Kα, the decision values without the offset
	b     float64
	start float64 // norm of the gradient at w = 0, b = 0
	norm  float64 // of the last gradient
	steps int
	least float64 // curvature that a case has at least, as a share of C
}

// near tells whether α is nearly C·y·p. Both differ by as large a share as p would, were decision values off by it.
func (d *descent) near() bool { return d.norm <= nearly*norm(d.alpha) }

// measure is the norm of the gradient.
func (d *descent) measure() {
	g, s := make([]float64, len(d.y)), make([]float64, len(d.y))
	gb, _ := d.gradient(g, s)
	d.norm = math.Sqrt(dense.Inner(g, g) + float64(gb*gb))
}

func newDescent(y []float64, c float64) *descent {
	return &descent{y: y, c: c, least: 1e-12, alpha: make([]float64, len(y)), f: make([]float64, len(y))}
}

// run takes Newton steps until the gradient is down to goal. The steps are found with
// the product rough, and measured with the product exact.
func (d *descent) run(ctx context.Context, exact, rough product, goal float64) error {
	n := len(d.y)
	s, g, kv := make([]float64, n), make([]float64, n), make([]float64, n)
	exact(d.f, d.alpha)
	now := d.loss(0, kv, kv, 0)
	last, full := math.Inf(1), false
	for range 100 {
		if err := ctx.Err(); err != nil {
			return err
		}
		gb, total := d.gradient(g, s)
		d.norm = math.Sqrt(dense.Inner(g, g) + float64(gb*gb))
		if d.start == 0 {
			d.start = d.norm
		}
		if d.norm <= goal*d.start && (goal > optimum || d.near()) {
			return nil
		}
		if full && d.norm > last/2 && last <= 1e-3*d.start {
			return errStalled
		}
		last = d.norm
		d.steps++
		v := conjugate(rough, s, g, max(1e-4, min(0.5, math.Sqrt(d.norm/d.start)))*d.norm)
		exact(kv, v)
		vb := -(gb + dense.Inner(s, kv)) / total
		// Half the way, as long as the whole way leads up. What rounding adds is no way up.
		share := 1.0
		for ; share > 1e-9; share /= 2 {
			if value := d.loss(share, v, kv, vb); value <= now+float64(1e-13*now) {
				now = value
				break
			}
		}
		if share <= 1e-9 {
			return errStalled
		}
		full = share == 1
		for i := range v {
			d.alpha[i] += float64(share * v[i])
			d.f[i] += float64(share * kv[i])
		}
		d.b += float64(share * vb)
	}
	return errStalled
}

// gradient: ∇w = Xᵀg with g = α − C·y·p, p = 1/(1+exp(y·f)), and ∇b = −Σ C·y·p; the Hessian
// is 1 + Xᵀ·S·X with S = C·p(1−p). At the optimum α = C·y·p, and g vanishes.
func (d *descent) gradient(g, s []float64) (gb, total float64) {
	for i, y := range d.y {
		p := sigmoid(-y * (d.f[i] + d.b))
		pull := float64(d.c * y * p)
		s[i] = max(d.c*p*(1-p), d.least*d.c)
		g[i] = d.alpha[i] - pull
		gb -= pull
		total += s[i]
	}
	return gb, total
}

// loss is the objective after a share of the way (v, vb), kv being Kv.
func (d *descent) loss(share float64, v, kv []float64, vb float64) float64 {
	loss, norm := 0.0, 0.0
	b := d.b + float64(share*vb)
	for i, y := range d.y {
		f := d.f[i] + float64(share*kv[i])
		norm += float64((d.alpha[i] + float64(share*v[i])) * f)
		loss += logLoss(y * (f + b))
	}
	return float64(d.c*loss) + float64(norm/2)
}

// logLoss is log(1 + exp(−z)).
func logLoss(z float64) float64 { return exact.Log1p(exact.Exp(-math.Abs(z))) + max(0, -z) }

// conjugate gives the Newton step v of α: (K + S⁻¹)v + b·1 = −S⁻¹g with Σv = 0 (Rasmussen &
// Williams 2006, section 3.4, with a free offset b), until what is missing of the gradient is
// no longer than end. With x = S^−½v the matrix is 1 + S^½·K·S^½, which has no eigenvalue below
// 1, and x is kept at right angles to the diagonal e of S^½.
func conjugate(k product, s, g []float64, end float64) (v []float64) {
	n := len(g)
	e, r, q := make([]float64, n), make([]float64, n), make([]float64, n)
	x, u, ku := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range s {
		e[i] = math.Sqrt(s[i])
		r[i] = -g[i] / e[i]
	}
	length := dense.Inner(e, e)
	level := func(v []float64) {
		share := dense.Inner(e, v) / length
		for i := range v {
			v[i] -= float64(share * e[i])
		}
	}
	level(r)
	copy(q, r)
	size := dense.Inner(r, r)
	for range 2 * n {
		missing := 0.0
		for i := range u {
			m := e[i] * r[i]
			missing += float64(m * m)
			u[i] = e[i] * q[i]
		}
		if missing <= end*end {
			break
		}
		k(ku, u)
		for i := range u {
			u[i] = q[i] + float64(e[i]*ku[i])
		}
		level(u)
		curve := dense.Inner(q, u)
		if !(curve > 0) {
			break
		}
		a := size / curve
		for i := range x {
			x[i] += float64(a * q[i])
			r[i] -= float64(a * u[i])
		}
		now := dense.Inner(r, r)
		beta := now / size
		size = now
		for i := range q {
			q[i] = r[i] + float64(beta*q[i])
		}
	}
	for i := range x {
		x[i] *= e[i]
	}
	return x
}

func norm(v []float64) float64 { return math.Sqrt(dense.Inner(v, v)) }
