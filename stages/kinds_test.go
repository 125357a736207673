package stages

import (
	"testing"

	"prgnn/dag"
	"prgnn/stages/stagetest"
)

func init() {
	for _, k := range dag.Kinds() {
		stagetest.Use([]dag.Kind{*k})
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
