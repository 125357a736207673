package present

import (
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/present/section"
)

// A confounderRow is a confounder test with the covariate's name for people.
type confounderRow struct {
	column.ConfounderRow
	Shown string
}

// confounds writes what predictions owe to covariates.
func (a *author) confounds() {
	number := a.confoundedNumber()
	a.increment(number)
	tests := section.Rows[column.ConfounderRow](a.Writer, "confounders")
	if len(tests) == 0 {
		return
	}
	for i, r := range tests {
		tests[i].Name = a.NameOf(r.Setting, r.Name)
	}
	slices.SortStableFunc(tests, func(x, y column.ConfounderRow) int {
		return a.behindHeadline(x) - a.behindHeadline(y)
	})
	within := ""
	if s := a.Run.Shown("confounds", "confounders"); s != nil {
		within = a.PermutedWithin(s.Value("within"))
	}
	a.Find(finding.Confounders(tests, number, within)...)
	shown := lists.Map(tests, func(r column.ConfounderRow) confounderRow {
		return confounderRow{r, a.covariateName(r.Covariate)}
	})
	columns := "classifier covariate | n association partial partial-holm"
	if slices.ContainsFunc(tests, func(r column.ConfounderRow) bool { return !math.IsNaN(r.Full) }) {
		columns += " prediction full full-holm"
	}
	a.Table(section.Lay(a.Writer, "confounds.tests", values{"Number": number}, shown, columns))
	of := values{"N": int32(0), "Detectable": math.NaN(), "Number": number,
		"Constant": slices.ContainsFunc(tests, constantWithin), "Tested": false, "Within": within,
		"Untestable": false}
	var untested []string
	for _, by := range lists.By(tests, func(r column.ConfounderRow) string { return r.Name }) {
		if slices.ContainsFunc(by.All, func(r column.ConfounderRow) bool { return !math.IsNaN(r.Full) }) {
			of["Tested"] = true
		} else if finding.FullTestable(by.All[0].Model, number != "") {
			untested = append(untested, by.Key)
		} else {
			of["Untestable"] = true
		}
	}
	of["Untested"] = untested
	for _, r := range tests {
		if n := of["N"].(int32); !math.IsNaN(r.Partial) && (n == 0 || r.Participants < n) {
			of["N"], of["Detectable"] = r.Participants, r.Detectable
		}
	}
	a.Put("confounds.meaning", of)
}

// behindHeadline is 0 for tests of the headline and 1 for those of others.
func (a *author) behindHeadline(r column.ConfounderRow) int {
	if a.First != nil && r.Name == a.First.Called() || a.FirstNumber != nil && r.Name == a.FirstNumber.Name {
		return 0
	}
	return 1
}

// constantWithin reports whether a covariate has no partial test since it does not vary within folds.
func constantWithin(r column.ConfounderRow) bool { return r.Why == column.ConstantWithin }

// confoundedNumber is the number whose predictions the kind confounds tested; "" of classifiers.
func (a *author) confoundedNumber() string {
	rows := section.Rows[column.ConfoundSummaryRow](a.Writer, "confound_summary")
	if a.Regression != nil || len(rows) == 1 && rows[0].Measure == "r" {
		return a.Number
	}
	return ""
}

// increment writes what edges add to covariates.
func (a *author) increment(number string) {
	models := section.Rows[column.ConfoundModelRow](a.Writer, "confound_models")
	summaries := section.Rows[column.ConfoundSummaryRow](a.Writer, "confound_summary")
	matching := section.Rows[column.ConfoundMatchRow](a.Writer, "confound_matching")
	if len(models) == 0 || len(summaries) != 1 {
		return
	}
	r := summaries[0]
	of := values(finding.Values(r))
	of["Number"], of["Names"], of["Matched"] = number, named(r.Covariates), named(r.Match)
	of["Gains"], of["Chance"], of["AboveChance"] = r.Gains(), r.Chance(), r.Both-r.Chance()
	of["BelowChance"] = r.Alone < r.Chance()
	of["Evaluated"] = slices.ContainsFunc(a.Accuracy, func(r finding.Row) bool { return r.Classifier == "ridge" }) ||
		slices.ContainsFunc(a.Regression, func(r column.RegressionRow) bool { return r.Classifier == "ridge" })
	of["Drawn"] = a.Over() == "draws"
	data, output := a.Increments()
	of["Data"], of["Output"] = values(finding.Values(data)), output
	of["Related"] = len(a.Related) > 0
	a.Put("confounds.increment", of)
	if len(a.Related) > 0 { // its p is not valid
		r.P = math.NaN()
	}
	a.Find(quality.Skipped(finding.Increment(r, models, matching, number), a.GroupOf())...)
	a.Find(a.OtherInputs()...)
	a.Table(section.Lay(a.Writer, "confounds.models", of, models, "features sample | n score"))
	if r.Pairs >= 0 {
		a.Put("confounds.pairs", of)
		for i, m := range matching {
			matching[i].Covariate = a.covariateName(m.Covariate)
		}
		a.Table(section.Lay(a.Writer, "confounds.matching", of, matching, "covariate | before after"))
	}
}

// named are covariates for the entry covariate.shown.
func named(covariates []string) []values {
	return lists.Map(covariates, func(name string) values { return values{"Name": name} })
}
