package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Joint is one statistic of a whole multiverse (Steegen et al. 2016; Simonsohn, Simmons and Nelson 2020) with its p
// over the label permutations, which are the same in every universe.
type Joint struct {
	Values []float64 // of each permutation; 0 are the true labels
	P      float64
}

// A Curve is a specification curve with its joint tests.
type Curve struct {
	P, Z                    []float64 // of each universe against its own permutations: one-sided p, and mid-rank z
	Median, Share, Stouffer Joint     // weighted median effect, share of p < 0.05, and Σ w z / √Σ w²
	Best                    Joint     // the largest effect of all universes (Westfall and Young 1993)
	Low, High               []float64 // 2.5th and 97.5th percentile of the sorted permuted curves, by rising order
}

// SpecificationCurve tests effects, [universe][permutation] with the true labels first, with a weight for each
// universe. Effects that agree to 1e-12 are ties. NaN is for no universe and no permutation.
func SpecificationCurve(effect [][]float64, weight []float64) *Curve {
	universes, all := len(effect), len(effect[0])
	c := &Curve{P: make([]float64, universes), Z: make([]float64, universes)}
	each := func() []float64 { return make([]float64, all) }
	c.Median.Values, c.Share.Values, c.Stouffer.Values, c.Best.Values = each(), each(), each(), each()
	squares := 0.0
	for u, of := range effect {
		p, z := withinOwn(of)
		c.P[u], c.Z[u] = p[0], z[0]
		squares += float64(weight[u] * weight[u])
		for b := range of {
			if Significant(p[b]) {
				c.Share.Values[b] += weight[u]
			}
			c.Stouffer.Values[b] += float64(weight[u] * z[b])
		}
	}
	curves := make([][]float64, universes) // by rank: of the permutations, without the true labels
	column := make([]float64, universes)
	for b := range all {
		for u := range effect {
			column[u] = effect[u][b]
		}
		c.Stouffer.Values[b] /= math.Sqrt(squares)
		c.Share.Values[b] = min(1, c.Share.Values[b]) // weights that are rounded may sum to more
		c.Median.Values[b] = weightedMedian(column, weight)
		slices.Sort(column)
		c.Best.Values[b] = column[universes-1]
		for at, v := range column {
			if b > 0 {
				curves[at] = append(curves[at], v)
			}
		}
	}
	for _, of := range curves {
		slices.Sort(of)
		c.Low, c.High = append(c.Low, Quantile(of, 0.025)), append(c.High, Quantile(of, 0.975))
	}
	for _, j := range []*Joint{&c.Median, &c.Share, &c.Stouffer, &c.Best} {
		as := lists.Count(j.Values[1:], func(v float64) bool { return v >= j.Values[0]-1e-12 })
		j.P = PermutationP(as, all-1)
	}
	return c
}

// withinOwn ranks each value among all: p is the share that is at least as large, and z the normal quantile of the
// mid-rank.
func withinOwn(of []float64) (p, z []float64) {
	n := len(of)
	rounded := make([]float64, n)
	for i, v := range of {
		rounded[i] = math.RoundToEven(v*1e12) / 1e12
	}
	mid := Ranks(rounded) // 1 is the largest
	at := order(rounded)
	p, z = make([]float64, n), make([]float64, n)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && rounded[at[hi]] == rounded[at[lo]] {
			hi++
		}
		for _, i := range at[lo:hi] {
			p[i] = float64(hi) / float64(n)
			z[i] = -NormalQuantile((mid[i] - 0.5) / float64(n))
		}
		lo = hi
	}
	return p, z
}

// weightedMedian is the value at a cumulative weight of one half; at exactly one half, the mean of the two values.
func weightedMedian(x, weight []float64) float64 {
	at := order(x)
	slices.Reverse(at)
	total := dense.Sum(weight)
	sum := 0.0
	for k, i := range at {
		sum += weight[i] / total
		if math.Abs(sum-0.5) < 1e-12 {
			return (x[i] + x[at[k+1]]) / 2
		}
		if sum > 0.5 {
			return x[i]
		}
	}
	return x[at[len(at)-1]]
}

// Explained is the share of the variance of the effects that one decision explains alone: R² of the means of its
// options. option are the places of the options. NaN where the effects do not vary.
func Explained(effect []float64, option []int) float64 {
	mean := 0.0
	sums, counts := make([]float64, slices.Max(option)+1), make([]float64, slices.Max(option)+1)
	for i, e := range effect {
		mean += e / float64(len(effect))
		sums[option[i]] += e
		counts[option[i]]++
	}
	between, total := 0.0, 0.0
	for i, e := range effect {
		total += float64((e - mean) * (e - mean))
		d := sums[option[i]]/counts[option[i]] - mean
		between += float64(d * d)
	}
	if total <= 1e-24*float64(len(effect)) {
		return math.NaN()
	}
	return between / total
}

// AmongTop is, of each element, the share of the rankings in which it is among the top, the largest values, and its
// median rank.
func AmongTop(rankings [][]float64, top int) (share, rank []float64) {
	ranks := make([][]float64, len(rankings[0]))
	share, rank = make([]float64, len(ranks)), make([]float64, len(ranks))
	for _, of := range rankings {
		for i, r := range Ranks(of) {
			if ranks[i] = append(ranks[i], r); r <= float64(top) {
				share[i]++
			}
		}
	}
	for i, of := range ranks {
		slices.Sort(of)
		rank[i], share[i] = Quantile(of, 0.5), share[i]/float64(len(rankings))
	}
	return share, rank
}

// NormalQuantile is the quantile of the standard normal distribution: algorithm AS 241, PPND16 (Wichura 1988), to about
// 1e-16.
func NormalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * polynomial(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
			1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4,
			2.5090809287301226727e3) /
			polynomial(r, 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
				2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)
	}
	r := math.Sqrt(-exact.Log(min(p, 1-p)))
	var z float64
	if r <= 5 {
		r -= 1.6
		z = polynomial(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
			3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
			2.27238449892691845833e-2, 7.74545014278341407640e-4) /
			polynomial(r, 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
				1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
				1.05075007164441684324e-9)
	} else {
		r -= 5
		z = polynomial(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
			2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
			2.71155556874348757815e-5, 2.01033439929228813265e-7) /
			polynomial(r, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
				7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
				2.04426310338993978564e-15)
	}
	if q < 0 {
		return -z
	}
	return z
}

// polynomial has the coefficients of rising powers.
func polynomial(x float64, c ...float64) float64 {
	sum := 0.0
	for _, v := range slices.Backward(c) {
		sum = float64(sum*x) + v
	}
	return sum
}
