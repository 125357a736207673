package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// A NumberFold holds the predictions of a number for the test participants of one fold.
type NumberFold struct {
	Person            []int // numbers of the participants
	Target, Predicted []float64
	Mean              float64 // of the target over the training participants
}

// A NumberScore compares predictions of a number with what was observed.
type NumberScore struct {
	R         float64 // Pearson's correlation; NaN where one of the two does not vary, or the fold has no r
	R2        float64 // 1 − Σ(y−ŷ)²/Σ(y−ȳ)², ȳ being the mean of the test participants; NaN where the fold has no r
	R2Trained float64 // the same about the mean of the training participants
	MAE       float64 // mean absolute error
}

func (s NumberScore) values() [4]float64 { return [4]float64{s.R, s.R2, s.R2Trained, s.MAE} }

// Score scores a fold.
func (f NumberFold) Score() NumberScore {
	return f.score(f.Target, func(int) float64 { return 1 })
}

// score takes the target of each participant, and how often the participant counts. R² stays about the mean of all of
// them: about that of resampled participants, of whom some are the same, it would be too small.
func (f NumberFold) score(target []float64, weight func(person int) float64) NumberScore {
	var n, sumY, sumP, wrong, center float64
	for i, y := range target {
		w := weight(f.Person[i])
		center += y / float64(len(target))
		n, sumY, sumP = n+w, sumY+float64(w*y), sumP+float64(w*f.Predicted[i])
		wrong += float64(w * math.Abs(y-f.Predicted[i]))
	}
	meanY, meanP := sumY/n, sumP/n
	var yy, pp, yp, squares, tested, trained float64
	for i, y := range target {
		w := weight(f.Person[i])
		dy, dp, miss := y-meanY, f.Predicted[i]-meanP, y-f.Predicted[i]
		yy += float64(w * float64(dy*dy))
		pp += float64(w * float64(dp*dp))
		yp += float64(w * float64(dy*dp))
		squares += float64(w * float64(miss*miss))
		tested += float64(w * float64((y-center)*(y-center)))
		trained += float64(w * float64((y-f.Mean)*(y-f.Mean)))
	}
	s := NumberScore{R: math.NaN(), R2: math.NaN(), R2Trained: math.NaN(), MAE: wrong / n}
	if len(target) < leastForR {
		return s
	}
	if yy > 0 && vary(pp, n, meanP) {
		s.R = max(-1, min(1, yp/math.Sqrt(yy)/math.Sqrt(pp)))
	}
	if tested > 0 {
		s.R2 = 1 - squares/tested
	}
	if trained > 0 {
		s.R2Trained = 1 - squares/trained
	}
	return s
}

// leastForR is the least number of test participants of a fold that has r and R²: r of two is 1 or −1.
const leastForR = 3

// hasR reports whether a fold has r and R²: it has enough participants, and their target varies.
func (f NumberFold) hasR() bool {
	return len(f.Target) >= leastForR && slices.ContainsFunc(f.Target, func(y float64) bool { return y != f.Target[0] })
}

// constant reports whether the model predicts the same for all participants of a fold that has r.
func (f NumberFold) constant() bool {
	if !f.hasR() {
		return false
	}
	return !Varies(f.Predicted)
}

// Varies reports whether predictions differ by more than rounding.
func Varies(v []float64) bool {
	mean, squares := exact.Mean(v), 0.0
	for _, x := range v {
		squares += float64((x - mean) * (x - mean))
	}
	return vary(squares, float64(len(v)), mean)
}

// vary reports whether n predictions differ by more than rounding, by the sum of their squared distances from the mean.
func vary(squares, n, mean float64) bool { return squares > 1e-29*n*float64(mean*mean) }

// Within is the fold without the differences between strata: the mean of each stratum of its participants is subtracted
// from the target and from the predictions.
func (f NumberFold) Within(stratum []int) NumberFold {
	f.Target, f.Predicted = slices.Clone(f.Target), slices.Clone(f.Predicted)
	for _, at := range ByStratum(stratum) {
		for _, v := range [][]float64{f.Target, f.Predicted} {
			own := lists.At(v, at)
			if center(v, at); !Varies(own) { // without rounding
				for _, i := range at {
					v[i] = 0
				}
			}
		}
	}
	return f
}

