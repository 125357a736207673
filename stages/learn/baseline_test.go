package learn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// models are all that the parameter offers.
func models() []string {
	for _, p := range param.Of(stagetest.Fresh("baseline")) {
		if p.Name == "model" {
			return p.Choices
		}
	}
	return nil
}

func predictionsOf(t *testing.T, out dag.Outputs) (id, set []string, predicted, label []int64, p []float64) {
	t.Helper()
	table := out["predictions"].(*encoding.Table)
	id, _ = table.Strings("participant_id")
	set, _ = table.Strings("set")
	predicted, _ = table.Ints("predicted")
	label, _ = table.Ints("label")
	p = need.Value(table.Floats("probability"))(t)
	return
}

// testedOf counts the rows of the predictions, those of test graphs, and the right ones among these; loss is their mean
// cross-entropy.
func testedOf(t *testing.T, out dag.Outputs) (rows, tested, right int, loss float64) {
	t.Helper()
	id, set, predicted, label, p := predictionsOf(t, out)
	for i := range id {
		if set[i] == "test" {
			tested++
			loss -= math.Log(math.Abs(1 - float64(label[i]) - p[i]))
			if predicted[i] == label[i] {
				right++
			}
		}
	}
	return len(id), tested, right, loss / float64(tested)
}

// Every model learns an easy difference, from the draws and not from draw 0, and
// gives a row a graph, each participant on one side.
func TestBaselines(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 24)
	for _, model := range models() {
		out := stagetest.MustRun(t, stagetest.Quickly(model), s.Inputs())
		id, set, predicted, label, p := predictionsOf(t, out)
		if len(id) != 48 {
			t.Fatalf("%s: %d rows, want two draws of 24 participants", model, len(id))
		}
		side := map[string]string{}
		right, tested := 0, 0
		for i := range id {
			if side[id[i]] == "" {
				side[id[i]] = set[i]
			}
			if side[id[i]] != set[i] {
				t.Fatalf("%s: %s is on both sides", model, id[i])
			}
			if (p[i] > 0.5) != (predicted[i] == 1) {
				t.Errorf("%s: probability %v of group 1, and group %d predicted", model, p[i], predicted[i])
			}
			if set[i] == "test" {
				tested++
				if predicted[i] == label[i] {
					right++
				}
			}
		}
		if tested != 12 {
			t.Errorf("%s: %d graphs tested, want 12", model, tested)
		}
		if want := 11; model != "majority" && right < want || model == "majority" && right != 6 {
			t.Errorf("%s: %d of %d right", model, right, tested)
		}
	}
}

// A network tells its epochs: what the last one says of the test side is what the
// predictions say. Other models have none.
func TestBaselineHistory(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 24)
	for _, model := range models() {
		out := stagetest.MustRun(t, stagetest.Quickly(model, "epochs", 7), s.Inputs())
		h := out["history"].(*encoding.Table)
		if network := slices.Contains([]string{"mlp", "brainnetcnn", "li2019"}, model); !network {
			need.Equal(t, h.Rows(), 0, model, "epochs")
			continue
		}
		if h.Rows() != 7 {
			t.Fatalf("%s: %d epochs, want 7", model, h.Rows())
		}
		of := func(name string) float64 {
			v := need.Value(h.Floats(name))(t)
			return v[6]
		}
		_, set, predicted, label, p := predictionsOf(t, out)
		right, loss, n := 0.0, 0.0, 0.0
		for i := range set {
			if set[i] == "test" {
				n++
				if predicted[i] == label[i] {
					right++
				}
				loss -= math.Log(math.Abs(1 - float64(label[i]) - p[i]))
			}
		}
		if of("test_accuracy") != right/n || math.Abs(of("test_ce")-loss/n) > 1e-6 {
			t.Errorf("%s: accuracy %v and cross-entropy %v, want %v and %v", model, of("test_accuracy"), of("test_ce"), right/n, loss/n)
		}
		if of("loss") != of("ce") || !(of("train_accuracy") > 0) || !(of("rate") > 0) {
			t.Errorf("%s: loss %v, ce %v, accuracy %v, rate %v", model, of("loss"), of("ce"), of("train_accuracy"), of("rate"))
		}
	}
}

// What test participants look like changes nothing for anybody else: neither
// models nor the statistics of their inputs are fitted to them.
func TestBaselineDoesNotLookAtTestParticipants(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 24)
	folds, _ := s.Folds.Ints("fold")
	for _, model := range models() {
		stage := stagetest.Quickly(model, "standardize", "training", "epochs", 5)
		_, _, _, _, before := predictionsOf(t, stagetest.MustRun(t, stage, s.Inputs()))
		whole := s.Pearson
		s.Pearson = slices.Clone(whole)
		var changed int
		for i := range s.Pearson {
			if folds[i] == 2 {
				changed = i
				v := slices.Clone(s.Pearson[i].Float64s())
				for j := range v {
					if v[j] != 1 { // the diagonal stays
						v[j] *= -0.5
					}
				}
				s.Pearson[i] = encoding.NewArray(v, s.Pearson[i].Shape...)
				break
			}
		}
		id, _, _, _, after := predictionsOf(t, stagetest.MustRun(t, stage, s.Inputs()))
		s.Pearson = whole
		other := false
		for i := range id {
			own := id[i] == fmt.Sprintf("sub-%03d", changed+1)
			if !own && before[i] != after[i] {
				t.Fatalf("%s: the prediction for %s changed with the test participant sub-%03d", model, id[i], changed+1)
			}
			other = other || own && before[i] != after[i]
		}
		if !other && model != "majority" {
			t.Errorf("%s: another matrix gives the same prediction", model)
		}
	}
}

