package performance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// readRegression reads the measures of all models of a number, in the order of their names, and the mean last: an order
// by r would put the one in front that happened to fit the test participants.
func (a *Results) readRegression() error {
	if !a.T.Has("regression") {
		return nil
	}
	rows, err := column.Read[column.RegressionRow](a.T.In("regression"))
	if err != nil {
		return err
	}
	if err := a.cautions(a.T.In("regression")); err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(x, y column.RegressionRow) int {
		return cmp.Compare(fmt.Sprint(isMean(x)), fmt.Sprint(isMean(y))) // false first
	})
	a.Regression = rows
	a.Permuted, err = section.Read[column.PermutationTestRow](a.T, "permutation")
	return err
}

// testOfR is the test of r: that of the kind permutation-regression where there is one, or else of evaluate-regression.
func (a *Results) testOfR(r column.RegressionRow) (t chanceTest, ok bool) {
	for _, t := range a.retrained(column.CoordText(r.Coords), r.Name) {
		if m := t.Measured("r"); m != nil {
			return chanceTest{m.P, drawnLeast(m.Permutations), m.Permutations, "with retrained models", true, true}, true
		}
	}
	how := map[string]string{fold.Retrained: "with retrained models", fold.PerFold: "fold by fold, models not retrained"}[r.Test]
	if how != "" && r.TestFolds > 0 {
		how += fmt.Sprintf(" (first repeat: r %s)", report.Share(r.TestR))
	}
	return chanceTest{r.P, r.Least, r.Permutations, how, r.Test == fold.Retrained, false}, how != ""
}

// Error writes a mean absolute error, or an end of its interval, with the decimals of all models and permutation tests:
// 12.0 beside 11.9.
func (a *Results) Error(x float64) string {
	var all []float64
	for _, r := range a.Regression {
		all = append(all, r.MAE, r.MAELow, r.MAEHigh)
	}
	for _, t := range a.Permuted {
		if t.Measure == "mae" {
			all = append(all, t.Observed, t.Mean, t.Quantile95)
		}
	}
	all = column.Known(all)
	if at := slices.Index(all, x); at >= 0 {
		return report.Alike(all...)[at]
	}
	return report.Short(x)
}

// isMean reports whether a row is of the mean of the training participants.
func isMean(r column.RegressionRow) bool {
	return strings.HasPrefix(r.Name, column.Classifiers["mean"])
}

// Interval writes the ends of an interval, of which either may be negative.
func Interval(low, high float64, write func(float64) string) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return "n/a"
	}
	return write(low) + " to " + write(high)
}

// ofProcedure is the target of an interval.
const ofProcedure = "of the expected value for models trained on as many participants as in each fold"

// DescribeRegression is the section of predicted numbers; name is what the number is called.
func (a *Results) DescribeRegression(name string) error {
	type row = column.RegressionRow
	rows := a.Regression
	t := section.TableOf("Performance on test participants", 1, rows,
		section.Text("model", "", func(r row) string { return r.Name }),
		section.Strong(section.Number("r", "Pearson's correlation of predicted and observed values, mean over the folds",
			func(r row) string { return report.Share(r.R) })),
		section.Number("95 % CI of r", ofProcedure, func(r row) string {
			return Interval(r.RLow, r.RHigh, report.Share)
		}),
		section.Number("p", "of r, one-sided."+testsOfNumbers(rows),
			func(r row) string { return testedNumber(r, r.P) }),
		section.Number("R²", "1 − Σ(y−ŷ)²/Σ(y−ȳ)² with the mean ȳ of the test participants of the fold, mean over the folds",
			func(r row) string { return report.Share(r.R2) }),
		section.Number("95 % CI of R²", ofProcedure,
			func(r row) string { return Interval(r.R2Low, r.R2High, report.Share) }),
		section.Number("MAE", "mean absolute error in units of "+name+", mean over the folds",
			func(r row) string { return a.Error(r.MAE) }),
		section.Number("95 % CI of MAE", ofProcedure,
			func(r row) string { return Interval(r.MAELow, r.MAEHigh, a.Error) }))
	first := rows[0]
	t.Note = fmt.Sprintf("%s, %s. All measures are means over the folds. MAE: mean absolute error, in units of %s. 95 %% CI: of the expected value for models trained on as many participants as in each fold.",
		words.Count(int(first.Folds), "fold"), words.Count(int(first.Participants), "participant"), name)
	t.Note += testsOfNumbers(rows)
	if slices.ContainsFunc(rows, isMean) {
		t.Note += " The mean of the training participants is the same prediction for everybody: it has no r, and the other models must have a smaller error."
	}
	a.Table(t, fmt.Sprintf("gives how well the models predict %s, per participant, by the mean prediction over the participant's draws.", name))
	a.Supplement(section.TableOf("Further measures", 1, rows,
		section.Text("model", "", func(r row) string { return r.Name }),
		section.Number("SD of r", "over the folds (n − 1)", func(r row) string { return report.Share(r.RSD) }),
		section.Number("R², training mean", "with the mean ȳ of the training participants in place of that of the test participants, mean over the folds",
			func(r row) string { return report.Share(r.R2Trained) }),
		section.Number("p of MAE", "one-sided, by the same test as p of r",
			func(r row) string { return testedNumber(r, r.MAEP) })))
	a.permutationTables()
	a.cautionRetrained()
	a.cautionRegression(name)
	if !a.Pictures || len(a.T.All("predicted")) == 0 {
		return nil
	}
	all, err := fold.ReadNumbers(a.T.All("predicted"))
	if err != nil {
		return err
	}
	return a.Figures("predicted over observed "+name, figure.DrawPredicted(all, name, 6)...)
}

