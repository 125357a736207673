package gnn

import (
	"slices"
	"testing"
)

// What is left of a graph of three regions when the middle one is out.
func TestWithout(t *testing.T) {
	g := Data{Nodes: 3, Features: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9},
		Edges: []Edge{{Source: 0, Target: 1, Weight: 1}, {Source: 0, Target: 2, Weight: 2}}}
	middle := []bool{false, true, false}
	for _, keep := range []bool{false, true} {
		want, edges := []float64{1, 0, 3, 0, 0, 0, 7, 0, 9}, 1
		if keep {
			want, edges = []float64{0, 0, 0, 0, 5, 0, 0, 0, 0}, 0
		}
		if m := g.Without(middle, keep); !slices.Equal(m.Features, want) || len(m.Edges) != edges {
			t.Errorf("keep %v: %v, %v", keep, m.Features, m.Edges)
		}
	}
	wide := Data{Nodes: 1, Features: []float64{1, 2}}
	if m := wide.Without([]bool{false}, false); !slices.Equal(m.Features, []float64{1, 2}) {
		t.Errorf("features that are none of the regions: %v", m.Features)
	}
}
