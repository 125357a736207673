package finding

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Cautions are about p after the correction, and of permutations that are too few for it.
func TestConfounders(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		partial, raw, full float64
		want               string
	}{
		{0.04, 0.001, 0.04, "confounds.depends"},
		{0.05, 0.001, 0.001, ""},
		{0.2, 0.05, 0.05, "confounds.no-information"},
		{0.01, 0.1, 0.2, "confounds.depends confounds.no-information"},
		{0.2, 0.037, 0.22, "confounds.open"}, // information is shown before the correction
		{nan, nan, nan, ""},
	} {
		need.Equal(t, codes(Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", Partial: 0.001,
			Full: c.raw, FullLeast: 0.001, PartialHolm: c.partial, FullHolm: c.full, Permutations: 999}}, "", "")),
			c.want, c)
	}
	tests := func(draws int32) List {
		return Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", PartialHolm: 0.001, Partial: 0.5,
			Full: nan, FullHolm: nan, FullLeast: nan, Permutations: draws}, {Name: "svm", Covariate: "age",
			PartialHolm: 0.002, Partial: 0.5, Full: nan, FullLeast: nan, FullHolm: 0.2, Permutations: draws}}, "",
			"")[:1]
	}
	got := tests(40)[0].Values()
	need.Equal(t, fmt.Sprint(got["Classifiers"], got["Tests"]), "[ridge svm] 2")
	need.Equal(t, codes(tests(40)), "confounds.depends")
	need.Equal(t, codes(tests(39)), "confounds.powerless") // the least p is 2/40
	need.Equal(t, tests(39)[0].Values()["Needed"], any(40))
	// Ten tests, of which those of 199 permutations cannot be significant: nothing follows from their p.
	var rows []column.ConfounderRow
	for i := range 5 {
		r := column.ConfounderRow{Name: "ridge", Covariate: fmt.Sprint(i), Partial: 0.5, PartialHolm: 1, Full: 0.3,
			FullHolm: 1, FullLeast: 0.001, FullDraws: 999, Permutations: 999}
		if i == 4 {
			r.Name, r.FullLeast, r.FullDraws = "svm", 0.005, 199
		}
		rows = append(rows, r)
	}
	all := Confounders(rows, "", "")
	need.Equal(t, codes(all), "confounds.powerless-full"+strings.Repeat(" confounds.no-information", 4))
	need.Equal(t, fmt.Sprint(all[0].Values()["Classifiers"], all[0].Values()["Draws"]), "[svm] 199")
	// A smaller p of another test is one step of Holm less: 0.005 · 9 is significant.
	rows[0].Partial = 0.001
	need.Equal(t, codes(Confounders(rows, "", "")), strings.TrimSpace(strings.Repeat("confounds.no-information ", 5)))
}

func TestIncrement(t *testing.T) {
	models := func(raw, without float64) []column.ConfoundModelRow {
		return []column.ConfoundModelRow{{Features: "edges", Sample: "all", Score: raw},
			{Features: "deconfounded edges", Sample: "all", Score: without}, {Features: "edges",
				Sample: "matched", Score: 0.1}}
	}
	for _, c := range []struct {
		row      column.ConfoundSummaryRow
		models   []column.ConfoundModelRow
		matching []column.ConfoundMatchRow
		want     string
	}{
		{column.ConfoundSummaryRow{P: 0.01, Pairs: -1, Low: -0.1, High: 0.2}, models(0.7, 0.6), nil,
			"confounds.gain-uncertain"},
		{column.ConfoundSummaryRow{P: 0.05, Pairs: -1}, models(0.7, 0.6), nil, "confounds.adds-nothing"},
		{column.ConfoundSummaryRow{P: 0.06, Pairs: -1, RemovalLow: 0.01}, models(0.6, 0.7), nil,
			"confounds.adds-nothing confounds.removal-better"},
		{column.ConfoundSummaryRow{P: 0.045, Pairs: -1, RemovalLow: -0.01, Low: 0.01}, models(0.6, 0.7), nil, ""},
		{column.ConfoundSummaryRow{P: 0.01, Pairs: 19, Low: 0.01}, nil, []column.ConfoundMatchRow{{After: 0.3}}, "confounds.few-pairs"},
		{column.ConfoundSummaryRow{P: 0.01, Pairs: 20, Low: 0.01, Left: []string{"sub-1"}}, nil,
			[]column.ConfoundMatchRow{{After: -0.11}, {After: 0.1}}, "confounds.skipped confounds.unbalanced"},
		{column.ConfoundSummaryRow{P: 0.01, Pairs: 20, Low: 0.01}, nil, []column.ConfoundMatchRow{{After: 0.104}}, ""},
		{column.ConfoundSummaryRow{P: math.NaN(), Pairs: -1}, nil, nil, ""},
	} {
		if codes := codes(Increment(c.row, c.models, c.matching, "")); codes != c.want {
			t.Errorf("%+v: %s, want %s", c.row, codes, c.want)
		}
	}
}

