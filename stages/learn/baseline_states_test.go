package learn

import (
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/region"
	"prgnn/stages/stagetest"
)

// Features of states that were fitted to training participants are learned from; states of another fold, or fitted to a
// test participant, are refused.
func TestBaselineOfStates(t *testing.T) {
	study := stagetest.NewCorrStudy(t, 24)
	folds, _ := study.Folds.Ints("fold")
	ids, _ := study.Folds.Strings("participant_id")
	var taught []string
	for i, f := range folds {
		if f != 2 {
			taught = append(taught, ids[i])
		}
	}
	tested := ids[slices.Index(folds, 2)]
	fitted := func(fold int, who ...string) []dag.Input {
		facts := region.StateFacts{Fold: fold, Repeat: 1, Metric: "l1", Nodes: 3, States: 2}
		return []dag.Input{dag.InputOf(facts.Table([][]float64{{0, 0, 0}, {1, 1, 1}}, who))}
	}
	s := random.New(1, "states")
	in := map[string][]dag.Input{"folds": {dag.InputOf(study.Folds)}, "states_fitted": fitted(2, taught...)}
	for i, one := range study.Inputs()["pearson"] {
		var v []float64
		for range 8 {
			v = append(v, s.Normal()/8)
		}
		v[3] += float64(i % 2) // a group stays in another state
		in["states"] = append(in["states"], dag.InputOf(encoding.NewArray(v, 1, 2, 4), one.Coords...))
	}
	for _, model := range []string{"ridge", "logistic", "svm", "forest"} {
		out := stagetest.MustRun(t, stagetest.Quickly(model), in)
		_, set, predicted, label, _ := predictionsOf(t, out)
		right, all := 0, 0
		for i := range set {
			if set[i] == "test" {
				if all++; predicted[i] == label[i] {
					right++
				}
			}
		}
		if n, _ := out["model"].(*encoding.Table).Ints("inputs"); n[0] != 8 || right < all-1 || all != 6 {
			t.Errorf("%s: %d of %d right, %d inputs", model, right, all, n[0])
		}
	}
	for _, c := range []struct {
		model  string
		change func(in map[string][]dag.Input)
		want   string
	}{
		{"ridge", func(in map[string][]dag.Input) { in["states_fitted"] = fitted(1, taught...) },
			"was fitted for fold 1, repeat 1, and fold 2, repeat 1 is tested here"},
		{"ridge", func(in map[string][]dag.Input) { in["states_fitted"] = fitted(2, append(taught, tested)...) },
			"was fitted to " + tested + ", who is not a training participant of fold 2"},
		{"ridge", func(in map[string][]dag.Input) { delete(in, "states_fitted") }, "connect states_fitted"},
		{"ridge", func(in map[string][]dag.Input) { in["pearson"] = study.Inputs()["pearson"] }, "both connected"},
		{"ridge", func(in map[string][]dag.Input) { in["states"] = study.Inputs()["pearson"] },
			"want features of the stage occupancy"},
		{"brainnetcnn", func(map[string][]dag.Input) {}, "features of states are no matrices"},
	} {
		other := map[string][]dag.Input{}
		for k, v := range in {
			other[k] = v
		}
		c.change(other)
		_, err := stagetest.RunStage(t, stagetest.Quickly(c.model), other)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.model, err, c.want)
		}
	}
}