// testsOfNumbers is testsOf of models of a number.
func testsOfNumbers(rows []column.RegressionRow) string {
	as := lists.Map(rows, func(r column.RegressionRow) Row {
		return Row{Title: r.Name, AccuracyRow: column.AccuracyRow{Level: "participant", Test: r.Test,
			Permutations: r.Permutations}}
	})
	return strings.ReplaceAll(testsOf(as), "labels", "targets") + ofFirst("r", lists.Map(rows,
		func(r column.RegressionRow) string {
			return map[bool]string{true: r.Name + " " + report.Share(r.TestR)}[r.Test != "" && r.TestFolds > 0]
		}))
}

// testedNumber is testedP of a model of a number.
func testedNumber(r column.RegressionRow, p float64) string {
	return testedP(Row{AccuracyRow: column.AccuracyRow{Test: r.Test, Permutations: r.Permutations}}, p)
}

// fewTested is the number of test participants of a fold below which its correlation says little: at 10 the standard
// error of Fisher's z is 1/√7 = 0.38.
const fewTested = 10

// cautionRegression warns of predictions that show nothing.
func (a *Results) cautionRegression(name string) {
	compared := 0
	for _, r := range a.Regression {
		if isMean(r) {
			continue
		}
		compared++
		if r.Constant > 0 {
			a.Caution("%s predicts the same %s for all participants of a fold in %d of %d folds: it has not learned there, and its r counts as 0", r.Name, name, r.Constant, r.Folds)
		}
		t, tested := a.testOfR(r)
		switch why := t.Powerless(); {
		case a.Unattributed(column.CoordText(r.Coords), r.Name): // cautionRetrained says so
		case !tested && !math.IsNaN(r.R):
			a.Weighed(section.Overturns, "%s: r between predicted and observed %s was %s", r.Name, name,
				strings.NewReplacer("to baseline", "to regression", "to evaluate", "to evaluate-regression").Replace(untested))
		case why != "" && t.shuffled && !math.IsNaN(r.R):
			a.Caution("The permutation test of %s cannot be significant: %s", r.Name, why)
		case why != "" && !math.IsNaN(r.R):
			a.Caution("%s: r between predicted and observed %s cannot be shown to be above chance: %s", r.Name, name,
				strings.ReplaceAll(why, "labels", "targets"))
		case math.IsNaN(r.R) || t.p >= 0.05:
			a.Weighed(section.Overturns, "%s: r between predicted and observed %s is not above chance (r %s, %s %s)", r.Name, name, report.Share(r.R), report.DrawnPText(t.p, t.draws), t.how)
		case r.R2 <= 0:
			a.Weighed(section.Overturns, "%s: R² is %s, not above 0: the predictions of %s are no closer to the observed values than their mean is", r.Name, report.Share(r.R2), name)
		case r.R2Low <= 0:
			a.Caution("%s: R² may be 0 (%s, 95 %% CI %s): the predictions of %s may be no closer to the observed values than their mean", r.Name, report.Share(r.R2), Interval(r.R2Low, r.R2High, report.Share), name)
		}
	}
	if r := a.Regression[0]; r.Folds > 0 {
		folds := cmp.Or(r.TestFolds, r.Folds) // each repeat tests everybody
		if r.Participants < fewTested*folds {
			a.Caution("A fold tests only %s on average: r and R² of a fold are noisy", words.Count(int(r.Participants/folds), "participant"))
		}
	}
	if compared > 1 {
		a.Weighed(section.Notes, "%d models were compared: r of the best one is biased upward", compared)
	}
}

// RegressionResult is the result of each model in a sentence.
func (a *Results) RegressionResult(name string) string {
	var parts []string
	for _, r := range a.Regression {
		if isMean(r) {
			parts = append(parts, fmt.Sprintf("%s: MAE %s", r.Name, a.Error(r.MAE)))
			continue
		}
		p := "not tested against chance"
		if t, tested := a.testOfR(r); tested {
			p = report.DrawnPText(t.p, t.draws) + " " + t.how
		}
		parts = append(parts, fmt.Sprintf("%s: r %s, 95 %% CI %s, %s, R² %s, MAE %s", r.Name, report.Share(r.R),
			Interval(r.RLow, r.RHigh, report.Share), p, report.Share(r.R2), a.Error(r.MAE)))
	}
	doubt, why := a.Doubt()
	return fmt.Sprintf("Result for %s (%smeans over %s): %s.%s", name, doubt, words.Count(int(a.Regression[0].Folds), "fold"),
		strings.Join(parts, "; "), why)
}
