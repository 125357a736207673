package present

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

// checks is the section of leakage, covariates, training and the quality of each step.
func (a *author) checks() {
	for _, part := range []func(){a.leakage, a.applied, a.covariates, a.training, a.Quality, a.Motion} {
		part()
	}
}

// comparisons are what leakage stages should compare, and the check that does.
var comparisons = []struct{ check, what string }{
	{fold.ScansCompared, finding.ComparedScans},
	{fold.SignalsCompared, finding.ComparedSignals},
	{fold.FeaturesCompared, finding.ComparedFeatures},
	{fold.PredictionsCompared, finding.ComparedPredictions},
}

// leakage counts the checks of all leakage stages, and lists those that no stage made. A violation lets nothing be
// written.
func (a *author) leakage() {
	of := finding.Leakage{Connected: a.T.Has("leakage"), Evaluated: a.Accuracy != nil || a.Regression != nil,
		Admitted: len(a.Admitted), Unchecked: section.Rows[column.Unchecked](a.Writer, column.UncheckedPort)}
	checks, violations := map[string]bool{}, int64(0)
	for in, rows := range section.Members[fold.CheckRow](a.Writer, "leakage") {
		table := a.TableOf(in)
		a.foundIn(table)
		if alike := section.Meta[values](a.Writer, in, column.AlikeByChance); alike != nil {
			a.Put("leakage.alike-by-chance", alike)
		}
		of.Checks += len(rows)
		for _, r := range rows {
			checks[r.Check] = true
			of.Comparisons, violations = of.Comparisons+int64(r.Of), violations+int64(r.Found)
		}
	}
	if violations > 0 {
		a.Fail(fmt.Errorf("leakage: %d violations; no accuracy is reported", violations))
	}
	for _, c := range comparisons {
		switch {
		case checks[c.check]:
		case c.check == fold.PredictionsCompared && !of.Evaluated && a.T.Has("validation"): // there are no folds
		case c.check == fold.SignalsCompared && checks[fold.MeanSignalsCompared]:
			of.Missing = append(of.Missing, finding.ComparedFiltered)
		default:
			of.Missing = append(of.Missing, c.what)
		}
	}
	if !slices.Contains(of.Missing, finding.ComparedPredictions) {
		of.Uncovered = a.Run.Uncovered()
	}
	a.Find(of.Findings()...)
	switch {
	case of.Connected:
		a.Put("leakage.checks", values{"Passed": of.Passed(), "Complete": of.Complete(), "Checks": of.Checks,
			"Comparisons": of.Comparisons, "Admitted": of.Admitted, "Missing": of.Missing, "Programs": of.Programs(),
			"Uncovered": of.Uncovered,
			"Copies":    checks[fold.CopiesCompared]})
	case of.Evaluated:
		a.Put("leakage.none", nil)
	}
}

// applied adds what is found of the participants that trained models were applied to.
func (a *author) applied() {
	for _, one := range a.methods.Applied() {
		for _, s := range section.Rows[column.ValidationSummaryRow](a.Writer, "validation_summary") {
			one.Shares = finding.SharesOf(s)
		}
		a.Find(one.Findings()...)
	}
}

// hasMissingRegions reports whether models may have had regions as inputs that some participants lack: by the
// parameters of the run, or, on a page without these, by what the models state.
func (a *author) hasMissingRegions() bool {
	if len(a.Run.Stages) > 0 {
		return !a.Run.LeavesOutRegions()
	}
	left, _ := a.RegionsLeftOut()
	return left == nil
}

// covariates describes how well single covariates distinguish the groups.
func (a *author) covariates() {
	if a.Who != nil && a.Who.Numbers != nil {
		a.covariatesOfNumber()
		return
	}
	type row = column.CovariateRow
	all := section.Rows[row](a.Writer, "covariates")
	if len(all) == 0 {
		return
	}
	of, _ := a.Predicted()
	v := a.ofCovariates(of == "group")
	name := func(r row) string { return a.covariateName(r.Name) }
	rows := varying(a, all, name, func(r row) (bool, int32) { return r.AUC == 0.5 && r.Chance == 0.5, r.Missing }, v)
	if rows == nil {
		a.Put("covariate.none-tested", v)
		return
	}
	lacked := section.Meta[[]quality.Lacked](a.Writer, a.T.In("covariates"), column.LackedRegions)
	for i, r := range lacked {
		lacked[i].Name = a.RegionName(r.Region)
	}
	leftOut, _ := a.ColumnOf(a.HeldOut())
	a.Find(quality.Covariates(rows, of, leftOut, lacked, a.hasMissingRegions())...)
	v["Permutations"] = rows[0].Permutations
	v["OneGroup"] = slices.ContainsFunc(rows, func(r row) bool { return math.IsNaN(r.AUC) })
	v["Fixed"] = slices.ContainsFunc(rows, func(r row) bool { return math.IsNaN(r.P) && !math.IsNaN(r.AUC) })
	columns := "n missing auc chance p q"
	if v["Within"] != "" {
		columns = "n missing auc within chance p q"
	}
	if a.Pictures { // too wide for a text
		columns = "values " + columns + " sites?"
	}
	v["Lacked"], v["Regions"] = column.UnusablePattern, lacked
	shown := lists.Map(rows, func(r row) valuedRow {
		return valuedRow{r, valuesByGroup(r),
			firstOf(quality.SiteTests(r.Sites, r.SiteAUC, r.SiteP, r.Permutations))}
	})
	a.Table(section.Lay(a.Writer, "covariate.groups", v, shown, "covariate | "+columns))
}

