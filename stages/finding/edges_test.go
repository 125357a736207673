package finding

import (
	"fmt"
	"strings"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
)

// Edges are not adjusted for a covariate that is neither among those of the tests nor their sites.
func TestBesideEdges(t *testing.T) {
	l := List{{Code: "covariate.predicts-group", Numbers: values{"Name": "mean_fd", "Edges": false}},
		{Code: "covariate.predicts-group", Numbers: values{"Name": "site", "Edges": false}},
		{Code: "covariate.predicts-group", Numbers: values{"Name": "age", "Edges": false}}}
	linked := l.BesideEdges(column.EdgeSummaryRow{Test: "group", Within: "site", Covariates: []string{"age", "site"}})
	for i, want := range []bool{true, false, false} {
		need.Equal[any](t, linked[i].Values()["Edges"], want)
	}
	need.Equal[any](t, l.BesideEdges(column.EdgeSummaryRow{Test: "age"})[0].Values()["Edges"], false)
}

// Welch's degrees of freedom of groups of 12 and 30 that vary alike are 20.3, of 19 and 30 beside 10 covariates 30.3.
// Groups of like size, or of sizes that leave enough, have no note.
func TestSmallGroup(t *testing.T) {
	for _, c := range []struct {
		counts           []int32
		covariates       int32
		design, variance string
		want             string
	}{
		{[]int32{30, 12}, 0, "groups", "unequal", "B 12 20 of 40, 16"},
		{[]int32{12, 30}, 0, "groups", "unequal", "A 12 20 of 40, 16"},
		{[]int32{44, 8}, 0, "groups", "unequal", "B 8 9 of 50, 18"},
		{[]int32{30, 12}, 10, "groups", "unequal", "B 12 15 of 30, 19"},
		{[]int32{30, 20}, 0, "groups", "unequal", ""},
		{[]int32{12, 12}, 0, "groups", "unequal", ""},
		{[]int32{12, 14}, 0, "groups", "unequal", ""},
		{[]int32{12, 20}, 0, "groups", "unequal", "A 12 23 of 30, 13"},
		{[]int32{30, 12}, 0, "groups", "equal", ""},
		{[]int32{30, 12, 12}, 0, "several groups", "unequal", ""},
		{nil, 0, "change", "unequal", ""},
	} {
		n := int32(0)
		for _, of := range c.counts {
			n += of
		}
		got := ""
		for _, f := range SmallGroup(column.EdgeSummaryRow{Design: c.design, Groups: []string{"A", "B", "C"},
			Counts: c.counts, Degrees: n - 2 - c.covariates}, c.variance) {
			v := f.Values()
			got = fmt.Sprintf("%s %d %d of %d, %d", v["Group"], v["N"], v["Degrees"], v["Model"], v["Needed"])
			need.Equal(t, f.Code+" "+f.Weight.String(), "edges.small-group notes")
		}
		need.Equal(t, got, c.want, c.counts, c.covariates)
	}
}

// Edges of the classification's positive group minus the other are as expected; the other way round is noted.
func TestOtherDirection(t *testing.T) {
	for evaluated, want := range map[string]string{"2": "edges.other-positive notes 1 2", "1": "", "n/a": "", "ASD": ""} {
		got := lists.Map(OtherDirection(evaluated, column.EdgeSummaryRow{Design: "groups", Groups: []string{"2", "1"}}),
			func(f Finding) string {
				return fmt.Sprint(f.Code, " ", f.Weight, " ", f.Values()["Own"], " ", f.Values()["Evaluated"])
			})
		need.Equal(t, strings.Join(got, ""), want)
	}
	need.Equal(t, len(OtherDirection("A", column.EdgeSummaryRow{Design: "several groups",
		Groups: []string{"A", "B", "C"}})), 0)
}

func TestEdgeTest(t *testing.T) {
	for _, c := range []struct {
		row  column.EdgeSummaryRow
		want string
	}{
		{column.EdgeSummaryRow{Degrees: 10, Edges: 90, MissingEdges: 9, VarianceRatio: 4}, ""},
		{column.EdgeSummaryRow{Degrees: 9, Edges: 90}, "edges.few-degrees limits"},
		{column.EdgeSummaryRow{Degrees: 10, Edges: 90, VarianceRatio: 4.1}, "edges.unequal-variances limits"},
		{column.EdgeSummaryRow{Degrees: 10, Edges: 171, MissingEdges: 19}, "edges.lacking limits"}, // 1 of 20 regions
		{column.EdgeSummaryRow{Degrees: 10, Edges: 80, MissingEdges: 10, ConstantEdges: 5}, "edges.lacking limits"},
		{column.EdgeSummaryRow{Degrees: 10, Edges: 90, Left: []string{"sub-1"}, Dropped: []string{"months"}},
			"edges.skipped limits, edges.dropped notes"},
	} {
		got := lists.Map(EdgeTest(c.row), func(f Finding) string { return f.Code + " " + f.Weight.String() })
		need.Equal(t, strings.Join(got, ", "), c.want)
	}
}

// The false discovery rate over N edges cannot find one of few permutations, unless many edges have the smallest p.
func TestPermutationsForDiscoveries(t *testing.T) {
	of := column.EdgeSummaryRow{Degrees: 40, Edges: 190, Permutations: 499, Correction: "bh-permutation"}
	found := EdgeTest(of)
	need.Equal(t, codes(found), "edges.few-permutations")
	need.Equal(t, fmt.Sprint(found[0].Values()["Needed"], found[0].Values()["Enough"]), "8 3800")
	least := 1 / float64(of.Permutations+1)
	for n := 7; n <= 8; n++ { // q by its definition, of n edges with the smallest p
		need.Equal(t, least*190/float64(n) < 0.05, n == 8)
	}
	for _, change := range []func(*column.EdgeSummaryRow){func(r *column.EdgeSummaryRow) { r.Permutations = 9999 },
		func(r *column.EdgeSummaryRow) { r.Significant = 8 }, func(r *column.EdgeSummaryRow) { r.Correction = "bh" }} {
		other := of
		change(&other)
		need.Equal(t, codes(EdgeTest(other)), "")
	}
}

// The edges of one of several tests of a stage are stated as such, with the parameters that differ.
func TestSeveralTests(t *testing.T) {
	s := &StageSettings{Parameters: []string{"test", "correction"},
		Values: map[string][][]string{"correction": {{"max-t"}, {"nbs"}}, "test": {{"group"}}}}
	found := SeveralTests(s)
	need.Equal(t, len(found), 1)
	need.Equal(t, fmt.Sprint(found[0].Values()["N"], found[0].Values()["Parameters"]),
		"2 [map[Name:correction Values:[max-t nbs]]]")
	s.Values["correction"] = s.Values["correction"][:1]
	need.Equal(t, len(SeveralTests(s)), 0)
}
