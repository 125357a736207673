package fold

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// dealt are so many folds of n participants of two groups and a number, and permutations within the fold and blocks of
// the size block.
func dealt(seed uint64, folds, n, block, permutations int, effect float64) ([]Tested, *Permuted) {
	s := random.New(seed, "dealt")
	p := &Permuted{At: map[string]int{}}
	out := make([]Tested, folds)
	var strata [][]int
	for f := range out {
		out[f] = Tested{Repeat: 1, Fold: int64(f + 1), Mean: 5}
		for i := range n {
			at := len(p.IDs)
			c := Case{Id: fmt.Sprint("sub-", at), Label: i % 2, Target: float64(i % 4)}
			x := s.Normal() + effect*float64(c.Label)
			c.Probability = []float64{1 / (1 + math.Exp(x)), 1 / (1 + math.Exp(-x))}
			if x > 0 {
				c.Predicted = 1
			}
			if p.At[c.Id], p.IDs = at, append(p.IDs, c.Id); i%block == 0 {
				strata = append(strata, nil)
			}
			last := len(strata) - 1
			strata[last] = append(strata[last], at)
			out[f].Participants = append(out[f].Participants, c)
		}
		// Labels are not in the order of the places.
		people := out[f].Participants
		s.Shuffle(n, func(i, j int) {
			people[i].Label, people[j].Label = people[j].Label, people[i].Label
			people[i].Target, people[j].Target = people[j].Target, people[i].Target
		})
	}
	own := lists.UpTo(len(p.IDs))
	for range permutations + 1 {
		p.From = append(p.From, lists.Map(own, func(i int) int32 { return int32(i) }))
		inference.Permute(own, strata, s)
	}
	return out, p
}

// slowP is p of one fold by all permutations of the places within blocks.
func slowP(f Tested, block int, measure func([]Case) [3]float64) (p [3]float64) {
	n := len(f.Participants)
	as, all := [3]int{}, 0
	seen := measure(f.Participants)
	var visit func(from []int, left []int)
	visit = func(from, left []int) {
		if len(left) == 0 {
			people := slices.Clone(f.Participants)
			for i, j := range from {
				people[i].Label, people[i].Target = f.Participants[j].Label, f.Participants[j].Target
			}
			all++
			for k, v := range measure(people) {
				if v >= seen[k]-1e-9 {
					as[k]++
				}
			}
			return
		}
		for k, j := range left {
			if j/block == len(from)/block {
				visit(append(slices.Clone(from), j), slices.Delete(slices.Clone(left), k, k+1))
			}
		}
	}
	visit(nil, slices.Collect(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}))
	for k := range p {
		p[k] = float64(as[k]) / float64(all)
	}
	return p
}

func measuredGroups(people []Case) [3]float64 {
	s := Score(people, -1)
	area, pairs := 0.0, 0.0
	for _, a := range people {
		for _, b := range people {
			if a.Label > b.Label {
				x, y := a.Probability[1], b.Probability[1]
				switch pairs++; {
				case x > y:
					area++
				case x == y:
					area += 0.5
				}
			}
		}
	}
	return [3]float64{s.Accuracy, s.Balanced, area / pairs}
}

func measuredNumbers(people []Case) [3]float64 {
	mx, my, xy, xx, yy, mae := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	n := float64(len(people))
	for _, c := range people {
		mx, my = mx+c.Probability[0]/n, my+c.Target/n
	}
	for _, c := range people {
		x, y := c.Probability[0]-mx, c.Target-my
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
		mae += math.Abs(c.Probability[0]-c.Target) / n
	}
	return [3]float64{xy / math.Sqrt(xx*yy), -mae, 0}
}

// combined is p of three folds: 3/2 times the second smallest.
func combined(p ...float64) float64 {
	slices.Sort(p)
	return min(1, 1.5*p[1])
}