func TestBaselineMistakes(t *testing.T) {
	s := stagetest.NewCorrStudy(t, 8)
	broken := slices.Clone(s.Pearson[2].Float64s())
	broken[25+3] = math.NaN()
	for _, c := range []struct {
		name   string
		change func(in map[string][]dag.Input)
		stage  dag.Stage
		want   string
	}{
		{"a value is missing", func(in map[string][]dag.Input) {
			in["pearson"][2] = dag.InputOf(encoding.NewArray(broken, 3, 5, 5), in["pearson"][2].Coords...)
		}, stagetest.Fresh("baseline"), "draw 1: the correlation of nodes 1 and 4 is NaN"},
		{"another atlas", func(in map[string][]dag.Input) {
			in["pearson"][7] = dag.InputOf(encoding.NewArray(make([]float64, 32), 2, 4, 4), in["pearson"][7].Coords...)
		}, stagetest.Fresh("baseline"), "4 regions, but other participants have 5"},
		{"somebody is missing", func(in map[string][]dag.Input) { in["pearson"] = in["pearson"][1:] }, stagetest.Fresh("baseline"), "no graphs of sub-001"},
		{"no such fold", func(map[string][]dag.Input) {}, stagetest.Fresh("baseline", "fold", 9), "has the folds 1 to 4, not 9"},
		{"no graphs", func(in map[string][]dag.Input) { delete(in, "edges") }, stagetest.Fresh("baseline", "model",
			"li2019"), "connect edges and features as for train"},
		{"others' edges", func(in map[string][]dag.Input) { in["edges"][0].Coords[0].Value = "sub-999" },
			stagetest.Fresh("baseline", "model", "li2019"), "belong to different participants"},
	} {
		in := s.Inputs()
		c.change(in)
		_, err := stagetest.RunStage(t, c.stage, in)
		need.Error(t, err, c.want, c.name)
	}
}

// The inner folds are by participant, stratified by group, and of the training side alone; other folds have others.
func TestInnerFolds(t *testing.T) {
	set := &trainingSet{groups: []string{"ASD", "HC"}}
	for i := range 24 {
		for draw := 1; draw < 3; draw++ {
			set.rows = append(set.rows, fold.Row{Id: fmt.Sprintf("sub-%02d", i), Label: i % 2, Draw: draw,
				Side: map[bool]int{true: 1}[i >= 20]})
		}
	}
	s := stagetest.Fresh("baseline", "model", "kernel-ridge").(*Baseline)
	folds, err := innerRows(set, s.Params, s.Penalties, s.Inner, s.Seed, "folds")
	if err != nil || len(folds) != 40 {
		t.Fatal(folds, err)
	}
	count := map[[2]int]int{}
	for i, f := range folds {
		need.Equal(t, f, folds[i-i%2], "the draws of", set.rows[i].Id, "are in folds", "and")
		count[[2]int{f, set.rows[i].Label}]++
	}
	if len(count) != 10 || count[[2]int{4, 1}] != 4 {
		t.Errorf("graphs by fold and group: %v", count)
	}
	s.Fold = 2
	if other, _ := innerRows(set, s.Params, s.Penalties, s.Inner, s.Seed, "folds"); slices.Equal(folds, other) {
		t.Error("two folds have the same inner folds")
	}
	s.Inner = 11
	_, err = innerRows(set, s.Params, s.Penalties, s.Inner, s.Seed, "folds")
	need.Error(t, err, "inner: folds, inside fold 2: group \"ASD\" has 10 participants, too few for 11 folds with one of each group: set inner to 10 or less")
}

// A model that compares each training participant with each is refused before anything runs where they are too many;
// one that does not is not.
func TestBaselineRefusesTooMany(t *testing.T) {
	rows := make([]fold.Member, 14500) // of five folds, 11,600 train
	for i := range rows {
		rows[i] = fold.Member{ID: fmt.Sprint("sub-", i), Group: "AB"[i%2 : i%2+1], Repeat: 1, Fold: int32(i%5 + 1)}
	}
	for model, want := range map[string]string{
		"svm":          "svm, fold 1: 11600 training graphs: this model compares each with each and takes at most 11585",
		"linear-svm":   "linear-svm, fold 1: 11600 training graphs",
		"kernel-ridge": "",
		"ridge":        "",
	} {
		work := baselineKind.New().(*Baseline)
		work.Model = model
		err := work.RefusesFolds(column.Table(rows), 1)
		if want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, want)
	}
	work := baselineKind.New().(*Baseline)
	need.NoError(t, work.RefusesFolds(column.Table(rows[:14400]), 1))
	need.Error(t, work.RefusesFolds(column.Table(rows[:1450]), 10), "svm, fold 1: 11600 training graphs")
}
