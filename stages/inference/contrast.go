package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

// A HeldOut holds the scores that one model gave to participants outside its training set.
type HeldOut struct {
	Person []int       // numbers of the participants
	Scores [][]float64 // participant × region; NaN is no score
}

// Contrasts tell, region by region, how differently models score the groups: the
// largest difference between the means of two groups over the standard deviation
// within the groups, in one model, then the mean over the models. Where a distance
// loss holds the scores near their start, one model marks a region that matters by high scores,
// another by low ones. So each model's difference counts without its sign. NaN where no model says anything.
func Contrasts(models []HeldOut, group []int, groups int) []float64 {
	c := newContraster(models, groups)
	return meanKnown(c.of(func(int) []int { return group }), make([]float64, len(c.squares[0])))
}

// A Contrast is the contrast of one region with its tests.
type Contrast struct {
	Value float64
	Mean  float64 // over permuted labels
	High  float64 // 95th percentile over permuted labels
	P     float64 // of this region
	PAny  float64 // that any region at all has as large a contrast by chance
	Least float64 // smallest P that the permutations can give
}

// TestContrasts compares the contrasts with those of permuted groups of the test participants, within each stratum
// (such as a site). The models stay as they are. A model has seen no label of those whom it scores, so the permutation
// is exact for one model, and for models with the same test participants (seeds) together. Models of different folds
// share training participants, so their p depend on each other: MajorityP combines them, for each region. PAny compares
// with the largest contrast of all regions in each permutation (Westfall and Young 1993); it holds for the combination,
// since MajorityP of one region is small only where the smallest PAny of as many folds is.
// With several strata the p are of scores less the mean of their stratum: permutations leave what differs between
// strata as it is, so that a contrast of all scores may be smaller than by chance. Value, Mean and High are of the mean
// over all models, of the scores as they are, and no test.
func TestContrasts(models []HeldOut, group []int, groups int, stratum []int, permutations int,
	s *random.Stream) []Contrast {
	c := newContraster(models, groups)
	folds, of := foldsOf(models, group, stratum)
	regions, tested := len(c.squares[0]), c
	if slices.ContainsFunc(folds, func(f *contrastFold) bool { return len(f.strata) > 1 }) {
		tested = newContraster(withoutStrata(models, stratum), groups)
	}
	seen := meanKnown(c.of(func(int) []int { return group }), make([]float64, regions))
	own := tested.of(func(int) []int { return group })
	for _, f := range folds {
		f.seen = meanKnown(f.own(own), make([]float64, regions))
		f.now = make([]float64, regions)
		f.as, f.largest, f.known = make([]int, regions), make([]int, regions), make([]bool, regions)
		f.made.addGroups(group, f.people)
	}
	sum, now, tails := make([]float64, regions), make([]float64, regions), make([]tail, regions)
	for j := range tails {
		tails[j] = tailFor(0.95, permutations)
	}
	for range permutations {
		for _, f := range folds {
			Permute(f.label, f.strata, s)
		}
		label := func(model int) []int { return folds[of[model]].label }
		all := c.of(label)
		for j, v := range meanKnown(all, now) {
			sum[j] += v
			tails[j].add(v)
		}
		if tested != c {
			all = tested.of(label)
		}
		for _, f := range folds {
			f.count(all)
		}
	}
	out := make([]Contrast, regions)
	p, largest, least := make([]float64, len(folds)), make([]float64, len(folds)), make([]float64, len(folds))
	for j, v := range seen {
		for i, f := range folds {
			p[i], largest[i], least[i] = f.p(j, permutations)
		}
		out[j] = Contrast{Value: v, Mean: sum[j] / float64(permutations), High: tails[j].quantile(0.95, permutations),
			P: MajorityP(p), PAny: MajorityP(largest), Least: MajorityP(least)}
		switch {
		case math.IsNaN(v):
			out[j].P, out[j].PAny, out[j].Least = math.NaN(), math.NaN(), math.NaN()
		case math.IsNaN(out[j].P): // no permutation makes other groups
			out[j].P, out[j].PAny, out[j].Least = 1, 1, 1
		}
	}
	return out
}

// withoutStrata subtracts from the scores of each model and region the mean of the participants of the stratum.
func withoutStrata(models []HeldOut, stratum []int) []HeldOut {
	return lists.Map(models, func(m HeldOut) HeldOut {
		scores := lists.Map(m.Scores, slices.Clone)
		for _, at := range ByStratum(lists.At(stratum, m.Person)) {
			for j := range scores[0] {
				sum, n := 0.0, 0.0
				for _, i := range at {
					if x := scores[i][j]; !math.IsNaN(x) {
						sum, n = sum+x, n+1
					}
				}
				for _, i := range at {
					scores[i][j] -= sum / n
				}
			}
		}
		return HeldOut{m.Person, scores}
	})
}

// A contrastFold holds the models with the same test participants, and how their permutations compare.
type contrastFold struct {
	models      []int
	people      []int
	label       []int // of all, those of the test participants permuted
	strata      [][]int
	seen, now   []float64
	as, largest []int
	known       []bool    // whether any labeling gives the region a contrast
	made        labelings // under any names of the groups
}

