package connectivity

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
)

// The graphical lasso by block coordinate descent (Friedman, Hastie & Tibshirani
// 2008, Biostatistics 9:432): each column of the covariance W is in turn the solution
// of a lasso on the others. With W₁₁ the rest of W, s₁₂ the column of S,
//
//	β = argmin ½ βᵀW₁₁β − s₁₂ᵀβ + α‖β‖₁,   w₁₂ = W₁₁β,
//	p₂₂ = 1/(w₂₂ − w₁₂ᵀβ),   p₁₂ = −β p₂₂.
//
// The diagonal is not penalised. The descent ends when the dual gap,
// tr(SP) − N + α Σ_{i≠j}|P_ij|, is below the tolerance.
const (
	glassoSweeps    = 200
	glassoTolerance = 1e-6
)

// A lasso is the work space of one graphical lasso of order n, in matrices of row
// length m. b holds the β of every column as a row; it is the start of the next
// solution, for a smaller α.
type lasso struct {
	n, m      int
	s, w, b   []float64
	p         []float64
	h         []float64 // Wβ
	active    []int     // the k with β_k ≠ 0
	tolerance float64
}

func newLasso(n, m int, tolerance float64) *lasso {
	if tolerance == 0 {
		tolerance = glassoTolerance
	}
	return &lasso{n: n, m: m, tolerance: tolerance, s: make([]float64, m*m), w: make([]float64, m*m),
		b: make([]float64, m*m), p: make([]float64, m*m), h: make([]float64, m)}
}

// begin takes in the covariance s and forgets earlier solutions.
func (l *lasso) begin(s []float64) {
	copy(l.s, s)
	// Off the diagonal a little smaller than S: positive definite for few volumes too.
	for i, v := range s {
		l.w[i] = 0.95 * v
	}
	for i := range l.n {
		l.w[i*l.m+i] = s[i*l.m+i]
	}
	clear(l.b)
}

// solve finds w and p for α.
func (l *lasso) solve(alpha float64) error {
	for range glassoSweeps {
		for j := range l.n {
			l.column(j, alpha)
		}
		gap := l.gap(alpha)
		if !finite(gap) {
			return fmt.Errorf("graphical lasso, α = %.3g: the covariance is nearly singular; raise alpha, or use glasso-cv or ledoit-wolf", alpha)
		}
		if math.Abs(gap) < l.tolerance {
			return nil
		}
	}
	return fmt.Errorf("graphical lasso, α = %.3g: no convergence after %d sweeps (duality gap %.2g); raise alpha, or use glasso-cv or ledoit-wolf", alpha, glassoSweeps, l.gap(alpha))
}

// column solves the lasso of column j and puts its answer into w and p.
func (l *lasso) column(j int, alpha float64) {
	n, m := l.n, l.m
	beta, h := l.b[j*m:][:n], l.h[:n]
	clear(h)
	for k, v := range beta {
		if v != 0 {
			dense.Axpy(h, v, l.w[k*m:][:n])
		}
	}
	small := l.tolerance / float64(n)
	for {
		// One pass over all, then passes over those that are not zero.
		change := l.pass(j, alpha, nil)
		l.active = l.active[:0]
		for k, v := range beta {
			if v != 0 {
				l.active = append(l.active, k)
			}
		}
		for inner := change; inner > small; {
			inner = l.pass(j, alpha, l.active)
		}
		if change <= small {
			break
		}
	}
	explained := 0.0
	for k, v := range beta {
		explained += float64(h[k] * v)
	}
	p := 1 / (l.w[j*m+j] - explained)
	for k, v := range beta {
		if k == j {
			continue
		}
		l.w[j*m+k], l.w[k*m+j] = h[k], h[k]
		q := 0 - float64(v*p) // never −0
		l.p[j*m+k], l.p[k*m+j] = q, q
	}
	l.p[j*m+j] = p
}

// pass descends once along the coordinates of which (nil: all), and returns the
// largest change of Wβ's diagonal part.
func (l *lasso) pass(j int, alpha float64, which []int) float64 {
	n, m := l.n, l.m
	beta, h, s := l.b[j*m:][:n], l.h[:n], l.s[j*m:][:n]
	largest := 0.0
	step := func(k int) {
		if k == j {
			return
		}
		old, wk := beta[k], l.w[k*m+k]
		g := s[k] - h[k] + float64(wk*old)
		v := 0.0
		switch {
		case g > alpha:
			v = (g - alpha) / wk
		case g < -alpha:
			v = (g + alpha) / wk
		}
		if d := v - old; d != 0 {
			beta[k] = v
			dense.Axpy(h, d, l.w[k*m:][:n])
			largest = max(largest, math.Abs(float64(d*wk)))
		}
	}
	if which == nil {
		for k := range n {
			step(k)
		}
	} else {
		for _, k := range which {
			step(k)
		}
	}
	return largest
}

// gap is the dual gap.
func (l *lasso) gap(alpha float64) float64 {
	product, size := 0.0, 0.0
	for i := range l.n {
		for j := range l.n {
			v := l.p[i*l.m+j]
			product += float64(l.s[i*l.m+j] * v)
			if i != j {
				size += math.Abs(v)
			}
		}
	}
	return product - float64(l.n) + float64(alpha*size)
}

// glasso sets precision to the graphical lasso's. Its w is not handed out: between
// regions that the penalty has parted it still goes to 0 when p has arrived.
func (c *moments) glasso(precision []float64, e Estimator, o Options) (alpha float64, err error) {
	alpha = o.Alpha
	if e == GlassoCV {
		if alpha, err = c.chooseAlpha(o); err != nil {
			return 0, err
		}
	}
	l := newLasso(c.n, c.m, o.Tolerance)
	l.begin(c.s)
	if err := l.solve(alpha); err != nil {
		return 0, err
	}
	copy(precision, l.p)
	return alpha, nil
}