func TestArrangementsOfAFold(t *testing.T) {
	for _, c := range []struct {
		name                           string
		block, permutations, evaluated int
		exact                          int
	}{
		{"one block", 7, 199, 9999, 3}, {"other permutations of split", 7, 99, 9999, 3},
		{"two blocks", 4, 199, 9999, 3}, {"pairs, of some permutations", 2, 40, 9999, 3},
		{"more arrangements than permutations", 7, 199, 33, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			folds, labels := dealt(3, 3, 7, c.block, c.permutations, 1)
			tests := &Tests{permuted: make([][]dag.Input, 1), labels: labels, exchanged: labels.Exchanged(),
				permutations: c.evaluated, seed: 1}
			var slow, numbers [3][]float64
			for _, f := range folds {
				p, number := slowP(f, c.block, measuredGroups), slowP(f, c.block, measuredNumbers)
				for k := range p {
					slow[k], numbers[k] = append(slow[k], p[k]), append(numbers[k], number[k])
				}
			}
			of := need.Value(tests.Test(0, folds, []string{"a", "b"}, -1))(t)
			near := func(name string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-9 && c.exact > 0 || math.Abs(got-want) > 0.2 {
					t.Errorf("%s: p %g, want %g", name, got, want)
				}
			}
			near("accuracy", of.P, combined(slow[0]...))
			near("balanced accuracy", of.Balanced, combined(slow[1]...))
			near("AUC", of.AUC, combined(slow[2]...))
			if of.Test != column.PerFold || of.Permutations != c.evaluated || of.Exact != c.exact {
				t.Errorf("%+v", of)
			}
			of = need.Value(tests.TestNumbers(0, folds))(t)
			near("r", of.R, combined(numbers[0]...))
			near("mean absolute error", of.MAE, combined(numbers[1]...))
		})
	}
}

// Of families, split alone knows which labels are exchangeable.
func TestArrangementsOfFamilies(t *testing.T) {
	folds, labels := dealt(3, 3, 8, 8, 20, 1)
	tests := &Tests{permuted: make([][]dag.Input, 1), labels: labels, exchanged: labels.Exchanged(), families: true,
		permutations: 9999}
	of := need.Value(tests.Test(0, folds, []string{"a", "b"}, -1))(t)
	if of.Permutations != 20 || of.Exact != 0 || of.P < 1.5/21-1e-12 || math.Mod(of.P*21/1.5+1e-9, 1) > 1e-6 {
		t.Errorf("%+v", of)
	}
	tests.labels = nil
	if of = need.Value(tests.Test(0, folds, []string{"a", "b"}, -1))(t); of.Test != "" {
		t.Errorf("without label permutations: %+v", of)
	}
	// Labels of others are exchanged with those of the tested.
	tests.labels, tests.families = labels, false
	folds[0].Participants = folds[0].Participants[1:]
	if of = need.Value(tests.Test(0, folds, []string{"a", "b"}, -1))(t); of.Test != "" {
		t.Errorf("of a part of a fold: %+v", of)
	}
}

// Without an effect, p ≤ 0.05 in 5% of cohorts at most, for one fold, and for three in fewer.
func TestLevelOfArrangements(t *testing.T) {
	const cohorts = 1000
	for n, most := range map[int]int{1: cohorts/20 + 20, 3: cohorts / 50} { // 20: three standard errors
		small := [5]int{}
		for seed := range cohorts {
			folds, labels := dealt(uint64(seed), n, 8, 8, 20, 0)
			tests := &Tests{permuted: make([][]dag.Input, 1), labels: labels, exchanged: labels.Exchanged(),
				permutations: 419} // fewer than the 2,520 arrangements of the number, more than the 70 of the groups
			of := need.Value(tests.Test(0, folds, []string{"a", "b"}, -1))(t)
			number := need.Value(tests.TestNumbers(0, folds))(t)
			for k, p := range []float64{of.P, of.Balanced, of.AUC, number.R, number.MAE} {
				if p <= 0.05 {
					small[k]++
				}
			}
		}
		if slices.Max(small[:]) > most || n == 1 && min(small[2], small[3], small[4]) < cohorts/40 {
			t.Errorf("%d folds: p ≤ 0.05 in %v of %d cohorts", n, small, cohorts)
		}
		t.Logf("%d folds: p ≤ 0.05 in %v of %d cohorts", n, small, cohorts)
	}
}
