package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn/split"
	"prgnn/stages/stagetest"
)

// Of every four neighbors in the order of the numbers each is tested in another fold.
func TestSplitOfNumbers(t *testing.T) {
	y := stagetest.Ramp(40)
	table := stagetest.Numbered(t, y)["folds"][0]
	rows := need.Value(table.Table())(t)
	numbers, _ := rows.Floats("target")
	folds, _ := rows.Ints("fold")
	order := lists.UpTo(len(numbers))
	slices.SortFunc(order, func(a, b int) int { return int(numbers[a] - numbers[b]) })
	for i := 0; i < len(order); i += 4 {
		of := lists.At(folds, order[i:i+4])
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

// pearson and about are r, and R² about the mean of the test participants, by their definitions.
func pearson(x, y []float64) (r, about float64) {
	n := float64(len(x))
	var mx, my, xx, yy, xy, miss float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
		miss += (y[i] - x[i]) * (y[i] - x[i])
	}
	return xy / math.Sqrt(xx*yy), 1 - miss/yy
}

// A model of a number is trained anew on parts: r and R² are those of the model where the other training participants
// are in no fold, and the last part is the model itself.
func TestCurveOfNumbers(t *testing.T) {
	y := stagetest.Ramp(40)
	for i := range y {
		y[i] += float64(i * 7 % 5)
	}
	in := stagetest.Numbered(t, y)
	folds := need.Value(in["folds"][0].Table())(t)
	measured := func(in map[string][]dag.Input, model string, params ...any) (r, r2 float64) {
		s := stagetest.Fresh("regression", append([]any{"model", model, "fold", 2}, params...)...)
		out := stagetest.MustRun(t, s, in)
		rows := need.Value(column.Rows[fold.NumberRow](out["predictions"].(*encoding.Table)))(t)
		sum, number := map[string]float64{}, map[string]float64{}
		var ids []string
		for _, row := range rows {
			if row.Set != fold.SideNames[1] {
				continue
			}
			if _, there := number[row.ID]; !there {
				ids = append(ids, row.ID)
			}
			sum[row.ID] += row.Predicted
			number[row.ID] = row.Target
		}
		var predicted, observed []float64
		draws := 0.0
		for _, row := range rows {
			if row.ID == ids[0] {
				draws++
			}
		}
		for _, id := range ids {
			predicted, observed = append(predicted, sum[id]/draws), append(observed, number[id])
		}
		return pearson(predicted, observed)
	}
	for _, model := range []string{"mean", "ridge", "kernel-ridge", "svr", "rbf-svr", "forest", "mlp"} {
		params := []any{"trees", 5, "epochs", 3, "penalties", []any{0.1, 1}, "inner", 3, "standardize", "training",
			"tolerance", 1e-10} // by which rounding of the inputs changes no support vector
		out := stagetest.MustRun(t, stagetest.Fresh("regression", append([]any{"model", model, "fold", 2, "orders", 5},
			params...)...), in)
		rows := need.Value(column.Rows[column.NumberSubsetRow](out["curve"].(*encoding.Table)))(t)
		need.Equal(t, len(rows), 5*len(split.Shares), model)
		var kept []map[string]bool
		d := need.Value(fold.Params{Fold: 2, Repeat: 1}.Divide(in["folds"][0]))(t)
		all := lists.Map(in["pearson"], func(m dag.Input) fold.Row { return need.Value(d.Row(m))(t) })
		need.NoError(t, split.Parts(t.Context(), dag.NewTask(in), all, fold.Params{Fold: 2, Repeat: 1}, 0, 5,
			func(p split.Part) error {
				kept = append(kept, p.Keep)
				return nil
			}))
		for _, part := range []int{2, 3, 5, 10} { // 35%, half and all in the first order, three quarters in the second
			members := need.Value(column.Rows[fold.NumberMember](folds))(t)
			for i := range members {
				if members[i].Fold != 2 && !kept[part][members[i].ID] {
					members[i].Fold = 0
				}
			}
			alone := map[string][]dag.Input{}
			for port, of := range in {
				alone[port] = of
			}
			alone["folds"] = []dag.Input{dag.InputOf(column.WithMeta(column.Table(members), folds.Meta))}
			r, r2 := measured(alone, model, params...)
			got := rows[part]
			same := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-8 || math.IsNaN(a) && math.IsNaN(b) }
			if !same(got.R2, r2) || model != "mean" && !same(got.R, r) || int(got.Trained) != len(kept[part]) ||
				got.Why != "" {
				t.Errorf("%s, part %d: %+v, want r %v and R² %v of %d", model, part, got, r, r2, len(kept[part]))
			}
		}
	}
	need.Equal(t, len(stagetest.Fresh("regression", "orders", 3).(*Regression).Validate()), 1)
	need.Error(t, stagetest.Fresh("regression", "orders", 5).(*Regression).RefusesInputs(func(port string) bool {
		return port == "targets" || port == "pearson"
	}), "leave one of the two out")
}
