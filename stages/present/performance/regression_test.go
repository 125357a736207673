package performance

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
)

// A small p of r is not the last word: R² whose interval includes 0 is a caution. Without a test there is one, too.
func TestCautionsOfRegression(t *testing.T) {
	sound := column.RegressionRow{Name: "ridge regression", Folds: 5, Participants: 175, Permutations: 9999,
		Test: fold.PerFold, R: 0.4, P: 0.006, R2: 0.2, R2Low: 0.1, R2High: 0.3}
	weak := sound
	weak.R2, weak.R2Low, weak.R2High = 0.009, -0.054, 0.063
	retrained := []column.PermutationTestRow{{Measure: "r", Permutations: 199, P: 0.01}}
	const zero, none = "R² may be 0 (0.009, 95 % CI −0.054 to 0.063)", "IQ was not tested against chance: connect permuted of split to regression, and to evaluate-regression as labels"
	untested := sound
	untested.Test = ""
	for _, c := range []struct {
		row      column.RegressionRow
		permuted []column.PermutationTestRow
		want     []string
	}{
		{sound, nil, nil},
		{untested, nil, []string{none}},
		{untested, retrained, nil},
		{sound, retrained, nil},
		{weak, retrained, []string{zero}},
		{weak, nil, []string{zero}},
	} {
		a := &Results{Writer: section.NewWriter(dag.NewTask(nil)), Permuted: c.permuted}
		a.Regression = []column.RegressionRow{c.row}
		a.cautionRegression("IQ")
		if len(a.Page.Cautions) != len(c.want) {
			t.Errorf("cautions %q, want %q", a.Page.Cautions, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(a.Page.Cautions[i], want) {
				t.Errorf("caution %q does not say %q", a.Page.Cautions[i], want)
			}
		}
	}
}

// Errors of all models have the same decimals.
func TestErrorsAlike(t *testing.T) {
	a := &Results{Regression: []column.RegressionRow{
		{MAE: 11.96, MAELow: 10, MAEHigh: 14.21}, {MAE: 11.9, MAELow: math.NaN(), MAEHigh: math.NaN()}}}
	for x, want := range map[float64]string{11.96: "12.0", 11.9: "11.9", 10: "10.0", 14.21: "14.2"} {
		if got := a.Error(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
