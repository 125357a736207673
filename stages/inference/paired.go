package inference

import (
	"math"
	"math/big"
	"slices"
)

// CorrectedT compares two classifiers by their differences in every fold of every
// repeat of one cross-validation. The folds share most of their training data, so
// that the variance of the mean is larger than s²/J; the corrected resampled t-test
// takes s²·(1/J + test/train), with J−1 degrees of freedom (Nadeau and Bengio 2003,
// section 3). testShare is test/train, the ratio of the sizes of the two sides. All are NaN
// when there are fewer than two differences or they do not vary.
func CorrectedT(difference []float64, testShare float64) (t, p float64) {
	j := float64(len(difference))
	mean, v := 0.0, 0.0
	for _, d := range difference {
		mean += d
	}
	mean /= j
	for _, d := range difference {
		v += float64((d - mean) * (d - mean))
	}
	v /= j - 1
	if !(v > 1e-24*float64(mean*mean)) { // nothing but rounding
		return math.NaN(), math.NaN()
	}
	t = mean / math.Sqrt(float64(v*(1/j+testShare)))
	return t, StudentP(t, len(difference)-1)
}

// StudentP is the two-sided p of Student's t with a whole number of degrees of
// freedom, by the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4. Its
// absolute error is that of rounding, some 1e-16 times the degrees.
func StudentP(t float64, degrees int) float64 {
	if math.IsNaN(t) || degrees < 1 {
		return math.NaN()
	}
	n := float64(degrees)
	tan := math.Abs(t) / math.Sqrt(n)
	cos2 := 1 / (1 + float64(tan*tan))
	sin := math.Sqrt(1 - cos2)
	if tan < 1 { // 1 − cos² would lose the small digits
		sin = tan * math.Sqrt(cos2)
	}
	inside := 0.0 // the chance of a smaller |t|
	if degrees%2 == 1 {
		term := math.Sqrt(cos2)
		for k := 3; k <= degrees; k += 2 {
			inside += term
			term *= float64(cos2*float64(k-1)) / float64(k)
		}
		inside = (arctan(tan) + float64(sin*inside)) * (2 / math.Pi)
	} else {
		term := 1.0
		for k := 2; k <= degrees; k += 2 {
			inside += term
			term *= float64(cos2*float64(k-1)) / float64(k)
		}
		inside *= sin
	}
	return min(1, max(0, 1-inside))
}

// arctan of x ≥ 0: halved three times by arctan x = 2 arctan(x/(1+√(1+x²))), then its
// series. It has the same bits on every machine, which math.Atan does not promise.
func arctan(x float64) float64 {
	if math.IsInf(x, 1) {
		return math.Pi / 2
	}
	if x > 1 {
		return math.Pi/2 - arctan(1/x)
	}
	for range 3 {
		x /= 1 + math.Sqrt(1+float64(x*x))
	}
	x2, sum := float64(x*x), 0.0
	for k := 15; k >= 0; k-- { // x ≤ tan(π/32) < 0.1
		sum = 1/float64(2*k+1) - float64(x2*sum)
	}
	return 8 * x * sum
}

// McNemar is the two-sided exact p of McNemar's test for a participants classified correctly only by the
// first classifier and b only by the second: under the null, either is equally likely (McNemar 1947; a
// binomial test).
func McNemar(a, b int) float64 {
	n, low := int64(a+b), int64(min(a, b))
	sum, c := new(big.Int), new(big.Int)
	for k := range low + 1 {
		sum.Add(sum, c.Binomial(n, k))
	}
	sum.Lsh(sum, 1)
	p, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return min(1, p)
}

// Holm adjusts p-values to control the family-wise error rate (Holm 1979). NaN stays NaN and does not
// count.
func Holm(p []float64) []float64 {
	at := ascending(p)
	out := nans(len(p))
	most := 0.0
	for i, j := range at {
		most = max(most, min(1, p[j]*float64(len(at)-i)))
		out[j] = most
	}
	return out
}

// HolmAtBest is what Holm gives for test i if its p is least, the smallest that it can have, and the others are as they
// are.
func HolmAtBest(p []float64, i int, least float64) float64 {
	p = slices.Clone(p)
	p[i] = least
	return Holm(p)[i]
}

// FDR gives q-values: claiming all with q ≤ x, a share x of the claims is false on
// average (Benjamini and Hochberg 1995). NaN stays and does not count.
func FDR(p []float64) []float64 {
	at := ascending(p)
	out := nans(len(p))
	least := 1.0
	for i, j := range slices.Backward(at) {
		least = min(least, max(p[j], p[j]*float64(len(at))/float64(i+1))) // rounding must not bring q below p
		out[j] = least
	}
	return out
}

// ascending lists the places of the numbers, the smallest first.
func ascending(p []float64) []int {
	var at []int
	for i, x := range p {
		if !math.IsNaN(x) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return compare(p[a], p[b]) })
	return at
}

func nans(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}
