package figure

import (
	"math"
	"slices"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
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
	tasks := map[string][]dag.Input{
		"matrices":     {of("sub-a", .2), of("sub-b", -.3), of("sub-c", .6)},
		"participants": {dag.InputOf(participants)}, "nodes": {dag.InputOf(stagetest.NodesOf("p", "q"))}}
	// Correlations are averaged as Fisher's z, other values as they are.
	for held, want := range map[column.Data]float64{
		{Measure: column.Pearson}:                math.Tanh((math.Atanh(.2) + math.Atanh(.6)) / 2),
		{Measure: column.Partial}:                math.Tanh((math.Atanh(.2) + math.Atanh(.6)) / 2),
		{Measure: column.Pearson, FisherZ: true}: .4,
		{Measure: column.Covariances}:            .4,
		{}:                                       .4,
	} {
		s := stagetest.NewStage[*Connectivity](t, "figure-connectivity")
		s.Inform(map[string]column.Data{"matrices": held})
		out, err := s.Run(t.Context(), dag.NewTask(tasks))
		need.NoError(t, err)
		means := out["means"].(*encoding.Array)
		if v := means.Float64s(); !slices.Equal(means.Shape, []int{2, 2, 2}) || math.Abs(v[1]-want) > 1e-12 ||
			v[0] != 1 || math.Abs(v[5]+.3) > 1e-12 {
			t.Errorf("%v: means %v %v", held, means.Shape, v)
		}
		if n := stagetest.FloatsOf(t, out["groups"], "participants"); !slices.Equal(n, []float64{2, 1}) {
			t.Errorf("participants %v", n)
		}
	}
}

// The caption states by which covariance partial correlations were estimated, as far as it is known.
func TestFigureConnectivityStatesThePartialCorrelation(t *testing.T) {
	for held, want := range map[column.Data]string{
		{Measure: column.Partial}:                                               "partial correlation (partial r)",
		{Measure: column.Partial, Estimator: "ledoit-wolf"}:                     "partial correlation by Ledoit–Wolf shrinkage (partial r)",
		{Measure: column.Partial, Estimator: "glasso-cv", FisherZ: true}:        "partial correlation by the graphical lasso, as Fisher's z",
		{Measure: column.Pearson, Estimator: "ledoit-wolf", Series: "denoised"}: "correlation (r)",
	} {
		got := label("figure.connectivity.measure", values{"Label": "", "Data": values(finding.Values(held))})
		need.Equal(t, got, want, held)
	}
}
