package subgroup

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// atSites are participants of two sites, of which the second has more boys, the larger errors, and more patients, and
// all models of two folds: a regression and a classifier. Within each site boys' errors are smaller by an effect.
func atSites(effect float64, seed any) (numbers, groups map[string][]dag.Input) {
	s := random.New(7, "sites", seed)
	var ids, sex, site []string
	regression, classes := make([][]fold.NumberRow, 2), make([][][3]any, 2)
	for i := range 120 {
		at := i / 60
		boy := s.Float64() < []float64{0.25, 0.75}[at]
		id := fmt.Sprintf("sub-%03d", i)
		ids, sex = append(ids, id), append(sex, map[bool]string{true: "M", false: "F"}[boy])
		site = append(site, []string{"a", "b"}[at])
		y, e, less := s.Normal(), s.Normal()+float64(4*float64(at)), 0.0
		if boy {
			less = effect
		}
		f := i % 2
		regression[f] = append(regression[f], fold.NumberRow{ID: id, Target: 20 + y, Fold: int32(f + 1), Repeat: 1,
			Set: "test", Predicted: 20 + y + e - less})
		patient := s.Float64() < []float64{0.3, 0.7}[at]
		lp := s.Normal()
		if patient { // sensitivity, specificity and accuracy are larger at b
			lp += float64(at) - less/2
		} else {
			lp -= float64(2*float64(at)) - less
		}
		classes[f] = append(classes[f], [3]any{id, map[bool]int{true: 1}[patient], 1 / (1 + math.Exp(-lp))})
	}
	people := []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "sex", Values: sex}, encoding.Column{Name: "site", Values: site}))}
	return predictions(people, regression, classes)
}

// predictions are those of a regression and a classifier, two folds each.
func predictions(people []dag.Input, regression [][]fold.NumberRow,
	classes [][][3]any) (numbers, groups map[string][]dag.Input) {
	numbers, groups = map[string][]dag.Input{"participants": people}, map[string][]dag.Input{"participants": people}
	for f := range regression {
		at := []dag.Coord{{Axis: "model", Value: "ridge"}, {Axis: "fold", Value: fmt.Sprint(f + 1)}}
		table := column.Table(regression[f])
		table.Meta = map[string]string{"model": "ridge"}
		numbers["predictions"] = append(numbers["predictions"], dag.InputOf(table, at...))
		at[0].Value = "logistic"
		groups["predictions"] = append(groups["predictions"], dag.InputOf(stagetest.OneFold(int32(f+1),
			[2]string{"HC", "PAT"}, classes[f]...), at...))
	}
	return numbers, groups
}

func testsBy(t *testing.T, kind, by string, permutations int,
	in map[string][]dag.Input) map[string]column.SubgroupTestRow {
	t.Helper()
	out := stagetest.MustRun(t, stagetest.Fresh(kind, "columns", []any{by}, "permutations", permutations), in)
	of := map[string]column.SubgroupTestRow{}
	for _, r := range need.Value(column.Rows[column.SubgroupTestRow](out["tests"].(*encoding.Table)))(t) {
		of[r.Measure] = r
	}
	return of
}

// What groups owe to their sites and classes is no difference: p is at its level where they do not differ within them,
// and a difference of the opposite sign is found.
func TestWithinSites(t *testing.T) {
	const times = 150
	small := map[string]int{}
	for k := range times {
		numbers, groups := atSites(0, k)
		for _, of := range []map[string]column.SubgroupTestRow{testsBy(t, "subgroups-regression", "sex", 99, numbers),
			testsBy(t, "subgroups", "sex", 99, groups)} {
			for m, r := range of {
				if r.P <= 0.1 {
					small[m]++
				}
			}
		}
	}
	for m, n := range small { // 15, sd 3.7
		if n < 4 || n > 27 {
			t.Errorf("%s: p ≤ 0.1 in %d of %d", m, n, times)
		}
	}
	need.Equal(t, len(small), 7)
	numbers, groups := atSites(1, "effect")
	error := testsBy(t, "subgroups-regression", "sex", 999, numbers)["mean_error"]
	if error.P > 0.01 || error.High != "F" || !(error.Difference < -0.2) {
		t.Errorf("mean error: %+v", error)
	}
	for m, r := range testsBy(t, "subgroups", "sex", 999, groups) {
		if (m == accuracy || m == specificity) && (r.P > 0.05 || r.High != "F") {
			t.Errorf("%s: %+v", m, r)
		}
	}
}

// sitesApart are participants of three sites of these sizes, whose numbers, predictions and scores have other means,
// and with spread other standard deviations; the correlation, and what the scores hold of the class, are the same at
// each site.
func sitesApart(sizes [3]int, shift, spread, r float64, seed any) (numbers, groups map[string][]dag.Input) {
	s := random.New(7, "apart", seed)
	var ids, site []string
	regression, classes := make([][]fold.NumberRow, 2), make([][][3]any, 2)
	for g, n := range sizes {
		at := shift * float64(g)
		for i := range n {
			id := fmt.Sprintf("sub-%d%02d", g, i)
			ids, site = append(ids, id), append(site, string(rune('a'+g)))
			sd := 1 + float64(spread*float64(g))
			x := s.Normal()
			y := float64(r*x) + float64(math.Sqrt(1-r*r)*s.Normal())
			regression[i%2] = append(regression[i%2], fold.NumberRow{ID: id, Target: at + float64(sd*x),
				Fold: int32(i%2 + 1), Repeat: 1, Set: "test", Predicted: at + float64(sd*y)})
			score, patient := at-shift+s.Normal(), s.Float64() < 0.2+0.3*float64(g)
			if patient {
				score += 2 * r
			}
			classes[i%2] = append(classes[i%2], [3]any{id, map[bool]int{true: 1}[patient], 1 / (1 + math.Exp(-score))})
		}
	}
	people := []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "site", Values: site}))}
	return predictions(people, regression, classes)
}

// Sites that differ in mean, scale and size, but not in what models predict at each, are no difference of r, mean error
// or AUC.
func TestGroupsApart(t *testing.T) {
	const times = 150
	for _, c := range []struct {
		sizes         [3]int
		shift, spread float64
	}{{[3]int{20, 20, 20}, 2, 0}, {[3]int{60, 30, 15}, 2, 1}} {
		small := map[string]int{}
		for k := range times {
			numbers, groups := sitesApart(c.sizes, c.shift, c.spread, 0.5, k)
			for kind, in := range map[string]map[string][]dag.Input{"subgroups-regression": numbers,
				"subgroups": groups} {
				for m, r := range testsBy(t, kind, "site", 99, in) {
					if r.P <= 0.1 {
						small[m]++
					}
				}
			}
		}
		for _, m := range []string{"r", "mean_error", auc} { // 15, sd 3.7
			if n := small[m]; n > 27 {
				t.Errorf("%v: %s: p ≤ 0.1 in %d of %d", c, m, n, times)
			}
		}
	}
}

// A mean error that is 0 but for rounding gives no difference to expect.
func TestExpectedDifferenceIsNotRounding(t *testing.T) {
	need.Equal(t, expectedDifference([]float64{-4, 5}, []float64{-1e-17, 2e-17}, 1, 0), 0)
	need.Equal(t, expectedDifference([]float64{-4, 5}, []float64{-1, 2}, 1, 0), 3)
}
