package assess

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// The p of the oracle: ridge regression on five folds of 40 participants, 99 permutations within the folds.
func TestRetrainedPAgainstOracle(t *testing.T) {
	read := func(name string) *encoding.Array {
		f := need.Value(os.Open(need.Shared(t, "fixtures", "questions", "intervals", name+".npy")))(t)
		defer f.Close()
		return need.Value(encoding.ReadArray(f))(t)
	}
	x, y, of := read("X"), read("y").Float64s(), read("fold").Float64s()
	perm, want := read("perm"), read("perm_value").Float64s()
	n, d := x.Shape[0], x.Shape[1]
	groups := []string{"a", "b"}
	var tables, predictions []dag.Input
	sum := make([]float64, perm.Shape[0]) // of correct predictions
	for f := range 5 {
		rows := baseline.Rows{N: n, D: d}
		var at []int
		train := 0
		for _, test := range []bool{false, true} {
			for i := range n {
				if (int(of[i]) == f) == test {
					at, rows.X = append(at, i), append(rows.X, x.Float64s()[i*d:][:d]...)
				}
			}
			if !test {
				train = len(at)
			}
		}
		label := func(b, i int) int { return int(1+y[int(perm.Float64s()[b*n+i])]) / 2 }
		var labels [][]int
		for b := range perm.Shape[0] {
			one := lists.Map(at[:train], func(i int) int { return label(b, i) })
			labels = append(labels, one)
		}
		again := need.Value(baseline.RetrainRidge(rows, train, 10, 1))(t)
		p := need.Value(again.Probabilities(t.Context(), labels, 2))(t)
		var table []fold.PermutedRow
		var first [][3]any
		for b := range p {
			var cases []fold.Case
			for k, i := range at[train:] {
				c := fold.Case{Id: fmt.Sprint(i), Label: label(b, i), Probability: p[b][2*k:][:2]}
				cases = append(cases, fold.OverDraws([]fold.Case{c})...)
				cases[k].Label = c.Label
				if b == 0 {
					first = append(first, [3]any{c.Id, c.Label, c.Probability[1]})
				}
			}
			for _, row := range fold.ScoreGroups(cases, groups) {
				row.Permutation, row.Repeat, row.Fold, row.Changed = int32(b), 1, int32(f+1), int32(b)
				table = append(table, row)
				sum[b] += float64(row.Correct)
			}
		}
		coord := dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}
		tables = append(tables, dag.InputOf(column.Table(table), coord))
		predictions = append(predictions,
			dag.InputOf(stagetest.OneFold(int32(f+1), [2]string{"a", "b"}, first...), coord))
	}
	for b, v := range sum {
		if math.Abs(v/float64(n)-want[2*b]) > 1e-12 {
			t.Fatalf("permutation %d: accuracy %v, want %v", b, v/float64(n), want[2*b])
		}
	}
	summary := stagetest.MustRun(t, stagetest.Fresh("evaluate"),
		map[string][]dag.Input{"predictions": predictions, "permuted": tables})["summary"].(*encoding.Table)
	row := need.Value(column.Rows[column.AccuracyRow](summary))(t)[1]
	if row.Test != "retrained" || row.P != 0.03 || row.AUCP != 0.02 || row.Least != 0.01 || row.Permutations != 99 {
		t.Errorf("%+v", row)
	}
	// Without the retrained models each fold is tested by itself.
	summary = stagetest.MustRun(t, stagetest.Fresh("evaluate"),
		map[string][]dag.Input{"predictions": predictions})["summary"].(*encoding.Table)
	if row := need.Value(column.Rows[column.AccuracyRow](summary))(t)[1]; row.Test != "per fold" || row.P < 0.03 {
		t.Errorf("%+v", row)
	}
	_, err := stagetest.RunStage(t, stagetest.Fresh("evaluate"),
		map[string][]dag.Input{"predictions": predictions, "permuted": tables[1:]})
	if err == nil || !strings.Contains(err.Error(), "fold 1 has no permutation 0") {
		t.Error(err)
	}
}
