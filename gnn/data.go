package gnn

import "slices"

// Data is what a graph is made of.
type Data struct {
	Nodes    int
	Features []float64 // node × feature
	Edges    []Edge    // each once
}

// Without takes the marked regions out, or all others: their edges, their features, and
// what they are as features of others, where the features are one a region.
func (g Data) Without(marked []bool, keep bool) Data {
	width := len(g.Features) / g.Nodes
	m := Data{Nodes: g.Nodes, Features: slices.Clone(g.Features), Edges: make([]Edge, 0, len(g.Edges))}
	out := make([]bool, g.Nodes)
	for i := range out {
		out[i] = marked[i] != keep
	}
	for i, gone := range out {
		row := m.Features[i*width:][:width]
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
	for _, e := range g.Edges {
		if !out[e.Source] && !out[e.Target] {
			m.Edges = append(m.Edges, e)
		}
	}
	return m
}

// Numbers is how many features all nodes have together.
func (g Data) Numbers() int { return len(g.Features) }
