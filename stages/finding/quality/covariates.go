package quality

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// Names of the covariates of which a page has one finding where both separate the groups.
const volumes, kept, bothVolumes = "volumes", "kept", "volumes_both"

// atEachSite is the code of covariates that separate the groups at single sites.
const atEachSite = "covariate.at-sites"

// standsForGroup is the AUC from which a covariate may be a measure of the group itself, as in deconfound's refusal.
const standsForGroup = 0.95

// mayBeScore reports whether a column of numbers may hold a score: it is no measure of scans and no date.
func mayBeScore(name string) bool {
	return name != column.MeanFD && name != volumes && name != kept && name != bothVolumes &&
		!strings.Contains(strings.ToLower(name), "date")
}

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

// Covariates are the findings about covariates that alone separate the groups, the strongest first. of is the column
// that the models predict: the table is of the column group. leftOut is the column whose values the folds leave out in
// turn, "" for none. lacked are the regions that some participants lack; inputs reports whether models may have had
// them.
func Covariates(rows []column.CovariateRow, of, leftOut string, lacked []Lacked, inputs bool) (all finding.List) {
	if of != "group" {
		all.Study("covariate.not-of-labels", finding.Limits, values{"Column": of})
		return all
	}
	all.Add(atSites(atEachSite, rows, func(r column.CovariateRow) (string, []SiteTest, values) {
		return r.Name, SiteTests(r.Sites, r.SiteAUC, r.SiteP, r.Permutations), values{}
	})...)
	strength := func(r column.CovariateRow) float64 {
		auc, _ := column.TestedWithin(r.AUC, r.Within)
		return auc
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y column.CovariateRow) int { return cmp.Compare(strength(y), strength(x)) })
	named := separating(rows, func(r column.CovariateRow) (string, float64) { return r.Name, r.P })
	for _, r := range rows {
		name := named(r)
		auc, within := column.TestedWithin(r.AUC, r.Within)
		numbers := values{"Name": name, "AUC": auc, "Within": within, "Chance": r.Chance, "P": r.P,
			"Draws": int(r.Permutations), "Inputs": inputs, "Q": r.Q, "Open": !inference.Significant(r.Q),
			"Stands": auc >= standsForGroup && r.Kind == "number" && mayBeScore(name), "Edges": false,
			"Permuted": false, "Removed": []string(nil)} // BesideEdges, Adjusted
		weight := weightOfCovariate(name, r.Q, inputs)
		switch name {
		case "":
		case column.UnusablePattern:
			numbers["Regions"] = lacked
			all.Study("covariate.missing-regions-differ", weight, numbers)
		case column.UnusableRegions:
			all.Study("covariate.number-of-missing-regions", weight, numbers)
		case leftOut:
			all.Study("covariate.left-out-predicts-group", finding.Limits, numbers)
		default:
			all.Study("covariate.predicts-group", weight, numbers)
		}
	}
	return all
}

// A Number is a covariate, NaN where it is not known, and the strata within which labels are permuted.
type Number struct {
	Name   string
	Values []float64
	Strata []int
}

// Farther are the findings about numbers that lie farther from their median in one group: an effect of such a covariate
// that is not linear separates the groups, although it alone does not, and linear removal leaves it. p is that of the
// distances, corrected for all numbers (Holm).
func Farther(all []Number, group []int, groups, draws int, stream func(name ...any) *random.Stream) (
	found finding.List) {
	var auc, middle, p []float64
	for _, n := range all {
		median := inference.Median(column.Known(n.Values))
		far := lists.Map(n.Values, func(v float64) float64 { return math.Abs(v - median) })
		told := inference.Separate(inference.Covariate{Values: far}, group, groups, n.Strata, draws,
			stream("far", n.Name))
		area, _ := column.TestedWithin(told.AUC, told.Within)
		auc, middle, p = append(auc, area), append(middle, median), append(p, told.P)
	}
	for i, p := range inference.Holm(p) {
		if inference.Significant(p) && auc[i] >= finding.Apart {
			found.Study("covariate.farther-from-median", finding.Overturns, values{"Covariate": values{"Name": all[i].Name},
				"AUC": auc[i], "Median": middle[i], "P": p, "Draws": draws})
		}
	}
	return found
}

