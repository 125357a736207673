package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// By hand: means of the groups, and of dwell times over those that enter the state.
func TestStateGroups(t *testing.T) {
	nodes := stagetest.NodesOf("a", "b", "c")
	in := map[string][]dag.Input{"nodes": {dag.InputOf(nodes)},
		"participants": {dag.InputOf(stagetest.SomeParticipants(4, "B", "A"))},
		"fitted": {dag.InputOf(region.StateFacts{Metric: "l1", Nodes: 3, States: 2}.Table(
			[][]float64{{0.1, 0.2, 0.3}, {-0.1, 0, 0.5}}, []string{"sub-001"}))}}
	for i, id := range []string{"sub-001", "sub-002", "sub-003", "sub-004"} {
		first := []float64{1, 0.5, 0.5, 0}[i]
		rows := []column.OccupancyRow{{State: 1, Fraction: first, Visits: 1, Dwell: 10 * float64(i+1)},
			{State: 2, Fraction: 1 - first, Visits: 1, Dwell: 20}}
		for k := range rows {
			if rows[k].Fraction == 0 {
				rows[k].Visits, rows[k].Dwell = 0, 0
			}
		}
		in["measures"] = append(in["measures"],
			dag.InputOf(column.Table(rows), dag.Coord{Axis: "subject", Value: id}))
	}
	out := stagetest.MustRun(t, &States{Label: "r"}, in)
	groups := out["groups"]
	if got := stagetest.Sure(groups.(*encoding.Table).Ints("stayed")); !slices.Equal(got, []int64{0, 1, 1, 0}) {
		t.Errorf("stayed %v: of A sub-004 never left state 2, of B sub-001 never left state 1", got)
	}
	if note := groups.(*encoding.Table).Meta["note"]; !strings.Contains(note, "2 of 4 participants never left one state") {
		t.Errorf("note %q", note)
	}
	nan, sd := math.NaN(), math.Sqrt(0.125)
	for name, want := range map[string][]float64{ // A: sub-002 and sub-004; B: sub-001 and sub-003
		"fraction": {0.25, 0.75, 0.75, 0.25}, "fraction_sd": {sd, sd, sd, sd},
		"dwell": {20, 20, 20, 20}, "dwell_sd": {nan, 0, math.Sqrt(200), nan}} {
		for i, got := range stagetest.FloatsOf(t, groups, name) {
			if math.Abs(got-want[i]) > 1e-12 || math.IsNaN(got) != math.IsNaN(want[i]) {
				t.Errorf("%s of row %d: %v, want %v", name, i+1, got, want[i])
			}
		}
	}
}