// A valuedRow is a covariate with its values in each group, and its test at the site with the smallest p, if any.
type valuedRow struct {
	column.CovariateRow
	Values []groupValues
	First  []quality.SiteTest
}

// The groupValues are mean and SD of a group, or how many of it have each level of a category.
type groupValues struct {
	Group, Mean, SD string
	Levels          []string
	More            bool // levels than are listed
}

func valuesByGroup(r column.CovariateRow) []groupValues {
	const mostLevels = 6
	of := lists.Map(r.Groups, func(group string) groupValues { return groupValues{Group: group} })
	numbers := report.Alike(column.Known(slices.Concat(r.Means, r.SDs))...)
	next := func(known float64) (text string) {
		if !math.IsNaN(known) {
			text, numbers = numbers[0], numbers[1:]
		}
		return text
	}
	for i := range r.Means {
		of[i].Mean = cmp.Or(next(r.Means[i]), "n/a")
	}
	for i := range r.SDs {
		of[i].SD = next(r.SDs[i])
	}
	for i, n := range r.Counts {
		g, level := &of[i/len(r.Levels)], i%len(r.Levels)
		if g.More = level >= mostLevels; !g.More {
			g.Levels = append(g.Levels, words.CountOf(int(n), r.Levels[level], " "))
		}
	}
	return of
}

// covariatesOfNumber describes how covariates go with the number to predict.
func (a *author) covariatesOfNumber() {
	type row = column.NumberCovariateRow
	all := section.Rows[row](a.Writer, "covariates")
	if len(all) == 0 {
		return
	}
	v := a.ofCovariates(true)
	name := func(r row) string { return a.covariateName(r.Name) }
	rows := varying(a, all, name, func(r row) (bool, int32) { return math.IsNaN(r.R), r.Missing }, v)
	if rows == nil {
		a.Put("covariate.none-tested", v)
		return
	}
	a.Find(quality.CovariatesOfNumber(rows, a.Number, a.NumberHeldOut(), a.Within, a.hasMissingRegions())...)
	v["Permutations"] = rows[0].Permutations
	v["Fixed"] = slices.ContainsFunc(rows, func(r row) bool { return math.IsNaN(r.P) })
	columns := "covariate | n missing coefficient value p q"
	if v["Within"] != "" {
		columns = "covariate | n missing coefficient value within p q"
	}
	if a.Pictures { // too wide for a text
		columns += " sites?"
	}
	shown := lists.Map(rows, func(r row) siteRow {
		return siteRow{r, firstOf(quality.SiteTests(r.Sites, r.SiteR, r.SiteP, r.Permutations))}
	})
	a.Table(section.Lay(a.Writer, "covariate.number", v, shown, columns))
}

// A siteRow is a covariate of a number with its test at the site with the smallest p, if any.
type siteRow struct {
	column.NumberCovariateRow
	First []quality.SiteTest
}

func firstOf(all []quality.SiteTest) []quality.SiteTest { return all[:min(1, len(all))] }

// ofCovariates are values of the table of covariates; its findings are added where they are of what the models
// predict.
func (a *author) ofCovariates(found bool) values {
	table := a.TableOf(a.T.In("covariates"))
	if found {
		a.foundIn(table)
	}
	within := table.Meta["within"]
	if within != "" && within != "site" {
		within = a.covariateName(within)
	}
	return values{"Within": within, "Number": a.Number}
}

// foundIn adds the findings of a table.
func (a *author) foundIn(table *encoding.Table) {
	all, err := finding.Of(table.Meta)
	a.Fail(err)
	a.Find(all...)
}

// covariateName is the name of a covariate for people.
func (a *author) covariateName(name string) string {
	return a.Text("covariate.plain", values{"Name": name})
}

// varying are the covariates that were tested; to v it adds those that are constant, over all participants or over
// those with a value, and the columns of the participants that are no covariates.
func varying[R any](a *author, all []R, name func(R) string, constant func(R) (is bool, missing int32),
	v values) (rows []R) {
	var same, others []string
	var known []values // constant where they are known
	shown := map[string]bool{}
	for _, r := range all {
		shown[name(r)] = true
		switch is, missing := constant(r); {
		case !is:
			rows = append(rows, r)
		case missing > 0:
			known = append(known, values{"Name": name(r), "Missing": missing})
		default:
			same = append(same, name(r))
		}
	}
	for _, p := range a.Properties {
		if n := a.covariateName(p); !shown[n] {
			others = append(others, n)
		}
	}
	v["Same"], v["Known"], v["Others"] = same, known, others
	return rows
}

// training describes what networks achieved on their own graphs.
func (a *author) training() {
	all, err := finding.ReadTrainings(a.T)
	if a.Fail(err); len(all) == 0 {
		return
	}
	learned := finding.Learned(all, a.Accuracy)
	a.FindOf(a.At("training"), learned.Findings()...)
	if learned.Unknown != nil {
		a.Put("training.unknown", values{"N": len(learned.Unknown), "Models": learned.Unknown})
	}
	for _, c := range learned.Compare {
		a.Put("training.compared", c)
	}
}
