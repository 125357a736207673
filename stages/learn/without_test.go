package learn

import (
	"slices"
	"testing"

	"prgnn/gnn"
)

// What is left of a graph of three regions when the middle one is out.
func TestWithout(t *testing.T) {
	g := GraphData{Nodes: 3, features: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9},
		edges: []gnn.Edge{{Source: 0, Target: 1, Weight: 1}, {Source: 0, Target: 2, Weight: 2}}}
	middle := []bool{false, true, false}
	for _, keep := range []bool{false, true} {
		want, edges := []float64{1, 0, 3, 0, 0, 0, 7, 0, 9}, 1
		if keep {
			want, edges = []float64{0, 0, 0, 0, 5, 0, 0, 0, 0}, 0
		}
		if m := g.Without(middle, keep); !slices.Equal(m.features, want) || len(m.edges) != edges {
			t.Errorf("keep %v: %v, %v", keep, m.features, m.edges)
		}
	}
	wide := GraphData{Nodes: 1, features: []float64{1, 2}}
	if m := wide.Without([]bool{false}, false); !slices.Equal(m.features, []float64{1, 2}) {
		t.Errorf("features that are none of the regions: %v", m.features)
	}
}
