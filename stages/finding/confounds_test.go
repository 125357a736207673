package finding

import (
	"fmt"
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Cautions are about p after the correction.
func TestConfounders(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		partial, full float64
		reversed      bool
		want          string
	}{
		{0.04, 0.04, false, "confounds.depends"},
		{0.05, 0.001, false, ""},
		{0.2, 0.05, false, "confounds.no-information"},
		{0.2, 0.05, true, "confounds.no-information"},
		{0.2, 0.004, true, "confounds.reversed"},
		{0.01, 0.2, false, "confounds.depends confounds.no-information"},
		{nan, nan, false, ""},
	} {
		need.Equal(t, codes(Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", Partial: 0.001,
			Full: 0.001, PartialHolm: c.partial, FullHolm: c.full, Reversed: c.reversed, Permutations: 999}},
			"")), c.want, c)
	}
	tests := func(draws int32) List {
		return Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", PartialHolm: 0.001, Partial: 0.001,
			Full: nan, FullHolm: nan, Permutations: draws}, {Name: "svm", Covariate: "age", PartialHolm: 0.002,
			Partial: 0.002, Full: nan, FullHolm: 0.2, Permutations: draws}}, "")[:1]
	}
	got := tests(40)[0].Values()
	need.Equal(t, fmt.Sprint(got["Classifiers"], got["Tests"]), "[ridge svm] 2")
	need.Equal(t, codes(tests(40)), "confounds.depends")
	need.Equal(t, codes(tests(39)), "confounds.powerless") // the least p is 2/40
	need.Equal(t, tests(39)[0].Values()["Needed"], any(40))
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
