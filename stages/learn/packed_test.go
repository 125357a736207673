package learn

import (
	"bytes"
	"testing"

	"prgnn/dag"
	"prgnn/stages/stagetest"
)

// holding runs f with so many bytes for graphs that are not packed.
func holding(bytes int64, f func()) {
	defer func(before int64) { graphMemory = before }(graphMemory)
	graphMemory = bytes
	f()
}

// With packed graphs every output is what it is without.
func TestTrainOnPackedGraphs(t *testing.T) {
	with := func(kind string, params ...any) dag.Stage {
		return stagetest.Fresh(kind, append([]any{"fold", 1, "epochs", 3, "batch", 8, "seed", 3}, params...)...)
	}
	groups, numbers := stagetest.PlantedInputs(t, 19, 3, 9, 0.5), numberGraphs(t, stagetest.Ramp(23))
	for _, c := range []struct {
		stage dag.Stage
		in    map[string][]dag.Input
	}{
		{with("train"), groups},
		{with("train", "precision", "float64", "pool", "sage", "distance", "mmd"), groups},
		{with("train", "variant", "authors-code"), groups},
		{with("train", "pool", "sage", "standardize", "training", "scores_of", "test", "batch", 7), groups},
		{with("train-regression", "standardize", "training"), numbers},
	} {
		want := stagetest.MustRun(t, c.stage, c.in)
		for _, memory := range []int64{0, 20_000} {
			holding(memory, func() {
				got := stagetest.MustRun(t, c.stage, c.in)
				for _, p := range c.stage.Ports().Out {
					if !bytes.Equal(stagetest.Encoded(t, got[p.Name]), stagetest.Encoded(t, want[p.Name])) {
						t.Errorf("%+v with %d bytes of graphs that are not packed: output %s is another one", c.stage, memory, p.Name)
					}
				}
			})
		}
	}
	s := trainer(1)
	s.Epochs, s.Checkpoint = 8, 3
	holding(20_000, func() { resumes(t, s, stagetest.PlantedInputs(t, 20, 3, 9, 0.5), 4) })
}
