package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// Of every four neighbors in the order of the numbers each is tested in another fold.
func TestSplitOfNumbers(t *testing.T) {
	y := stagetest.Ramp(40)
	table := stagetest.Numbered(t, y)["folds"][0]
	rows := need.Value(table.Table())(t)
	numbers, _ := rows.Floats("target")
	folds, _ := rows.Ints("fold")
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(numbers[a] - numbers[b]) })
	for i := 0; i < len(order); i += 4 {
		var of []int64
		for _, k := range order[i : i+4] {
			of = append(of, folds[k])
		}
		if slices.Sort(of); !slices.Equal(of, []int64{1, 2, 3, 4}) {
			t.Errorf("numbers from %v are in folds %v", numbers[order[i]], of)
		}
	}
}

// Every model but the mean predicts a number that the matrices say, in its own units, and nothing of the test
// participants is learned: other numbers of theirs leave all predictions as they are.
func TestRegression(t *testing.T) {
	y := stagetest.Ramp(40)
	in := stagetest.Numbered(t, y)
	folds, _ := in["folds"][0].Table()
	ids, _ := folds.Strings("participant_id")
	of, _ := folds.Ints("fold")
	changed := &encoding.Table{Columns: slices.Clone(folds.Columns), Meta: folds.Meta}
	numbers, _ := folds.Floats("target")
	numbers = slices.Clone(numbers)
	for i := range ids {
		if of[i] == 2 {
			numbers[i] = 1e6 + float64(i)
		}
	}
	for i, c := range changed.Columns {
		if c.Name == "target" {
			changed.Columns[i].Values = numbers
		}
	}
	for _, model := range []string{"mean", "ridge", "kernel-ridge", "svr", "rbf-svr", "forest", "mlp"} {
		s := stagetest.Fresh("regression", "model", model, "fold", 2, "penalty", 0.01, "c", 10.0, "epsilon", 0.01,
			"inner", 3)
		got := stagetest.PredictedNumbers(t, stagetest.MustRun(t, s, in))
		if len(got) != 80 {
			t.Fatalf("%s: %d rows, want one for each of 80 graphs", model, len(got))
		}
		sum, tested := 0.0, 0
		var observed, predicted []float64
		for _, r := range got {
			if r.Set == "train" && r.Draw == 1 {
				sum += r.Target / 30
			}
			if r.Set == "test" {
				tested++
				observed, predicted = append(observed, r.Target), append(predicted, r.Predicted)
			}
		}
		if tested != 20 {
			t.Errorf("%s: %d test graphs, want 20", model, tested)
		}
		if model == "mean" {
			for _, r := range got {
				if math.Abs(r.Predicted-sum) > 1e-9 {
					t.Fatalf("mean: %v, want %v, the mean of the training participants", r.Predicted, sum)
				}
			}
		} else if r := inference.Correlation(observed, predicted); r < 0.65 {
			t.Errorf("%s: r is %v", model, r)
		}
		other := stagetest.PredictedNumbers(t, stagetest.MustRun(t, s, map[string][]dag.Input{"pearson": in["pearson"],
			"folds": {dag.InputOf(changed)}}))
		for i := range got {
			if got[i].Predicted != other[i].Predicted {
				t.Fatalf("%s: other numbers of the test participants change the prediction of %s", model, got[i].ID)
			}
		}
	}
	for _, c := range []struct {
		of   func(k float64) float64
		want string
	}{
		{func(float64) float64 { return 0 }, "all 40 participants have the same number to predict, 0"},
		{func(k float64) float64 { return 1e15 + k }, "the numbers to predict differ by 39 at most, and are of the size 1.000000000000039e+15: too few digits"},
		{func(k float64) float64 { return 1e-300 * k }, "their squares are beyond the range of numbers; give them in another unit"},
		{func(k float64) float64 { return -1e200 * k }, "their squares are beyond the range of numbers; give them in another unit"},
		{func(k float64) float64 { return 1e9 + k }, ""},
		{func(k float64) float64 { return 1e-90 * k }, ""},
	} {
		numbers := make([]float64, 40)
		for k := range numbers {
			numbers[k] = c.of(float64(k))
		}
		in := map[string][]dag.Input{"participants": {dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "target", Values: numbers}))}}
		_, err := stagetest.RunStage(t, stagetest.Fresh("split", "label", "target"), in)
		if c.want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.want)
		}
	}
}

// numberGraphs are graphs of three draws and six nodes, half of which tell the number.
func numberGraphs(t *testing.T, y []float64) map[string][]dag.Input {
	in := stagetest.Numbered(t, y)
	var edges []dag.Input
	for i, m := range in["pearson"] {
		x := make([]float64, 3*6*6)
		for k := range x {
			x[k] = 0.5 * math.Sin(float64(7*i+5*k))
			if k%36 < 18 {
				x[k] += (y[i] - 30) / 20
			}
		}
		in["features"] = append(in["features"], dag.InputOf(encoding.NewArray(x, 3, 6, 6), m.Coords...))
		var rows []column.EdgeRow
		for d := range int32(3) {
			for e := range int32(5) {
				rows = append(rows, column.EdgeRow{Draw: d, Source: e + 1, Target: e + 2,
					Weight: 0.3 + 0.1*math.Sin(float64(i))})
			}
		}
		edges = append(edges, dag.InputOf(column.Table(rows), m.Coords...))
	}
	in["edges"] = edges
	delete(in, "pearson")
	return in
}

