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
	"prgnn/stages/column"
	"prgnn/stages/inference"
	"prgnn/stages/stagetest"
)

// By hand: "good" has all four right, "bad" a alone, "fair" all but d.
func TestCompareByHand(t *testing.T) {
	ins := slices.Concat(stagetest.TwoFolds("bad", 0.1, 0.2, 0.9, 0.3), stagetest.TwoFolds("fair", 0.2, 0.8, 0.2, 0.4),
		stagetest.TwoFolds("good", 0.1, 0.9, 0.1, 0.6))
	pairs := stagetest.MustRun(t, &Compare{}, map[string][]dag.Input{"predictions": ins})["pairs"].(*encoding.Table)
	a, _ := pairs.Strings("a")
	b, _ := pairs.Strings("b")
	if want := []string{"model=bad", "model=bad", "model=fair"}; !slices.Equal(a, want) {
		t.Errorf("a: %v", a)
	}
	if want := []string{"model=fair", "model=good", "model=good"}; !slices.Equal(b, want) {
		t.Errorf("b: %v", b)
	}
	nan := math.NaN()
	// The folds of bad and good differ by −0.5 and −1, the others' by a half and by nothing.
	t2 := -0.75 / math.Sqrt(0.125*(0.5+1))
	t3 := -0.25 / math.Sqrt(0.125*1.5)
	p2, p3 := inference.StudentP(t2, 1), inference.StudentP(t3, 1)
	for column, want := range map[string][]float64{
		"participants": {4, 4, 4}, "accuracy_a": {0.25, 0.25, 0.75}, "accuracy_b": {0.75, 1, 1},
		"difference": {-0.5, -0.75, -0.25},
		"only_a":     {0, 0, 0}, "only_b": {2, 3, 1}, "mcnemar_p": {0.5, 0.25, 1}, "mcnemar_holm": {1, 0.75, 1},
		"folds": {2, 2, 2}, "t": {nan, t2, t3}, "t_p": {nan, p2, p3}, "t_holm": {nan, 2 * p2, max(2*p2, p3)},
	} {
		if got := stagetest.FloatsOf(t, pairs, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	one := stagetest.MustRun(t, &Compare{Reference: []string{"model=good"}},
		map[string][]dag.Input{"predictions": ins})["pairs"].(*encoding.Table)
	if a, _ := one.Strings("a"); !slices.Equal(a, []string{"model=good", "model=good"}) {
		t.Errorf("with a reference: %v", a)
	}
}

// Settings of one model with the same predictions are one classifier, whichever of them is the reference.
func TestCompareOneClassifierOnce(t *testing.T) {
	at := func(penalty string, ins []dag.Input) []dag.Input {
		for i := range ins {
			ins[i].Coords = append(slices.Clone(ins[i].Coords), dag.Coord{Axis: "penalty", Value: penalty})
		}
		return ins
	}
	ins := slices.Concat(at("1", stagetest.TwoFolds("svm", 0.1, 0.2, 0.9, 0.3)),
		at("10", stagetest.TwoFolds("svm", 0.1, 0.2, 0.9, 0.3)),
		at("1", stagetest.TwoFolds("good", 0.1, 0.9, 0.1, 0.6)),
		at("1", stagetest.TwoFolds("twin", 0.1, 0.9, 0.1, 0.6)))
	for _, c := range []struct {
		reference []string
		pairs     int
		a         string
	}{{nil, 3, ""}, {[]string{"model=svm", "penalty=1"}, 2, "model=svm penalty=1"},
		{[]string{"model=svm", "penalty=10"}, 2, "model=svm penalty=10"}} {
		pairs := stagetest.MustRun(t, &Compare{Reference: c.reference},
			map[string][]dag.Input{"predictions": ins})["pairs"].(*encoding.Table)
		a, _ := pairs.Strings("a")
		need.Equal(t, len(a), c.pairs)
		if c.a != "" {
			need.Equal(t, a[0], c.a)
		}
	}
	summary := stagetest.MustRun(t, &Evaluate{Permutations: 99},
		map[string][]dag.Input{"predictions": ins})["summary"].(*encoding.Table)
	need.Equal(t, summary.Meta[column.SamePredictions],
		`{"model=svm penalty=10":"model=svm penalty=1"}`)
}

// With several repeats, McNemar's test is of the first one that both have, and t of all that both have: "good" and
// "fair" as by hand in the first repeat, and with everything wrong in the second.
func TestCompareRepeats(t *testing.T) {
	repeat := func(number int32, ins []dag.Input) []dag.Input {
		for i, in := range ins {
			table := need.Value(in.Table())(t)
			of, _ := table.Column("repeat")
			of.Values = slices.Repeat([]int32{number}, table.Rows())
			coords := append(slices.Clone(in.Coords), dag.Coord{Axis: "repeat", Value: fmt.Sprint(number)})
			ins[i] = dag.InputOf(table, coords...)
		}
		return ins
	}
	good := slices.Concat(repeat(1, stagetest.TwoFolds("good", 0.1, 0.9, 0.1, 0.6)),
		repeat(2, stagetest.TwoFolds("good", 0.9, 0.1, 0.9, 0.1)))
	first := repeat(1, stagetest.TwoFolds("fair", 0.2, 0.8, 0.2, 0.4))
	for _, c := range []struct {
		name   string
		fair   []dag.Input
		repeat int
		only   float64
		folds  float64
		hasT   bool
	}{
		{"two repeats each", slices.Concat(first, repeat(2, stagetest.TwoFolds("fair", 0.1, 0.9, 0.1, 0.9))),
			1, 1, 4, true},
		{"one repeat and two", first, 1, 1, 2, true},
	} {
		pairs := stagetest.MustRun(t, &Compare{}, map[string][]dag.Input{
			"predictions": slices.Concat(good, c.fair)})["pairs"].(*encoding.Table)
		a := need.Value(pairs.Strings("a"))(t)[0]
		only := "only_a"
		if a != "model=good" {
			only = "only_b"
		}
		of := func(column string) float64 { return stagetest.FloatsOf(t, pairs, column)[0] }
		need.Equal(t, of(only), c.only, c.name)
		need.Equal(t, of("only_a")+of("only_b"), c.only, c.name)
		need.Equal(t, of("folds"), c.folds, c.name)
		need.Equal(t, of("mcnemar_repeat"), float64(c.repeat), c.name)
		need.Equal(t, !math.IsNaN(of("t_p")), c.hasT, c.name)
	}
	pairs := stagetest.MustRun(t, &Compare{}, map[string][]dag.Input{
		"predictions": slices.Concat(good[:2], first)})["pairs"].(*encoding.Table)
	need.Equal(t, stagetest.FloatsOf(t, pairs, "mcnemar_repeat")[0], 0)
	_, err := stagetest.RunStage(t, &Compare{}, map[string][]dag.Input{
		"predictions": slices.Concat(good[:2], repeat(3, stagetest.TwoFolds("fair", 0.2, 0.8, 0.2, 0.4)))})
	need.Error(t, err, "tested in different repeats", "no common repeat")
}

func TestCompareRefuses(t *testing.T) {
	all := slices.Concat(stagetest.TwoFolds("one", 0.1, 0.2, 0.9, 0.3), stagetest.TwoFolds("two", 0.2, 0.8, 0.2, 0.4))
	for _, c := range []struct {
		stage *Compare
		in    []dag.Input
		want  string
	}{
		{&Compare{}, all[:3], "model=one and model=two cannot be compared: 2 participants are tested by only one of the two, or have different labels, such as c"},
		{&Compare{Reference: []string{"model=three"}}, all, "reference: no setting matches model=three; available: model=one; model=two"},
		{&Compare{Reference: []string{}}, all, "reference: 2 settings match , such as model=one and model=two: name more of the coordinates"},
	} {
		if _, err := stagetest.RunStage(t, c.stage,
			map[string][]dag.Input{"predictions": c.in}); fmt.Sprint(err) != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestCovariatesRefuses(t *testing.T) {
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.PeopleWith())}}
	_, err := stagetest.RunStage(t, &Covariates{Label: "group", Columns: []string{"height"}, Permutations: 99}, in)
	need.Error(t, err, `no column "height"`, "got")
	_, err = stagetest.RunStage(t, &Covariates{Label: "group", Columns: []string{"group"}, Permutations: 99}, in)
	if err == nil ||
		!strings.HasSuffix(err.Error(), "columns: group is not a covariate") {
		t.Errorf("got %v", err)
	}
}
