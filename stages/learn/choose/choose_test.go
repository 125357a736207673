package choose

import (
	"slices"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

func TestChoose(t *testing.T) {
	inner, outer := stagetest.ChosenInputs()
	for _, by := range []string{"loss", "accuracy"} {
		out := stagetest.MustRun(t, &Choose{By: by}, map[string][]dag.Input{"inner": inner, "outer": outer})
		choice := out["choice"].(*encoding.Table)
		setting, _ := choice.Strings("setting")
		chosen, _ := choice.Bools("chosen")
		if !slices.Equal(setting, []string{"lambda=good", "lambda=poor", "lambda=good", "lambda=poor"}) ||
			!slices.Equal(chosen, []bool{true, false, false, true}) {
			t.Errorf("by %s: %v chosen of %v", by, chosen, setting)
		}
		who, _ := out["predictions"].(*encoding.Table).Strings("participant_id")
		p := stagetest.FloatsOf(t, out["predictions"], "p_HC")
		if !slices.Equal(who, []string{"a", "b", "c", "d"}) || !stagetest.Near(p, []float64{0.1, 0.51, 0.1, 0.51}) {
			t.Errorf("by %s: predictions of %v: %v", by, who, p)
		}
	}
}

// Whoever is tested must not have been seen while the setting was chosen.
func TestChooseRefusesALeak(t *testing.T) {
	inner, outer := stagetest.ChosenInputs()
	g := [2]string{"ASD", "HC"}
	leak := append(slices.Clone(inner), dag.InputOf(stagetest.OneFold(3, g, [3]any{"a", 0, 0.1}),
		dag.Coord{Axis: "outer", Value: "1"}, dag.Coord{Axis: "lambda", Value: "good"},
		dag.Coord{Axis: "fold", Value: "3"}))
	for _, c := range []struct {
		inner, outer []dag.Input
		want         string
	}{
		{leak, outer, "tests a, whose data were used to choose its setting (inner, outer=1): use the same folds, seed and repeats for split and its inner folds"},
		{inner[:4], outer, "nothing"},
		{inner, outer[2:], "is not among the trainings on the outer folds"},
		{outer, outer, "has no coordinate outer"},
	} {
		_, err := stagetest.RunStage(t, &Choose{By: "loss"}, map[string][]dag.Input{"inner": c.inner, "outer": c.outer})
		if c.want == "nothing" { // only one setting was tried: it is chosen
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, c.want, "got")
	}
}

// What is chosen may be of several models, and any of them may have seen test participants.
func TestChooseDescribes(t *testing.T) {
	inner, outer := stagetest.ChosenInputs()
	for i, in := range outer {
		table, err := in.Table()
		if err != nil {
			t.Fatal(err)
		}
		table.Meta = map[string]string{"model": "ridge"}
		if in.Coord("lambda") == "poor" {
			table.Meta = map[string]string{"model": "linear-svm", column.LeaksMeta: `[{"parameter":"select","value":"test"}]`}
		}
		outer[i] = dag.InputOf(table, in.Coords...)
	}
	out := stagetest.MustRun(t, &Choose{By: "loss"}, map[string][]dag.Input{"inner": inner, "outer": outer})
	meta := out["predictions"].(*encoding.Table).Meta
	if meta["model"] != "linear SVM or ridge regression" || meta[column.LeaksMeta] != `[{"parameter":"select","value":"test"}]` {
		t.Errorf("%v", meta)
	}
}

// Decision values of different settings have no common cross-entropy.
func TestChooseByLossNeedsProbabilities(t *testing.T) {
	inner, outer := stagetest.ChosenInputs()
	for i, in := range inner {
		table := need.Value(in.Table())(t)
		table.Meta = map[string]string{"model": "ridge"}
		inner[i] = dag.InputOf(table, in.Coords...)
	}
	in := map[string][]dag.Input{"inner": inner, "outer": outer}
	_, err := stagetest.RunStage(t, &Choose{By: "loss"}, in)
	need.Error(t, err, "by: loss compares probabilities, but lambda=good (ridge regression) gives decision values, whose "+
		"size depends on the setting: choose by auc or accuracy")
	stagetest.MustRun(t, &Choose{By: "auc"}, in)
	stagetest.MustRun(t, &Choose{By: "accuracy"}, in)
}
