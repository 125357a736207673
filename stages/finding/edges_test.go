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
