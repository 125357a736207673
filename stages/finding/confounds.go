package finding

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// What limits matched models: fewer pairs than LeastPairs give none (see the kind confounds), and a standardized
// difference above unbalanced is left (Austin 2011).
const (
	LeastPairs = 20
	unbalanced = 0.1
)

// Confounders are the findings about confounder tests of classifiers, whose p are corrected for all of them (Holm): one
// for each covariate that their predictions depend on beyond what the label explains, and one each for those that show
// no information about the label beyond it, and for those that are significantly worse than chance. number is what
// regressions predict; "" for classifiers.
func Confounders(rows []column.ConfounderRow, number string) (all List) {
	tests := 0
	for _, r := range rows {
		tests += len(column.Known([]float64{r.Partial, r.Full}))
	}
	if tests > 0 && inference.Powerless(float64(tests)/float64(rows[0].Permutations+1)) {
		all.Study("confounds.powerless", Limits, values{"Draws": int(rows[0].Permutations), "Tests": tests,
			"Needed": inference.LeastPermutations * tests})
		return all
	}
	for _, of := range []struct {
		code string
		is   func(r column.ConfounderRow) bool
	}{
		{"confounds.depends", func(r column.ConfounderRow) bool { return inference.Significant(r.PartialHolm) }},
		{"confounds.no-information", func(r column.ConfounderRow) bool {
			return !math.IsNaN(r.FullHolm) && !inference.Significant(r.FullHolm)
		}},
		{"confounds.reversed", func(r column.ConfounderRow) bool {
			return r.Reversed && inference.Significant(r.FullHolm)
		}},
	} {
		found := slices.DeleteFunc(slices.Clone(rows), func(r column.ConfounderRow) bool { return !of.is(r) })
		for _, by := range lists.By(found, func(r column.ConfounderRow) string { return r.Covariate }) {
			names := lists.Map(by.All, func(r column.ConfounderRow) string { return r.Name })
			all.Study(of.code, Limits, values{"Name": by.Key, "Classifiers": names, "Tests": tests,
				"Number": number})
		}
	}
	return all
}

// Increment are the findings about what edges add to covariates; number is as in Confounders.
func Increment(r column.ConfoundSummaryRow, models []column.ConfoundModelRow, matching []column.ConfoundMatchRow,
	number string) (all List) {
	of := values{"Names": r.Covariates, "P": r.P, "Draws": int(r.Permutations), "Measure": r.Measure, "Low": r.Low,
		"High": r.High, "Number": number}
	if !math.IsNaN(r.P) && !inference.Significant(r.P) {
		all.Study("confounds.adds-nothing", Limits, of)
	} else if inference.Significant(r.P) && r.Low <= 0 {
		all.Study("confounds.gain-uncertain", Limits, of)
	}
	score := func(features string) float64 {
		at := slices.IndexFunc(models, func(m column.ConfoundModelRow) bool {
			return m.Features == features && m.Sample == "all"
		})
		if at < 0 {
			return math.NaN()
		}
		return models[at].Score
	}
	if r.RemovalLow > 0 {
		all.Study("confounds.removal-better", Limits, values{"Measure": r.Measure, "Raw": score("edges"),
			"Without": score("deconfounded edges"), "Removal": r.Removal, "Low": r.RemovalLow, "High": r.RemovalHigh})
	}
	if len(r.Left) > 0 {
		all.Study("confounds.skipped", Limits, values{"N": len(r.Left), "Participants": r.Left})
	}
	if r.Pairs >= 0 && r.Pairs < LeastPairs {
		all.Study("confounds.few-pairs", Limits, values{"Pairs": int(r.Pairs), "Least": LeastPairs})
	}
	var apart []values
	for _, m := range matching {
		if m.AfterWhy == column.EqualInGroups || math.Round(math.Abs(m.After)*100)/100 > unbalanced { // as printed
			apart = append(apart, values{"Name": m.Covariate, "Before": m.Before, "After": m.After})
		}
	}
	if r.Pairs >= LeastPairs && apart != nil {
		all.Study("confounds.unbalanced", Limits, values{"Covariates": apart, "Most": unbalanced})
	}
	return all
}
