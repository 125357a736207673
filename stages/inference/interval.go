package inference

import (
	"math"

	"prgnn/numeric/exact"
)

// A Validation is the design of a cross-validation. The intervals of its methods have one target: the expected measure
// of models that are trained like these, on as many participants as each fold trains on.
//
// The folds share most of their training participants, so the variance of the mean over K folds is not s²/K but
// s²(1/K + test/train), s² being the variance of one fold's value (Nadeau and Bengio 2003, section 3). s² is the larger
// of two estimates: the sampling variance within a fold, and the variance between the folds. All intervals are of 95%.
type Validation struct {
	Test, Train []float64 // participants of each fold of each repeat
}

const normal975 = 1.959963984540054 // the 97.5% point of the normal distribution

// Correction is K(1/K + test/train), the factor by which the variance of a mean exceeds that over independent folds.
func (v Validation) Correction() float64 {
	c := 1.0
	for k, n := range v.Test {
		c += n / v.Train[k]
	}
	return c
}

// inflation is the factor for values of folds that vary more than within, the mean sampling variance of a fold's value,
// explains. Folds without a value are left out.
func inflation(values []float64, within float64) float64 {
	var n, sum, squares float64
	for _, x := range values {
		if !math.IsNaN(x) {
			n, sum = n+1, sum+x
		}
	}
	for _, x := range values {
		if d := x - sum/n; !math.IsNaN(d) {
			squares += float64(d * d)
		}
	}
	if n < 2 || !(within > 0) {
		return 1
	}
	return max(1, squares/(n-1)/within)
}

// Share is Wilson's interval of a share p of the cases, for an effective number of them; right are the shares of the
// folds, and all their numbers of cases (participants, also where p counts graphs).
func (v Validation) Share(p float64, right, all []float64) (low, high float64) {
	n, harmonic, folds := 0.0, 0.0, 0.0
	for _, a := range all {
		if a > 0 {
			n, harmonic, folds = n+a, harmonic+1/a, folds+1
		}
	}
	within := float64(p*(1-p)) * harmonic / folds
	return Wilson(p, n/float64(v.Correction()*inflation(right, within)))
}

// Wilson is the 95% confidence interval of a share p of n independent cases (Wilson 1927).
func Wilson(p, n float64) (low, high float64) {
	z2 := float64(normal975*normal975) / n
	center := p + float64(z2/2)
	half := math.Sqrt(float64(z2 * (float64(p*(1-p)) + float64(z2/4))))
	return max(0, min(p, (center-half)/(1+z2))), min(1, max(p, (center+half)/(1+z2)))
}

// MeanOfShares is the interval of the mean m of independent shares, from the interval of each (Zou and Donner 2008).
func MeanOfShares(m float64, share, low, high []float64) (l, h float64) {
	var below, above float64
	for k, p := range share {
		below += float64((p - low[k]) * (p - low[k]))
		above += float64((high[k] - p) * (high[k] - p))
	}
	n := float64(len(share))
	return max(0, m-math.Sqrt(below)/n), min(1, m+math.Sqrt(above)/n)
}

// AUC is the interval of a mean area a under the ROC curve: Newcombe (2006), method 5, for effective numbers of cases.
// areas are those of the folds, positive and negative the numbers of cases of all folds.
func (v Validation) AUC(a float64, areas []float64, positive, negative float64) (low, high float64) {
	k := float64(len(areas))
	inflated := float64(v.Correction() * inflation(areas, areaVariance(a, positive/k, negative/k)))
	return newcombe(a, positive/inflated, negative/inflated)
}

// ResampledAUC is the interval of AUC with the variance over resamples of the participants (of whole families, say) in
// place of that between the folds, where it is larger than the variance corrected for training participants that folds
// share. Variances are compared at the mean of the resampled areas: at an area near 1, whose own variance is near 0, no
// scale of a standard error holds its level.
func (v Validation) ResampledAUC(a float64, resampled []float64, positive, negative float64) (low, high float64) {
	mean, variance := meanVariance(resampled)
	inflated := v.Correction()
	if of := variance / areaVariance(mean, positive, negative); of > inflated {
		inflated = of
	}
	return newcombe(a, positive/inflated, negative/inflated)
}

// areaVariance is that of an area under the ROC curve of n1 and n0 cases (Hanley and McNeil 1982) whose exponential
// model has the mean number of cases for both (Newcombe 2006, method 5).
func areaVariance(a, n1, n0 float64) float64 {
	n := max(0, float64((n1+n0)/2)-1)
	of := 1 + float64(float64(n*(1-a))/(2-a)) + float64(float64(n*a)/(1+a))
	return float64(a*(1-a)) * of / float64(n1*n0)
}

// newcombe is the interval of an area a of n1 and n0 cases.
func newcombe(a, n1, n0 float64) (low, high float64) {
	return newcombeBy(a, func(x float64) float64 { return areaVariance(x, n1, n0) })
}

// newcombeBy solves |a − x| = z√v(x) on either side of a.
func newcombeBy(a float64, variance func(x float64) float64) (low, high float64) {
	if math.IsNaN(a) {
		return a, a
	}
	solve := func(out float64) float64 {
		in := a // its distance from a is too small, that of out too large
		for range 60 {
			x := float64((in + out) / 2)
			if math.Abs(a-x) < normal975*math.Sqrt(variance(x)) {
				in = x
			} else {
				out = x
			}
		}
		return (in + out) / 2
	}
	return solve(0), solve(1)
}

