package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/exact"
)

// DeLong is the AUC of the scores of positive and negative cases that are independent, for a model that was fitted to
// none of them, and its standard error (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837); NaN where a side has
// fewer than two cases.
func DeLong(positive, negative []float64) (auc, se float64) {
	above := func(of, others []float64, sign float64) (shares []float64) {
		sorted := slices.Sorted(slices.Values(others))
		for _, v := range of {
			below, _ := slices.BinarySearch(sorted, v)
			upTo := below
			for upTo < len(sorted) && sorted[upTo] == v {
				upTo++
			}
			share := (float64(below) + float64(float64(upTo-below)/2)) / float64(len(others))
			if sign < 0 {
				share = 1 - share
			}
			shares = append(shares, share)
		}
		return shares
	}
	auc, v1 := meanVariance(above(positive, negative, 1))
	_, v0 := meanVariance(above(negative, positive, -1))
	return auc, math.Sqrt(v1/float64(len(positive)) + v0/float64(len(negative)))
}

// LogitInterval is the 95% interval of an AUC of independent cases with DeLong's standard error, on the scale of its
// log odds; of an AUC within 0.005 of 0 or 1, where that standard error is often far too small (it is 0 at 1), that of
// Newcombe (2006, method 5).
func LogitInterval(auc, se float64, positive, negative int) (low, high float64) {
	if auc < 0.005 || auc > 0.995 {
		return newcombe(auc, float64(positive), float64(negative))
	}
	at, half := exact.Log(auc/(1-auc)), normal975*se/(auc*(1-auc))
	return expit(at - half), expit(at + half)
}

// CorrelationInterval is the 95% interval of a correlation with its standard error, on Fisher's scale.
func CorrelationInterval(r, se float64) (low, high float64) {
	r = max(-0.999, min(0.999, r))
	half := normal975 * se / (1 - float64(r*r))
	return exact.Tanh(fisher(r) - half), exact.Tanh(fisher(r) + half)
}

// A Recalibration is logit P(y) = intercept + slope·lp (Cox 1958, Biometrika 45:562), by maximum likelihood.
type Recalibration struct {
	Intercept, InterceptSE float64
	Slope, SlopeSE         float64
	// Large is the intercept where the slope is 1: calibration in the large (Van Calster et al. 2019, BMC Medicine
	// 17:230).
	Large, LargeSE float64
	// ChiSquare is the likelihood ratio test of intercept 0 and slope 1, with 2 degrees of freedom.
	ChiSquare, P float64
	Separated    bool // the scores separate the outcomes, so that there is no slope
}

// Recalibrate compares log odds lp, at most 708 in magnitude, with outcomes of both kinds. What cannot be estimated is
// NaN, such as the slope of log odds that are the same for all.
func Recalibrate(lp []float64, outcome []bool) (r Recalibration) {
	none := math.NaN()
	r = Recalibration{none, none, none, none, none, none, none, none, false}
	x := lists.Map(lp, func(v float64) float64 { return max(-708, min(708, v)) })
	limits := [2][2]float64{{math.Inf(1), math.Inf(-1)}, {math.Inf(1), math.Inf(-1)}}
	for i, v := range x {
		l := &limits[map[bool]int{true: 1}[outcome[i]]]
		l[0], l[1] = min(l[0], v), max(l[1], v)
	}
	if b, se, ok := newtonLogit(make([]float64, len(x)), x, outcome, false); ok {
		r.Large, r.LargeSE = b[0], se[0]
	}
	low, high := min(limits[0][0], limits[1][0]), max(limits[0][1], limits[1][1])
	if high-low <= float64(rounding*(1+math.Abs(low))) {
		return r
	}
	r.Separated = limits[0][1] <= limits[1][0] || limits[1][1] <= limits[0][0]
	if r.Separated {
		return r
	}
	b, se, ok := newtonLogit(x, make([]float64, len(x)), outcome, true)
	if !ok {
		return r
	}
	r.Intercept, r.Slope, r.InterceptSE, r.SlopeSE = b[0], b[1], se[0], se[1]
	r.ChiSquare = max(0, 2*(logLikelihood(x, outcome, b[0], b[1])-logLikelihood(x, outcome, 0, 1)))
	r.P = exact.Exp(-r.ChiSquare / 2)
	return r
}

