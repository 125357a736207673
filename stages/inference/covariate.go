package inference

import (
	"cmp"
	"math"
	"slices"

	"prgnn/numeric/random"
)

// A Covariate is something known of each participant beside the scan: a number, or
// a category as a number from 0.
type Covariate struct {
	Values   []float64 // NaN where it is not known
	Category bool
}

// A Separation is how well a covariate alone tells groups apart.
type Separation struct {
	AUC    float64 // 0.5 tells nothing, 1 everything
	Chance float64 // mean over permuted labels: more than 0.5 where the covariate is fitted
	P      float64
	Fixed  bool // no permutation changed the AUC: nothing is tested
}

// Separate measures how well a covariate tells the groups apart, and compares that
// with permutations of the groups within each stratum (such as a site). The measure
// is the area under the ROC curve, whichever way round is larger, of the value itself, and of
// a category, of the share of the group in that category; with more than two groups
// it is the mean over the groups of each against the rest. Participants whose value is not
// known are left out.
func Separate(c Covariate, group []int, groups int, stratum []int, permutations int, s *random.Stream) Separation {
	var values []float64
	var g, st []int
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			values, g, st = append(values, v), append(g, group[i]), append(st, stratum[i])
		}
	}
	a := area{levels: levelsOf(values)}
	a.category = c.Category
	seen := a.of(g, groups)
	strata := ByStratum(st)
	if !math.IsNaN(seen) && Arrangements(g, st, 1) == 1 {
		return Separation{AUC: seen, Chance: seen, P: 1, Fixed: true}
	}
	as, sum, fixed := 0, 0.0, true
	for range permutations {
		Permute(g, strata, s)
		x := a.of(g, groups)
		sum, fixed = sum+x, fixed && x == seen
		if AsLarge(x, seen) {
			as++
		}
	}
	return Separation{AUC: seen, Chance: sum / float64(permutations), P: PermutationP(as, permutations), Fixed: fixed}
}

// Permute exchanges labels within each stratum, at random.
func Permute(label []int, strata [][]int, s *random.Stream) {
	for _, at := range strata {
		s.Shuffle(len(at), func(i, j int) { label[at[i]], label[at[j]] = label[at[j]], label[at[i]] })
	}
}

// Arrangements is how many different labellings Permute can make of one: in each stratum of n labels n!/Π k! with the
// number k of each label. It is exact up to enough, and otherwise larger than that.
func Arrangements(label, stratum []int, enough float64) float64 {
	ways := 1.0
	for _, at := range ByStratum(stratum) {
		of := map[int]int{}
		for n, i := range at {
			of[label[i]]++
			if ways = ways * float64(n+1) / float64(of[label[i]]); ways > enough {
				return ways
			}
		}
	}
	return ways
}

// levelsOf numbers the distinct values from 0 in ascending order.
func levelsOf(v []float64) []int {
	distinct := slices.Compact(slices.Sorted(slices.Values(v)))
	level := make([]int, len(v))
	for i, x := range v {
		level[i], _ = slices.BinarySearch(distinct, x)
	}
	return level
}

// An area finds areas under the ROC curve of one covariate for several labellings.
type area struct {
	levels   []int
	category bool
	in, all  []int // per level: of the group, of everybody
	at       []int
}

func (a *area) of(group []int, groups int) float64 {
	if groups == 2 {
		return a.against(group, 1)
	}
	sum := 0.0
	for g := range groups {
		sum += a.against(group, g)
	}
	return sum / float64(groups)
}

// against is the area for one group against the rest, whichever way round is larger; 0.5 when there is
// only one kind.
func (a *area) against(group []int, g int) float64 {
	auc := a.above(group, g)
	if math.IsNaN(auc) {
		return 0.5
	}
	return max(auc, 1-auc)
}

// above is the area of one group against the rest (Mann and Whitney 1947); NaN when there is only one kind.
func (a *area) above(group []int, g int) float64 {
	if a.all == nil {
		n := 0
		for _, l := range a.levels {
			n = max(n, l+1)
		}
		a.in, a.all, a.at = make([]int, n), make([]int, n), make([]int, n)
		for _, l := range a.levels {
			a.all[l]++
		}
		for l := range a.at {
			a.at[l] = l
		}
	}
	clear(a.in)
	for i, l := range a.levels {
		if group[i] == g {
			a.in[l]++
		}
	}
	if a.category { // the levels in the order of the group's share
		slices.SortStableFunc(a.at, func(x, y int) int { return cmp.Compare(a.in[x]*a.all[y], a.in[y]*a.all[x]) })
	}
	twice, inside, outside := 0, 0, 0
	for _, l := range a.at {
		p, n := a.in[l], a.all[l]-a.in[l]
		twice += p * (2*outside + n)
		inside, outside = inside+p, outside+n
	}
	return float64(twice) / float64(2*inside*outside)
}
