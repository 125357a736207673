package quality

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/finding/claim"
)

func TestGroups(t *testing.T) {
	sizes := func(n ...int) (all []Counted) {
		for i, n := range n {
			all = append(all, Counted{string(rune('a' + i)), n})
		}
		return all
	}
	for _, c := range []struct {
		of   string
		n    []int
		want string
	}{
		{"group", []int{20, 20}, ""},
		{"group", []int{20, 19}, "groups.few"},
		{"group", []int{3, 3}, "groups.few groups.few groups.few-arrangements"}, // 20 ways: p = 0.05 at best
		{"group", []int{6, 2}, "groups.few groups.few"},                         // 28 ways
		{"group", []int{3, 2}, "groups.few groups.few groups.few-arrangements"},
		{"group", []int{400, 400}, ""}, // 800!/(400!)² is above all numbers of a float64
		{"group", []int{25, 1}, "groups.few"},
		{"", []int{3, 2}, ""},
		{"group", []int{19}, "groups.few"}, // a number is predicted
	} {
		need.Equal(t, codesIn(Groups(sizes(c.n...), c.of, 40)), c.want, c)
	}
	for _, c := range []struct {
		n    []int
		want float64
	}{{[]int{4, 4}, 70}, {[]int{3, 3}, 20}, {[]int{2, 2, 2}, 90}, {[]int{7}, 1}} {
		need.Equal(t, arrangements(sizes(c.n...)), c.want, c)
	}
}

func TestNotedDoubts(t *testing.T) {
	tested := ProtocolsTested([]column.CovariateRow{{Name: "tr", P: math.NaN()}, {Name: "volumes", P: 0.05},
		{Name: "age", P: 0.001}})
	for _, c := range []struct {
		doubt   string
		cleaned bool
		tested  []string
		want    string
	}{
		{"", true, nil, ""},
		{"site", true, nil, "limits"},
		{column.DoubtRelated, true, nil, "overturns"},
		{column.DoubtIndependence, true, nil, "limits"},
		{column.DoubtPermuted, true, nil, "overturns, other results"},
		{column.DoubtEntity, true, tested, "overturns"},
		{column.DoubtProcessing, true, nil, "limits"},
		{column.DoubtVolumes, false, nil, "limits"},
		{column.DoubtVolumes, true, nil, ""},
		{column.DoubtCodes, false, nil, "limits"},
		{column.DoubtCodes, true, nil, ""},
		{column.DoubtUnits, true, nil, "limits"},
		{column.DoubtTimes, true, nil, "limits"},
		{column.DoubtFamily, true, nil, "limits"},
		{column.DoubtNames, true, nil, "notes"},
		{column.DoubtTR, true, nil, "overturns"},
		{column.DoubtTR, true, tested, ""},
		{column.DoubtLength, true, tested, "overturns"},
		{column.DoubtMatched, true, nil, "overturns"},
		{column.DoubtBySession, true, nil, "limits"},
	} {
		got := ""
		for _, answers := range []bool{true, false} {
			want := c.want
			if !answers && (c.doubt == column.DoubtRelated || c.doubt == column.DoubtMatched) {
				want += ", other results"
			}
			for _, f := range Noted([]column.Note{{Text: "a note", Doubt: c.doubt}}, c.tested, c.cleaned, false,
				func(column.Note) bool { return answers }) {
				if got = f.Weight.String(); f.Subject.Results == finding.OtherResults {
					got += ", other results"
				}
			}
			need.Equal(t, got, want, c)
		}
	}
}

// A property that goes with the session overturns a change of edges between sessions, and no other result.
func TestNotedBySession(t *testing.T) {
	all := Noted([]column.Note{{Text: "a note", Doubt: column.DoubtBySession}}, nil, true, true,
		func(column.Note) bool { return true })
	need.Equal(t, all[0].Subject.Results, finding.EdgeChanges)
	need.Equal(t, all[0].Weight, finding.Overturns)
	for want, c := range map[bool]claim.Claim{true: {Edges: &column.EdgeSummaryRow{Sessions: []string{"1", "2"}}},
		false: {Edges: &column.EdgeSummaryRow{Test: "group"}}} {
		need.Equal(t, claim.Concerns(all[0], c), want)
	}
	need.Equal(t, all[0].OfModels(func(string) bool { return true }), false)
}

func TestDescribedAs(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		values []float64
		want   string
		codes  []float64
	}{
		{"age", []float64{20, 31, 42, 25}, Measured, nil},
		{"age", []float64{20, nan, 42, 25}, Measured, nil},
		{"sex", []float64{1, 2, 2, 1}, Codes, []float64{1, 2}},
		{"sex", []float64{2, 1, 1, nan}, Codes, []float64{1, 2}},
		{"dose", []float64{0.5, 1, 1, 0.5}, Measured, nil},
		{"dx", []float64{1, 1, 2, 2}, PerGroup, nil},
		{"n_roi", []float64{111, 111, 111, 111}, Constant, nil},
	} {
		as, groups, codes := DescribedAs(c.name, c.values, [][]int{{0, 1}, {2, 3}})
		need.Equal(t, as, c.want, c.values)
		need.Equal(t, slices.Equal(codes, c.codes), true, codes)
		need.Equal(t, len(groups[1]), 2)
	}
}

// Participants whom a test leaves out, more of one group than of another, overturn a test of edges, and have their
// share in each group.
func TestSkipped(t *testing.T) {
	group := map[string]string{}
	var left []string
	for i := range 40 {
		id := string(rune('A' + i))
		if group[id] = []string{"HC", "PAT"}[i%2]; i%2 == 1 && i < 20 {
			left = append(left, id)
		}
	}
	all := Skipped(finding.EdgeTest(column.EdgeSummaryRow{Degrees: 20, Edges: 10, Left: left}), group)
	need.Equal(t, codesIn(all), "edges.skipped")
	need.Equal(t, all[0].Weight, finding.Overturns)
	need.Equal(t, fmt.Sprint(all[0].Values()["Groups"]), "[{HC 0 20} {PAT 10 20}]")
	all = Skipped(finding.EdgeTest(column.EdgeSummaryRow{Degrees: 20, Edges: 10, Left: left[:2]}), group)
	need.Equal(t, all[0].Weight, finding.Limits)
	need.Equal(t, all[0].Values()["Groups"], nil)
}
