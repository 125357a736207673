package finding

import (
	"math"
	"slices"
	"strings"

	"prgnn/dag"
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
// for each covariate that their predictions depend on beyond what the label explains, one for those that show no
// information about the label beyond it, and one for those that show it before the correction only; and tests whose
// permutations cannot give a significant p after the correction. number is what regressions predict; "" for
// classifiers. Labels were permuted within the values of the column within.
func Confounders(rows []column.ConfounderRow, number, within string) (all List) {
	var p []float64 // partial and full in turn
	for _, r := range rows {
		p = append(p, r.Partial, r.Full)
	}
	tests := len(column.Known(p))
	powerless := func(test int, least float64) bool {
		return !math.IsNaN(p[test]) && inference.Powerless(inference.HolmAtBest(p, test, least))
	}
	full := func(i int) bool { return powerless(2*i+1, rows[i].FullLeast) }
	those := func(are func(i int, r column.ConfounderRow) bool) (found []column.ConfounderRow) {
		for i, r := range rows {
			if are(i, r) {
				found = append(found, r)
			}
		}
		return found
	}
	study := func(code string, found []column.ConfounderRow, of values) {
		of["Classifiers"] = lists.Map(lists.By(found, func(r column.ConfounderRow) string { return r.Name }),
			func(g lists.Group[string, column.ConfounderRow]) string { return g.Key })
		of["Tests"], of["Number"], of["Within"] = tests, number, within
		all.Study(code, Limits, of)
	}
	partial := those(func(_ int, r column.ConfounderRow) bool { return !math.IsNaN(r.Partial) })
	without := those(func(i int, r column.ConfounderRow) bool { return powerless(2*i, 1/float64(r.Permutations+1)) })
	if partial != nil && len(without) == len(partial) {
		study("confounds.powerless", nil, values{"Draws": int(partial[0].Permutations),
			"Needed": inference.LeastPermutations * tests})
	}
	few := those(func(i int, _ column.ConfounderRow) bool { return full(i) })
	for _, by := range lists.By(few, func(r column.ConfounderRow) int32 { return r.FullDraws }) {
		study("confounds.powerless-full", by.All, values{"Draws": int(by.Key), "Limited": by.Key < 999,
			"Needed": inference.LeastPermutations * tests})
	}
	for _, of := range []struct {
		code string
		is   func(i int, r column.ConfounderRow) bool
	}{
		{"confounds.depends", func(_ int, r column.ConfounderRow) bool { return inference.Significant(r.PartialHolm) }},
		{"confounds.no-information", func(i int, r column.ConfounderRow) bool {
			return !math.IsNaN(r.FullHolm) && !inference.Significant(r.Full) && !full(i)
		}},
		{"confounds.open", func(i int, r column.ConfounderRow) bool {
			return inference.Significant(r.Full) && !inference.Significant(r.FullHolm) && !full(i)
		}},
	} {
		for _, by := range lists.By(those(of.is), func(r column.ConfounderRow) string { return r.Covariate }) {
			study(of.code, by.All, values{"Name": by.Key})
		}
	}
	return all
}

// linear are the inputs that baselines, regressions and networks take in place of graphs.
var linear = []string{"states", "tangent", "pearson", "series"}

// wholes are matrices of which nothing is fitted to participants, so that the kind confounds takes them.
var wholes = []string{column.Pearson, column.Partial, column.Covariances, column.Precision}

// Increments is what the edges hold of which the kind confounds tests what they add to covariates, and the stage's
// output; unknown where no connection is known.
func (a *Results) Increments() (of column.Data, output string) {
	if a.Plan == nil {
		return column.Data{}, ""
	}
	s := a.Plan.Shown("confounds", "confound_summary")
	if s == nil || len(s.Inputs["matrices"]) == 0 {
		return column.Data{}, ""
	}
	return a.Plan.Holds(s, "matrices"), shownResults(s.Inputs["matrices"])
}

func shownResults(of []column.Result) string {
	return strings.Join(lists.Map(of, column.Result.String), ", ")
}

// OtherInputs are the findings about models that were trained on other values than the edges of which the kind
// confounds tests what they add to covariates: the test is not of their inputs.
func (a *Results) OtherInputs() (all List) {
	edges, _ := a.Increments()
	unknown := func(d column.Data) bool { return d.Measure == "" || d.Measure == column.Mixed } // one of a decision
	if unknown(edges) {
		return nil
	}
	type trained struct{ name, data, output string }
	var models []trained
	add := func(name, port string, setting []dag.Coord) {
		s := a.StageBehind(setting, port)
		if s == nil {
			return
		}
		at := slices.IndexFunc(linear, func(port string) bool { return len(s.Inputs[port]) > 0 })
		if d := a.Plan.HoldsAny(s, linear...); at >= 0 && !unknown(d) && d.Unlike(edges) {
			models = append(models, trained{name, d.String(), shownResults(s.Inputs[linear[at]])})
		}
	}
	for _, r := range a.PerParticipant() {
		if !r.IsMajority() {
			add(r.Called(), "evaluation", r.Coords)
		}
	}
	for _, r := range a.Regression {
		if r.Classifier != "mean" {
			add(r.Name, "regression", r.Coords)
		}
	}
	for _, of := range lists.By(models, func(m trained) string { return m.data + "\x00" + m.output }) {
		d := column.ParseData(of.All[0].data)
		all.Study("confounds.other-inputs", Limits, values{"Edges": Values(edges), "Data": Values(d),
			"Models": lists.Map(of.All, func(m trained) string { return m.name }), "Output": of.All[0].output,
			"Connectable": slices.Contains(wholes, d.Measure),
			"Estimator":   d.Measure == edges.Measure && d.Estimator != edges.Estimator})
	}
	return all
}

// Increment are the findings about what edges add to covariates; number is as in Confounders.
func Increment(r column.ConfoundSummaryRow, models []column.ConfoundModelRow, matching []column.ConfoundMatchRow,
	number string) (all List) {
	of := values{"Names": r.Covariates, "P": r.P, "Draws": int(r.Permutations), "Measure": r.Measure, "Low": r.Low,
		"High": r.High, "Number": number, "Within": r.Within, "Positive": r.Low > 0}
	if !math.IsNaN(r.P) && !inference.Significant(r.P) {
		all.Study("confounds.adds-nothing", Limits, of)
	} else if inference.Significant(r.P) && !r.Gains() {
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
		all.Study("confounds.skipped", Limits, values{"N": len(r.Left), "Participants": r.Left,
			"Groups": nil}) // quality.Skipped
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

// Beyond marks the findings about covariates beyond which the edges are shown to hold information, by a significant
// increase with an interval above 0: such a covariate overturns no result of models. It may overturn tests of edges,
// which do not adjust for it. A test of other inputs than those of the models shows nothing of these.
func (l List) Beyond(tests []column.ConfoundSummaryRow) List {
	l = slices.Clone(l)
	if slices.ContainsFunc(l, func(f Finding) bool { return f.Code == "confounds.other-inputs" }) {
		return l
	}
	for i, f := range l {
		numbers := Values(f.Numbers)
		name, _ := numbers["Name"].(string)
		if f.Kind() != "covariate" || f.Weight != Overturns {
			continue
		}
		if slices.ContainsFunc(tests, func(r column.ConfoundSummaryRow) bool {
			return slices.Contains(r.Covariates, name) && inference.Significant(r.P) && r.Gains()
		}) {
			numbers["Beyond"] = true
			l[i].Numbers = numbers
		}
	}
	return l
}

// FullTestable reports whether a model has a full confounder test: one that is retrained on permuted labels, and whose
// predictions are not constant.
func FullTestable(model string, number bool) bool {
	switch model {
	case "ridge", "kernel-ridge":
		return true
	case "svm", "linear-svm", "logistic":
		return !number
	}
	return false
}
