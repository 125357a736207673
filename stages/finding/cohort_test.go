package finding

import (
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
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
		{"group", []int{3, 3}, "groups.few groups.few"}, // 20 ways
		{"group", []int{3, 2}, "groups.few groups.few groups.few-arrangements"},
		{"group", []int{400, 400}, ""}, // 800!/(400!)² is above all numbers of a float64
		{"group", []int{25, 1}, "groups.few"},
		{"", []int{3, 2}, ""},
		{"group", []int{19}, "groups.few"}, // a number is predicted
	} {
		need.Equal(t, codes(Groups(sizes(c.n...), c.of, 40)), c.want, c)
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
		{column.NotedRelatives, true, nil, "overturns"},
		{column.NotedIndependence, true, nil, "overturns"},
		{column.NotedVolumes, false, nil, "limits"},
		{column.NotedVolumes, true, nil, ""},
		{column.NotedCodes, false, nil, "limits"},
		{column.NotedCodes, true, nil, ""},
		{column.NotedTR, true, nil, "overturns"},
		{column.NotedTR, true, tested, ""},
		{column.NotedLength, true, tested, "overturns"},
	} {
		got := ""
		for _, f := range Noted([]column.NoteRow{{Note: "a note", Doubt: c.doubt}}, c.tested, c.cleaned) {
			got = f.Weight.String()
		}
		need.Equal(t, got, c.want, c)
	}
}
