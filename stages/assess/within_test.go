package assess

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// Predictions of the site alone are as good in every permutation within sites, and those of the number are beside four
// of them: two sites of two have 2·2 orders, and all four have 4! = 24.
func TestEvaluateRegressionWithinSites(t *testing.T) {
	target := []float64{1, 2, 7, 9}
	ids := []string{"a", "b", "c", "d"}
	run := func(predicted []float64, within string, known ...string) (*encoding.Table, error) {
		rows := make([]fold.NumberRow, 4)
		for i, id := range ids {
			rows[i] = fold.NumberRow{ID: id, Target: target[i], Draw: 1, Fold: 1, Repeat: 1, Set: "test",
				Predicted: predicted[i]}
		}
		out, err := stagetest.RunWith(&EvaluateRegression{Within: within, Permutations: 7999},
			map[string]dag.Input{"predictions": dag.InputOf(column.Table(rows)),
				"participants": dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: known},
					encoding.Column{Name: "site", Values: []string{"x", "x", "y", "y"}[:len(known)]}))})
		if err != nil {
			return nil, err
		}
		return out["summary"].(*encoding.Table), nil
	}
	for _, c := range []struct {
		predicted []float64
		within    string
		p         float64
		least     float64
		few       bool
	}{
		{[]float64{1, 1, 2, 2}, "site", 1, 1. / 4, true}, {[]float64{1, 1, 2, 2}, "scanner", 4. / 24, 1. / 24, false},
		{target, "site", 1. / 4, 1. / 4, true}, {target, "scanner", 1. / 24, 1. / 24, false},
	} {
		summary := need.Value(run(c.predicted, c.within, ids...))(t)
		if p := stagetest.FloatsOf(t, summary, "p")[0]; math.Abs(p-c.p) > 0.016 {
			t.Errorf("within %s: p is %v, by counting %v", c.within, p, c.p)
		}
		need.Equal(t, stagetest.FloatsOf(t, summary, "p_least")[0], c.least, "smallest p")
		if got := summary.Meta["within"] != ""; got != (c.within == "site") ||
			(stagetest.Codes(t, summary) == "test.few-permutations") != c.few {
			t.Errorf("within %s: %v", c.within, summary.Meta)
		}
	}
	_, err := run(target, "site", ids[:3]...)
	need.Error(t, err, `"d" is not among the participants`)
}

// r within sites is without the differences between them; a fold of one site adds its r, and there is none where each
// fold has one site.
func TestRWithinSites(t *testing.T) {
	var people, sites []string
	run := func(sitesOf func(fold, i int) string, shift float64) column.RegressionRow {
		var rows []fold.NumberRow
		people, sites = nil, nil
		for k := range 2 {
			for i := range 6 {
				id := strconv.Itoa(10*k + i)
				at := sitesOf(k, i)
				people, sites = append(people, id), append(sites, at)
				y, predicted := []float64{1, 2, 3, 1, 2, 3}[i], []float64{3, 1, 2, 2, 3, 1}[i]
				if at == "y" {
					y, predicted = y+shift, predicted+shift
				}
				rows = append(rows, fold.NumberRow{ID: id, Target: y, Predicted: predicted, Draw: 1, Fold: int32(k + 1),
					Repeat: 1, Set: "test"})
			}
		}
		out := stagetest.MustRun(t, &EvaluateRegression{Within: "site", Permutations: 99}, map[string][]dag.Input{
			"predictions": {dag.InputOf(column.Table(rows))},
			"participants": {dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id", Values: people},
				encoding.Column{Name: "site", Values: sites}))}})
		return need.Value(column.Rows[column.RegressionRow](out["summary"].(*encoding.Table)))(t)[0]
	}
	half := func(_, i int) string { return []string{"x", "y"}[i/3] }
	for _, shift := range []float64{0, 100} {
		r := run(half, shift)
		need.Equal(t, math.Abs(r.RWithin+0.5) < 1e-9, true, r.RWithin) // -0.5 at each site
		need.Equal(t, r.R > 0.99, shift > 0, r.R)
	}
	r := run(func(k, i int) string { return []string{"x", "y"}[i/3*k] }, 100)
	need.Equal(t, math.Abs(r.RWithin+0.5) < 1e-9, true, r.RWithin)
	r = run(func(k, _ int) string { return []string{"x", "y"}[k] }, 100)
	need.Equal(t, math.IsNaN(r.RWithin), true, r.RWithin)
}

