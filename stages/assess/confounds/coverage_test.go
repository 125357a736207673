package confounds

import (
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// drawn are n participants of two groups: one covariate and edges of 7 regions, some of which differ between the
// groups.
func drawn(cohort, n int) map[string][]dag.Input {
	r := random.New(11, "coverage", cohort)
	ids, _ := stagetest.SomeParticipants(n, "ASD", "HC").Strings("participant_id")
	group, age := make([]string, n), make([]float64, n)
	number, repeat := make([]int32, n), make([]int32, n)
	var matrices []dag.Input
	for i := range n {
		asd := float64(i % 2)
		group[i] = []string{"HC", "ASD"}[i%2]
		number[i], repeat[i], age[i] = int32(i/2%5)+1, 1, r.Normal()+float64(0.4*asd)
		m := make([]float64, 49)
		for a := range 7 {
			for b := a + 1; b < 7; b++ {
				x := r.Normal()
				if a == 0 {
					x += float64(0.3 * asd)
				}
				m[7*a+b], m[7*b+a] = x, x
			}
		}
		matrices = append(matrices, dag.InputOf(encoding.NewArray(m, 1, 7, 7),
			dag.Coord{Axis: "subject", Value: ids[i]}))
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
		encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "age", Values: age})
	return map[string][]dag.Input{"participants": {dag.InputOf(people)}, "matrices": matrices,
		"folds": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids},
			encoding.Column{Name: "group", Values: group}, encoding.Column{Name: "repeat", Values: repeat},
			encoding.Column{Name: "fold", Values: number}))}}
}

// The intervals hold their level: of cohorts from one population, about 95% have the mean over cohorts in the interval
// of the score of each model, and of what the edges add.
func TestIntervalsHoldTheirLevel(t *testing.T) {
	const cohorts = 40
	type interval struct{ value, low, high float64 }
	all := map[string][]interval{}
	for c := range cohorts {
		out := stagetest.MustRun(t, stagetest.Fresh("confounds", "covariates", []any{"age"}, "transform", "none",
			"permutations", 99, "chains", 99, "resamples", 50), drawn(c, 40))
		for _, r := range need.Value(column.Rows[column.ConfoundModelRow](out["models"].(*encoding.Table)))(t) {
			all[r.Features] = append(all[r.Features], interval{r.Score, r.Low, r.High})
		}
		s := need.Value(column.Rows[column.ConfoundSummaryRow](out["summary"].(*encoding.Table)))(t)[0]
		all["increment"] = append(all["increment"], interval{s.Increment, s.Low, s.High})
	}
	for name, of := range all {
		mean, covered := 0.0, 0.0
		for _, i := range of {
			mean += i.value / cohorts
		}
		width := 0.0
		for _, i := range of {
			if i.low <= mean && mean <= i.high {
				covered++
			}
			width += (i.high - i.low) / cohorts
		}
		t.Logf("%s: mean %.3f, coverage %.3f, width %.3f", name, mean, covered/cohorts, width)
		if share := covered / cohorts; math.IsNaN(mean) || share < 0.85 {
			t.Errorf("%s: coverage %.3f", name, share)
		}
	}
}
