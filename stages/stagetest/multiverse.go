package stagetest

import (
	"fmt"

	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

// Multiverse are the predictions of three models in two folds, and those of 19 label permutations, all made up. The
// third model predicts as the second does.
func Multiverse() map[string][]dag.Input {
	in := map[string][]dag.Input{}
	groups := []string{"ASD", "HC"}
	for m, model := range []string{"a", "b", "c"} {
		for f := int32(1); f <= 2; f++ {
			s := random.New(3, "multiverse", min(m, 1), f)
			var first [][3]any
			var rows []fold.PermutedRow
			for b := range int32(21) {
				var cases []fold.Case
				for i := range 10 {
					label := i % 2
					p := 0.5 + 0.1*s.Normal()
					if b == 0 {
						p += 0.1 * float64(2*label-1)
						first = append(first, [3]any{fmt.Sprintf("sub-%d%02d", f, i), label, p})
					}
					predicted := 0
					if p > 0.5 {
						predicted = 1
					}
					cases = append(cases, fold.Case{Label: label, Predicted: predicted,
						Probability: []float64{1 - p, p}})
				}
				for _, row := range fold.ScoreGroups(cases, groups) {
					row.Permutation, row.Repeat, row.Fold = b, 1, f
					if row.Changed = 4; b == 0 {
						row.Changed = 0
					}
					rows = append(rows, row)
				}
			}
			coords := []dag.Coord{{Axis: "fold", Value: fmt.Sprint(f)}, {Axis: "model", Value: model}}
			in["predictions"] = append(in["predictions"], dag.InputOf(OneFold(f, [2]string{"ASD", "HC"},
				first...), coords...))
			in["permuted"] = append(in["permuted"], dag.InputOf(column.Table(rows), coords...))
		}
	}
	return in
}