// No p is below the smallest that its permutations can give, although draws of few labelings can be luckier than that:
// of a fold of two over two, one labeling of six is the true one, of two over two numbers one of 24.
func TestSmallestP(t *testing.T) {
	ids, g := []string{"a", "b", "c", "d"}, [2]string{"ASD", "HC"}
	var rows [][3]any
	numbers := make([]fold.NumberRow, len(ids))
	for i, id := range ids {
		rows = append(rows, [3]any{id, i / 2, 0.2 + 0.6*float64(i/2)})
		numbers[i] = fold.NumberRow{ID: id, Target: float64(i), Draw: 1, Fold: 1, Repeat: 1, Set: "test",
			Predicted: float64(i)}
	}
	for seed := range uint64(9) {
		for _, c := range []struct {
			stage dag.Stage
			table *encoding.Table
			least float64
			p     []string
		}{
			{&Evaluate{Permutations: 99, Seed: seed}, stagetest.OneFold(1, g, rows...), 1. / 6,
				[]string{"p", "balanced_p", "auc_p"}},
			{&EvaluateRegression{Permutations: 99, Seed: seed}, column.Table(numbers), 1. / 24, []string{"p"}},
		} {
			summary := stagetest.MustRun(t, c.stage, map[string][]dag.Input{
				"predictions": {dag.InputOf(c.table)}})["summary"].(*encoding.Table)
			least := stagetest.FloatsOf(t, summary, "p_least")
			at := len(least) - 1 // over the participants
			need.Equal(t, least[at], c.least)
			for _, name := range c.p {
				if p := stagetest.FloatsOf(t, summary, name)[at]; !(p >= least[at]) {
					t.Errorf("%T, seed %d: %s %v is below %v", c.stage, seed, name, p, least[at])
				}
			}
		}
	}
}

// The contrasts of 16 participants in two folds, two at each site, one of each group: 2⁴ permutations of a fold within
// sites, of which two are as far apart, the true one and its reverse.
func TestBiomarkersWithinSites(t *testing.T) {
	in := stagetest.BiomarkerInputs()
	people := stagetest.SomeParticipants(16, "ASD", "HC")
	var sites []string
	for i := range 16 {
		sites = append(sites, strconv.Itoa(i/2))
	}
	people.Columns = append(people.Columns, encoding.Column{Name: "center", Values: sites})
	in["scores"], in["participants"] = stagetest.Contrasted(1), []dag.Input{dag.InputOf(people)}
	for k, scores := range in["scores"] { // the two of a site are not alike but for the groups
		table := need.Value(scores.Table())(t)
		c, _ := table.Column("score")
		for i := range c.Values.([]float64) {
			c.Values.([]float64)[i] += 0.001 * float64(i/3%3)
		}
		in["scores"][k] = dag.InputOf(table, scores.Coords...)
	}
	for within, want := range map[string]float64{"center": 2. / 16, "site": 2. / 70} {
		ranking := stagetest.MustRun(t, &Biomarkers{Reading: "contrast", Layer: 1, Top: 1, Within: within,
			Resamples: 20000}, in)["ranking"].(*encoding.Table)
		if p := stagetest.FloatsOf(t, ranking, "p"); math.Abs(p[0]-want) > 0.006 {
			t.Errorf("within %s: p is %v, by counting %v", within, p[0], want)
		}
		if got := ranking.Meta["within"] == "center" &&
			strings.Contains(ranking.Meta["contrast_null"], "within centers"); got != (within == "center") {
			t.Errorf("within %s: %v", within, ranking.Meta)
		}
	}
}
