package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/internal/dense"
)

// A primalLogistic is logistic regression of more cases than have a matrix of pairs. It is solved for the weights by
// BFGS (Nocedal & Wright 2006, algorithm 7.4), a pass through the cases for each step. BFGS begins with the inverse of
// a Hessian from before: the products of the inputs take as long as dozens of passes, and of many cases they hardly
// change but for a factor.
//
// Vectors have one number an input, and the offset last. Inputs are taken less their mean.
type primalLogistic struct {
	x       Rows
	mean    []float64
	c       float64
	threads int
	equations
}

// rest is how small a share of the gradient at w = 0 may be left where rounding ends the way.
const rest = 1e-6

// A primalDescent is the way of one machine to the optimum.
type primalDescent struct {
	y        []float64
	c        float64
	at, next place // where it is, and where it looks in the next pass
	steps    []bfgs
	taken    int     // steps, also those before the last Hessian
	start    float64 // length of the gradient at w = 0, b = 0, as the inverse Hessian measures it
	began    float64 // that at the last Hessian
	norm     float64 // that of the last gradient
	best     float64 // the smallest one
	stale    int     // steps since then
	done     bool
}

// A place is a point of the way: weights and offset, decision values of the cases, the gradient, what the equations
// make of it, and the loss.
type place struct {
	w, f, g, h []float64
	loss       float64
}

// bfgs is a step from a place to another: the differences of w, g and h, and 1/(w·g).
type bfgs struct {
	w, g, h []float64
	rho     float64
}

// fitPrimalLogistic fits machines to signs of the cases. They share passes, and all begin with the Hessian at w = 0.
func fitPrimalLogistic(ctx context.Context, x Rows, signs [][]float64, c float64, threads int) (machines, error) {
	pulls := slices.Repeat([]float64{1}, x.N) // first for the mean
	for _, sign := range signs {
		for _, y := range sign {
			pulls = append(pulls, c/2*y)
		}
	}
	sums := weights(x, pulls, threads)
	l := &primalLogistic{x: x, mean: sums[:x.D], c: c, threads: threads}
	for j := range l.mean {
		l.mean[j] /= float64(x.N)
	}
	var all []*primalDescent
	for k, y := range signs {
		d := &primalDescent{y: y, c: c, best: math.Inf(1)}
		d.at = place{w: make([]float64, x.D+1), f: make([]float64, x.N), loss: c * float64(x.N) * math.Ln2}
		d.at.g = l.gradient(d.at.w, sums[(k+1)*x.D:][:x.D], sumOf(pulls[(k+1)*x.N:][:x.N]))
		d.next.f = make([]float64, x.N)
		all = append(all, d)
	}
	curve := slices.Repeat([]float64{c / 4}, x.N)
	if err := l.descend(ctx, all, curve); err != nil {
		return nil, err
	}
	var ms machines
	for _, d := range all {
		for tries := 0; !d.done; tries++ { // with Hessians of its own
			if tries == 100 {
				return nil, stalled(x, c, d.missing())
			}
			for i, f := range d.at.f {
				p := sigmoid(f)
				curve[i] = max(c*p*(1-p), 1e-12*c)
			}
			if err := l.descend(ctx, []*primalDescent{d}, curve); err != nil {
				return nil, err
			}
		}
		if !(d.missing() <= nearly) {
			return nil, stalled(x, c, d.missing())
		}
		w, b := d.at.w[:x.D], d.at.w[x.D]
		note := fmt.Sprintf("C = %g, solved for the weights in %d steps", c, d.taken)
		ms = append(ms, &linear{w, b - dot(w, l.mean), note})
	}
	return ms, nil
}

