package cohort

import (
	"slices"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/atlas"
)

// Only a list with the names of the Desikan-Killiany set is one: 84 other regions are not.
func TestIsDK84(t *testing.T) {
	index, _ := atlas.Named("dk84-index")
	turned := atlas.DK84()
	slices.Reverse(turned)
	other := atlas.DK84()
	other[7].Name = "PFC_3"
	for _, c := range []struct {
		name  string
		nodes []atlas.Node
		want  bool
	}{{"built in", atlas.DK84(), true}, {"by number", index, true}, {"in another order", turned, true},
		{"one of another atlas", other, false}, {"fewer", turned[1:], false}} {
		r := &Roster{Nodes: NodesTable(c.nodes, "")}
		need.Equal(t, r.Scans().DK84, c.want, c.name)
	}
	if (&Roster{}).Scans().DK84 {
		t.Error("there are no nodes")
	}
}
