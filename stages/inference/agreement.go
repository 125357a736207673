package inference

import (
	"cmp"
	"math"
	"math/bits"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// An Agreement tells how far several rankings of the same n regions agree. Means are
// over the pairs of rankings. What chance gives is meant for rankings in random order.
type Agreement struct {
	Rankings, K  int
	Common       float64 // regions that the first K of two rankings have in common; equal values in random order
	CommonChance float64 // K²/n
	Every        int     // regions that are among the first K of every ranking, in whatever order of equal values
	EveryChance  float64 // n(K/n)^rankings
	Jaccard      float64 // common, of the regions that are in either
	JaccardLuck  float64 // what chance gives
	Kuncheva     float64 // (common − K²/n)/(K − K²/n): 0 by chance, 1 for the same (Kuncheva 2007)
	Spearman     float64 // of all n regions; 0 by chance
	Kendall      float64 // τ_b, likewise
	P            float64 // chance that rankings in random order have as much in common
}

// manyRankings is from where on no two rankings are compared by their order. The means over pairs are the same then but
// for rounding; the number of rankings alone decides.
const manyRankings = 4096

// Agree compares rankings, each given by the scores of the n regions: the first K
// are those of highest score. P is found with that many sets of random rankings.
func Agree(scores [][]float64, k, resamples int, s *random.Stream) Agreement {
	n, m := len(scores[0]), len(scores)
	k = min(k, n)
	a := Agreement{Rankings: m, K: k, CommonChance: float64(k*k) / float64(n), EveryChance: float64(n),
		JaccardLuck: expectedJaccard(n, k)}
	first := make([]topRegions, m)
	times, alone := make([]float64, n), 0.0 // in how many rankings a region is among the first
	for i, v := range scores {
		top := Top(v, k)
		first[i] = regionsOf(top)
		a.EveryChance *= float64(k) / float64(n)
		for j, share := range top {
			times[j] += share
			alone += float64(share * share)
		}
	}
	for _, t := range times {
		if t == float64(m) {
			a.Every++
		}
	}
	seen := (dense.SumSquares(times) - alone) / 2
	for i := range m {
		for j := range i {
			both, either := first[i].overlap(first[j])
			a.Common += both
			a.Jaccard += both / either
		}
	}
	pairs := float64(m) * float64(m-1) / 2
	a.Common /= pairs
	a.Jaccard /= pairs
	if m <= manyRankings {
		a.Spearman, a.Kendall = orders(scores)
	} else {
		a.Spearman, a.Kendall = manyOrders(scores)
	}
	a.Kuncheva = (a.Common - a.CommonChance) / (float64(k) - a.CommonChance)
	a.P = agreeByChance(seen, m, n, k, resamples, s)
	return a
}

// orders are the mean correlations of the ranks of two rankings, Spearman's and Kendall's.
func orders(scores [][]float64) (spearman, kendall float64) {
	ranked := make([]*ranking, len(scores))
	pairs := 0.0
	for i, v := range scores {
		ranked[i] = newRanking(v)
		for j := range i {
			spearman += ranked[i].spearman(ranked[j])
			kendall += ranked[i].kendall(ranked[j])
			pairs++
		}
	}
	return spearman / pairs, kendall / pairs
}

// manyOrders is orders without pairs of rankings. Both correlations are products of two vectors of length 1, the
// centered ranks and the signs of the differences of all pairs of regions; and over all pairs of m such vectors the
// products add up to (‖sum‖² − m)/2.
func manyOrders(scores [][]float64) (spearman, kendall float64) {
	n, m := len(scores[0]), float64(len(scores))
	ranks, signs := make([]float64, n), make([]float64, n*(n-1)/2)
	for _, v := range scores {
		x := newRanking(v)
		rank, sign := 1/math.Sqrt(x.square), 1/math.Sqrt(float64(x.untied))
		at := 0
		for i, c := range x.center {
			ranks[i] += float64(c * rank)
			for _, other := range x.center[:i] {
				signs[at] += float64(float64(cmp.Compare(c, other)) * sign)
				at++
			}
		}
	}
	mean := func(sum []float64) float64 { return (dense.SumSquares(sum) - m) / (m * (m - 1)) }
	return mean(ranks), mean(signs)
}

// topRegions are the first regions of a ranking: a bit each, or by the shares of Top where equal values are at the
// border.
type topRegions struct {
	set    []uint64
	shares []float64 // nil without such a border
}

func regionsOf(top []float64) topRegions {
	of := topRegions{set: make([]uint64, (len(top)+63)/64)}
	for i, share := range top {
		switch share {
		case 0:
		case 1:
			of.set[i/64] |= 1 << (i % 64)
		default:
			of.shares = top
		}
	}
	return of
}

// share is the probability that a region is among the first.
func (a topRegions) share(i int) float64 {
	if a.shares != nil {
		return a.shares[i]
	}
	return float64(a.set[i/64] >> (i % 64) & 1)
}

// overlap counts what two tops have in common, and what is in either, as expected in random order of equal values.
func (a topRegions) overlap(b topRegions) (both, either float64) {
	if a.shares == nil && b.shares == nil {
		var common, all int
		for i, word := range a.set {
			common += bits.OnesCount64(word & b.set[i])
			all += bits.OnesCount64(word | b.set[i])
		}
		return float64(common), float64(all)
	}
	for i := range max(len(a.shares), len(b.shares)) {
		x, y := a.share(i), b.share(i)
		both += float64(x * y)
		either += x + y - float64(x*y)
	}
	return both, either
}

// shared is the number of (pair of rankings, region) in which both have the region
// among the first: the mean overlap, but for a factor.
func shared(times []int) int {
	sum := 0
	for _, t := range times {
		sum += t * (t - 1) / 2
	}
	return sum
}

// agreeByChance is the permutation p of a number of shared regions, (b+1)/(r+1),
// for m random sets of k regions out of n.
func agreeByChance(seen float64, m, n, k, resamples int, s *random.Stream) float64 {
	deck, times, as := lists.UpTo(n), make([]int, n), 0
	for range resamples {
		clear(times)
		for range m {
			for i := range k { // the first k of a shuffle (Fisher and Yates)
				j := i + s.IntN(n-i)
				deck[i], deck[j] = deck[j], deck[i]
				times[deck[i]]++
			}
		}
		if AsLarge(float64(shared(times)), seen) {
			as++
		}
	}
	return PermutationP(as, resamples)
}

// expectedJaccard is the mean Jaccard index of two random sets of k out of n: the
// number in common follows the hypergeometric distribution.
func expectedJaccard(n, k int) float64 {
	sum := 0.0
	for r := max(0, 2*k-n); r <= k; r++ {
		// C(k,r)·C(n−k,k−r)/C(n,k), as a product of ratios that stay near 1.
		p := 1.0
		for i := range k {
			switch {
			case i < r:
				p *= float64(k-i) / float64(i+1) // C(k,r)
			default:
				p *= float64(n-k-(i-r)) / float64(i-r+1) // C(n−k,k−r)
			}
			p *= float64(i+1) / float64(n-i) // 1/C(n,k)
		}
		sum += float64(p * float64(r) / float64(2*k-r))
	}
	return sum
}

// PermutationP is the p of a permutation test in which as many permutations out of
// all gave at least what was seen: (as+1)/(all+1), never 0, since the data as they
// are count as one (Phipson and Smyth 2010).
func PermutationP(as, all int) float64 { return float64(as+1) / float64(all+1) }

// Significant is the decision of every test at the level 0.05: p < 0.05. A p of exactly 0.05, as the 1/20 of 19
// permutations or a multiple of another p, is not below it, however it is rounded.
func Significant(p float64) bool { return p < 0.05-1e-12 }

// LeastPermutations is how many permutations a test needs: with fewer, no p is below 0.05.
const LeastPermutations = 20

// Powerless reports whether no outcome of a test could be significant, by the smallest p that it can give; false of 0
// and NaN, which are unknown.
func Powerless(least float64) bool { return least > 0 && !Significant(least) }

// AsLarge reports whether a value is at least another, but for rounding: what is equal by
// definition may have been summed in another order.
func AsLarge(x, than float64) bool { return x >= than-float64(1e-10*max(1, math.Abs(than))) }
