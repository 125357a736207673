package quality

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/wording"
)

func TestCovariateFindings(t *testing.T) {
	row := func(name string, p float64) column.CovariateRow {
		return column.CovariateRow{Name: name, AUC: 0.7, Within: math.NaN(), Chance: 0.55, P: p}
	}
	for _, c := range []struct {
		rows []column.CovariateRow
		of   string
		want string
	}{
		{[]column.CovariateRow{row("mean_fd", 0.049)}, "group", "covariate.predicts-group"},
		{[]column.CovariateRow{row("mean_fd", 0.05)}, "group", ""},
		{[]column.CovariateRow{row("mean_fd", math.NaN())}, "group", ""},
		{[]column.CovariateRow{row("mean_fd", 0.001)}, "site", "covariate.not-of-labels"},
		{[]column.CovariateRow{row("volumes", 0.001), row("kept", 0.001)}, "group", "covariate.predicts-group"},
		{[]column.CovariateRow{row("volumes", 0.001), row("kept", 0.2)}, "group", "covariate.predicts-group"},
		{[]column.CovariateRow{row(column.UnusablePattern, 0.01), row(column.UnusableRegions, 0.01)}, "group",
			"covariate.missing-regions-differ covariate.number-of-missing-regions"},
	} {
		need.Equal(t, codesIn(Covariates(c.rows, c.of, "", nil, true)), c.want, c.rows, c.of)
	}
	// What separates the groups at each site, as in opposite directions, overturns; what does at some, limits.
	for auc, want := range map[float64]finding.Weight{0.8: finding.Overturns, 0.79: finding.Limits} {
		for _, p := range []float64{0.01, 0.05} {
			sex := row("sex", 0.8)
			sex.Sites, sex.SiteAUC, sex.SiteP = []string{"A", "B"}, []float64{0.9, auc}, []float64{0.001, p}
			if p >= 0.05 {
				want = finding.Limits
			}
			found := Covariates([]column.CovariateRow{sex}, "group", "", nil, true)
			need.Equal(t, codesIn(found), "covariate.at-sites")
			need.Equal(t, found[0].Weight, want, auc, p)
		}
	}
	// A score may stand for the group; measures of scans, dates and categories are none.
	for name, want := range map[string]bool{"ados": true, "mean_fd": false, "kept": false, "scan_date": false} {
		for _, kind := range []string{"number", "category"} {
			r := row(name, 0.001)
			r.AUC, r.Kind = 0.97, kind
			found := Covariates([]column.CovariateRow{r}, "group", "", nil, true)
			need.Equal(t, found[0].Values()["Stands"], any(want && kind == "number"), name, kind)
		}
	}
	weak, strong, within := row("age", 0.01), row("mean_fd", 0.01), row("sex", 0.01)
	strong.AUC, within.AUC, within.Within = 0.88, 0.95, 0.75
	var names []any
	for _, f := range Covariates([]column.CovariateRow{weak, within, strong}, "group", "", nil, true) {
		names = append(names, f.Values()["Name"])
	}
	need.Equal(t, fmt.Sprint(names), "[mean_fd sex age]", "the strongest first, as tested")
	// regions that no model had as inputs
	for inputs, want := range map[bool]finding.Weight{true: finding.Overturns, false: finding.Limits} {
		for _, name := range []string{column.UnusablePattern, column.UnusableRegions} {
			need.Equal(t, Covariates([]column.CovariateRow{row(name, 0.01)}, "group", "", nil,
				inputs)[0].Weight, want, name)
		}
	}
	for leftOut, want := range map[string]string{"site": "covariate.left-out-predicts-group", "family": "covariate.predicts-group"} {
		need.Equal(t, codesIn(Covariates([]column.CovariateRow{row("site", 0.001)}, "group", leftOut, nil, true)), want)
	}
	number := func(name string, p float64) column.NumberCovariateRow {
		return column.NumberCovariateRow{Name: name, Within: math.NaN(), P: p}
	}
	need.Equal(t, codesIn(CovariatesOfNumber([]column.NumberCovariateRow{number("age", 0.01), number("iq", 0.3)},
		"score", "", "", true)), "covariate.predicts-number")
	for code, of := range map[string][2]string{"covariate.left-out-predicts-number": {"site", "site"},
		"covariate.within-predicts-number": {"", "site"}, "covariate.predicts-number": {"family", ""}} {
		found := CovariatesOfNumber([]column.NumberCovariateRow{number("site", 0.001)}, "score", of[0], of[1], true)
		need.Equal(t, codesIn(found), code)
		need.Equal(t, found[0].Weight == finding.Overturns, code == "covariate.predicts-number")
	}
	low, high := number("age", 0.01), number("iq", 0.01)
	low.R, high.R = 0.3, -0.6
	all := CovariatesOfNumber([]column.NumberCovariateRow{low, high}, "score", "", "", true)
	need.Equal(t, all[0].Values()["Name"], any("iq"))
	for _, c := range []struct {
		name   string
		q      float64
		inputs bool
		want   finding.Weight
	}{{"mean_fd", 0.049, false, finding.Overturns}, {"mean_fd", 0.051, true, finding.Limits},
		{column.UnusableRegions, 0.01, true, finding.Overturns},
		{column.UnusableRegions, 0.01, false, finding.Limits}, {column.UnusablePattern, 0.01, false, finding.Limits}} {
		one := number(c.name, 0.01)
		one.Q = c.q
		of := CovariatesOfNumber([]column.NumberCovariateRow{one}, "score", "", "", c.inputs)[0]
		need.Equal(t, of.Weight, c.want, c)
		need.Equal(t, of.Values()["Open"].(bool), c.q > 0.05, c)
		group := row(c.name, 0.01)
		group.Q = c.q
		need.Equal(t, Covariates([]column.CovariateRow{group}, "group", "", nil, c.inputs)[0].Weight, c.want, c)
	}
}

