package finding

import (
	"cmp"
	"slices"
	"strings"

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
	for _, r := range rows {
		name := named(r)
		auc, within := column.TestedWithin(r.AUC, r.Within)
		numbers := values{"Name": name, "AUC": auc, "Within": within, "Chance": r.Chance, "P": r.P,
			"Draws": int(r.Permutations), "Inputs": inputs, "Q": r.Q, "Open": !inference.Significant(r.Q)}
		weight := weightOfCovariate(name, r.Q, inputs)
		switch name {
		case "":
		case column.UnusablePattern:
			numbers["Regions"] = lacked
			all.study("covariate.missing-regions-differ", weight, numbers)
		case column.UnusableRegions:
			all.study("covariate.number-of-missing-regions", weight, numbers)
		case leftOut:
			all.study("covariate.left-out-predicts-group", Limits, numbers)
		default:
			all.study("covariate.predicts-group", weight, numbers)
		}
	}
	return all
}

// weightOfCovariate is that of a covariate with p < 0.05, whose q of all covariates may not be. Regions that some
// participants lack, and that are no inputs of any model, can explain little.
func weightOfCovariate(name string, q float64, inputs bool) Weight {
	if !inference.Significant(q) || !inputs && ofMissingRegions(name) {
		return Limits
	}
	return Overturns
}

func ofMissingRegions(name string) bool {
	return name == column.UnusableRegions || name == column.UnusablePattern
}

// CovariatesOfNumber are the findings about covariates that go with the number to predict; inputs is as in Covariates.
func CovariatesOfNumber(rows []column.NumberCovariateRow, number string, inputs bool) (all List) {
	named := separating(rows, func(r column.NumberCovariateRow) (string, float64) { return r.Name, r.P })
	for _, r := range rows {
		if name := named(r); name != "" {
			tested, within := column.TestedWithin(r.R, r.Within)
			all.study("covariate.predicts-number", weightOfCovariate(name, r.Q, inputs), values{"Name": name, "R": tested,
				"Number": number, "Category": r.Kind == "category", "Within": within, "Draws": int(r.Permutations),
				"P": r.P, "Q": r.Q, "Open": !inference.Significant(r.Q), "Inputs": inputs || !ofMissingRegions(name)})
		}
	}
	return all
}

// Apart is the AUC from which something that alone separates the groups may explain a high accuracy, and strictP what p
// of series facts is at most, after Holm: series that were processed in another way are far apart, and others are
// nearly never. Within the sites of ABIDE the facts reach an AUC of 0.75; with random groups, 9 and 17 of 2,000 cohorts
// of a site, and of 20 participants, have a finding.
const Apart, strictP = 0.8, 0.01

// A SeriesFact is what the series of the groups have before denoising (column.SeriesFacts). The AUC is that of the
// group that it separates best from the others.
type SeriesFact struct {
	Name    string
	AUC, P  float64
	Groups  []GroupMean
	Treated bool // of the participants with values of a treatment against those without
}

// A GroupMean is the mean of the participants of a group.
type GroupMean struct {
	Name string
	Mean float64
}

// treated reports whether the mean of a group is that of a treatment.
func (f SeriesFact) treated() bool {
	at := slices.IndexFunc(column.SeriesFacts, func(of column.SeriesFact) bool { return of.Name == f.Name })
	return slices.ContainsFunc(f.Groups, func(g GroupMean) bool { return column.SeriesFacts[at].Treated(g.Mean) })
}

// SeriesDiffer is the finding about the facts that separate the groups, the most separating first, and of those that
// separate them alike the ones with the mean of a treatment.
func SeriesDiffer(facts []SeriesFact, draws int) (all List) {
	facts = slices.DeleteFunc(slices.Clone(facts), func(f SeriesFact) bool {
		return f.AUC < Apart && !f.Treated || !(f.P <= strictP)
	})
	if len(facts) == 0 {
		return nil
	}
	slices.SortStableFunc(facts, func(x, y SeriesFact) int {
		if x.AUC == y.AUC && x.treated() != y.treated() {
			return map[bool]int{true: -1, false: 1}[x.treated()]
		}
		return cmp.Compare(y.AUC, x.AUC)
	})
	facts = once(facts, func(f SeriesFact) string { return f.Name })
	all.study(seriesDiffer, Overturns, values{"Name": facts[0].Name, "AUC": facts[0].AUC, "P": facts[0].P,
		"Facts": facts, "Draws": draws})
	return all
}

const seriesDiffer, regionOrder = "covariate.series-differ", "leakage.region-order"

// Linked gives findings what others of the list explain: a nearly perfect accuracy the most separating of what alone
// separates the groups, as another order of the regions does wholly, and scans with far volumes no participants to
// exclude where these volumes differ between the groups.
func (l List) Linked() List {
	var cause values
	apart := false // far volumes
	for _, f := range l {
		of, _ := plain(f.Values()).(values)
		auc, _ := of["AUC"].(float64)
		switch area, _, _ := strings.Cut(f.Code, "."); {
		case f.Code == regionOrder:
			auc = 1
		case f.Weight != Overturns || area != "covariate" && area != "matrices":
			auc = 0
		}
		if auc >= Apart && (cause == nil || auc > cause["AUC"].(float64)) {
			cause = values{"Code": f.Code, "Name": of["Name"], "Port": of["Port"], "AUC": auc}
		}
		if f.Code == seriesDiffer {
			apart = slices.ContainsFunc(of["Facts"].([]any), func(fact any) bool {
				name := fact.(values)["Name"]
				return name == "first_distance" || name == "far_distance"
			})
		}
	}
	linked := slices.Clone(l)
	for i, f := range linked {
		numbers := Values(f.Numbers)
		switch f.Code {
		case "accuracy.near-perfect":
			numbers["Cause"] = cause
		case "scans.first-volumes", "scans.far-volumes":
			if apart {
				numbers["Exclude"] = []string(nil)
			}
		default:
			continue
		}
		linked[i].Numbers = numbers
	}
	return linked
}
