package assess

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// permutedNumbers are the predictions of models of 24 participants, with the true numbers and 19 permutations, and the
// means over the folds of r and of the absolute error, computed here.
func permutedNumbers(t *testing.T, models ...string) (ins []dag.Input, r, mae map[string][]float64) {
	t.Helper()
	y := stagetest.Ramp(24)
	in := stagetest.Numbered(t, y)
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: subjects(in["pearson"])},
		encoding.Column{Name: "target", Values: y})
	r, mae = map[string][]float64{}, map[string][]float64{}
	for n := range 20 {
		in["folds"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("split", "label", "target",
			"folds", 4, "permutation", n), map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"])}
		for _, model := range models {
			var rs, wrong float64
			for f := range 4 {
				out := stagetest.MustRun(t, stagetest.Fresh("regression", "model", model, "fold", f+1), in)
				ins = append(ins, dag.InputOf(out["predictions"], dag.Coord{Axis: "model", Value: model},
					dag.Coord{Axis: "permutation", Value: fmt.Sprint(n)},
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
				observed, predicted := map[string]float64{}, map[string]float64{}
				for _, row := range stagetest.PredictedNumbers(t, out) {
					if row.Set == "test" {
						// of two draws
						observed[row.ID], predicted[row.ID] = row.Target, predicted[row.ID]+row.Predicted/2
					}
				}
				var a, b []float64
				for id, y := range observed {
					a, b = append(a, y), append(b, predicted[id])
					wrong += math.Abs(y-predicted[id]) / float64(len(observed)) / 4
				}
				rs += inference.Correlation(a, b) / 4
			}
			r[model], mae[model] = append(r[model], rs), append(mae[model], wrong)
		}
	}
	return ins, r, mae
}

func subjects(ins []dag.Input) (ids []string) {
	for _, in := range ins {
		ids = append(ids, in.Coord("subject"))
	}
	return ids
}

// Measures and p are those that are counted here; a mean has no r.
func TestPermutationRegression(t *testing.T) {
	ins, rs, maes := permutedNumbers(t, "mean", "ridge")
	slices.Reverse(ins)
	out := stagetest.MustRun(t, stagetest.Fresh("permutation-regression"), map[string][]dag.Input{"predictions": ins})
	null, test := out["null"].(*encoding.Table), out["test"].(*encoding.Table)
	model := need.Value(null.Strings("model"))(t)
	number := need.Value(null.Ints("permutation"))(t)
	r, mae := stagetest.FloatsOf(t, null, "r"), stagetest.FloatsOf(t, null, "mae")
	for i, m := range model {
		if math.Abs(mae[i]-maes[m][number[i]]) > 1e-9 {
			t.Errorf("%s, permutation %d: error %v, want %v", m, number[i], mae[i], maes[m][number[i]])
		}
		if want := rs[m][number[i]]; !(math.Abs(r[i]-want) < 1e-9 || m == "mean" && math.IsNaN(r[i])) {
			t.Errorf("%s, permutation %d: r %v, want %v", m, number[i], r[i], want)
		}
	}
	if len(model) != 40 {
		t.Errorf("%d rows, want 20 of each of two models", len(model))
	}
	models, measures := need.Value(test.Strings("model"))(t), need.Value(test.Strings("measure"))(t)
	p, ends := stagetest.FloatsOf(t, test, "p"), stagetest.FloatsOf(t, test, "chance_95")
	for i, m := range models {
		values, sign := rs[m], 1.0
		switch measures[i] {
		case "r2":
			continue
		case "mae":
			values, sign = maes[m], -1
		}
		if m == "mean" && measures[i] == "r" {
			if !math.IsNaN(p[i]) {
				t.Errorf("the mean has no r, and p %v", p[i])
			}
			continue
		}
		as := 1.0
		var chance []float64
		for _, v := range values[1:] {
			chance = append(chance, sign*v)
			if sign*v >= sign*values[0]-1e-9 {
				as++
			}
		}
		slices.Sort(chance)
		if p[i] != as/20 {
			t.Errorf("%s, %s: p %v, want %v", m, measures[i], p[i], as/20)
		}
		if end := sign * inference.Quantile(chance, 0.95); math.Abs(ends[i]-end) > 1e-9 {
			t.Errorf("%s, %s: the best of chance is %v, want %v", m, measures[i], ends[i], end)
		}
		if m == "ridge" && p[i] != 0.05 { // the matrices say the number
			t.Errorf("%s: p %v of ridge regression", measures[i], p[i])
		}
	}
	// Other numbers, rather than the same in another order.
	few := append(slices.Clone(ins[len(ins)-8:]), redrawn(t, ins[:8])...)
	if _, err := stagetest.RunStage(t, stagetest.Fresh("permutation-regression"),
		map[string][]dag.Input{"predictions": few}); err == nil ||
		!strings.HasSuffix(err.Error(), "permutation 19 has other labels: they must be permuted, not redrawn") {
		t.Errorf("got %v", err)
	}
}

// redrawn adds 1 to the numbers of predictions.
func redrawn(t *testing.T, ins []dag.Input) (out []dag.Input) {
	for _, in := range ins {
		table := need.Value(in.Table())(t)
		other := &encoding.Table{Columns: slices.Clone(table.Columns), Meta: table.Meta}
		for i, c := range other.Columns {
			if c.Name == "target" {
				numbers := slices.Clone(stagetest.FloatsOf(t, table, "target"))
				for k := range numbers {
					numbers[k]++
				}
				other.Columns[i].Values = numbers
			}
		}
		out = append(out, dag.InputOf(other, in.Coords...))
	}
	return out
}

// Over 24 cohorts whose matrices say nothing of the number, p of r is as small as x in a share x of them.
func TestPermutationRegressionIsUniform(t *testing.T) {
	const cohorts, permutations = 24, 9
	small, mean := 0, 0.0
	for c := range cohorts {
		in := stagetest.Numbered(t, stagetest.Ramp(16)) // matrices of another number
		var ins []dag.Input
		y := stagetest.Ramp(16)
		for i := range y {
			y[i] = math.Sin(float64((c*16 + i) * (c*16 + i))) // in no order of the participants
		}
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: subjects(in["pearson"])},
			encoding.Column{Name: "target", Values: y})
		for n := range permutations + 1 {
			in["folds"] = []dag.Input{dag.InputOf(stagetest.MustRun(t, stagetest.Fresh("split", "label", "target",
				"folds", 2, "permutation", n), map[string][]dag.Input{"participants": {dag.InputOf(people)}})["folds"])}
			for f := range 2 {
				ins = append(ins, dag.InputOf(stagetest.MustRun(t,
					stagetest.Fresh("regression", "model", "ridge", "fold", f+1), in)["predictions"],
					dag.Coord{Axis: "permutation", Value: fmt.Sprint(n)},
					dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
			}
		}
		p := stagetest.FloatsOf(t, stagetest.MustRun(t, stagetest.Fresh("permutation-regression"),
			map[string][]dag.Input{"predictions": ins})["test"], "p")[0]
		mean += p / cohorts
		if p <= 0.2 {
			small++
		}
	}
	// uniform on 1/10 … 1: mean 0.55, standard error 0.29/√24 = 0.059; p ≤ 0.2 in 4.8 ± 2.0
	if math.Abs(mean-0.55) > 0.18 || small > 11 {
		t.Errorf("mean p %v, and p ≤ 0.2 in %d of %d", mean, small, cohorts)
	}
}