// A nearly perfect accuracy has the most separating covariate or fact as its cause, but none that separates the groups
// little or was left out; far volumes that differ between the groups are no reason to exclude a few participants.
func TestLinked(t *testing.T) {
	first := func(auc, p float64) finding.List {
		return SeriesDiffer([]SeriesFact{{Name: "global_variance", AUC: 0.7, P: 0.001},
			{Name: "far_distance", AUC: 0.85, P: p}, {Name: "first_distance", AUC: auc, P: p}}, 999)
	}
	read := func(l finding.List) finding.List {
		return need.Value(finding.Of(map[string]string{finding.Meta: finding.Written(l)}))(t)
	}
	stronger := func(auc float64) finding.List { // connectivity
		return SeriesDiffer([]SeriesFact{{Name: "global_variance", AUC: auc, P: 0.001,
			Groups: []GroupMean{{"ASD", 0.167}, {"HC", 0.131}}}}, 999)
	}
	covariate := func(name string, auc float64) finding.List {
		return Covariates([]column.CovariateRow{{Name: name, Within: auc, P: 0.001}}, "group", "coil", nil, true)
	}
	matrices := func(with int) finding.List { // so many of the 20 of one group, and 2 of the other
		group, all := map[string]string{}, []Form(nil)
		for i := range 40 {
			id := fmt.Sprint(i)
			group[id] = []string{"ASD", "HC"}[i%2]
			all = append(all, Form{id, column.MatrixForm{Port: "pearson", Negative: 0.3, Spectrum: column.Spectrum{
				Mean: 0.2, Constant: i%2 == 0 && i < 2*with || i == 1 || i == 3}}})
		}
		return FormsDiffer(all, group)
	}
	order := finding.List{{Code: "leakage.region-order", Weight: finding.Overturns, Numbers: values{"R": 0.3}}}
	for _, c := range []struct {
		others  finding.List
		want    any
		exclude bool
	}{
		{nil, nil, true},
		{matrices(20), "pearson 0.95 in part", true},
		{read(matrices(20)), "pearson 0.95 in part", true},
		{matrices(12), nil, true},
		{slices.Concat(covariate("volumes", 0.97), matrices(20)), "volumes 0.97 in part", true},
		{slices.Concat(covariate("volumes", 0.97), order), "leakage.region-order 1", true},
		{first(0.99, 0.001), "first_distance 0.99", false},
		{read(first(0.99, 0.001)), "first_distance 0.99", false},
		{first(0.99, 0.02), nil, true},
		{slices.Concat(first(0.9, 0.001), covariate("volumes", 0.95)), "volumes 0.95 in part", false},
		{slices.Concat(first(0.9, 0.001), covariate("volumes", 0.88)), "first_distance 0.9 in part", false},
		{covariate("age", 0.7), nil, true},
		{covariate("coil", 1), nil, true},
		{covariate(column.UnusableRegions, 1), "unusable_regions 1", true},
		{covariate(column.UnusablePattern, 0.9), "unusable_pattern 0.9 in part", true},
		{first(0.6, 0.001), "far_distance 0.85 in part", false},
		{stronger(0.99), nil, true},
		{slices.Concat(first(0.99, 0.001), covariate(column.MeanFD, 0.9)), "mean_fd 0.9 in part", false},
		{slices.Concat(first(0.99, 0.001), covariate(column.MeanFD, 0.7)), nil, false},
	} {
		all := slices.Concat(finding.List{{Code: "accuracy.near-perfect", Weight: finding.Overturns}, {Code: "scans.first-volumes",
			Weight: finding.Limits, Numbers: values{"Exclude": []string{"sub-05"}}}}, c.others)
		linked := all.Linked()
		moved, series := -1, -1 // theirs is behind the finding about motion
		for i, f := range linked {
			of := f.Values()
			switch f.Code {
			case "covariate.predicts-group":
				if of["Name"] == column.MeanFD {
					moved = i
				}
			case "covariate.series-differ":
				series = i
				need.Equal(t, of["Motion"], moved >= 0)
				need.Equal[any](t, of["Length"], slices.ContainsFunc(c.others, func(f finding.Finding) bool {
					return f.Weight == finding.Overturns && f.Values()["Name"] == "volumes"
				}))
			case "accuracy.near-perfect":
				var got any
				if cause := of["Cause"].(values); cause != nil {
					named := slices.DeleteFunc([]any{cause["Name"], cause["Port"], cause["Code"]},
						func(name any) bool { return name == nil })
					got = fmt.Sprint(named[0], " ", cause["AUC"])
					if cause["Whole"] == false {
						got = fmt.Sprint(got, " in part")
					}
				}
				need.Equal(t, got, c.want)
				need.Equal(t, all[i].Values()["Cause"], nil) // the list itself is as it was
			case "scans.first-volumes":
				need.Equal(t, of["Exclude"].([]string) != nil, c.exclude, c.want)
			}
		}
		if moved >= 0 && series < moved {
			t.Errorf("%v: the series at %d, motion at %d", c.want, series, moved)
		}
	}
}