// descend goes on with the Hessian that has these curvatures of the cases, to the optimum of all or until another one
// is worth its price.
func (l *primalLogistic) descend(ctx context.Context, all []*primalDescent, curve []float64) error {
	// What rounding takes off the smallest pivots is less than 1e-12 of the largest.
	err := l.set(l.x, l.mean, curve, 1e-12, l.threads, func(int, []float64) {})
	if err := l.x.Err(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	for _, d := range all {
		d.at.h, d.steps = l.times(d.at.g), nil
		d.aim()
		d.began = d.norm
	}
	for pass := 0; ; pass++ {
		var open []*primalDescent
		far := false
		for _, d := range all {
			if !d.done {
				open = append(open, d)
				far = far || !(d.norm*d.norm <= optimum*d.start*d.began) // more digits are missing than were found
			}
		}
		// The products take as long as D/60 passes in memory, and as few of a slow disk.
		if len(open) == 0 || far && pass >= 2+l.x.D/256 {
			return nil
		}
		l.look(open)
		if err := errors.Join(ctx.Err(), l.x.Err()); err != nil {
			return err
		}
		for _, d := range open {
			if err := l.move(d); err != nil {
				return err
			}
		}
	}
}

// gradient is w − Xᵀpull and −Σpull, X less the mean.
func (l *primalLogistic) gradient(w, sums []float64, total float64) []float64 {
	g := append(less(w[:l.x.D], sums), -total)
	dense.Axpy(g[:l.x.D], total, l.mean)
	return g
}

// look passes through the cases and sees what is at the next place of each.
func (l *primalLogistic) look(open []*primalDescent) {
	d, k := l.x.D, len(open)
	var w, offset []float64
	for _, o := range open {
		w = append(w, o.next.w[:d]...)
		offset = append(offset, o.next.w[d]-dot(o.next.w[:d], l.mean))
		o.next.loss = 0
	}
	some := max(64, 1<<20/d) // cases at a time, which the cache holds; the sums are the same
	f, pull, loss := make([]float64, some*k), make([]float64, some*k), make([]float64, some*k)
	sums, total := make([]float64, k*d), make([]float64, k)
	l.x.each(func(first int, b Rows) {
		for from := 0; from < b.N; from += some {
			n, part, at := min(some, b.N-from), dense.Rows(b.X[from*d:], d), first+from
			dense.Multiply(f, k, part, dense.Rows(w, d).T(), n, d, k, false, l.threads)
			const piece = 256
			dense.Each(l.threads, (n+piece-1)/piece, func(p int) {
				for i := p * piece; i < min(n, (p+1)*piece); i++ {
					for m, o := range open {
						y, v := o.y[at+i], f[i*k+m]+offset[m]
						o.next.f[at+i] = v
						pull[i*k+m], loss[i*k+m] = l.c*y*sigmoid(-y*v), logLoss(y*v)
					}
				}
			})
			for i := range n {
				for m, o := range open {
					o.next.loss += loss[i*k+m]
					total[m] += pull[i*k+m]
				}
			}
			dense.Multiply(sums, d, dense.View[float64]{Data: pull, Row: 1, Col: k}, part, k, n, d, true, l.threads)
		}
	})
	for m, o := range open {
		o.next.loss = l.loss(o.next.loss, o.next.w)
		o.next.g = l.gradient(o.next.w, sums[m*d:][:d], total[m])
	}
}

// loss is the objective of losses of the cases.
func (l *primalLogistic) loss(sum float64, w []float64) float64 {
	w = w[:l.x.D]
	return float64(l.c*sum) + float64(dot(w, w)/2)
}

// move goes to the next place, if it is lower, or looks half the way to it, as long as the whole way leads up.
func (l *primalLogistic) move(d *primalDescent) error {
	highest := d.at.loss + float64(1e-13*d.at.loss) // what rounding adds is no way up
	if d.next.loss <= highest {
		d.next.h = l.times(d.next.g)
		s := bfgs{less(d.next.w, d.at.w), less(d.next.g, d.at.g), less(d.next.h, d.at.h), 0}
		if curve := dot(s.w, s.g); curve > 0 {
			s.rho = 1 / curve
			d.steps = append(d.steps, s)
		}
		d.at, d.next = d.next, place{f: d.at.f}
		d.taken++
		d.aim()
		return nil
	}
	step := less(d.next.w, d.at.w)
	for share := 0.5; share > 1e-9; share /= 2 {
		copy(d.next.w, d.at.w)
		dense.Axpy(d.next.w, share, step)
		sum := 0.0
		for i, y := range d.y {
			sum += logLoss(y * (d.at.f[i] + float64(share*(d.next.f[i]-d.at.f[i]))))
		}
		if l.loss(sum, d.next.w) <= highest {
			return nil
		}
	}
	if d.done = d.best <= rest*d.start; !d.done {
		return stalled(l.x, l.c, d.missing())
	}
	return nil
}

// aim chooses the next place, unless this one is the optimum, or as near as rounding lets it come.
func (d *primalDescent) aim() {
	q, v, share := slices.Clone(d.at.g), slices.Clone(d.at.h), make([]float64, len(d.steps))
	for i, s := range slices.Backward(d.steps) {
		share[i] = s.rho * dot(s.w, q)
		dense.Axpy(q, -share[i], s.g)
		dense.Axpy(v, -share[i], s.h)
	}
	if n := len(d.steps); n > 0 {
		s := d.steps[n-1]
		factor := s.rho * dot(s.g, s.h) // by which the Hessian is less than before
		for j := range v {
			v[j] /= factor
		}
	}
	for i, s := range d.steps {
		dense.Axpy(v, share[i]-float64(s.rho*dot(s.g, v)), s.w)
	}
	d.norm = math.Sqrt(dot(d.at.g, v))
	if d.taken == 0 {
		d.start = d.norm
	}
	if d.stale++; d.norm < d.best {
		d.best, d.stale = d.norm, 0
	}
	d.done = d.norm <= optimum*d.start || d.stale >= 3 && d.best <= rest*d.start
	d.next.w = less(d.at.w, v)
}

// missing is by how much decision values of the cases may be off: the root of their mean squared error, each weighing
// as much as its curvature. It cannot be told where that which the Hessian adds is more than a tenth of them.
func (d *primalDescent) missing() float64 {
	sum := 0.0
	for _, f := range d.at.f {
		p := sigmoid(f)
		sum += float64(p * (1 - p))
	}
	if sum < 1e-11*float64(len(d.y)) {
		return math.Inf(1)
	}
	return d.best / math.Sqrt(float64(d.c*sum))
}

// less is v − u.
func less(v, u []float64) []float64 {
	d := slices.Clone(v)
	dense.Axpy(d, -1, u)
	return d
}