// foldsOf gathers the models by their test participants; of is the fold of each model.
func foldsOf(models []HeldOut, group, stratum []int) (folds []*contrastFold, of []int) {
	for m, model := range models {
		at := slices.IndexFunc(folds, func(f *contrastFold) bool { return slices.Equal(f.people, model.Person) })
		if at < 0 {
			at = len(folds)
			f := &contrastFold{people: model.Person, label: slices.Clone(group)}
			for _, places := range ByStratum(lists.At(stratum, f.people)) {
				f.strata = append(f.strata, lists.At(f.people, places))
			}
			folds = append(folds, f)
		}
		folds[at].models, of = append(folds[at].models, m), append(of, at)
	}
	return folds, of
}

// own are the contrasts of the models of the fold, of those of all models.
func (f *contrastFold) own(all [][]float64) [][]float64 {
	return lists.Map(f.models, func(m int) []float64 { return all[m] })
}

// count compares one permutation; without a contrast under a labeling a region has the smallest.
func (f *contrastFold) count(all [][]float64) {
	most := 0.0
	for j, v := range meanKnown(f.own(all), f.now) {
		if AsLarge(v, f.seen[j]) {
			f.as[j]++
		}
		f.known[j] = f.known[j] || !math.IsNaN(v)
		most = max(most, known(v))
	}
	for j, v := range f.seen {
		if AsLarge(most, v) {
			f.largest[j]++
		}
	}
	f.made.addGroups(f.label, f.people)
}

func known(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// p are the p of a region in one fold, and the smallest; NaN where no labeling gives it a contrast, or all give the
// same groups.
func (f *contrastFold) p(j, permutations int) (p, largest, least float64) {
	least = f.made.least(permutations)
	switch {
	case len(f.made.made) == 1: // says nothing, whatever the scores are
	case !math.IsNaN(f.seen[j]):
		return max(least, PermutationP(f.as[j], permutations)), max(least, PermutationP(f.largest[j], permutations)),
			least
	case f.known[j]:
		return 1, 1, least
	}
	return math.NaN(), math.NaN(), math.NaN()
}

// addGroups adds a labeling of some people, whatever the names of the groups: they are numbered as they occur.
func (all *labelings) addGroups(label, people []int) {
	number := map[int]uint64{}
	all.add(len(people), func(i int) uint64 {
		l := label[people[i]]
		if _, known := number[l]; !known {
			number[l] = uint64(len(number))
		}
		return number[l]
	})
}

// meanKnown writes the means over the rows of what is known into mean; NaN where no row knows.
func meanKnown(rows [][]float64, mean []float64) []float64 {
	for j := range mean {
		total, n := 0.0, 0.0
		for _, row := range rows {
			if !math.IsNaN(row[j]) {
				total, n = total+row[j], n+1
			}
		}
		mean[j] = total / n
	}
	return mean
}

// A contraster holds what does not change from one grouping to the next: scores less
// their mean, and their sums of squares.
type contraster struct {
	models  []HeldOut
	squares [][]float64 // model × region
	count   [][]float64
	groups  int
	sum, n  []float64   // group × region
	out     [][]float64 // model × region
}

func newContraster(models []HeldOut, groups int) *contraster {
	c := &contraster{groups: groups}
	for _, m := range models {
		regions := len(m.Scores[0])
		mean, count, squares := make([]float64, regions), make([]float64, regions), make([]float64, regions)
		for _, row := range m.Scores {
			for j, x := range row {
				if !math.IsNaN(x) {
					mean[j] += x
					count[j]++
				}
			}
		}
		centered := make([][]float64, len(m.Scores))
		for i, row := range m.Scores {
			centered[i] = make([]float64, regions)
			for j, x := range row {
				d := x - mean[j]/count[j]
				centered[i][j] = d
				if !math.IsNaN(x) {
					squares[j] += float64(d * d)
				}
			}
		}
		c.models = append(c.models, HeldOut{m.Person, centered})
		c.squares, c.count = append(c.squares, squares), append(c.count, count)
		c.out = append(c.out, make([]float64, regions))
		c.sum, c.n = make([]float64, groups*regions), make([]float64, groups*regions)
	}
	return c
}

// of are the contrasts of each model, model × region, by the labels of its participants; NaN where it gives none. The
// next call writes over them.
func (c *contraster) of(group func(model int) []int) [][]float64 {
	for m, model := range c.models {
		clear(c.sum)
		clear(c.n)
		label, out := group(m), c.out[m]
		for i, row := range model.Scores {
			at := label[model.Person[i]] * len(row)
			for j, x := range row {
				if !math.IsNaN(x) {
					c.sum[at+j] += x
					c.n[at+j]++
				}
			}
		}
		for j := range out {
			low, high, within, there := math.Inf(1), math.Inf(-1), c.squares[m][j], 0.0
			for g := range c.groups {
				if n := c.n[g*len(out)+j]; n > 0 {
					mean := c.sum[g*len(out)+j] / n
					low, high = min(low, mean), max(high, mean)
					within -= float64(n * float64(mean*mean))
					there++
				}
			}
			// Rounding can leave a little where nothing varies.
			if out[j] = math.NaN(); there > 1 && c.count[m][j] > there && within > 1e-12*c.squares[m][j] {
				out[j] = (high - low) / math.Sqrt(within/(c.count[m][j]-there))
			}
		}
	}
	return c.out
}
