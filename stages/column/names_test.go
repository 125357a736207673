package column

import (
	"slices"
	"strings"
	"testing"

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
		{[][]dag.Coord{at("stage=train"), at("stage=baselines", "model=linear-svm")}, []string{"pr-gnn", "linear-svm"},
			[]string{"PR-GNN", "linear SVM"}},
		{[][]dag.Coord{at("pool=topk", "lambda=0.1-0.5"), at("pool=sage", "lambda=0-0")}, []string{"pr-gnn", "pr-gnn"},
			[]string{"PR-GNN, TopK, λ 0.1-0.5", "PR-GNN, SAGE, λ 0-0"}},
		// Two stages of one model, and one of another.
		{[][]dag.Coord{at("stage=train"), at("stage=longer"), at("stage=ridge")}, []string{"pr-gnn", "pr-gnn", "ridge"},
			[]string{"PR-GNN (train)", "PR-GNN (longer)", "ridge regression"}},
		// The other models of a stage that shares one, unless it is the usual stage.
		{[][]dag.Coord{at("stage=baselines", "model=majority"), at("stage=baselines", "model=svm"),
			at("stage=baselines", "model=ridge"), at("stage=deconfounded", "model=ridge"),
			at("stage=deconfounded", "model=logistic"),
			at("stage=train")}, []string{"", "", "", "", "", "pr-gnn"}, []string{"majority classifier", "SVM (RBF)",
			"ridge regression (baselines)", "ridge regression (deconfounded)", "logistic regression (deconfounded)",
			"PR-GNN"}},
		{[][]dag.Coord{at("stage=a", "model=ridge"), at("stage=a", "model=svm"), at("stage=b", "model=ridge")},
			[]string{"", "", ""}, []string{"ridge regression (a)", "SVM (RBF) (a)", "ridge regression (b)"}},
		// An option of a decision has a name of its own, and the predictions state the model.
		{[][]dag.Coord{at("model=weak"), at("model=svm"), at("model=own")}, []string{"ridge", "svm", "theirs"},
			[]string{"ridge regression, weak", "SVM (RBF)", "own"}},
		// Predictions of a program of somebody else's say nothing of their model.
		{[][]dag.Coord{at("stage=mine", "depth=3"), nil}, []string{"", ""}, []string{"mine, depth 3", ""}},
		{[][]dag.Coord{at("model=own"), at("seed=1"), at("seed=2")}, []string{"", "pr-gnn", "pr-gnn"},
			[]string{"own", "PR-GNN, seed 1", "PR-GNN, seed 2"}},
	} {
		if got := NameClassifiers(c.settings, c.models); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}
