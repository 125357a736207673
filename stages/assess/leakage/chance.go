package leakage

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// chanceOfAny bounds the probability that any two unrelated traces of a run, mean or filtered ones each, count as one
// scan: a pair does only if its probability at its lag is at most chanceOfAny divided by the number of comparisons,
// each pair at each lag (Bonferroni).
const chanceOfAny = 0.005

// stationaryReach is the longest overlap whose stationary basis is worth its time; for longer ones cosines suffice.
const stationaryReach = 256

// comparisons counts the pairs of traces at all lags, of mean and of filtered traces.
func comparisons(all []*trace) (of [2]float64) {
	example, count := map[[2]int]*trace{}, map[[2]int]float64{} // by regions and length
	for _, x := range all {
		key := [2]int{x.regions, x.len()}
		example[key] = x
		count[key]++
	}
	for a, x := range example {
		for b, y := range example {
			if low, high := x.lags(y); a[0] == b[0] && high >= low {
				pairs := count[a] * count[b] / 2 // each is met twice
				if a == b {
					pairs = count[a] * (count[a] - 1) / 2
				}
				of[x.kind()] += pairs * float64(high-low+1) // of whole and half numbers: exact in any order
			}
		}
	}
	return of
}

// kind is 0 of mean traces and 1 of filtered ones.
func (x *trace) kind() int { return min(x.regions, 1) }

// chance is the logarithm of a bound on the probability that two unrelated traces correlate at a lag at least as much
// as these, with either sign.
//
// In a basis in which their values are independent, two stationary Gaussian series with one spectrum are pairs (a, b)
// of normal numbers with equal variance. Given a² + b², the angle of such a pair is uniform, whatever the variance.
// With both windows of length 1 and w = (a² + b²)/2, so that Σw = 1, the vectors of length w at twice these angles add
// up to (½Σ(a² − b²), Σab) = (0, r). So r is at most as probable as that a walk of steps w in random directions
// (Kluyver 1906) ends at |r| or farther. (Before the windows are divided by their lengths, these have squares 1 ± d:
// |r| = |Σab|/√(1 − d²), and (Σab)² + d² ≥ r². Taking w after the division changes it in the order of d.) Only the
// basis is estimated, and different spectra make r rarer. The basis is one in time and, for several channels, the
// directions in which the channels of both are uncorrelated.
//
// Cosines are fast to compute and make the values nearly independent in time. For a narrow band the eigenvectors of the
// covariance of the whole traces do so better. The larger of the two probabilities counts; the second is computed only
// where the first is at most least.
func (x *trace) chance(y *trace, lag int, least float64) (float64, error) {
	from, to := x.overlap(y, lag)
	n := to - from
	u, v := x.window(from, to), y.window(from+lag, to+lag)
	r := math.Abs(dense.Dot(u, v))
	if channels := len(x.channels); channels > 1 {
		a, b := dense.Rows(u, n), dense.Rows(v, n)
		gram := make([]float64, channels*channels)
		dense.Multiply(gram, channels, a, a.T(), channels, n, channels, false, 1)
		dense.Multiply(gram, channels, b, b.T(), channels, n, channels, true, 1)
		_, turn, err := dense.Eigen(gram, channels)
		if err != nil {
			return 0, err
		}
		turned := make([]float64, 2*len(u))
		dense.Multiply(turned, n, dense.Rows(turn, channels), a, channels, channels, n, false, 1)
		dense.Multiply(turned[len(u):], n, dense.Rows(turn, channels), b, channels, channels, n, false, 1)
		u, v = turned[:len(u)], turned[len(u):]
	}
	var all []int
	for j := range n - 1 {
		all = append(all, j+1)
	}
	p := chanceOfWalk(steps(u, v, cosines(n, all), n), r)
	if p > least || n > stationaryReach {
		return p, nil
	}
	basis, err := x.stationaryBasis(y, n)
	if err != nil {
		return 0, err
	}
	return max(p, chanceOfWalk(steps(u, v, basis, n), r)), nil
}

// window is a part of a trace, channel by channel, each about its mean there, of length 1 in all.
func (x *trace) window(from, to int) []float64 {
	n := to - from
	out := make([]float64, 0, n*len(x.channels))
	for c, v := range x.channels {
		mean := (x.sum[c][to] - x.sum[c][from]) / float64(n)
		for _, a := range v[from:to] {
			out = append(out, a-mean)
		}
	}
	scale := 1 / math.Sqrt(dense.SumSquares(out))
	for i := range out {
		out[i] *= scale
	}
	return out
}

// steps are the halves of a² + b² of two windows of n values a channel in a basis, n × any.
func steps(u, v, basis []float64, n int) []float64 {
	width, channels := len(basis)/n, len(u)/n
	w, in := make([]float64, width*channels), make([]float64, width*channels)
	for _, window := range [][]float64{u, v} {
		dense.Multiply(in, width, dense.Rows(window, n), dense.Rows(basis, width), channels, n, width, false, 1)
		for i, a := range in {
			w[i] += float64(a*a) / 2
		}
	}
	return w
}

