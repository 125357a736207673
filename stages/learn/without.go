package learn

import (
	"slices"

	"prgnn/gnn"
)

// Without takes the marked regions out, or all others: their edges, their features, and
// what they are as features of others, where the features are one a region.
func (g GraphData) Without(marked []bool, keep bool) GraphData {
	width := len(g.features) / g.Nodes
	out := make([]bool, g.Nodes)
	m := GraphData{Nodes: g.Nodes, features: slices.Clone(g.features), edges: make([]gnn.Edge, 0, len(g.edges))}
	for i := range out {
		if out[i] = marked[i] != keep; !out[i] {
			continue
		}
		clear(m.features[i*width:][:width])
		if width == g.Nodes {
			for j := range g.Nodes {
				m.features[j*width+i] = 0
			}
		}
	}
	for _, e := range g.edges {
		if !out[e.Source] && !out[e.Target] {
			m.edges = append(m.edges, e)
		}
	}
	return m
}

// Numbers is how many features all nodes have together.
func (g GraphData) Numbers() int { return len(g.features) }
