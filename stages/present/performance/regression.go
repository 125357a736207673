package performance

import (
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

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

// DescribeRegression is the section of predicted numbers.
func (a *Results) DescribeRegression() {
	type row = column.RegressionRow
	rows := a.Regression
	first := rows[0]
	over := a.Over()
	of := values{"Over": over, "Number": a.Number, "Folds": int(first.Folds), "N": int(first.Participants),
		"RFolds": OfFolds(first), "FoldsOf": a.FoldsOf(),
		"Residuals": lists.Map(a.Residuals(), func(r *finding.Residual) values { return r.Values(a.Number) }),
		"HasMean":   slices.ContainsFunc(rows, finding.IsMean), "Within": a.Within,
		"Tests": a.describeTests(RegressionTests(rows), "targets", "r", a.Within)}
	a.Table(section.Lay(a.Writer, "regression.models", of, rows,
		"model | r* r-interval r-within? p r2 r2-interval mae mae-interval",
		section.Num("mae", func(r row) string { return a.Error(r.MAE) }),
		section.Num("mae-interval", func(r row) string { return report.Range(r.MAELow, r.MAEHigh, a.Error) })))
	_, of["FirstMAE"] = FirstRepeat(errorTests(rows), report.Short)
	a.Supplement(section.Lay(a.Writer, "regression.further", of, rows, "model | r-sd r2-training mae-p"))
	a.permutationTables()
	a.Find(a.Regressions()...)
	if !a.Pictures {
		return
	}
	all, err := a.Predictions()
	a.Fail(err)
	if all = a.evaluated(all); all != nil {
		a.Figures(figure.DrawPredicted(all, func(setting []dag.Coord) figure.PredictedNumber {
			of := figure.PredictedNumber{Name: a.Number, R: math.NaN()}
			if at := slices.IndexFunc(rows, func(r row) bool { return isOf(r.Coords, setting) }); at >= 0 {
				of.R, of.RLow, of.RHigh, of.Error = rows[at].R, rows[at].RLow, rows[at].RHigh, a.Error(rows[at].MAE)
			}
			if r := a.ResidualOf(setting); r != nil {
				of.Residual, of.Scored = true, r.Scored
			}
			return of
		}, over, 6)...)
	}
}

// RegressionResult is the result of each model in a sentence.
func (a *Results) RegressionResult() string {
	corrected, among := a.CorrectedR()
	models := lists.Map(a.Regression, func(r column.RegressionRow) values {
		state, t := a.TestOfR(r)
		residual := a.ResidualOf(r.Coords)
		return values{"Name": r.Name, "Number": a.Number, "Residual": residual != nil,
			"Scored": residual != nil && residual.Scored, "R": r.R, "Low": r.RLow, "High": r.RHigh, "R2": r.R2,
			"MAE": a.Error(r.MAE), "RWithin": r.RWithin, "Site": a.Within,
			"IsMean": finding.IsMean(r), "Tested": state < finding.Untested, "P": t.P, "Draws": t.Draws,
			"Least":     t.Least,
			"Retrained": t.Retrained, "Within": t.Within, "First": t.First, "Corrected": corrected[finding.RKey(r)],
			"Among": among, "Headline": a.IsFirstNumber(r)}
	})
	return a.Text("abstract.regression", values{"Number": a.Number, "Similar": a.Similar, "Related": len(corrected) > 0 &&
		slices.ContainsFunc(a.Regression, a.IsRelatedR),
		"FoldsOf": a.FoldsOf(),
		"Folds":   int(a.Regression[0].Folds), "RFolds": OfFolds(a.Regression[0]), "Models": models})
}

// OfFolds is how many folds have r and R², where some do not, and else 0.
func OfFolds(r column.RegressionRow) int {
	if r.LacksFolds() {
		return int(r.RFolds)
	}
	return 0
}
