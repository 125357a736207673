package learn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/gnn/baseline"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/learn/split"
	"prgnn/stages/stagetest"
)

func curveOf(t *testing.T, model string, in map[string][]dag.Input, more ...any) []column.SubsetRow {
	t.Helper()
	out := stagetest.MustRun(t, stagetest.Quickly(model, append([]any{"orders", 5}, more...)...), in)
	return need.Value(column.Rows[column.SubsetRow](out["curve"].(*encoding.Table)))(t)
}

// Each classifier is trained on parts that lie in each other, and tested on the same participants; the last part is all
// training participants, with the measures of the model itself.
func TestCurves(t *testing.T) {
	in := stagetest.NewCorrStudy(t, 48).Inputs()
	for _, model := range []string{"majority", "svm", "linear-svm", "ridge", "logistic", "kernel-ridge", "forest",
		"mlp", "brainnetcnn", "li2019"} {
		params := []any{"epochs", 3, "trees", 5}
		rows := curveOf(t, model, in, params...)
		need.Equal(t, len(rows), 5*len(split.Shares), model)
		table := stagetest.MustRun(t, stagetest.Quickly(model, params...), in)["predictions"].(*encoding.Table)
		tested, _, err := fold.ReadTested(table)
		need.NoError(t, err)
		want := fold.Score(tested[0].Participants, -1)
		for i, r := range rows {
			if r.Share != split.Shares[i%len(split.Shares)] || int(r.Order) != i/len(split.Shares)+1 ||
				r.Tested != 12 || r.Smallest != 6 || r.Whole != 36 {
				t.Errorf("%s: %+v", model, r)
			}
			need.Equal(t, r.Trained, []int32{4, 8, 12, 18, 28, 36}[i%len(split.Shares)], model)
			if (model != "kernel-ridge" || r.Trained > 8) && (math.IsNaN(r.AUC) || r.Why != "") {
				t.Errorf("%s: no AUC: %+v", model, r)
			}
			if r.Share == 1 && (r.AUC != want.Auc || r.Accuracy != want.Accuracy) {
				t.Errorf("%s: all participants: AUC %v, want %v", model, r.AUC, want.Auc)
			}
		}
	}
	need.Equal(t, len(stagetest.Quickly("ridge", "orders", 3).(*Baseline).Validate()), 1)
	need.Equal(t, len(need.Value(column.Rows[column.SubsetRow](stagetest.MustRun(t, stagetest.Quickly("ridge"),
		in)["curve"].(*encoding.Table)))(t)), 0)
}

// Everything is fitted anew to a part: the measures are those of the classifier where the other training participants
// are in no fold.
func TestPartsAreFittedAnew(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 48)
	in := study.Inputs()
	ids, folds := need.Value(study.Folds.Strings("participant_id"))(t), need.Value(study.Folds.Ints("fold"))(t)
	for _, model := range []string{"svm", "linear-svm", "ridge", "logistic", "kernel-ridge", "forest", "mlp",
		"brainnetcnn", "li2019"} {
		params := []any{"epochs", 3, "trees", 5, "penalties", []any{0.1, 1, 10}, "inner", 3}
		if model != "li2019" {
			params = append(params, "standardize", "training")
		}
		rows := curveOf(t, model, in, params...)
		var kept []map[string]bool // of the parts before the last
		s := stagetest.Quickly(model, append(params, "orders", 5)...).(*Baseline)
		set := &trainingSet{groups: []string{"ASD", "HC"}}
		for i, id := range ids {
			set.rows = append(set.rows, fold.Row{Id: id, Label: i % 2, Side: map[bool]int{true: 1}[folds[i] == 2]})
		}
		_, err := s.curve(t.Context(), dag.NewTask(in), set, make([]float64, 2*len(ids)), false,
			func(keep map[string]bool) ([]float64, error) {
				kept = append(kept, keep)
				return make([]float64, 2*len(ids)), nil
			})
		need.NoError(t, err)
		for _, part := range []int{3, 4, 7} { // half and three quarters in the first order, 35% in the second
			members := need.Value(column.Rows[fold.LabeledMember](study.Folds))(t)
			for i := range members {
				if members[i].Fold != 2 && !kept[part][members[i].ID] {
					members[i].Fold = 0
				}
			}
			alone := map[string][]dag.Input{}
			for port, of := range in {
				alone[port] = of
			}
			alone["folds"] = []dag.Input{dag.InputOf(column.Table(members))}
			if model == "ridge" { // standardized by the part
				read := func(in map[string][]dag.Input) *rowSet {
					task := dag.NewTask(in)
					return need.Value(readRows(task, s.Params, need.Value(s.form(task.Has))(t), "training", false))(t)
				}
				got, want := read(in).some(kept[part], "training"), read(alone)
				need.Equal(t, len(got.all.X), len(want.all.X))
				for i, x := range got.all.X {
					if math.Abs(x-want.all.X[i]) > 1e-12 {
						t.Fatalf("part %d: input %v, want %v", part, x, want.all.X[i])
					}
				}
			}
			table := stagetest.MustRun(t, stagetest.Quickly(model, params...), alone)["predictions"].(*encoding.Table)
			tested, _, err := fold.ReadTested(table)
			need.NoError(t, err)
			want := fold.Score(tested[0].Participants, -1)
			r := rows[part/5*6+part%5]
			if r.AUC != want.Auc || r.Accuracy != want.Accuracy || int(r.Trained) != len(kept[part]) {
				t.Errorf("%s, part %d: AUC %v and accuracy %v of %d, want %v and %v of %d", model, part, r.AUC, r.Accuracy,
					r.Trained, want.Auc, want.Accuracy, len(kept[part]))
			}
		}
	}
}

