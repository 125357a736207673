package figure

import (
	"math"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/stagetest"
)

func TestFigureConnectivityMeans(t *testing.T) {
	matrix := func(r float64) artifacts.Value {
		return encoding.NewArray([]float64{1, r, r, 1, 1, 99, 99, 1}, 2, 2, 2) // draw 1 counts for nothing
	}
	of := func(id string, r float64) dag.Input {
		return dag.InputOf(matrix(r), dag.Coord{Axis: "subject", Value: id})
	}
	participants := encoding.NewTable(
		encoding.Column{Name: "participant_id", Values: []string{"sub-a", "sub-b", "sub-c"}},
		encoding.Column{Name: "group", Values: []string{"x", "y", "x"}})
	out, err := stagetest.NewStage[*Connectivity](t, "figure-connectivity").Run(t.Context(), dag.NewTask(map[string][]dag.Input{
		"matrices":     {of("sub-a", .2), of("sub-b", -.3), of("sub-c", .6)},
		"participants": {dag.InputOf(participants)}, "nodes": {dag.InputOf(stagetest.NodesOf("p", "q"))}}))
	need.NoError(t, err)
	means := out["means"].(*encoding.Array)
	want := math.Tanh((math.Atanh(.2) + math.Atanh(.6)) / 2)
	if v := means.Float64s(); !slices.Equal(means.Shape, []int{2, 2, 2}) || math.Abs(v[1]-want) > 1e-12 ||
		math.Abs(v[5]+.3) > 1e-12 {
		t.Errorf("means %v %v", means.Shape, v)
	}
	if n := stagetest.FloatsOf(t, out["groups"], "participants"); !slices.Equal(n, []float64{2, 1}) {
		t.Errorf("participants %v", n)
	}
}
