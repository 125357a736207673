package assess

import (
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func TestPermutationRefuses(t *testing.T) {
	as := [4]int{0, 1, 0, 1}
	zero, one := stagetest.NumberedFolds(0, as, 0.1, 0.9, 0.2, 0.4), stagetest.NumberedFolds(1, as, 0.1, 0.9, 0.2, 0.4)
	plain := stagetest.TwoFolds("one", 0.1, 0.2, 0.9, 0.3)
	for _, c := range []struct {
		in   []dag.Input
		want string
	}{
		{one, "the training with the true labels (permutation 0) is missing: start the axis at 0"},
		{zero, "there is no permutation besides 0"},
		{plain, "the predictions have no coordinate permutation: fan split and train out over it (matrix: { permutation: [0..100] })"},
		{append(slices.Clone(zero), one[0]), "permutation 1 tests 2 participants with 2 graphs in 1 folds, but without permutation there are 4, 4 and 2: train all in the same way"},
		{append(slices.Clone(zero), stagetest.NumberedFolds(1, [4]int{0, 1, 1, 1}, 0.1, 0.9, 0.2, 0.4)...), "permutation 1 has other labels: they must be permuted, not redrawn"},
	} {
		if _, err := stagetest.RunStage(t, &Permutation{}, map[string][]dag.Input{"predictions": c.in}); err == nil ||
			!strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
