package learn

import (
	"slices"
)

// Without takes the marked regions out, or all others: their edges, their features, and
// what they are as features of others, where the features are one a region.
func (g GraphData) Without(marked []bool, keep bool) GraphData {
	out := func(i int) bool { return marked[i] != keep }
	width := len(g.features) / g.Nodes
	m := GraphData{Nodes: g.Nodes, features: slices.Clone(g.features)}
	for i := range g.Nodes {
		for j := range width {
			if out(i) || width == g.Nodes && out(j) {
				m.features[i*width+j] = 0
			}
		}
	}
	for _, e := range g.edges {
		if !out(int(e.Source)) && !out(int(e.Target)) {
			m.edges = append(m.edges, e)
		}
	}
	return m
}
