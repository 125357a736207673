package inference

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
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
	Within float64 // that over the pairs of participants of one stratum, which p tests; NaN for one stratum
	Chance float64 // mean over permuted labels of what p tests: more than 0.5 where the covariate is fitted
	P      float64
	Fixed  bool // no permutation changed what p tests: nothing is tested
}

// Separate measures how well a covariate tells the groups apart, and compares that
// with permutations of the groups within each stratum (such as a site). The measure
// is the area under the ROC curve, whichever way round is larger, of the value itself, and of
// a category, of the share of the group in that category; with more than two groups
// it is the mean over the groups of each against the rest. With several strata p is that of the
// pairs within a stratum: permutations leave what differs between strata as it is, so that the
// area over all pairs is not 0.5 by chance, and may change with the opposite sign. A category is
// then ordered by how many more of it are in the group than its strata have on average.
// Participants whose value is not known are left out.
func Separate(c Covariate, group []int, groups int, stratum []int, permutations int, s *random.Stream) Separation {
	var values []float64
	var g, st []int
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			values, g, st = append(values, v), append(g, group[i]), append(st, stratum[i])
		}
	}
	all := areaOf(values, make([]int, len(values)), c.Category)
	tested, out := all, Separation{AUC: all.of(g, groups), Within: math.NaN()}
	seen := out.AUC
	if slices.ContainsFunc(st, func(k int) bool { return k != st[0] }) {
		tested = areaOf(values, st, c.Category)
		seen = tested.of(g, groups)
		out.Within = seen
	}
	strata := ByStratum(st)
	as, sum, fixed := 0, 0.0, true
	if Arrangements(g, st, 1) > 1 {
		for range permutations {
			Permute(g, strata, s)
			x := tested.of(g, groups)
			sum, fixed = sum+x, fixed && x == seen
			if AsLarge(x, seen) {
				as++
			}
		}
		out.Chance, out.P = sum/float64(permutations), PermutationP(as, permutations)
	} else {
		out.Chance, out.P = out.AUC, 1
	}
	if out.Fixed = fixed; fixed && permutations > 0 {
		out.Chance, out.Within = out.AUC, math.NaN()
	}
	return out
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

// Rearranged gives the labels of other participants to each, by place: with each call another of the Arrangements, but
// for the one there is.
func Rearranged(label, stratum []int) func() []int {
	at, holder := slices.Clone(label), map[int]int{} // of each label, one who has it
	strata := ByStratum(stratum)
	for _, places := range strata {
		var own []int
		for _, i := range places {
			own, holder[label[i]] = append(own, label[i]), i
		}
		slices.Sort(own)
		for k, i := range places {
			at[i] = own[k]
		}
	}
	from, begun := make([]int, len(label)), false
	return func() []int {
		for {
			for _, places := range strata {
				if !begun || following(at, places) {
					break
				}
			}
			if begun = true; !slices.Equal(at, label) {
				break
			}
		}
		for i, l := range at {
			from[i] = holder[l]
		}
		return from
	}
}

// following makes of the labels at some places the next arrangement in lexicographic order, or of the last the first
// one, and returns false.
func following(label []int, places []int) bool {
	k := len(places) - 2
	for k >= 0 && label[places[k]] >= label[places[k+1]] {
		k--
	}
	swap := func(i, j int) { label[places[i]], label[places[j]] = label[places[j]], label[places[i]] }
	if k >= 0 {
		l := len(places) - 1
		for label[places[l]] <= label[places[k]] {
			l--
		}
		swap(k, l)
	}
	for i, j := k+1, len(places)-1; i < j; i, j = i+1, j-1 {
		swap(i, j)
	}
	return k >= 0
}

// LevelsOf numbers the distinct values from 0 in ascending order.
func LevelsOf(v []float64) []int {
	distinct := slices.Compact(slices.Sorted(slices.Values(v)))
	level := make([]int, len(v))
	for i, x := range v {
		level[i], _ = slices.BinarySearch(distinct, x)
	}
	return level
}

// An area finds areas under the ROC curve of one covariate, over pairs of participants of one stratum, for several
// labellings.
type area struct {
	strata   []levels
	category bool
	at       []int     // the levels of a category, in the order of the group's share
	share    []float64 // by which they are ordered
}

// levels are those of the participants of a stratum.
type levels struct {
	who, level []int
	in, all    []int // per level: of the group, of everybody
	inside     int   // of the group
}

func areaOf(values []float64, stratum []int, category bool) *area {
	a := &area{category: category}
	common := LevelsOf(values)
	n := 0
	for _, l := range common {
		n = max(n, l+1)
	}
	for _, who := range ByStratum(stratum) {
		s := levels{who: who, level: make([]int, len(who))}
		own := make([]float64, len(who))
		for k, i := range who {
			s.level[k], own[k] = common[i], values[i]
		}
		of := n
		if !category { // no level of other strata matters
			s.level, of = LevelsOf(own), len(who)
		}
		s.in, s.all = make([]int, of), make([]int, of)
		for _, l := range s.level {
			s.all[l]++
		}
		a.strata = append(a.strata, s)
	}
	if category {
		a.at, a.share = lists.UpTo(n), make([]float64, n)
	}
	return a
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

// above is the area of one group against the rest (Mann and Whitney 1947); NaN when no stratum has both.
func (a *area) above(group []int, g int) float64 {
	for k := range a.strata {
		s := &a.strata[k]
		clear(s.in)
		s.inside = 0
		for k, i := range s.who {
			if group[i] == g {
				s.in[s.level[k]]++
				s.inside++
			}
		}
	}
	if a.category {
		a.order()
	}
	twice, pairs := 0, 0
	for _, s := range a.strata {
		outside := 0
		for l := range s.all {
			if a.category {
				l = a.at[l]
			}
			p, n := s.in[l], s.all[l]-s.in[l]
			twice += p * (2*outside + n)
			outside += n
		}
		pairs += s.inside * outside
	}
	return float64(twice) / float64(2*pairs)
}

// order puts the levels of a category in the order of the group's share beyond that of their strata.
func (a *area) order() {
	for l := range a.share {
		more, of := 0, 0
		for _, s := range a.strata {
			if s.inside > 0 && s.inside < len(s.who) {
				more += len(s.who)*s.in[l] - s.inside*s.all[l]
				of += len(s.who) * s.all[l]
			}
		}
		a.share[l] = float64(more) / float64(max(of, 1))
	}
	slices.SortFunc(a.at, func(x, y int) int { return cmp.Or(cmp.Compare(a.share[x], a.share[y]), x-y) })
}
