package stages

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

func TestClassifiersAreNamedForPeople(t *testing.T) {
	at := func(pairs ...string) (coords []dag.Coord) {
		for _, p := range pairs {
			axis, value, _ := strings.Cut(p, "=")
			coords = append(coords, dag.Coord{Axis: axis, Value: value})
		}
		return coords
	}
	for _, c := range []struct {
		settings [][]dag.Coord
		models   []string
		want     []string
	}{
		{[][]dag.Coord{nil}, []string{"pr-gnn"}, []string{"PR-GNN"}},
		{[][]dag.Coord{at("stage=train"), at("stage=baselines", "model=linear-svm")}, []string{"pr-gnn", "linear-svm"}, []string{"PR-GNN", "linear SVM"}},
		{[][]dag.Coord{at("pool=topk", "lambda=0.1-0.5"), at("pool=sage", "lambda=0-0")}, []string{"pr-gnn", "pr-gnn"}, []string{"PR-GNN, TopK, λ 0.1-0.5", "PR-GNN, SAGE, λ 0-0"}},
		// Two stages of one model, and one of another.
		{[][]dag.Coord{at("stage=train"), at("stage=longer"), at("stage=ridge")}, []string{"pr-gnn", "pr-gnn", "ridge"}, []string{"PR-GNN (train)", "PR-GNN (longer)", "ridge regression"}},
		// Predictions of a program of somebody else's say nothing of their model.
		{[][]dag.Coord{at("stage=mine", "depth=3"), nil}, []string{"", ""}, []string{"mine, depth 3", ""}},
		{[][]dag.Coord{at("model=own"), at("seed=1"), at("seed=2")}, []string{"", "pr-gnn", "pr-gnn"}, []string{"own", "PR-GNN, seed 1", "PR-GNN, seed 2"}},
	} {
		if got := nameClassifiers(c.settings, c.models); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}

// What people read: PR-GNN first, the best of the others next, who learnt nothing last.
func TestSummaryNamesClassifiers(t *testing.T) {
	said := func(stage, model string, p ...float64) []dag.Input {
		var out []dag.Input
		for _, in := range twoFolds(model, p...) {
			table, err := in.Table()
			if err != nil {
				t.Fatal(err)
			}
			coords := []dag.Coord{{Axis: "fold", Value: in.Coord("fold")}, {Axis: "stage", Value: stage}}
			if stage != "train" {
				coords = append(coords, dag.Coord{Axis: "model", Value: model})
			}
			out = append(out, dag.InputOf(withMeta(table, map[string]string{"model": model, "groups": table.Meta["groups"]}), coords...))
		}
		return out
	}
	predictions := slices.Concat(said("baselines", "majority", 0.1, 0.1, 0.1, 0.1), said("baselines", "linear-svm", 0.1, 0.9, 0.9, 0.9),
		said("baselines", "ridge", 0.1, 0.9, 0.1, 0.9), said("train", "pr-gnn", 0.1, 0.9, 0.1, 0.1))
	evaluated := mustRun(t, fresh("evaluate"), map[string][]dag.Input{"predictions": predictions})
	pairs := mustRun(t, fresh("compare", "reference", []any{"stage=train"}), map[string][]dag.Input{"predictions": predictions})["pairs"].(*artifacts.Table)
	text := summaryText(t, &Summary{Top: 10}, map[string][]dag.Input{
		"participants": {dag.InputOf(someParticipants(40, "ASD", "HC"))}, "evaluation": {dag.InputOf(evaluated["summary"])}, "comparison": {dag.InputOf(pairs)}})
	at := -1
	for _, want := range []string{"\n  PR-GNN ", "\n  ridge regression ", "\n  linear SVM ", "\n  majority class ",
		"\n  PR-GNN against ridge regression ", "\n  PR-GNN against linear SVM ", "\n  PR-GNN against majority class "} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q is missing, or not in its place, in\n%s", want, text)
		}
		at = next
	}
	scores := evaluated["scores"].(*artifacts.Table)
	shown, err := shownTable(scores, 10)
	if err != nil || shown.Heads[0].Text != "name" || shown.Rows[0][0].Text != "linear SVM" {
		t.Errorf("a report begins a table with %v, %v (%v)", shown.Heads, shown.Rows[0], err)
	}
	if strings.Contains(text, "=baselines") {
		t.Errorf("coordinates are shown to people:\n%s", text)
	}
}