// Brier is the interval of a mean m of losses between 0 and 1, on the scale of log(m/(1−m)). losses are those of the
// participants of each fold.
func (v Validation) Brier(m float64, losses [][]float64) (low, high float64) {
	half := v.lossSE(losses) / float64(m*(1-m))
	odds := m / (1 - m)
	l, h := float64(odds*exact.Exp(-half)), float64(odds*exact.Exp(half))
	return l / (1 + l), h / (1 + h)
}

// Error is the interval of a mean m of positive losses, on the logarithmic scale. losses are those of the participants
// of each fold.
func (v Validation) Error(m float64, losses [][]float64) (low, high float64) {
	half := v.lossSE(losses) / m
	return m * exact.Exp(-half), m * exact.Exp(half)
}

// lossSE is Student's t times the standard error of the mean of losses; NaN where they do not vary.
func (v Validation) lossSE(losses [][]float64) float64 {
	var all, means []float64
	harmonic := 0.0
	for _, fold := range losses {
		m, _ := meanVariance(fold)
		all, means, harmonic = append(all, fold...), append(means, m), harmonic+1/float64(len(fold))
	}
	_, s2 := meanVariance(all)
	within := s2 * harmonic / float64(len(losses))
	variance := within * inflation(means, within)
	if !(variance > 0) {
		return math.NaN()
	}
	k := float64(len(losses))
	n := float64(len(all)) / v.Correction()
	return studentQuantile(n-1) * math.Sqrt(float64(variance*v.Correction())/k)
}

// R is the interval of a mean correlation r, on Fisher's scale, where that of a fold of n participants has the variance
// 1/(n−3). rs are those of the folds. It is NaN where a fold has three participants or fewer.
func (v Validation) R(r float64, rs []float64) (low, high float64) {
	within := 0.0
	z := make([]float64, len(rs))
	for k, n := range v.Test {
		if n <= 3 {
			return math.NaN(), math.NaN()
		}
		within += 1 / (n - 3) / float64(len(rs))
		z[k] = fisher(rs[k])
	}
	variance := within * inflation(z, within)
	half := float64(normal975 * math.Sqrt(float64(variance*v.Correction())/float64(len(rs))))
	return exact.Tanh(fisher(r) - half), exact.Tanh(fisher(r) + half)
}

// fisher is atanh r of an r that is not quite ±1.
func fisher(r float64) float64 { return exact.Atanh(max(-0.999, min(0.999, r))) }

// R2 is the interval of the mean of R² = 1 − Σe/Σd over the folds, on the scale of log(1 − R²). squared are the squared
// errors e of the participants of each fold, and about their squared distances d from the mean of their fold.
func (v Validation) R2(squared, about [][]float64) (low, high float64) {
	var ratios []float64
	within, n := 0.0, 0
	for k, e := range squared {
		var sumE, sumD float64
		for i := range e {
			sumE, sumD = sumE+e[i], sumD+about[k][i]
		}
		if sumD == 0 || len(e) < 2 {
			continue
		}
		ratio, mean := sumE/sumD, sumD/float64(len(e))
		influence := make([]float64, len(e)) // of each participant on the ratio (delta method)
		for i := range e {
			influence[i] = (e[i] - float64(ratio*about[k][i])) / mean
		}
		_, s2 := meanVariance(influence)
		ratios, within, n = append(ratios, ratio), within+s2/float64(len(e)), n+len(e)
	}
	k := float64(len(ratios))
	within /= k
	mean, _ := meanVariance(ratios)
	variance := within * inflation(ratios, within)
	if !(variance > 0) || !(mean > 0) {
		return math.NaN(), math.NaN()
	}
	half := studentQuantile(float64(n)/v.Correction()-1) * math.Sqrt(float64(variance*v.Correction())/k) / mean
	return 1 - float64(mean*exact.Exp(half)), 1 - float64(mean*exact.Exp(-half))
}

// numbers are the intervals of R, R2 and MAE; R2Trained has none.
func (v Validation) numbers(folds []NumberFold, of NumberScore) (low, high NumberScore) {
	var rs []float64
	var squared, about, absolute [][]float64
	with := Validation{} // folds that have r
	for k, f := range folds {
		mean, _ := meanVariance(f.Target)
		var e, d, a []float64
		for i, y := range f.Target {
			miss := y - f.Predicted[i]
			e, d, a = append(e, float64(miss*miss)), append(d, float64((y-mean)*(y-mean))), append(a, math.Abs(miss))
		}
		if absolute = append(absolute, a); !f.hasR() {
			continue
		}
		if k < len(v.Test) {
			with.Test, with.Train = append(with.Test, v.Test[k]), append(with.Train, v.Train[k])
		}
		squared, about = append(squared, e), append(about, d)
		r := f.Score().R
		if f.constant() { // it counts as 0 in the mean
			r = 0
		}
		rs = append(rs, r)
	}
	low.R, high.R = with.R(of.R, rs)
	low.R2, high.R2 = with.R2(squared, about)
	low.MAE, high.MAE = v.Error(of.MAE, absolute)
	low.R2Trained, high.R2Trained = math.NaN(), math.NaN()
	return low, high
}

// meanVariance are the mean and the variance (n−1).
func meanVariance(x []float64) (mean, variance float64) {
	mean = exact.Mean(x)
	for _, v := range x {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(x)-1)
}

// studentQuantile is the 97.5% point of Student's t, for the whole number of degrees of freedom; NaN without one.
func studentQuantile(degrees float64) float64 {
	if !(degrees >= 1) {
		return math.NaN()
	}
	whole := int(min(degrees, 1e4))
	low, high := 0.0, 13.0 // 12.7 for one degree
	for range 60 {
		if mid := (low + high) / 2; StudentP(mid, whole) > 0.05 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
