package learn

import (
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// Permutations of other folds, or across folds, are refused.
func TestReadPermutedRefuses(t *testing.T) {
	folds := column.Table([]fold.Member{{ID: "a", Fold: 1, Repeat: 1}, {ID: "b", Fold: 1, Repeat: 1},
		{ID: "c", Fold: 2, Repeat: 1}})
	for want, rows := range map[string][]int32{
		"permutation 1 does not exchange": {0, 1, 2, 2, 1, 0}, "permutation 0 does not": {1, 0, 2, 0, 1, 2},
		"has 3 participants": {0, 1, 0, 1}, "permutation 1 does": {0, 1, 2, 0, 0, 2},
	} {
		width := 3
		if len(rows) == 4 {
			width = 2
		}
		_, err := fold.ReadPermuted(dag.InputOf(encoding.NewArray(rows, len(rows)/width, width)), dag.InputOf(folds))
		need.Error(t, err, want)
	}
}

// Each row of permuted is what the ordinary training on the permuted labels gives, with the true labels first.
func TestBaselinePermutedIsTraining(t *testing.T) {
	const n, permutations = 24, 4
	s := stagetest.NewCorrStudy(t, n)
	in := s.Inputs()
	split := stagetest.MustRun(t, stagetest.Fresh("split", "folds", 4, "seed", uint64(1), "permutations", permutations),
		map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(n, "ASD", "HC"))}})
	in["folds"], in["permuted"] = []dag.Input{dag.InputOf(split["folds"])}, []dag.Input{dag.InputOf(split["permuted"])}
	members := need.Value(column.Rows[fold.Member](split["folds"].(*encoding.Table)))(t)
	p := need.Value(fold.ReadPermuted(in["permuted"][0], in["folds"][0]))(t)
	for _, model := range models() {
		// of one penalty: inner folds of permuted labels are those of the true ones
		with := []any{"penalties", []any{0.5}}
		rows := need.Value(column.Rows[fold.PermutedRow](
			stagetest.MustRun(t, stagetest.Quickly(model, with...), in)["permuted"].(*encoding.Table)))(t)
		if slices.Contains([]string{"forest", "mlp", "brainnetcnn", "li2019"}, model) {
			need.Equal(t, len(rows), 0, model)
			continue
		}
		need.Equal(t, len(rows), 2*(permutations+1), model)
		for b, from := range p.From {
			relabeled := slices.Clone(members)
			for i, j := range from {
				relabeled[i].Group = members[j].Group
			}
			again := s.Inputs()
			again["folds"] = []dag.Input{dag.InputOf(column.Table(relabeled))}
			of := stagetest.MustRun(t, stagetest.Quickly(model, with...), again)["predictions"].(*encoding.Table)
			tested, groups, err := fold.ReadTested(of)
			need.NoError(t, err)
			for g, want := range fold.ScoreGroups(tested[0].Participants, groups) {
				got := rows[2*b+g]
				if got.Permutation != int32(b) || got.Group != want.Group || got.Tested != want.Tested ||
					got.Correct != want.Correct || math.Abs(got.AUC-want.AUC) > 1e-12 {
					t.Errorf("%s, permutation %d: %+v, trained on these labels %+v", model, b, got, want)
				}
			}
		}
	}
}
