package inference

import (
	"math"
	"slices"

	"prgnn/numeric/random"
)

// A ScoredCase is what the model of one fold made of a participant.
type ScoredCase struct {
	Person   int
	Positive bool
	Score    float64
}

// GroupAreas are areas under the ROC curve within groups of participants: the share of the pairs of a positive and a
// negative participant of one group and one fold in which the positive one has the larger score; ties count one half.
// Models of different folds have scores on different scales, so that their participants are not compared.
type GroupAreas struct {
	folds   [][]ScoredCase // by rising score
	Repeats int            // of the cross-validation
}

// NewGroupAreas takes the cases of each fold of so many repeats of the cross-validation.
func NewGroupAreas(folds [][]ScoredCase, repeats int) *GroupAreas {
	a := &GroupAreas{Repeats: repeats}
	for _, f := range folds {
		f = slices.Clone(f)
		slices.SortStableFunc(f, func(x, y ScoredCase) int { return compare(x.Score, y.Score) })
		a.folds = append(a.folds, f)
	}
	return a
}

// Of are the areas of the groups, numbered from 0; group is that of each participant, −1 for none. A group without a
// pair has none (NaN).
func (a *GroupAreas) Of(group []int, groups int) []float64 {
	above, pairs := make([]float64, groups), make([]float64, groups)
	for _, f := range a.folds {
		below, all := make([]float64, groups), make([][2]float64, groups) // negatives with smaller scores; of a tie
		positives := make([]float64, groups)
		for i, c := range f {
			g := group[c.Person]
			if g >= 0 && c.Positive {
				positives[g]++
				all[g][1]++
			} else if g >= 0 {
				all[g][0]++
			}
			if i+1 < len(f) && f[i+1].Score == c.Score {
				continue
			}
			for g, tie := range all {
				above[g] += float64(tie[1] * (below[g] + float64(tie[0]/2)))
				below[g] += tie[0]
				all[g] = [2]float64{}
			}
		}
		for g := range groups {
			pairs[g] += float64(positives[g] * below[g])
		}
	}
	for g := range above {
		above[g] /= pairs[g] // 0/0 is NaN
	}
	return above
}

// Weighted is the area over all pairs of one fold, where each participant counts with its weight.
func (a *GroupAreas) Weighted(weight []float64) float64 {
	above, pairs := 0.0, 0.0
	for _, f := range a.folds {
		below, positives, tie := 0.0, 0.0, [2]float64{} // negatives with smaller scores; of a tie
		for i, c := range f {
			if w := weight[c.Person]; c.Positive {
				positives, tie[1] = positives+w, tie[1]+w
			} else {
				tie[0] += w
			}
			if i+1 < len(f) && f[i+1].Score == c.Score {
				continue
			}
			above += float64(tie[1] * (below + float64(tie[0]/2)))
			below, tie = below+tie[0], [2]float64{}
		}
		pairs += float64(positives * below)
	}
	return above / pairs // 0/0 is NaN
}

// Interval is the 95% interval of the area of a group, given the models: Newcombe (2006), method 5, where the variance
// is that of a mean over folds with their pairs as weights. Repeats test the same participants, so that their mean is
// taken to be as variable as one of them.
func (a *GroupAreas) Interval(area float64, group []int, g int) (low, high float64) {
	var cases [][2]float64
	all := 0.0
	for _, f := range a.folds {
		var n [2]float64
		for _, c := range f {
			if group[c.Person] == g {
				n[map[bool]int{true: 1}[c.Positive]]++
			}
		}
		if pairs := float64(n[0] * n[1]); pairs > 0 {
			cases, all = append(cases, n), all+pairs
		}
	}
	return newcombeBy(area, func(x float64) (v float64) {
		for _, n := range cases {
			w := float64(n[0]*n[1]) / all
			v += float64(w * float64(w*areaVariance(x, n[1], n[0])))
		}
		return v * float64(a.Repeats)
	})
}

// DifferenceInterval is that of the difference x − y of estimates with correlation r, from the interval of each (Zou
// and Donner 2008; Zou 2007, Psychological Methods 12:399); of independent shares with Wilson's intervals it is
// Newcombe's hybrid score interval (Newcombe 1998, Statistics in Medicine 17:873, method 10).
func DifferenceInterval(x, lowX, highX, y, lowY, highY, r float64) (low, high float64) {
	far := func(a, b float64) float64 {
		return math.Sqrt(max(0, float64(a*a)+float64(b*b)-float64(2*r*float64(a*b))))
	}
	return x - y - far(x-lowX, highY-y), x - y + far(highX-x, y-lowY)
}

// Heterogeneity is Pearson's χ² of shares of groups of n participants each against the expected ones; NaN where the
// share of all of them is 0 or 1.
func Heterogeneity(share, expected, n []float64) float64 {
	sum, all, chi := 0.0, 0.0, 0.0
	for k, p := range share {
		sum, all = sum+float64(p*n[k]), all+n[k]
	}
	mean := sum / all
	if !(mean > 0 && mean < 1) {
		return math.NaN()
	}
	for k, p := range share {
		d := p - expected[k]
		chi += float64(n[k] * float64(d*d))
	}
	return chi / float64(mean*(1-mean))
}

// SharesOfStrata are, for each group, the share of the group in the stratum of each participant: weights with which a
// measure over all participants is what strata alone make of it in the group. Permutations of the groups within strata
// do not change them, and leave the difference of two groups about that of these expected values, not about 0. A group
// below 0 is none.
func SharesOfStrata(group, stratum []int, groups int) [][]float64 {
	shares := make([][]float64, groups)
	for g := range shares {
		shares[g] = make([]float64, len(group))
	}
	for _, at := range ByStratum(stratum) {
		of, all := make([]float64, groups), 0.0
		for _, i := range at {
			if g := group[i]; g >= 0 {
				of[g]++
				all++
			}
		}
		for _, i := range at {
			if group[i] >= 0 {
				for g, n := range of {
					shares[g][i] = n / all
				}
			}
		}
	}
	return shares
}

// leastArrangements is how many arrangements of the groups a permutation test needs: fewer cannot give p < 0.05.
const leastArrangements = 21

// PermuteGroups are the p of statistics of a division of participants into groups: the share of permutations of the
// groups within each stratum with at least the value seen. A statistic without a value, and all of them where the
// strata leave fewer than 21 arrangements, have none (NaN).
func PermuteGroups(statistics func(group []int) []float64, group, stratum []int, permutations int,
	s *random.Stream) []float64 {
	seen := slices.Clone(statistics(group))
	if Arrangements(group, stratum, leastArrangements) < leastArrangements {
		return nans(len(seen))
	}
	permuted, strata, as := slices.Clone(group), ByStratum(stratum), make([]int, len(seen))
	for range permutations {
		Permute(permuted, strata, s)
		for k, v := range statistics(permuted) {
			if math.IsNaN(v) || AsLarge(v, seen[k]) {
				as[k]++
			}
		}
	}
	p := make([]float64, len(seen))
	for k, v := range seen {
		if p[k] = PermutationP(as[k], permutations); math.IsNaN(v) {
			p[k] = v
		}
	}
	return p
}

// DifferenceError is the standard error of a difference of two shares around p, of n and m participants.
func DifferenceError(p, n, m float64) float64 { return math.Sqrt(float64(p*(1-p)) * (1/n + 1/m)) }

// Detectable is the difference, in standard errors, that the strictest of so many tests finds with a power of 80%
// where Holm's correction keeps their error at 0.05.
func Detectable(tests int) float64 {
	return NormalQuantile(1-0.025/float64(max(1, tests))) + NormalQuantile(0.8)
}
