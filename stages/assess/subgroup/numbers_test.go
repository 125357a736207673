package subgroup

import (
	"fmt"
	"math"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// predictedNumbers are predictions of two folds for 60 participants, of whom girls have errors larger by a factor, and
// 9 are at the site c. The models of the folds have different offsets.
func predictedNumbers(factor float64) (in map[string][]dag.Input, rows []fold.NumberRow, sex []string) {
	r := random.New(5, "numbers")
	var ids, site []string
	tables := make([][]fold.NumberRow, 2)
	for i := range 60 {
		id := fmt.Sprintf("sub-%02d", i+1)
		ids, sex = append(ids, id), append(sex, []string{"F", "M"}[i%2])
		site = append(site, map[bool]string{true: "c", false: []string{"a", "b"}[i/2%2]}[i >= 51])
		y, e := 100+15*r.Normal(), 4*r.Normal()
		if i%2 == 0 {
			e *= factor
		}
		row := fold.NumberRow{ID: id, Target: y, Fold: int32(i/2%2 + 1), Repeat: 1, Set: "test",
			Predicted: y + e + 5*float64(i/2%2)}
		rows, tables[i/2%2] = append(rows, row), append(tables[i/2%2], row)
	}
	people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: ids}, encoding.Column{Name: "sex",
		Values: sex}, encoding.Column{Name: "site", Values: site})
	in = map[string][]dag.Input{"participants": {dag.InputOf(people)}}
	for f, of := range tables {
		table := column.Table(of)
		table.Meta = map[string]string{"model": "ridge"}
		in["predictions"] = append(in["predictions"], dag.InputOf(table, dag.Coord{Axis: "model", Value: "ridge"},
			dag.Coord{Axis: "fold", Value: fmt.Sprint(f + 1)}))
	}
	return in, rows, sex
}

// The measures are those of the definition, and groups of fewer than 10 participants are not shown.
func TestNumbersInGroups(t *testing.T) {
	in, of, sex := predictedNumbers(1)
	out := stagetest.MustRun(t, stagetest.Fresh("subgroups-regression", "permutations", 199), in)
	rows := need.Value(column.Rows[column.NumberSubgroupRow](out["groups"].(*encoding.Table)))(t)
	need.Equal(t, len(rows), 5)
	var means [3][2]float64
	for _, r := range of {
		means[r.Fold][0] += r.Predicted / 30
		means[r.Fold][1] += r.Target / 30
	}
	for k, group := range []string{"F", "M"} {
		var x, y []float64
		size, bias := 0.0, 0.0
		for i, r := range of {
			if sex[i] == group {
				x, y = append(x, r.Predicted-means[r.Fold][0]), append(y, r.Target-means[r.Fold][1])
				size, bias = size+math.Abs(r.Predicted-r.Target)/30, bias+(r.Predicted-r.Target)/30
			}
		}
		want := inference.Correlation(x, y)
		half := 1.959963984540054 / math.Sqrt(27)
		if g := rows[k]; g.Group != group || g.N != 30 || math.Abs(g.R-want) > 1e-12 || math.Abs(g.MAE-size) > 1e-10 ||
			math.Abs(g.Error-bias) > 1e-10 || math.Abs(g.RLow-math.Tanh(math.Atanh(want)-half)) > 1e-9 ||
			!(g.MAELow < g.MAE && g.MAE < g.MAEHigh && g.ErrorLow < g.Error && g.Error < g.ErrorHigh && g.SD > 0) {
			t.Errorf("%+v, want r %v, MAE %v, mean error %v", g, want, size, bias)
		}
	}
	shown := ""
	for _, r := range rows[2:] {
		shown += fmt.Sprintf("%s %s %t; ", r.Group, r.Suppressed, math.IsNaN(r.N) && math.IsNaN(r.MAE))
	}
	need.Equal(t, shown, "a  false; b complementary true; c <10 true; ")
	if len(need.Value(column.Rows[column.NumberSubgroupTestRow](out["tests"].(*encoding.Table)))(t)) != 3 {
		t.Error("sites are compared, of which one is shown")
	}
}

// Larger errors of one group are found, and equal ones are not.
func TestNumbersOfGroupsAreCompared(t *testing.T) {
	for _, factor := range []float64{1, 5} {
		in, _, _ := predictedNumbers(factor)
		out := stagetest.MustRun(t, stagetest.Fresh("subgroups-regression", "columns", []any{"sex"}), in)
		for _, r := range need.Value(column.Rows[column.NumberSubgroupTestRow](out["tests"].(*encoding.Table)))(t) {
			if r.Measure != "mae" {
				continue
			}
			found := r.Holm < 0.01 && r.DiffLow > 0
			if found != (factor > 1) || r.Groups != 2 || factor > 1 && r.High != "F" {
				t.Errorf("errors larger by %v: %+v", factor, r)
			}
		}
	}
}

// Predictions of some folds only, and participants who are not in the table, are refused.
func TestNumbersInGroupsRefuse(t *testing.T) {
	in, _, _ := predictedNumbers(1)
	people := need.Value(in["participants"][0].Table())(t)
	in["participants"] = []dag.Input{dag.InputOf(encoding.NewTable(encoding.Column{Name: "participant_id",
		Values: people.Columns[0].Values.([]string)[:50]}, encoding.Column{Name: "sex",
		Values: people.Columns[1].Values.([]string)[:50]}))}
	_, err := stagetest.RunStage(t, stagetest.Fresh("subgroups-regression"), in)
	need.Error(t, err, "who are tested: connect the participants of the training")
	in["predictions"] = nil
	if _, err := stagetest.RunStage(t, stagetest.Fresh("subgroups-regression"), in); err == nil {
		t.Error("no error without predictions")
	}
}