// PR-GNN learns a number that the features say, in its units, and nothing of the test participants: other numbers of
// theirs leave all predictions as they are. predict refuses the model.
func TestTrainRegression(t *testing.T) {
	y := stagetest.Ramp(40)
	in := numberGraphs(t, y)
	s := stagetest.Fresh("train-regression", "fold", 2, "epochs", 150, "batch", 10, "learning_rate", 0.01)
	out := stagetest.MustRun(t, s, in)
	got := stagetest.PredictedNumbers(t, out)
	var observed, predicted []float64
	for _, r := range got {
		if r.Set == "test" {
			observed, predicted = append(observed, r.Target), append(predicted, r.Predicted)
		}
	}
	if r := inference.Correlation(observed, predicted); len(got) != 80 || len(observed) != 20 || r < 0.8 {
		t.Errorf("%d graphs, %d of the test, r %v", len(got), len(observed), r)
	}
	for i := range predicted { // numbers 10 to 49
		if math.Abs(predicted[i]-observed[i]) > 15 {
			t.Errorf("predicted %v, observed %v", predicted[i], observed[i])
		}
	}
	history := out["history"].(*encoding.Table)
	loss, test := stagetest.FloatsOf(t, history, "error"), stagetest.FloatsOf(t, history, "test_error")
	if last := len(loss) - 1; len(loss) != 150 || !(loss[last] < loss[0]/2) || !(test[last] < test[0]) {
		t.Errorf("squared error from %v to %v, of the test from %v to %v", loss[0], loss[len(loss)-1], test[0], test[len(test)-1])
	}

	folds, _ := in["folds"][0].Table()
	of, _ := folds.Ints("fold")
	numbers, _ := folds.Floats("target")
	other := slices.Clone(numbers)
	for i := range other {
		if of[i] == 2 {
			other[i] = 1e6 + float64(i)
		}
	}
	changed := &encoding.Table{Columns: slices.Clone(folds.Columns), Meta: folds.Meta}
	for i, c := range changed.Columns {
		if c.Name == "target" {
			changed.Columns[i].Values = other
		}
	}
	again := stagetest.PredictedNumbers(t, stagetest.MustRun(t, s, map[string][]dag.Input{"edges": in["edges"],
		"features": in["features"], "folds": {dag.InputOf(changed)}}))
	for i := range got {
		if got[i].Predicted != again[i].Predicted {
			t.Fatalf("other numbers of the test participants change the prediction of %s", got[i].ID)
		}
	}
	_, err := ReadModels([]dag.Input{dag.InputOf(out["model"])})
	if err == nil || !strings.Contains(err.Error(), "predicts a number") {
		t.Errorf("a model of numbers is read as one of groups: %v", err)
	}
}

// The groups of the consistency loss are quantiles of the training participants, each counted once.
func TestQuantileCuts(t *testing.T) {
	var rows []fold.Row
	for i, v := range []float64{5, 1, 9, 3, 7, 100} {
		for d := range 2 {
			rows = append(rows, fold.Row{Id: string(rune('a' + i)), Draw: d, Target: v, Side: i / 5})
		}
	}
	for groups, want := range map[int][]float64{1: nil, 2: {5}, 3: {3, 7}, 5: {1, 3, 5, 7}} {
		if got := quantileCuts(rows, groups); !slices.Equal(got, want) {
			t.Errorf("%d groups: cuts at %v, want %v", groups, got, want)
		}
	}
}

// With targets, the model is trained on residuals; predictions are beside the original numbers, residuals beside
// theirs.
func TestRegressionOfResiduals(t *testing.T) {
	in := stagetest.Numbered(t, stagetest.Ramp(40))
	s := func() dag.Stage { return stagetest.Fresh("regression", "model", "ridge", "fold", 2) }
	members := need.Value(column.Read[fold.NumberMember](in["folds"][0]))(t)
	targets := func(shift float64) *encoding.Table {
		var rows []fold.TargetRow
		var fit []string
		for _, m := range members {
			rows = append(rows, fold.TargetRow{ID: m.ID, Target: m.Target, Explained: shift,
				Residual: m.Target - shift})
			if m.Fold != 2 {
				fit = append(fit, m.ID)
			}
		}
		table := column.Table(rows)
		table.Meta = map[string]string{"participants": column.JSON(fit), "deconfound": `{"fold":2,"repeat":1}`}
		return table
	}
	plain := stagetest.PredictedNumbers(t, stagetest.MustRun(t, s(), in))
	in["targets"] = []dag.Input{dag.InputOf(targets(7))}
	out := stagetest.MustRun(t, s(), in)
	residuals := need.Value(column.Rows[fold.NumberRow](out["residuals"].(*encoding.Table)))(t)
	for i, r := range stagetest.PredictedNumbers(t, out) {
		p := plain[i]
		if r.Target != p.Target || math.Abs(residuals[i].Target-(p.Target-7)) > 1e-12 ||
			math.Abs(residuals[i].Predicted-(p.Predicted-7)) > 1e-9 {
			t.Fatalf("%+v and %+v, without targets %+v", r, residuals[i], p)
		}
	}
	wrong := targets(7)
	wrong.Meta["participants"] = column.JSON([]string{members[0].ID, members[1].ID, members[2].ID,
		members[3].ID, members[4].ID})
	in["targets"] = []dag.Input{dag.InputOf(wrong)}
	_, err := stagetest.RunStage(t, s(), in)
	need.Error(t, err, "leakage")
	has := func(port string) bool { return port != "tangent" && port != "fitted" }
	need.Error(t, s().(*Regression).RefusesInputs(has), "both connected")
}
