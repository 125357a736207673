package figure

import (
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// A caption states by what the regions of its node list are in blocks.
func TestBlockedBy(t *testing.T) {
	for _, c := range []struct {
		nodes   []column.NodeRow
		by      string
		several bool
	}{
		{[]column.NodeRow{{Name: "a", Hemisphere: "L", Structure: "cortex"}, {Name: "b", Hemisphere: "R"}}, "structure",
			true},
		{[]column.NodeRow{{Name: "7Networks_LH_Vis_1"}, {Name: "7Networks_RH_SomMot_2"}}, "network", true},
		{[]column.NodeRow{{Name: "7Networks_LH_Vis_1", Hemisphere: "L"}, {Name: "7Networks_LH_Vis_2", Hemisphere: "L"}},
			"network", false},
		{[]column.NodeRow{{Name: "a", Hemisphere: "L"}, {Name: "b", Hemisphere: "R"}}, "", true},
		{[]column.NodeRow{{Name: "a"}, {Name: "b"}}, "", false},
	} {
		nodes := column.Table(c.nodes)
		blocks := need.Value(region.Blocks(nodes))(t)
		by, several, err := blockedBy(dag.InputOf(nodes), blocks)
		need.NoError(t, err)
		need.Equal(t, by, c.by)
		need.Equal(t, several, c.several)
	}
}
