package finding

import (
	"prgnn/stages/column"
)

// Names of the covariates of which a page has one finding where both separate the groups.
const volumes, kept, bothVolumes = "volumes", "kept", "volumes_both"

// Covariates are the findings about covariates that alone separate the groups. of is the column that the models
// predict: the table is of the column group.
func Covariates(rows []column.CovariateRow, of string) (all List) {
	if of != "group" {
		all.Add(Finding{"covariate.not-of-labels", Limits, Subject{}, map[string]any{"Column": of}})
		return all
	}
	both := 0
	for _, r := range rows {
		if (r.Name == volumes || r.Name == kept) && r.P < Alpha {
			both++
		}
	}
	for _, r := range rows {
		name, code := r.Name, "covariate.predicts-group"
		switch {
		case !(r.P < Alpha) || both == 2 && name == volumes:
			continue
		case both == 2 && name == kept:
			name = bothVolumes
		case name == column.UnusablePattern:
			code = "covariate.missing-regions-differ"
		case name == column.UnusableRegions:
			code = "covariate.number-of-missing-regions"
		}
		all.Add(Finding{code, Overturns, Subject{}, map[string]any{"Name": name, "AUC": r.AUC,
			"Chance": r.Chance, "P": r.P,
			"Draws": int(r.Permutations), "Values": r.Values}})
	}
	return all
}

// CovariatesOfNumber are the findings about covariates that go with the number to predict.
func CovariatesOfNumber(rows []column.NumberCovariateRow, number string) (all List) {
	both := 0
	for _, r := range rows {
		if (r.Name == volumes || r.Name == kept) && r.P < Alpha {
			both++
		}
	}
	for _, r := range rows {
		name := r.Name
		switch {
		case !(r.P < Alpha) || both == 2 && name == volumes:
			continue
		case both == 2 && name == kept:
			name = bothVolumes
		}
		all.Add(Finding{"covariate.predicts-number", Overturns, Subject{}, map[string]any{"Name": name, "Number": number,
			"Category": r.Kind == "category", "R": r.R, "P": r.P, "Draws": int(r.Permutations)}})
	}
	return all
}
