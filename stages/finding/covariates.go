package finding

import (
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// Names of the covariates of which a page has one finding where both separate the groups.
const volumes, kept, bothVolumes = "volumes", "kept", "volumes_both"

// separating gives the name under which a covariate has a finding; "" for none. Of the volumes scanned and those kept
// there is one finding.
func separating[R any](rows []R, of func(R) (name string, p float64)) func(R) string {
	lengths := 0
	for _, r := range rows {
		if name, p := of(r); (name == volumes || name == kept) && inference.Significant(p) {
			lengths++
		}
	}
	return func(r R) string {
		switch name, p := of(r); {
		case !inference.Significant(p) || lengths == 2 && name == volumes:
			return ""
		case lengths == 2 && name == kept:
			return bothVolumes
		default:
			return name
		}
	}
}

// A Lacked is a region that some participants lack, with its name for people.
type Lacked struct {
	Name string
	column.LackedRegion
}

// Covariates are the findings about covariates that alone separate the groups. of is the column that the models
// predict: the table is of the column group. leftOut is the column whose values the folds leave out in turn, "" for
// none. lacked are the regions that some participants lack; inputs reports whether models may have had them.
func Covariates(rows []column.CovariateRow, of, leftOut string, lacked []Lacked, inputs bool) (all List) {
	if of != "group" {
		all.study("covariate.not-of-labels", Limits, values{"Column": of})
		return all
	}
	named := separating(rows, func(r column.CovariateRow) (string, float64) { return r.Name, r.P })
	weight := Overturns
	if !inputs {
		weight = Limits
	}
	for _, r := range rows {
		numbers := values{"AUC": r.AUC, "Chance": r.Chance, "P": r.P, "Draws": int(r.Permutations), "Inputs": inputs}
		switch name := named(r); name {
		case "":
		case column.UnusablePattern:
			all.study("covariate.missing-regions-differ", weight, values{"P": r.P, "Draws": int(r.Permutations),
				"Regions": lacked, "Inputs": inputs})
		case column.UnusableRegions:
			all.study("covariate.number-of-missing-regions", weight, numbers)
		case leftOut:
			numbers["Name"] = name
			all.study("covariate.left-out-predicts-group", Limits, numbers)
		default:
			numbers["Name"] = name
			all.study("covariate.predicts-group", Overturns, numbers)
		}
	}
	return all
}

// CovariatesOfNumber are the findings about covariates that go with the number to predict.
func CovariatesOfNumber(rows []column.NumberCovariateRow, number string) (all List) {
	named := separating(rows, func(r column.NumberCovariateRow) (string, float64) { return r.Name, r.P })
	for _, r := range rows {
		name := named(r)
		if name == "" {
			continue
		}
		all.study("covariate.predicts-number", Overturns, values{"Name": name, "Number": number,
			"Category": r.Kind == "category", "R": r.R, "P": r.P, "Draws": int(r.Permutations)})
	}
	return all
}
