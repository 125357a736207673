package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// A PowerLaw is the error a + b·n^−c of a model trained on n participants (Mukherjee et al. 2003; Figueroa et al.
// 2012). The floor a is the error with any number of participants.
type PowerLaw struct{ A, B, C float64 }

// The exponents that are tried.
const (
	leastExponent = 0.01
	mostExponent  = 3
	exponentStep  = 0.001
)

// exponents are the powers of sizes, for fits of several errors.
type exponents struct {
	c      []float64
	powers [][]float64 // of each c: n^−c
}

func newExponents(n []float64, step float64) (e exponents) {
	for k := 0; ; k++ {
		c := leastExponent + float64(float64(k)*step)
		if c > mostExponent+step/10 {
			return e
		}
		p := lists.Map(n, func(x float64) float64 { return exact.Exp(-float64(c * exact.Log(x))) })
		e.c, e.powers = append(e.c, c), append(e.powers, p)
	}
}

// fit fits a power law with a, b ≥ 0 to errors of models trained on these sizes, by least squares.
func (e exponents) fit(errors []float64) PowerLaw {
	best, least := PowerLaw{}, math.Inf(1)
	for k, x := range e.powers {
		a, b := nonnegativeLine(x, errors)
		squares := 0.0
		for i, y := range errors {
			d := y - a - float64(b*x[i])
			squares += float64(d * d)
		}
		if norm := math.Sqrt(squares); norm < least-1e-15 {
			best, least = PowerLaw{a, b, e.c[k]}, norm
		}
	}
	return best
}

// nonnegativeLine is the least-squares line a + b·x with a, b ≥ 0.
func nonnegativeLine(x, y []float64) (a, b float64) {
	mx, my := exact.Mean(x), exact.Mean(y)
	var xx, xy, cxx, cxy float64
	for i := range x {
		xx, xy = xx+float64(x[i]*x[i]), xy+float64(x[i]*y[i])
		dx := x[i] - mx
		cxx, cxy = cxx+float64(dx*dx), cxy+float64(dx*(y[i]-my))
	}
	if b = cxy / cxx; !(b > 0) {
		return max(0, my), 0
	}
	if a = my - float64(b*mx); a < 0 {
		return 0, max(0, xy/xx)
	}
	return a, b
}

// At is the error of a model trained on n participants.
func (p PowerLaw) At(n float64) float64 {
	return p.A + float64(p.B*exact.Exp(-float64(p.C*exact.Log(n))))
}

// Learned are the errors of the models of one fold: of each order of its training participants, and each size.
type Learned [][]float64

// A LearningCurve is the error over the number of training participants.
type LearningCurve struct {
	N         []float64 // training participants, mean over the folds
	Error, SE []float64 // mean over folds and orders; SE for training sets that overlap, as in Validation
	Rise      float64   // of the error from the largest size to the smallest
	RiseSE    float64
	Law       PowerLaw
	law       []PowerLaw // of resamples
	factor    float64    // by which the deviations of resamples are too small
	sampled   func(error float64) float64
	link      link // nil: of the logit
}

// A link is the scale of an interval: it rises with the error. slope is its derivative.
type link interface {
	to(error float64) float64
	from(v float64) float64
	slope(error float64) float64
}

// logitLink is for errors from 0 to 1, fisherLink for 1 − r, and logLink for 1 − R².
type (
	logitLink  struct{}
	fisherLink struct{}
	logLink    struct{}
)

func (logitLink) to(x float64) float64 {
	x = max(1e-6, min(1-1e-6, x))
	return exact.Log(x / (1 - x))
}
func (logitLink) from(v float64) float64  { return expit(v) }
func (logitLink) slope(x float64) float64 { return 1 / max(1e-6, float64(x*(1-x))) }

func (fisherLink) to(x float64) float64   { return -exact.Atanh(max(-1+1e-6, min(1-1e-6, 1-x))) }
func (fisherLink) from(v float64) float64 { return 1 + exact.Tanh(v) }
func (fisherLink) slope(x float64) float64 {
	r := 1 - x
	return 1 / max(1e-6, 1-float64(r*r))
}

func (logLink) to(x float64) float64    { return exact.Log(max(1e-6, x)) }
func (logLink) from(v float64) float64  { return exact.Exp(v) }
func (logLink) slope(x float64) float64 { return 1 / max(1e-6, x) }

// Correlation has the errors 1 − r: intervals are on Fisher's scale. Explained has 1 − R²: they are on that of
// logarithms.
func (l *LearningCurve) Correlation() { l.link = fisherLink{} }
func (l *LearningCurve) Explained()   { l.link = logLink{} }

// SampledR is the variance of the mean 1 − r over the folds, by the sampling of test participants: (1 − r²)²/(n − 3) in
// a fold of n (Fisher 1921).
func (v Validation) SampledR() func(error float64) float64 {
	k := float64(len(v.Test))
	n := 0.0
	for _, x := range v.Test {
		n += x / k
	}
	return func(error float64) float64 {
		r := 1 - error
		free := 1 - float64(r*r)
		return float64(free*free) / max(1, n-3) * v.Correction() / k
	}
}

