package stages

import (
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/learn"
	"prgnn/stages/stagetest"
)

func init() {
	for _, k := range dag.Kinds() {
		stagetest.Use([]dag.Kind{*k})
	}
}

// The report proposes the full confounder test of the models that kinds retrain on permuted labels, but for those whose
// predictions are constant.
func TestFullTestable(t *testing.T) {
	for model, shown := range column.Classifiers {
		for number, again := range map[bool]int{
			false: (&learn.Baseline{Model: model}).Retrains(999),
			true:  (&learn.Regression{Model: model}).Retrains(999),
		} {
			want := again > 0 && model != "majority" && model != "mean"
			for _, name := range []string{shown, shown + ", band fast", shown + " (other)"} {
				need.Equal(t, finding.FullTestable(name, number), want, name, number)
			}
		}
	}
	need.Equal(t, finding.FullTestable("ridge regression2", false), false)
}

// An executor knows a kind by its place in memory (dag/cluster).
func TestAKindHasOnePlace(t *testing.T) {
	for _, k := range dag.Kinds() {
		if found, ok := dag.Lookup(k.Name); !ok || found != k || k.Code == "" {
			t.Errorf("%s: another place, or no code identity", k.Name)
		}
	}
}
