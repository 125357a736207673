package learn

import (
	"slices"

	"prgnn/gnn"
)

// Without takes the marked regions out, or all others: their edges, their features, and
// what they are as features of others, where the features are one a region.
func (g GraphData) Without(marked []bool, keep bool) GraphData {
	width := len(g.features) / g.Nodes
	m := GraphData{Nodes: g.Nodes, features: slices.Clone(g.features), edges: make([]gnn.Edge, 0, len(g.edges))}
	out := make([]bool, g.Nodes)
	for i := range out {
		out[i] = marked[i] != keep
	}
	for i, gone := range out {
		row := m.features[i*width:][:width]
		switch {
		case gone:
			clear(row)
		case width == g.Nodes:
			for j, gone := range out {
				if gone {
					row[j] = 0
				}
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