// newtonLogit fits an intercept, and a slope of x if it is asked for, beside an offset, by Newton's method with halved
// steps where the likelihood would fall.
func newtonLogit(x, offset []float64, outcome []bool, sloped bool) (b, se [2]float64, ok bool) {
	shifted := func(b [2]float64) (sum float64) {
		for i := range x {
			sum += logOdds(b[0]+float64(b[1]*x[i])+offset[i], outcome[i])
		}
		return sum
	}
	at := shifted(b)
	for range 100 {
		var g [2]float64
		var h [3]float64 // 00, 01, 11
		for i := range x {
			p := expit(b[0] + float64(b[1]*x[i]) + offset[i])
			d, w := -p, float64(p*(1-p))
			if outcome[i] {
				d = 1 - p
			}
			g[0], g[1] = g[0]+d, g[1]+float64(d*x[i])
			h[0], h[1], h[2] = h[0]+w, h[1]+float64(w*x[i]), h[2]+float64(float64(w*x[i])*x[i])
		}
		if !sloped {
			g[1], h[1], h[2] = 0, 0, 1
		}
		det := float64(h[0]*h[2]) - float64(h[1]*h[1])
		if !(det > 0) {
			return b, se, false
		}
		step := [2]float64{(float64(h[2]*g[0]) - float64(h[1]*g[1])) / det,
			(float64(h[0]*g[1]) - float64(h[1]*g[0])) / det}
		se = [2]float64{math.Sqrt(h[2] / det), math.Sqrt(h[0] / det)}
		if math.Abs(step[0]) <= 1e-12*(1+math.Abs(b[0])) && math.Abs(step[1]) <= 1e-12*(1+math.Abs(b[1])) {
			return b, se, true
		}
		next, better := b, math.Inf(-1)
		for range 40 {
			next = [2]float64{b[0] + step[0], b[1] + step[1]}
			if better = shifted(next); better >= at-float64(1e-12*math.Abs(at)) {
				break
			}
			step[0], step[1] = step[0]/2, step[1]/2
		}
		b, at = next, better
	}
	return b, se, false
}

// logOdds is the logarithm of the probability of an outcome with log odds f.
func logOdds(f float64, outcome bool) float64 {
	if !outcome {
		f = -f
	}
	return min(f, 0) - exact.Log1p(exact.Exp(-math.Abs(f)))
}

func logLikelihood(x []float64, outcome []bool, intercept, slope float64) (sum float64) {
	for i, v := range x {
		sum += logOdds(intercept+float64(slope*v), outcome[i])
	}
	return sum
}

// A BrierScore is the mean squared error of probabilities, and its parts by isotonic regression of the outcomes
// (Dimitriadis, Gneiting & Jordan 2021, PNAS 118:e2016191118): Score = Miscalibration − Discrimination + Uncertainty.
type BrierScore struct {
	Score, Low, High                            float64 // the interval is that of a mean
	Miscalibration, Discrimination, Uncertainty float64
}

// ScoreBrier scores probabilities of an outcome.
func ScoreBrier(p []float64, outcome []bool) (s BrierScore) {
	n := float64(len(p))
	y, losses, share := make([]float64, len(p)), make([]float64, len(p)), 0.0
	for i, is := range outcome {
		if is {
			y[i] = 1
		}
		share += y[i] / n
		d := p[i] - y[i]
		losses[i] = float64(d * d)
	}
	mean, variance := meanVariance(losses)
	half := float64(normal975 * math.Sqrt(variance/n))
	s.Score, s.Low, s.High = mean, max(0, mean-half), min(1, mean+half)
	calibrated := 0.0
	for i, v := range isotonic(p, y) {
		d := v - y[i]
		calibrated += float64(d*d) / n
	}
	s.Uncertainty = float64(share * (1 - share))
	s.Miscalibration, s.Discrimination = s.Score-calibrated, s.Uncertainty-calibrated
	return s
}

// isotonic is the least-squares fit of y that does not fall with x, by pooling adjacent violators; equal x share a
// value.
func isotonic(x, y []float64) []float64 {
	type block struct {
		sum, n float64
		of     []int
	}
	at := lists.UpTo(len(x))
	slices.SortStableFunc(at, func(i, j int) int { return compare(x[i], x[j]) })
	var all []block
	for k, i := range at {
		if k > 0 && x[at[k-1]] == x[i] {
			b := &all[len(all)-1]
			b.sum, b.n, b.of = b.sum+y[i], b.n+1, append(b.of, i)
			continue
		}
		all = append(all, block{y[i], 1, []int{i}})
	}
	var pooled []block
	for _, b := range all {
		for len(pooled) > 0 {
			before := pooled[len(pooled)-1]
			if float64(before.sum*b.n) < float64(b.sum*before.n) {
				break
			}
			b = block{before.sum + b.sum, before.n + b.n, append(before.of, b.of...)}
			pooled = pooled[:len(pooled)-1]
		}
		pooled = append(pooled, b)
	}
	fit := make([]float64, len(x))
	for _, b := range pooled {
		for _, i := range b.of {
			fit[i] = b.sum / b.n
		}
	}
	return fit
}

