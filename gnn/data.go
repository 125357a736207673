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

// Only is the graph of some regions, in ascending order: the others are neither nodes nor, where the features are one a
// region, features.
func (g Data) Only(regions []int32) Data {
	width := len(g.Features) / g.Nodes
	m := Data{Nodes: len(regions), Edges: make([]Edge, 0, len(g.Edges))}
	at := make([]int32, g.Nodes) // counted from 1
	for i, r := range regions {
		at[r] = int32(i + 1)
		row := g.Features[int(r)*width:][:width]
		if width != g.Nodes {
			m.Features = append(m.Features, row...)
			continue
		}
		for _, c := range regions {
			m.Features = append(m.Features, row[c])
		}
	}
	for _, e := range g.Edges {
		if a, b := at[e.Source], at[e.Target]; a > 0 && b > 0 {
			m.Edges = append(m.Edges, Edge{a - 1, b - 1, e.Weight})
		}
	}
	return m
}

// Numbers is how many features all nodes have together.
func (g Data) Numbers() int { return len(g.Features) }
