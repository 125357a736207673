package present

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
	"prgnn/stages/present/section"
)

// A subgroupRow is a group with the names of its column and model for people.
type subgroupRow struct {
	column.AnySubgroupRow
	Shown      string
	Classifier string
}

// A subgroupTest is the comparison of the groups of a column, likewise.
type subgroupTest struct {
	column.SubgroupTestRow
	Shown      string
	Classifier string
	Beyond     bool // the test finds no difference of shares: that would be more than 1
}

// subgroups writes how classifiers, or models of a number, do in groups of participants: the headline first, the others
// in tables that are folded away.
func (a *author) subgroups() {
	groups := section.Rows[column.AnySubgroupRow](a.Writer, "subgroups")
	tests := section.Rows[column.SubgroupTestRow](a.Writer, "subgroup_tests")
	if len(groups) == 0 {
		return
	}
	predicts := func(r column.AnySubgroupRow) bool { return !math.IsNaN(r.R) } // not the mean for everybody
	first := groups[max(0, slices.IndexFunc(groups, predicts))].Coords
	if at := slices.IndexFunc(groups, func(r column.AnySubgroupRow) bool {
		return a.First != nil && column.Holds(a.First.Coords, r.Coords) ||
			a.FirstNumber != nil && column.Holds(a.FirstNumber.Coords, r.Coords)
	}); at >= 0 {
		first = groups[at].Coords
	}
	shown := a.covariateName
	if !a.Pictures { // a text is narrow
		shown = func(name string) string { return name }
		tests = slices.DeleteFunc(tests, func(r column.SubgroupTestRow) bool {
			return r.Measure != "accuracy" && r.Measure != "auc" && r.Measure != "r" && !inference.Significant(r.Holm)
		})
	}
	var own, others []subgroupRow
	for i, r := range groups {
		groups[i].Name = a.NameOf(column.CoordText(r.Coords), r.Name)
		if !a.Pictures {
			groups[i].From = math.NaN()
		}
		row := subgroupRow{groups[i], shown(r.Column), groups[i].Name}
		if slices.Equal(r.Coords, first) {
			own = append(own, row)
		} else {
			others = append(others, row)
		}
	}
	var compared, further []subgroupTest
	for i, r := range tests {
		tests[i].Name = a.NameOf(column.CoordText(r.Coords), r.Name)
		row := subgroupTest{tests[i], shown(r.Column), tests[i].Name,
			r.Detectable > 1 && slices.Contains([]string{"accuracy", "sensitivity", "specificity"}, r.Measure)}
		if slices.Equal(r.Coords, first) {
			compared = append(compared, row)
		} else {
			further = append(further, row)
		}
	}
	of := values{"Of": own[0].Classifier, "N": len(slices.DeleteFunc(slices.Clone(own), func(r subgroupRow) bool {
		return r.Suppressed != ""
	}))}
	known := func(of func(column.AnySubgroupRow) float64) bool {
		return slices.ContainsFunc(groups, func(r column.AnySubgroupRow) bool { return !math.IsNaN(of(r)) })
	}
	of["Positive"] = known(func(r column.AnySubgroupRow) float64 { return r.Positive })
	positive := a.TableOf(a.T.In("subgroups")).Meta[column.PositiveMeta]
	of["PositiveGroup"] = positive
	if len(a.Accuracy) > 0 {
		a.Find(finding.OtherPositive(a.Accuracy[0].Positive, positive)...)
	}
	kind := "subgroups"
	if of["Number"] = ""; known(func(r column.AnySubgroupRow) float64 { return r.MAE }) {
		of["Number"], kind = cmp.Or(a.Number, "the number"), "subgroups-regression"
	}
	a.Put("subgroups.result", of)
	plain := lists.Map(groups, func(r column.AnySubgroupRow) column.SubgroupRow { return r.SubgroupRow })
	judged := slices.DeleteFunc(slices.Clone(tests), func(test column.SubgroupTestRow) bool {
		// One answer for everybody.
		majority := func(r finding.Row) bool { return r.IsMajority() && r.Is(test.Coords) }
		return slices.ContainsFunc(a.Accuracy, majority) ||
			of["Number"] != "" && !slices.ContainsFunc(groups, func(r column.AnySubgroupRow) bool {
				return slices.Equal(r.Coords, test.Coords) && predicts(r)
			})
	})
	within, leftOut := "", false
	if s := a.Run.Shown(kind, "subgroups"); s != nil {
		within, leftOut = a.PermutedWithin(s.Value("within")), a.Run.LeavesOut(s, s.Value("within"))
	}
	a.Find(finding.Subgroups(plain, judged, section.Rows[column.Note](a.Writer, "notes"), within)...)
	if a.Pictures {
		drawn := lists.Map(own, func(r subgroupRow) column.AnySubgroupRow { return r.AnySubgroupRow })
		a.Figures(figure.DrawSubgroups(drawn))
	}
	measures := "classifier! column group | n positive? accuracy? auc? sensitivity? specificity? " +
		"target? r? mae? error?"
	differences := "classifier! column measure | higher lower difference expected? p holm chi? detectable?"
	if !a.Pictures {
		measures, differences = "column group | n accuracy? auc? r? mae?", "column measure | higher lower difference holm"
	}
	a.Table(section.Lay(a.Writer, "subgroups.groups", of, own, measures))
	if a.Pictures && slices.ContainsFunc(own, func(r subgroupRow) bool { return !math.IsNaN(r.Brier) }) {
		a.Table(section.Lay(a.Writer, "subgroups.calibration", of, own,
			"column group | mean? brier? large? intercept? slope?"))
	}
	if len(compared) > 0 {
		a.Table(section.Lay(a.Writer, "subgroups.tests", of, compared, differences))
	}
	if most := coarsest(compared); most != nil {
		v := finding.Values(*most)
		v["Positive"], v["Number"] = of["Positive"], ""
		a.Put("subgroups.meaning", v)
	} else if of["Number"] != "" && len(compared) > 0 {
		a.Put("subgroups.meaning", values{"Number": of["Number"], "Classifier": of["Of"], "Positive": false})
	}
	if within != "" && slices.ContainsFunc(own, func(r subgroupRow) bool { return r.Column == within }) {
		a.Put("subgroups.clusters", values{"Column": within, "Classes": of["Number"] == "",
			"LeftOut": leftOut})
	}
	of["Of"] = ""
	if a.Pictures && len(others) > 0 {
		a.Supplement(section.Lay(a.Writer, "subgroups.groups", of, others, measures))
	}
	if a.Pictures && len(further) > 0 {
		a.Supplement(section.Lay(a.Writer, "subgroups.tests", of, further, differences))
	}
}

// coarsest is the comparison of accuracies, of one classifier, that finds only the largest differences.
func coarsest(tests []subgroupTest) (most *subgroupTest) {
	for i, r := range tests {
		if r.Measure == "accuracy" && r.Detectable == r.Detectable && (most == nil || r.Detectable > most.Detectable) {
			most = &tests[i]
		}
	}
	return most
}
