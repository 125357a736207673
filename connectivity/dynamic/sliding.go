package dynamic

import (
	"fmt"
	"math"

	"prgnn/connectivity"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Taper is the shape of a window's weights.
type Taper string

// Rectangular: equal weights. Gaussian: a rectangle convolved with a Gaussian, as in GIFT (Allen et al. 2014); its
// flanks reach beyond the rectangle. Hamming: 0.54 − 0.46 cos(2πt/(n−1)).
const (
	Rectangular Taper = "rectangular"
	Gaussian    Taper = "gaussian"
	Hamming     Taper = "hamming"
)

// Weights are those of a window of width volumes, the largest 1, and how many of them lie before the first volume
// of the window (as many lie behind the last). sigma is that of Gaussian, in volumes; its flanks end at 3 sigma.
func Weights(taper Taper, width int, sigma float64) (w []float64, flank int, err error) {
	switch taper {
	case Rectangular:
	case Hamming:
	case Gaussian:
		if !(sigma > 0) {
			return nil, 0, fmt.Errorf("the Gaussian taper needs sigma above 0, not %g", sigma)
		}
		flank = int(math.Ceil(3 * sigma))
	default:
		return nil, 0, fmt.Errorf("unknown taper %q", taper)
	}
	w = make([]float64, width+2*flank)
	largest := 0.0
	for t := range w {
		switch taper {
		case Rectangular:
			w[t] = 1
		case Hamming:
			w[t] = 1
			if width > 1 {
				_, cos := exact.Sincos(2 * math.Pi * float64(t) / float64(width-1))
				w[t] = 0.54 - float64(0.46*cos)
			}
		case Gaussian:
			for i := flank; i < flank+width; i++ {
				d := float64(t-i) / sigma
				w[t] += exact.Exp(-0.5 * float64(d*d))
			}
		}
		largest = max(largest, w[t])
	}
	for t := range w {
		w[t] /= largest
	}
	return w, flank, nil
}

// A Window is a part of a series: its weights begin at volume From, which counts rows.
type Window struct {
	First, Last int  // rows of the window without flanks, Last included
	Begins      bool // the first of its segment
	from        int
	weights     []float64
}

// Windows are those of segments of consecutive volumes, a step of so many volumes apart. None crosses the end of its
// segment; flanks are cut there, as at the ends of a scan in GIFT.
func Windows(segments []connectivity.Segment, weights []float64, flank, step int) []Window {
	var all []Window
	width := len(weights) - 2*flank
	for _, s := range segments {
		for first := s.From; first+width <= s.To; first += step {
			low, high := max(first-flank, s.From), min(first+width+flank, s.To)
			all = append(all, Window{First: first, Last: first + width - 1, Begins: first == s.From, from: low,
				weights: weights[low-first+flank : high-first+flank]})
		}
	}
	return all
}

// An Estimator estimates the connectivity of windows of one series after the other.
type Estimator struct {
	Partial bool

	place  []int
	n, m   int // regions with a signal, and padded
	x      []float64
	r, inv []float64 // m×m
	solver *dense.Cholesky
}

// NewEstimator estimates the regions that have a signal.
func NewEstimator(status []connectivity.Status, partial bool) *Estimator {
	e := &Estimator{Partial: partial}
	for j, s := range status {
		if s == connectivity.Present {
			e.place = append(e.place, j)
		}
	}
	e.n = len(e.place)
	e.m = dense.Padded(e.n)
	e.r, e.inv = make([]float64, e.m*e.m), make([]float64, e.m*e.m)
	e.solver = dense.NewCholesky(e.n)
	return e
}

// Estimate returns Fisher's z of the pairs of regions of a window, the upper triangle by rows; 0 for a region without a
// signal, in the series or in this window. x is T×N.
func (e *Estimator) Estimate(x connectivity.Matrix, w Window) ([]float64, error) {
	e.correlate(x, w)
	from, sign := e.r, 1.0
	if e.Partial {
		e.shrink(w.weights)
		if !e.solver.Factor(e.r) {
			return nil, fmt.Errorf("the shrunk correlation of the window from volume %d is singular", w.First+1)
		}
		e.solver.Invert(e.inv)
		from, sign = e.inv, -1
	}
	out := make([]float64, x.Cols*(x.Cols-1)/2)
	for a, i := range e.place {
		for b := a + 1; b < e.n; b++ {
			j := e.place[b]
			v := sign * from[a*e.m+b] / math.Sqrt(float64(from[a*e.m+a]*from[b*e.m+b]))
			out[i*(2*x.Cols-i-1)/2+j-i-1] = exact.Atanh(max(-nearOne, min(nearOne, v)))
		}
	}
	return out, nil
}

// nearOne bounds correlations before Fisher's z, as in package connectivity.
const nearOne = 1 - 1e-15

// correlate sets r to the weighted correlation, and x to the rows √w_t (x_t − m) over the standard deviations.
func (e *Estimator) correlate(x connectivity.Matrix, w Window) {
	t, sum := len(w.weights), 0.0
	for _, v := range w.weights {
		sum += v
	}
	if len(e.x) != t*e.m {
		e.x = make([]float64, t*e.m)
	}
	mean, square := make([]float64, e.n), make([]float64, e.n)
	for k, v := range w.weights {
		row := x.Row(w.from + k)
		for a, j := range e.place {
			mean[a] += float64(v / sum * row[j])
		}
	}
	for k, v := range w.weights {
		row, dst, root := x.Row(w.from+k), e.x[k*e.m:], math.Sqrt(v/sum)
		for a, j := range e.place {
			dst[a] = root * (row[j] - mean[a])
			square[a] += float64(dst[a] * dst[a])
		}
	}
	for a, s := range square {
		square[a] = 0
		if s > float64(1e-24*mean[a]*mean[a]) {
			square[a] = 1 / math.Sqrt(s)
		}
	}
	for k := range t {
		dst := e.x[k*e.m:][:e.n]
		dense.Scale(dst, dst, 1, square)
	}
	dense.GramColumns(e.r, e.x, t, e.m)
	dense.Mirror(e.r, e.m)
	for a := range e.n {
		e.r[a*e.m+a] = 1
	}
}

// shrink sets r to (1 − δ)r + δI, δ = (Σ w_t² |z_t|⁴ − Σ w_t² ‖r‖²) / ‖r − I‖², at most 1: that of Ledoit & Wolf 2004,
// lemmas 3.2 to 3.4, with w_t in place of 1/T.
func (e *Estimator) shrink(weights []float64) {
	sum, power, fourth, one := 0.0, 0.0, 0.0, 0.0
	for _, v := range weights {
		sum += v
	}
	for k, v := range weights {
		s := dense.SumSquares(e.x[k*e.m:][:e.m]) // w_t |z_t|²
		fourth += float64(s * s)
		one += float64(v / sum * (v / sum))
	}
	for a := range e.n {
		power += dense.SumSquares(e.r[a*e.m:][:e.m])
	}
	n := float64(e.n)
	d2 := (power - n) / n
	delta := 1.0
	if b2 := (fourth - float64(one*power)) / n; b2 < d2 {
		delta = max(b2, 0) / d2
	}
	for i := range e.r {
		e.r[i] *= 1 - delta
	}
	for a := range e.n {
		e.r[a*e.m+a] = 1
	}
}