// A ProbabilityBin has cases of neighboring probabilities, and the share of them with the outcome (Wilson's interval).
type ProbabilityBin struct {
	N                      int
	Mean, Share, Low, High float64
}

// BinProbabilities divides cases into at most so many bins of equal size, by their probabilities; larger bins come
// first, as in numpy's array_split.
func BinProbabilities(p []float64, outcome []bool, bins int) (all []ProbabilityBin) {
	at := lists.UpTo(len(p))
	slices.SortStableFunc(at, func(i, j int) int { return compare(p[i], p[j]) })
	for k := range min(bins, len(p)) {
		n := len(p) / bins
		if k < len(p)%bins {
			n++
		}
		b := ProbabilityBin{N: n}
		for _, i := range at[:n] {
			b.Mean += p[i] / float64(n)
			if outcome[i] {
				b.Share += 1 / float64(n)
			}
		}
		b.Low, b.High = Wilson(b.Share, float64(n))
		all, at = append(all, b), at[n:]
	}
	return all
}

// A NumberComparison compares predictions of a number with the numbers of cases that no prediction was fitted to.
type NumberComparison struct {
	R, RLow, RHigh             float64 // Pearson's correlation; Fisher's z, with SE 1/√(n−3)
	R2, R2Training             float64 // 1 − squared errors / squares about the mean of the numbers, of the training
	MAE, MAELow, MAEHigh       float64 // mean absolute error; interval of a mean
	Error, ErrorLow, ErrorHigh float64 // mean of prediction − number; interval of a mean
	// Numbers = Intercept + Slope · predictions by least squares, and half of the intervals (Student's t, n−2).
	Intercept, InterceptHalf, Slope, SlopeHalf float64
}

// CompareNumbers compares predictions x with different numbers y of at least four cases; trained is the mean of the
// training. What constant predictions have not is NaN.
func CompareNumbers(x, y []float64, trained float64) (c NumberComparison) {
	n := float64(len(x))
	t := studentQuantile(n - 2)
	mx, my, sxx, syy, sxy, squares, about, none := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, math.NaN()
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	errors, sizes := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		dx, dy, e, d := x[i]-mx, y[i]-my, x[i]-y[i], y[i]-trained
		sxx, syy, sxy = sxx+float64(dx*dx), syy+float64(dy*dy), sxy+float64(dx*dy)
		squares, about = squares+float64(e*e), about+float64(d*d)
		errors[i], sizes[i] = e, math.Abs(e)
	}
	c.R2, c.R2Training = 1-squares/syy, 1-squares/about
	interval := func(v []float64) (mean, low, high float64) {
		mean, variance := meanVariance(v)
		half := float64(studentQuantile(n-1) * math.Sqrt(variance/n))
		return mean, mean - half, mean + half
	}
	c.Error, c.ErrorLow, c.ErrorHigh = interval(errors)
	c.MAE, c.MAELow, c.MAEHigh = interval(sizes)
	c.MAELow = max(0, c.MAELow)
	c.R, c.RLow, c.RHigh = none, none, none
	c.Intercept, c.InterceptHalf, c.Slope, c.SlopeHalf = none, none, none, none
	if !(sxx > 1e-24*(1+float64(mx*mx))*n) {
		return c
	}
	c.R = max(-1, min(1, sxy/math.Sqrt(float64(sxx*syy))))
	z, half := fisher(c.R), normal975/math.Sqrt(n-3)
	c.RLow, c.RHigh = exact.Tanh(z-half), exact.Tanh(z+half)
	c.Slope = sxy / sxx
	c.Intercept = my - float64(c.Slope*mx)
	variance := max(0, syy-float64(c.Slope*sxy)) / (n - 2)
	c.SlopeHalf = float64(t * math.Sqrt(variance/sxx))
	c.InterceptHalf = float64(t * math.Sqrt(variance*(1/n+float64(mx*mx)/sxx)))
	return c
}