// SampledExplained is that of 1 − R². In a fold of n, the logarithms of the mean squared error and of the variance have
// the variance 2/n and, for normal numbers, the covariance 2(1 − R²)/n if predictions are calibrated, or 2/(n(1 − R²))
// if these are noise alone (R² < 0).
func (v Validation) SampledExplained() func(error float64) float64 {
	k := float64(len(v.Test))
	n := 0.0
	for _, x := range v.Test {
		n += x / k
	}
	return func(error float64) float64 {
		of := 4 * math.Abs(1-error) / (n * max(1, error)) // of its logarithm
		return float64(of*float64(error*error)) * v.Correction() / k
	}
}

// NewLearningCurve is that of several folds of a cross-validation, v being its design. It is not fitted.
func NewLearningCurve(n []float64, folds []Learned, v Validation) *LearningCurve {
	l := &LearningCurve{N: n}
	for k := range n {
		mean, se := l.over(folds, v, func(errors []float64) float64 { return errors[k] })
		l.Error, l.SE = append(l.Error, mean), append(l.SE, se)
	}
	l.Rise, l.RiseSE = l.over(folds, v, func(errors []float64) float64 { return errors[0] - errors[len(n)-1] })
	return l
}

// over is the mean over the folds of the mean over the orders, and its standard error.
func (*LearningCurve) over(folds []Learned, v Validation, of func(errors []float64) float64) (mean, se float64) {
	values := make([]float64, len(folds))
	for f, orders := range folds {
		for _, errors := range orders {
			values[f] += of(errors) / float64(len(orders))
		}
	}
	mean, variance := meanVariance(values)
	return mean, math.Sqrt(float64(variance * v.Correction() / float64(len(folds))))
}

// LeastSizes is how many sizes a fit needs.
const LeastSizes = 4

// Flat reports whether the error falls by less than its standard error: more participants are not shown to help.
func (l *LearningCurve) Flat() bool { return !(l.Rise > l.RiseSE) }

// SampledAUC is the variance of the mean 1 − AUC over the folds, by the sampling of so many positive and negative test
// participants of all folds (see Validation.AUC).
func (v Validation) SampledAUC(positive, negative float64) func(error float64) float64 {
	k := float64(len(v.Test))
	return func(error float64) float64 {
		return areaVariance(1-error, positive/k, negative/k) * v.Correction() / k
	}
}

// SampledShare is that of a share of errors.
func (v Validation) SampledShare() func(error float64) float64 {
	n := dense.Sum(v.Test)
	return func(error float64) float64 { return float64(error*(1-error)) * v.Correction() / n }
}

// Fit fits the power law, and again to resamples of folds and of the orders within them; sampled is the sampling
// variance of an error.
func (l *LearningCurve) Fit(folds []Learned, v Validation, sampled func(error float64) float64, resamples int,
	s *random.Stream) {
	l.sampled = sampled
	e := newExponents(l.N, exponentStep)
	l.Law = e.fit(l.Error)
	k := float64(len(folds))
	l.factor = math.Sqrt(float64(v.Correction() * k / (k - 1)))
	errors := make([]float64, len(l.N))
	for range resamples {
		clear(errors)
		for range folds {
			orders := folds[s.IntN(len(folds))]
			for range orders {
				for i, x := range orders[s.IntN(len(orders))] {
					errors[i] += x / float64(len(orders)*len(folds))
				}
			}
		}
		l.law = append(l.law, e.fit(errors))
	}
}

// At is the error of models trained on n participants by the fit, and its 95% interval on the logit scale, or that of
// Correlation and Explained: the normal quantile times the SD over resamples. Folds share training
// participants, and few folds vary less than their
// expectation, so that the SD is multiplied by √(K/(K−1) · correction), as that of a mean (see Validation). It is at
// least that of the sampling of test participants.
func (l *LearningCurve) At(n float64) (error, low, high float64) {
	scale := l.link
	if scale == nil {
		scale = logitLink{}
	}
	error = l.Law.At(n)
	all := lists.Map(l.law, func(p PowerLaw) float64 { return scale.to(p.At(n)) })
	_, variance := meanVariance(all)
	least := math.Sqrt(l.sampled(error)) * scale.slope(error)
	half := float64(normal975 * max(least, float64(l.factor*math.Sqrt(variance))))
	return error, scale.from(scale.to(error) - half), scale.from(scale.to(error) + half)
}

// Reach is how many training participants, from the smallest size up to most, have an error of at most so much by the
// fit, and the interval: by the lower and the upper limit of the error. It is infinite where most do not suffice.
func (l *LearningCurve) Reach(error, most float64) (n, low, high float64) {
	limits := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for i := range limits {
		of := func(n float64) float64 {
			v, lower, upper := l.At(n)
			return [3]float64{v, lower, upper}[i]
		}
		from, to := math.Ceil(l.N[0]), math.Floor(most)
		if !(of(to) <= error) {
			continue
		}
		for from < to { // whole numbers
			if middle := math.Floor((from + to) / 2); of(middle) <= error {
				to = middle
			} else {
				from = middle + 1
			}
		}
		limits[i] = to
	}
	return limits[0], limits[1], limits[2]
}

// Sizes are the numbers of participants of each class that shares of a training set have: the share of each, rounded,
// at least two and at most all.
func Sizes(share float64, classes []int) []int {
	sizes := slices.Clone(classes)
	for c, n := range classes {
		sizes[c] = min(n, max(2, int(math.Floor(float64(share*float64(n))+0.5))))
	}
	return sizes
}