// What stronger connectivity in one group moves limits a result; what only another processing gives to one group
// overturns it, and names the finding.
func TestSeriesThatConnectivityMoves(t *testing.T) {
	fact := func(name string, auc, a, b float64) SeriesFact {
		return SeriesFact{Name: name, AUC: auc, P: 0.001, Groups: []GroupMean{{"A", a}, {"B", b}}}
	}
	treated := fact("global_variance", 0.6, 0.15, 0.14)
	treated.Treated = true
	for _, c := range []struct {
		facts []SeriesFact
		want  string
	}{
		{[]SeriesFact{fact("global_variance", 0.9, 0.167, 0.131)}, "limits global_variance"},
		{[]SeriesFact{fact("global_variance", 0.9, 0.004, 0.006)}, "limits global_variance"}, // removed in both
		{[]SeriesFact{fact("global_variance", 1, 0.001, 0.131)}, "overturns global_variance"},
		{[]SeriesFact{treated}, "overturns global_variance"}, // in a part of a group
		{[]SeriesFact{fact("global_signal_r", 0.9, 0.97, 0.95)}, "limits global_signal_r"},
		{[]SeriesFact{fact("global_signal_r", 0.9, 0.97, 0.1)}, "overturns global_signal_r"},
		{[]SeriesFact{fact("unexplained", 0.9, 0.3, 0.2)}, "limits unexplained"},
		{[]SeriesFact{fact("unexplained", 0.9, 0.3, 0.01)}, "overturns unexplained"},
		{[]SeriesFact{fact("unexplained", 0.9, 0.01, 1e-9)}, "overturns unexplained"},
		{[]SeriesFact{fact("global_variance", 0.9, 0.2, 0.1), fact("neighbor_r", 0.85, 0.7, 0.5)},
			"overturns neighbor_r, and global_variance if connectivity differs"},
	} {
		of := SeriesDiffer(c.facts, 999)[0]
		got := fmt.Sprint(of.Weight, " ", of.Values()["Name"])
		for _, f := range of.Values()["Facts"].([]SeriesFact) {
			if f.Usual {
				got += ", and " + f.Name + " if connectivity differs"
			}
		}
		need.Equal(t, got, c.want)
	}
}

// codesIn are the codes of findings.
func codesIn(all finding.List) string {
	return strings.Join(lists.Map(all, func(f finding.Finding) string { return f.Code }), " ")
}

// A number whose distance from the median separates the groups is a finding, though it alone does not.
func TestFarther(t *testing.T) {
	group := lists.Map(make([]int, 40), func(int) int { return 0 })
	ages := func(of func(i int) float64) []Number {
		n := Number{Name: "age", Values: make([]float64, 40), Strata: make([]int, 40)}
		for i := range n.Values {
			group[i], n.Values[i] = i%2, of(i)
		}
		n.Values[3] = math.NaN()
		return []Number{n}
	}
	stream := func(name ...any) *random.Stream { return random.New(1, name...) }
	r := random.New(3, "far")
	for want, of := range map[string]func(i int) float64{
		"covariate.farther-from-median": func(i int) float64 { return 16 + 0.7*r.Normal() + float64(i%2*(i/2%2*10-5)) },
		"":                              func(i int) float64 { return 16 + r.Normal() },
	} {
		found := Farther(ages(of), group, 2, 999, stream)
		need.Equal(t, codesIn(found), want)
		if want != "" {
			text := need.Value(wording.Text(want, found[0].Values()))(t)
			need.Equal(t, strings.HasPrefix(text, "In one group, age lies farther from its median (1"), true, text)
		}
	}
}
