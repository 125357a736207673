package finding

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/stages/column"
)

func TestConfounders(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		partial, full float64
		reversed      bool
		want          string
	}{
		{0.045, 0.045, false, "confounds.depends"},
		{0.05, 0.001, false, ""},
		{0.2, 0.05, false, "confounds.no-information"},
		{0.2, 0.05, true, "confounds.no-information"},
		{0.2, 0.004, true, "confounds.reversed"},
		{0.01, 0.2, false, "confounds.depends confounds.no-information"},
		{nan, nan, false, ""},
	} {
		got := Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", Partial: c.partial, Full: c.full,
			Reversed: c.reversed}})
		if codes := codesOf(got); codes != c.want {
			t.Errorf("p %v and %v: %s, want %s", c.partial, c.full, codes, c.want)
		}
	}
	got := Confounders([]column.ConfounderRow{{Name: "ridge", Covariate: "age", Partial: 0.01},
		{Name: "svm", Covariate: "age", Partial: 0.02}})
	if names := got[0].Values()["Classifiers"].([]string); !slices.Equal(names, []string{"ridge", "svm"}) ||
		len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func codesOf(all List) string {
	var codes []string
	for _, f := range all {
		codes = append(codes, f.Code)
	}
	return strings.Join(codes, " ")
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
		if codes := codesOf(Increment(c.row, c.models, c.matching)); codes != c.want {
			t.Errorf("%+v: %s, want %s", c.row, codes, c.want)
		}
	}
}
