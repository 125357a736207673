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
