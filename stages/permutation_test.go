package stages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
)

// numberedFolds gives the predictions of one permutation: the true groups of a, b
// (fold 1), c, d (fold 2), and the probability of HC.
func numberedFolds(n int, label [4]int, p ...float64) []dag.Input {
	g := [2]string{"ASD", "HC"}
	c := dag.Coord{Axis: "permutation", Value: fmt.Sprint(n)}
	return []dag.Input{
		dag.InputOf(told(1, g, [3]any{"a", label[0], p[0]}, [3]any{"b", label[1], p[1]}), c, dag.Coord{Axis: "fold", Value: "1"}),
		dag.InputOf(told(2, g, [3]any{"c", label[2], p[2]}, [3]any{"d", label[3], p[3]}), c, dag.Coord{Axis: "fold", Value: "2"}),
	}
}

// By hand: as it is, three of four are right; in the permutations four, two and one.
func TestPermutationByHand(t *testing.T) {
	ins := slices.Concat(
		numberedFolds(0, [4]int{0, 1, 0, 1}, 0.1, 0.9, 0.2, 0.4),
		numberedFolds(1, [4]int{1, 0, 0, 1}, 0.9, 0.1, 0.2, 0.8),
		numberedFolds(2, [4]int{0, 1, 1, 0}, 0.1, 0.9, 0.2, 0.8),
		numberedFolds(10, [4]int{1, 0, 1, 0}, 0.1, 0.9, 0.2, 0.4),
	)
	out := mustRun(t, &Permutation{}, map[string][]dag.Input{"predictions": ins})
	test := out["test"].(*artifacts.Table)
	chance := []float64{1, 0.5, 0.25}
	mean, sd := meanSD(chance)
	aucs := []float64{1, 0.5, 0}
	aucMean, aucSD := meanSD(aucs)
	for column, want := range map[string][]float64{
		"observed": {0.75, 0.75, 1}, "chance_mean": {mean, mean, aucMean}, "chance_sd": {sd, sd, aucSD}, "chance_95": {0.95, 0.95, 0.95},
		"permutations": {3, 3, 3}, "p": {0.5, 0.5, 0.5},
	} {
		if got := floatsOf(t, test, column); !near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	null := out["null"]
	for column, want := range map[string][]float64{"permutation": {0, 1, 2, 10}, "accuracy": {0.75, 1, 0.5, 0.25}, "auc": {1, 1, 0.5, 0}} {
		if got := floatsOf(t, null, column); !near(got, want) {
			t.Errorf("null %s: %v, want %v", column, got, want)
		}
	}
	in := summaryInputs(t, someParticipants(40, "ASD", "HC"))
	in["permutation"] = []dag.Input{dag.InputOf(test)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"accuracy 0.750, by chance 0.583, 0.950 p=0.50 AUC 1.000, by chance 0.500, 0.950 p=0.50", "permuted groups are told apart as well as the groups as they are (p=0.50): the accuracy may be luck"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestPermutationRefuses(t *testing.T) {
	as := [4]int{0, 1, 0, 1}
	zero, one := numberedFolds(0, as, 0.1, 0.9, 0.2, 0.4), numberedFolds(1, as, 0.1, 0.9, 0.2, 0.4)
	plain := twoFolds("one", 0.1, 0.2, 0.9, 0.3)
	for _, c := range []struct {
		in   []dag.Input
		want string
	}{
		{one, "the training with the groups as they are (permutation 0) is missing: let the axis begin at 0"},
		{zero, "there is no permutation beside 0"},
		{plain, "the predictions have no coordinate permutation: fan split and train out over it (matrix: { permutation: [0..100] })"},
		{append(slices.Clone(zero), one[0]), "permutation 1 tests 2 participants with 2 graphs in 1 folds, and without permutation there are 4, 4 and 2: all must be trained in the same way"},
		{append(slices.Clone(zero), numberedFolds(1, [4]int{0, 1, 1, 1}, 0.1, 0.9, 0.2, 0.4)...), "permutation 1 has groups of other sizes: groups are to be exchanged, not made anew"},
	} {
		if _, err := runStage(t, &Permutation{}, map[string][]dag.Input{"predictions": c.in}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
