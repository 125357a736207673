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
	for model := range column.Classifiers {
		for number, again := range map[bool]int{
			false: (&learn.Baseline{Model: model}).Retrains(999),
			true:  (&learn.Regression{Model: model}).Retrains(999),
		} {
			want := again > 0 && model != "majority" && model != "mean"
			need.Equal(t, finding.FullTestable(model, number), want, model, number)
		}
	}
}

// An executor knows a kind by its place in memory (dag/cluster).
func TestAKindHasOnePlace(t *testing.T) {
	for _, k := range dag.Kinds() {
		if found, ok := dag.Lookup(k.Name); !ok || found != k || k.Code == "" {
			t.Errorf("%s: another place, or no code identity", k.Name)
		}
	}
}
