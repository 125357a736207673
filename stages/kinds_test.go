package stages

import (
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/dag/param"
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

// The models that a parameter is of, and what its 0 stands for, are tags; no doc states them in words alone.
func TestFactsOfParametersAreTags(t *testing.T) {
	for _, k := range dag.Kinds() {
		for _, p := range param.Of(k.New()) {
			before, _, found := strings.Cut(p.Doc, ": ")
			models := strings.Split(before, ", ")
			unknown := func(model string) bool { return column.Classifiers[model] == "" }
			if found && !slices.ContainsFunc(models, unknown) && !slices.Equal(models, p.Of) {
				t.Errorf("%s.%s: its doc begins with models, and its tag of has %v", k.Name, p.Name, p.Of)
			}
			if slices.ContainsFunc(p.Of, unknown) {
				t.Errorf("%s.%s: its tag of has %v", k.Name, p.Name, p.Of)
			}
			if _, zero, found := strings.Cut(p.Doc, "; 0: "); found != (p.Zero != "") || zero != p.Zero {
				t.Errorf("%s.%s: its doc states what 0 stands for, and its tag zero %q", k.Name, p.Name, p.Zero)
			}
		}
	}
}
