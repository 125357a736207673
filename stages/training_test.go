package stages

import (
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/stages/stagetest"
)

// Curves are drawn of the networks; classifiers without epochs are passed over.
func TestCurvesOfNetworks(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 24)
	drawn := func(models ...string) string {
		var in []dag.Input
		for _, model := range models {
			in = append(in, dag.InputOf(stagetest.MustRun(t, stagetest.Quickly(model, "epochs", 3),
				s.Inputs())["history"], dag.Coord{Axis: "model", Value: model}))
		}
		out := stagetest.MustRun(t, stagetest.Fresh("figure-training"), map[string][]dag.Input{"training": in})
		return string(out["picture"].(artifacts.Bytes).Data)
	}
	if all, networks := drawn("svm", "mlp", "ridge"), drawn("mlp"); all != networks || !strings.Contains(all, ">MLP<") {
		t.Error("classifiers without epochs change the figure, or the network is not named")
	}
}