// A SiteTest is what a covariate shows at one site: its AUC, or r with a number to predict, and p after the correction
// for all sites and covariates.
type SiteTest struct {
	Site     string
	Value, P float64
	Draws    int
}

// SiteTests are those of a covariate, the smallest p first.
func SiteTests(sites []string, value, p []float64, draws int32) (all []SiteTest) {
	for i, site := range sites {
		all = append(all, SiteTest{site, value[i], p[i], int(draws)})
	}
	slices.SortStableFunc(all, func(x, y SiteTest) int {
		return cmp.Or(cmp.Compare(x.P, y.P), cmp.Compare(math.Abs(y.Value), math.Abs(x.Value)))
	})
	return all
}

// atSites are the findings of a code about covariates that separate the groups, or go with the number to predict, at
// single sites.
func atSites[R any](code string, rows []R, of func(R) (name string, all []SiteTest, numbers values)) (
	found finding.List) {
	tests := 0
	for _, r := range rows {
		_, all, _ := of(r)
		tests += len(all)
	}
	named := separating(rows, func(r R) (string, float64) {
		name, all, _ := of(r)
		if len(all) > 0 {
			return name, all[0].P
		}
		return name, math.NaN()
	})
	for _, r := range rows {
		if name := named(r); name != "" {
			_, all, numbers := of(r)
			n := len(all)
			all = slices.DeleteFunc(all, func(s SiteTest) bool { return !inference.Significant(s.P) })
			numbers["Name"], numbers["Tests"], numbers["Sites"] = name, tests, all
			weight := finding.Limits
			weak := func(s SiteTest) bool { return s.Value < finding.Apart }
			if len(all) == n && n > 1 && code == atEachSite && !slices.ContainsFunc(all, weak) {
				weight = finding.Overturns // opposite directions are hidden over all sites
			}
			found.Study(code, weight, numbers)
		}
	}
	return found
}

// weightOfCovariate is that of a covariate with p < 0.05, whose q of all covariates may not be. Regions that some
// participants lack, and that are no inputs of any model, can explain little.
func weightOfCovariate(name string, q float64, inputs bool) finding.Weight {
	if !inference.Significant(q) || !inputs && ofMissingRegions(name) {
		return finding.Limits
	}
	return finding.Overturns
}

func ofMissingRegions(name string) bool {
	return name == column.UnusableRegions || name == column.UnusablePattern
}

// CovariatesOfNumber are the findings about covariates that go with the number to predict, the strongest first; leftOut
// and inputs are as in Covariates, and within is the column within whose values the tests of r permute the number:
// their p do not depend on it.
func CovariatesOfNumber(rows []column.NumberCovariateRow, number, leftOut, within string, inputs bool) (
	all finding.List) {
	all.Add(atSites("covariate.at-sites-of-number", rows, func(r column.NumberCovariateRow) (string, []SiteTest, values) {
		return r.Name, SiteTests(r.Sites, r.SiteR, r.SiteP, r.Permutations),
			values{"Number": number, "Category": r.Kind == "category"}
	})...)
	strength := func(r column.NumberCovariateRow) float64 {
		of, _ := column.TestedWithin(r.R, r.Within)
		return math.Abs(of)
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y column.NumberCovariateRow) int {
		return cmp.Compare(strength(y), strength(x))
	})
	named := separating(rows, func(r column.NumberCovariateRow) (string, float64) { return r.Name, r.P })
	for _, r := range rows {
		if name := named(r); name != "" {
			tested, inSites := column.TestedWithin(r.R, r.Within)
			code, weight := "covariate.predicts-number", weightOfCovariate(name, r.Q, inputs)
			switch name {
			case leftOut:
				code, weight = "covariate.left-out-predicts-number", finding.Limits
			case within:
				code, weight = "covariate.within-predicts-number", finding.Limits
			}
			all.Study(code, weight, values{"Name": name, "R": tested,
				"Number": number, "Category": r.Kind == "category", "Within": inSites, "Draws": int(r.Permutations),
				"P": r.P, "Q": r.Q, "Open": !inference.Significant(r.Q), "Inputs": inputs || !ofMissingRegions(name)})
		}
	}
	return all
}
