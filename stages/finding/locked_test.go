package finding

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/finding/locked"
)

// What a plan shows to be stated before the results is as the plan has it, and no model was trained before the plan.
func TestStated(t *testing.T) {
	changed := []locked.Difference{{How: locked.Changed, About: locked.AboutParameter, Stage: "universes",
		Name: "joint", Is: `"stouffer"`, Was: `"median"`}}
	for _, c := range []struct {
		plan            *locked.Plan
		joint, headline string
	}{
		{nil, "", ""},
		{&locked.Plan{}, StatedBefore, StatedBefore},
		{&locked.Plan{Differences: changed}, StatedAfter, StatedBefore},
		{&locked.Plan{Trained: 1}, "", ""},
		{&locked.Plan{Trained: 1, Differences: changed}, StatedAfter, ""},
	} {
		s := Settings{Locked: c.plan, Stages: []StageSettings{{Stage: "universes", Kind: "multiverse"}}}
		need.Equal(t, s.Stated("multiverse", "by", "joint"), c.joint)
		need.Equal(t, s.Stated("multiverse", "headline"), c.headline)
		need.Equal(t, s.Stated("compare", "headline"), "")
	}
}
