package present

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
)

// A confounderRow is a confounder test with the covariate's name for people.
type confounderRow struct {
	column.ConfounderRow
	Shown string
}

// confounds writes what predictions owe to covariates.
func (a *author) confounds() error {
	tests, err := column.ReadPort[column.ConfounderRow](a.T, "confounders")
	if err != nil {
		return err
	}
	models, err := column.ReadPort[column.ConfoundModelRow](a.T, "confound_models")
	if err != nil {
		return err
	}
	summaries, err := column.ReadPort[column.ConfoundSummaryRow](a.T, "confound_summary")
	if err != nil {
		return err
	}
	matching, err := column.ReadPort[column.ConfoundMatchRow](a.T, "confound_matching")
	if err != nil {
		return err
	}
	if len(models) > 0 && len(summaries) == 1 {
		a.increment(summaries[0], models, matching)
	}
	if len(tests) == 0 {
		return nil
	}
	a.Find(finding.Confounders(tests)...)
	shown := lists.Map(tests, func(r column.ConfounderRow) confounderRow {
		return confounderRow{r, a.covariateName(r.Covariate)}
	})
	a.Table(section.Lay(a.Writer, "confounds.tests", nil, shown,
		"classifier covariate n | association partial prediction full"))
	least := slices.MinFunc(tests, func(x, y column.ConfounderRow) int { return int(x.Participants - y.Participants) })
	a.Put("confounds.meaning", values{"N": least.Participants, "Detectable": least.Detectable})
	return nil
}

// increment writes what edges add to covariates.
func (a *author) increment(r column.ConfoundSummaryRow, models []column.ConfoundModelRow,
	matching []column.ConfoundMatchRow) {
	of := values{"Participants": r.Participants, "Names": named(r.Covariates), "Measure": r.Measure,
		"Alone": r.Alone, "Both": r.Both, "Increment": r.Increment, "Low": r.Low,
		"High": r.High, "P": r.P, "Permutations": r.Permutations, "Resamples": r.Resamples, "Pairs": r.Pairs,
		"Matched": named(r.Match)}
	a.Put("confounds.increment", of)
	a.Find(finding.Increment(r, models, matching)...)
	a.Table(section.Lay(a.Writer, "confounds.models", of, models, "features sample | n score"))
	if r.Pairs >= 0 {
		a.Put("confounds.pairs", of)
		a.Table(section.Lay(a.Writer, "confounds.matching", of, matching, "covariate | before after"))
	}
}

// named are covariates for the entry covariate.shown.
func named(covariates []string) []values {
	return lists.Map(covariates, func(name string) values { return values{"Name": name} })
}