// Parts lie in each other, have training participants alone, and whole families.
func TestPartsOfACurve(t *testing.T) {
	var rows []fold.Row
	together := map[string]string{}
	for i := range 40 {
		r := fold.Row{Id: fmt.Sprintf("p%02d", i), Label: i % 2, Side: i / 30}
		rows = append(rows, r, r) // two graphs
		if i%10 < 2 {
			together[r.Id] = fmt.Sprintf("p%02d", i/10*10)
		}
	}
	s := &Baseline{Orders: 5, Params: fold.First()}
	set := &trainingSet{groups: []string{"A", "B"}, rows: rows}
	var before map[string]bool
	in := map[string][]dag.Input{"folds": {dag.InputOf(membersOf(rows, together))}}
	_, err := s.curve(t.Context(), dag.NewTask(in), set,
		make([]float64, 2*len(rows)), false, func(keep map[string]bool) ([]float64, error) {
			for id := range before {
				if len(before) < len(keep) && !keep[id] {
					t.Errorf("%s was in a smaller part", id)
				}
			}
			for id := range keep {
				if id >= "p30" {
					t.Errorf("%s is tested", id)
				}
				for other, first := range together {
					if first == together[id] && first != "" && other < "p30" && !keep[other] {
						t.Errorf("%s without %s", id, other)
					}
				}
			}
			before = keep
			return make([]float64, 40), nil
		})
	need.NoError(t, err)
}

func membersOf(rows []fold.Row, together map[string]string) *encoding.Table {
	var members []fold.LabeledMember
	for i, r := range rows {
		if i%2 == 0 {
			members = append(members, fold.LabeledMember{ID: r.Id, Group: []string{"A", "B"}[r.Label],
				Target: math.NaN(), Repeat: 1, Fold: int32(2 - r.Side), Together: together[r.Id]})
		}
	}
	return column.Table(members)
}

// The features of the test participants change no part and no model: only their own measures.
func TestCurveDoesNotReadTestParticipants(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 40)
	in := study.Inputs()
	folds := need.Value(study.Folds.Ints("fold"))(t)
	set := func() *rowSet {
		s := stagetest.Quickly("ridge").(*Baseline)
		form := need.Value(s.form(dag.NewTask(in).Has))(t)
		return need.Value(readRows(dag.NewTask(in), s.Params, form, "none", false))(t)
	}
	keep := map[string]bool{}
	for i, id := range need.Value(study.Folds.Strings("participant_id"))(t) {
		keep[id] = folds[i] != 2 && i%3 != 0
	}
	first := set().some(keep, "none")
	for i, m := range study.Pearson {
		if folds[i] == 2 {
			for k := range m.Float64s() {
				m.Float64s()[k] *= 0.5
			}
		}
	}
	in = study.Inputs()
	other := set().some(keep, "none")
	need.Equal(t, slices.Equal(first.train.X, other.train.X), true)
	need.Equal(t, slices.Equal(first.all.X, other.all.X), false)
	need.Equal(t, first.all.N-first.train.N, 20) // two graphs of each test participant
}

// The AUC of each part is that of scikit-learn's ridge regression on the same part (the fixture's oracle.py).
func TestCurveIsThatOfTheOracle(t *testing.T) {
	floats := func(name string) []float64 {
		return testdir.Floats(t, need.Shared(t, "fixtures", "questions", "curves", name+".npy"))
	}
	x, y, folds, member, result := floats("X"), floats("y"), floats("fold"), floats("member"), floats("result")
	const n, d, shares = 120, 40, 6
	for k := range 5 {
		set := &rowSet{trainingSet: &trainingSet{groups: []string{"-1", "1"}}, all: baseline.Rows{D: d}}
		for side := range 2 {
			for i := range n {
				if is := int(folds[i]) == k; is == (side == 1) {
					set.rows = append(set.rows, fold.Row{Id: fmt.Sprint(i), Label: int(y[i]+1) / 2, Side: side})
					set.at, set.all.X = append(set.at, set.all.N), append(set.all.X, x[i*d:][:d]...)
					set.all.N++
				}
			}
		}
		for a := range shares {
			keep := map[string]bool{}
			for i := range n {
				if member[(k*shares+a)*n+i] == 1 {
					keep[fmt.Sprint(i)] = true
				}
			}
			sub := set.some(keep, "none")
			s := stagetest.Fresh("baseline", "model", "ridge", "penalty", 20).(*Baseline)
			model := need.Value(s.fit(t.Context(), dag.NewTask(nil), sub.train, sub.label[:sub.train.N], 2))(t)
			tested := sub.all
			tested.X, tested.N = tested.X[sub.train.N*d:], tested.N-sub.train.N
			r := sub.subsetRow(model.Probability(tested, 1))
			want := result[(k*shares+a)*2:][:2]
			if math.Abs(r.Accuracy-want[0]) > 1e-9 || math.Abs(r.AUC-want[1]) > 1e-9 {
				t.Errorf("fold %d, share %d: accuracy %v and AUC %v, want %v", k, a, r.Accuracy, r.AUC, want)
			}
		}
	}
}
