package pipelines

import (
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/present/methods"
	"prgnn/stages/stagetest"
)

// builtinMethods is the methods text of a built-in pipeline whose report has accuracies and, but for
// target.yaml, salient regions.
func builtinMethods(t *testing.T, name string, sets []string) string {
	t.Helper()
	p := need.Value(Load(name, sets))(t)
	evaluation, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	in := map[string][]dag.Input{"settings": {dag.InputOf(outputOf(t, p.Graph, "pipeline", "settings"))}}
	if name != "target.yaml" {
		in["evaluation"], in["scores"] = []dag.Input{dag.InputOf(evaluation)}, []dag.Input{dag.InputOf(scores)}
		in["ranking"] = []dag.Input{dag.InputOf(&encoding.Table{})}
	}
	return need.Value(methods.Cite(dag.NewTask(in)))(t).Markdown("1")
}

// The methods of the built-in pipelines: every sentence is about the stages that it says.
func TestMethodsOfBuiltins(t *testing.T) {
	sets := builtinSets(t)
	t.Chdir(t.TempDir())
	for name, want := range map[string][]string{
		"abide-bnt.yaml": {
			"Regions are ranked by the score in pooling layer 1 of PR-GNN in the stage train, averaged over the test graphs of each participant and then over participants [@li2020].",
			"In the stage bnt_regions they are ranked by gradient × input of Brain Network Transformer in the stage bnt, averaged over the test graphs of each participant and then over participants [@kan].",
			"In the stage braingnn_regions they are ranked by the score in pooling layer 1 of BrainGNN in the stage braingnn, averaged over the test graphs of each participant and then over participants [@li2021].",
		},
		"paper.yaml": {
			"Regions are ranked by the score in pooling layer 1 of PR-GNN in the stage train,",
			"In the stage individuals they are ranked by the score in pooling layer 2 of PR-GNN in the stage variations,",
		},
		"biopoint.yaml": {"Regions are ranked by the score in pooling layer 1 of PR-GNN in the stage train,"},
		"target.yaml":   {},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.ReplaceAll(builtinMethods(t, name, sets[name]), `\`, "")
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s\nlacks: %s", got, w)
				}
			}
		})
	}
}