// stationaryBasis are the eigenvectors, n × n, one a column, of the covariance that n values about their mean have if
// they are autocorrelated as two traces are (Karhunen 1947; Loève 1948).
func (x *trace) stationaryBasis(y *trace, n int) ([]float64, error) {
	auto := make([]float64, n)
	for _, t := range []*trace{x, y} {
		whole := t.window(0, t.len())
		for ; len(whole) > 0; whole = whole[t.len():] {
			for lag := range auto {
				auto[lag] += dense.Dot(whole[:t.len()-lag], whole[lag:t.len()])
			}
		}
	}
	covariance, mean, whole := make([]float64, n*n), make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			covariance[i*n+j] = auto[max(i-j, j-i)]
			mean[i] += covariance[i*n+j] / float64(n)
		}
		whole += mean[i] / float64(n)
	}
	for i := range covariance {
		covariance[i] += whole - mean[i/n] - mean[i%n]
	}
	_, vectors, err := dense.Eigen(covariance, n)
	if err != nil {
		return nil, err
	}
	basis := make([]float64, n*n)
	for i := range basis {
		basis[i] = vectors[i%n*n+i/n]
	}
	return basis, nil
}

// chanceOfWalk is the logarithm of a bound on the probability that steps of these lengths, of sum 1, in uniformly
// random directions end at a distance of r or more from their beginning. The projection of the end on any direction
// has the generating function Π I₀(tw), which is the mean of I₀(t·distance); by Markov's inequality the probability is
// at most Π I₀(tw)/I₀(tr) for each t > 0; t is about the best one for the projection (Chernoff 1952). Steps shorter
// than a hundredth of the longest are taken straight ahead: in a narrow band they leak from the others and are not
// free.
func chanceOfWalk(steps []float64, r float64) float64 {
	w, least := make([]float64, 0, len(steps)), slices.Max(steps)/100
	for _, a := range steps {
		if a < least {
			r -= a
		} else {
			w = append(w, a)
		}
	}
	if r <= 0 {
		return 0
	}
	t := 0.0
	for range 60 { // the bound holds at any t; two to ten steps are usual
		slope, curve := -r, 0.0
		for _, a := range w {
			_, ratio, bend := bessel(t * a)
			slope += float64(a * ratio)
			curve += float64(float64(a*a) * bend)
		}
		if slope >= -1e-6 || !(curve > 0) { // r of 1: as large as it gets
			break
		}
		t -= slope / curve // the slope is concave in t: never too far
	}
	at, _, _ := bessel(t * r)
	p := -at
	for _, a := range w {
		log, _, _ := bessel(t * a)
		p += log
	}
	return p
}

// bessel is log I₀(x), its derivative I₁(x)/I₀(x), and the derivative of that, for x ≥ 0: by the power series, and from
// 20 on by the asymptotic one (Abramowitz & Stegun 1964, 9.6.10 and 9.7.1), to 1e-6; the slope to 1e-3.
func bessel(x float64) (log, ratio, slope float64) {
	if x > 20 {
		q := 1 / (8 * x)
		i0 := 1 + float64(q*(1+float64(q*(4.5+float64(q*37.5)))))
		i1 := 1 - float64(q*(3+float64(q*(7.5+float64(q*52.5)))))
		return x - exact.Log(2*math.Pi*x)/2 + exact.Log(i0), i1 / i0, (1 + float64(4*q) + float64(48*q*q)) / (2 * x * x)
	}
	q := x * x / 4
	i0, i1, a, b := 1.0, 1.0, 1.0, 1.0
	for k := 1.0; a > 1e-17*i0; k++ {
		a = float64(a * (q / (k * k)))
		b = float64(b * (q / (k * (k + 1))))
		i0 += a
		i1 += b
	}
	half := float64(i1 / i0 / 2) // I₁/(x·I₀)
	ratio = x * half
	return exact.Log(i0), ratio, 1 - half - float64(ratio*ratio)
}

// A likeness is a pair of traces that correlate by enough to be of one scan.
type likeness struct {
	later, first int     // places
	chance       float64 // logarithm of the bound on its probability
	match        matched
	fold.Duplicate
}

// A matched is the pair of traces of a likeness.
type matched struct {
	First, Later           string // participants
	Filtered               bool   // else mean signals
	R                      float64
	Volumes, Lag           int
	FirstInput, LaterInput string // files
}

// mostTold is how many pairs that may be alike by chance are named.
const mostTold = 5

// rarest keeps the pairs that are least probable by chance, in this order.
func rarest(pairs []likeness) []likeness {
	slices.SortFunc(pairs, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(a.chance, b.chance), cmp.Compare(a.later, b.later), cmp.Compare(a.first, b.first))
	})
	return pairs[:min(mostTold, len(pairs))]
}

// byChance are the pairs that correlate by enough, but no more than unrelated traces may in that many comparisons.
type byChance struct {
	count  int        // of them all
	rarest []likeness // some of them
	least  [2]float64 // of mean and filtered traces: the logarithm of the probability that a pair of one scan has
}

// text is the metadata column.AlikeByChance; "" where there are none.
func (c byChance) text(s *Leakage) string {
	if c.count == 0 {
		return ""
	}
	return column.JSON(map[string]any{"N": c.count, "Mean": s.Correlation, "Filtered": s.Filtered,
		"LeastMean": exact.Exp(c.least[0]), "LeastFiltered": exact.Exp(c.least[1]), "Any": chanceOfAny,
		"Rarest": lists.Map(c.rarest, func(l likeness) matched { return l.match })})
}