// A covariate overturns no result of models on edges that add to it.
func TestBeyondCovariates(t *testing.T) {
	all := List{{Code: "covariate.predicts-number", Weight: Overturns, Numbers: values{"Name": "mean_fd"}},
		{Code: "covariate.predicts-number", Weight: Overturns, Numbers: values{"Name": "age"}}}
	for _, c := range []struct {
		p, low float64
		want   any
	}{{0.01, 0.2, true}, {0.01, -0.1, nil}, {0.2, 0.2, nil}} {
		got := all.Beyond([]column.ConfoundSummaryRow{{Covariates: []string{"sex", "mean_fd"}, P: c.p, Low: c.low}})
		need.Equal(t, got[0].Values()["Beyond"], c.want, c)
		need.Equal(t, got[1].Values()["Beyond"], nil, "not among the covariates")
	}
	need.Equal(t, all[0].Values()["Beyond"], nil, "the list itself")
}

// Models on other values than the edges whose increment is tested are stated with what they take: another measure, or
// another estimator, not the same values of another stage, and nothing that is unknown. Then the test lowers no
// covariate.
func TestOtherInputs(t *testing.T) {
	for _, c := range []struct{ edges, inputs, want string }{
		{"measure=pearson", "measure=pearson", ""},
		{"measure=pearson", "measure=partial", "[ridge regression] partial connectivity.used true false"},
		{"measure=partial", "measure=tangent of=pearson", "[ridge regression] tangent connectivity.used false false"},
		{"measure=pearson estimator=empirical", "measure=pearson estimator=ledoit-wolf",
			"[ridge regression] pearson connectivity.used true true"},
		{"measure=pearson estimator=empirical", "measure=pearson", ""}, {"", "measure=partial", ""}, {"measure=partial", "", ""},
		{"measure=pearson", "measure=mixed", ""}, {"measure=mixed", "measure=pearson", ""},
	} {
		plan := &Settings{Stages: []StageSettings{{Stage: "connectivity", Kind: "connectivity"},
			{Stage: "baselines", Kind: "baseline",
				Inputs: map[string][]column.Result{"pearson": column.Results("connectivity.used")}},
			{Stage: "evaluate", Kind: "evaluate",
				Inputs: map[string][]column.Result{"predictions": column.Results("baselines.predictions")}},
			{Stage: "what", Kind: "confounds",
				Inputs: map[string][]column.Result{"matrices": column.Results("connectivity.tested")}},
			{Stage: "report", Kind: "report",
				Inputs: map[string][]column.Result{"evaluation": column.Results("evaluate.summary"),
					"confound_summary": column.Results("what.summary")}}}}
		plan.SetHolds(column.Results("connectivity.used")[0], column.ParseData(c.inputs))
		plan.SetHolds(column.Results("connectivity.tested")[0], column.ParseData(c.edges))
		row := func(model, title string) Row {
			return Row{AccuracyRow: column.AccuracyRow{Coords: []dag.Coord{{Axis: "model", Value: model}},
				Classifier: model, Level: "participant"}, Title: title}
		}
		a := Results{Plan: plan, Accuracy: []Row{row("ridge", "ridge regression"), row("majority", "majority class")}}
		got := ""
		found := a.OtherInputs()
		for _, f := range found {
			of := f.Values()
			got += fmt.Sprint(of["Models"], " ", of["Data"].(values)["Measure"], " ", of["Output"], " ",
				of["Connectable"], " ", of["Estimator"])
		}
		need.Equal(t, got, c.want, c)
		covariates := append(List{{Code: "covariate.predicts-group", Weight: Overturns, Numbers: values{"Name": "age"}}}, found...)
		lowered := covariates.Beyond([]column.ConfoundSummaryRow{{Covariates: []string{"age"}, P: 0.01, Low: 0.2}})
		need.Equal(t, lowered[0].Values()["Beyond"] == true, c.want == "", c)
	}
}
