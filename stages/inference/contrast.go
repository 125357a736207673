package inference

import (
	"math"

	"prgnn/internal/random"
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
	return c.of(group)
}

// A Contrast is the contrast of one region with its tests.
type Contrast struct {
	Value float64
	Mean  float64 // over permuted labels
	High  float64 // 95th percentile over permuted labels
	P     float64 // of this region
	PAny  float64 // that any region at all has as large a contrast by chance
}

// TestContrasts compares the contrasts with those of permuted groups, within each
// stratum. The models stay as they are: they have not seen the participants whom they score, and
// if their scores have nothing to do with the groups of new people, any other
// grouping of these gives as much. PAny compares with the largest contrast
// of all regions in each permutation (Westfall and Young 1993). The strata should hold the
// folds: where they spread the groups evenly, the permutations have to.
func TestContrasts(models []HeldOut, group []int, groups int, stratum []int, permutations int,
	s *random.Stream) []Contrast {
	c := newContraster(models, groups)
	seen := c.of(group)
	as, largest, sum := make([]int, len(seen)), make([]int, len(seen)), make([]float64, len(seen))
	tails := make([]tail, len(seen))
	for j := range tails {
		tails[j] = tailFor(0.95, permutations)
	}
	label := append([]int(nil), group...)
	strata := ByStratum(stratum)
	for range permutations {
		Permute(label, strata, s)
		most := 0.0
		now := c.of(label)
		for j, v := range now {
			sum[j] += v
			tails[j].add(v)
			if AsLarge(v, seen[j]) {
				as[j]++
			}
			if v > most { // not of NaN
				most = v
			}
		}
		for j, v := range seen {
			if AsLarge(most, v) {
				largest[j]++
			}
		}
	}
	out := make([]Contrast, len(seen))
	for j, v := range seen {
		out[j] = Contrast{Value: v, Mean: sum[j] / float64(permutations), High: tails[j].quantile(0.95, permutations),
			P: PermutationP(as[j], permutations), PAny: PermutationP(largest[j], permutations)}
		if math.IsNaN(v) {
			out[j].P, out[j].PAny = math.NaN(), math.NaN()
		}
	}
	return out
}

// A contraster holds what does not change from one grouping to the next: scores less
// their mean, and their sums of squares.
type contraster struct {
	models  []HeldOut
	squares [][]float64 // model × region
	count   [][]float64
	groups  int
	sum, n  []float64 // group × region
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
		c.sum, c.n = make([]float64, groups*regions), make([]float64, groups*regions)
	}
	return c
}

func (c *contraster) of(group []int) []float64 {
	regions := len(c.squares[0])
	total, told := make([]float64, regions), make([]float64, regions)
	for m, model := range c.models {
		clear(c.sum)
		clear(c.n)
		for i, row := range model.Scores {
			at := group[model.Person[i]] * regions
			for j, x := range row {
				if !math.IsNaN(x) {
					c.sum[at+j] += x
					c.n[at+j]++
				}
			}
		}
		for j := range regions {
			low, high, within, there := math.Inf(1), math.Inf(-1), c.squares[m][j], 0.0
			for g := range c.groups {
				if n := c.n[g*regions+j]; n > 0 {
					mean := c.sum[g*regions+j] / n
					low, high = min(low, mean), max(high, mean)
					within -= float64(n * float64(mean*mean))
					there++
				}
			}
			// Rounding can leave a little where nothing varies.
			if there > 1 && c.count[m][j] > there && within > 1e-12*c.squares[m][j] {
				total[j] += (high - low) / math.Sqrt(within/(c.count[m][j]-there))
				told[j]++
			}
		}
	}
	for j := range total {
		total[j] /= told[j]
	}
	return total
}