// meanScore is the mean over the folds of each measure. Those with constant predictions, constant of them, count as
// r = 0, unless all are such; otherwise folds without a measure are left out.
func meanScore(folds []NumberFold, constant int, of func(NumberFold) NumberScore) NumberScore {
	var sum [4]exact.Sum
	var n [4]float64
	for _, f := range folds {
		for k, v := range of(f).values() {
			if !math.IsNaN(v) {
				sum[k].Add(v)
				n[k]++
			}
		}
	}
	if n[0] > 0 {
		n[0] += float64(constant)
	}
	return NumberScore{sum[0].Mean(n[0]), sum[1].Mean(n[1]), sum[2].Mean(n[2]), sum[3].Mean(n[3])}
}

// MeanScore is the mean over the folds of each measure; one with constant predictions counts as r = 0, unless all are
// such.
func MeanScore(folds []NumberFold) NumberScore {
	return meanScore(folds, constants(folds), NumberFold.Score)
}

// constants counts the folds with constant predictions.
func constants(folds []NumberFold) (n int) {
	return lists.Count(folds, NumberFold.constant)
}

// A NumberTest holds measures of one model, means over its folds (see meanScore), with 95% intervals.
type NumberTest struct {
	NumberScore
	Low, High NumberScore
	Folds     int // folds that have r and R², over which these are means
	Constant  int // folds in which the model predicts the same for all participants
}

// TestNumbers scores predictions. The intervals have the target of Validation.
func TestNumbers(folds []NumberFold, v Validation) NumberTest {
	out := NumberTest{NumberScore: MeanScore(folds), Constant: constants(folds)}
	for _, f := range folds {
		if f.hasR() {
			out.Folds++
		}
	}
	out.Low, out.High = v.numbers(folds, out.NumberScore)
	return out
}

// Associate is Pearson's correlation of a covariate with a number; of a category the correlation ratio η, the square
// root of the share of the number's variance between the categories (Fisher 1925). With several strata, within is the
// same of values minus the means of their strata (of a category, of the number's), and otherwise NaN. p is the share of
// permutations of the number within each stratum with at least the magnitude of within, and with one stratum of r:
// permutations leave what differs between strata in r. Participants whose value is not known are left out. All are NaN
// where one of the two does not vary, and within and p where this is so within each stratum: no permutation changes r.
func Associate(c Covariate, number []float64, stratum []int, permutations int,
	s *random.Stream) (r, within, p float64) {
	var x, y []float64
	var st []int
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			x, y, st = append(x, v), append(y, number[i]), append(st, stratum[i])
		}
	}
	of := func() float64 { return Correlation(x, y) }
	if c.Category {
		of = func() float64 { return ratio(x, y) }
	}
	nan := math.NaN()
	if r = of(); math.IsNaN(r) {
		return nan, nan, nan
	}
	strata, as := ByStratum(st), 0
	differ := func(v []float64, at []int) bool {
		return slices.ContainsFunc(at, func(i int) bool { return v[i] != v[at[0]] })
	}
	if !slices.ContainsFunc(strata, func(at []int) bool { return differ(x, at) && differ(y, at) }) {
		return r, nan, nan
	}
	seen := r
	within = nan
	if slices.ContainsFunc(st, func(k int) bool { return k != st[0] }) {
		for _, at := range strata {
			if center(y, at); !c.Category {
				center(x, at)
			}
		}
		seen = of()
		within = seen
	}
	for range permutations {
		for _, at := range strata {
			s.Shuffle(len(at), func(i, j int) { y[at[i]], y[at[j]] = y[at[j]], y[at[i]] })
		}
		if AsLarge(math.Abs(of()), math.Abs(seen)) {
			as++
		}
	}
	return r, within, PermutationP(as, permutations)
}

// center subtracts from values their mean.
func center(v []float64, at []int) {
	mean := 0.0
	for _, i := range at {
		mean += v[i] / float64(len(at))
	}
	for _, i := range at {
		v[i] -= mean
	}
}

// ratio is the correlation ratio of y by the categories x, numbered from 0; NaN where one of the two does not vary.
func ratio(x, y []float64) float64 {
	if !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] }) {
		return math.NaN()
	}
	last := int(slices.Max(x))
	n, sum, mean := make([]float64, last+1), make([]float64, last+1), 0.0
	for i, k := range x {
		n[int(k)]++
		sum[int(k)] += y[i]
		mean += y[i] / float64(len(y))
	}
	between, all := 0.0, 0.0
	for k, m := range n {
		if m > 0 {
			d := sum[k]/m - mean
			between += float64(m * float64(d*d))
		}
	}
	for _, v := range y {
		all += float64((v - mean) * (v - mean))
	}
	if all == 0 {
		return math.NaN()
	}
	return math.Sqrt(min(1, between/all))
}
