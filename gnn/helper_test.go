package gnn

import (
	"math"

	"prgnn/numeric/random"
)

// randomGraphs makes n graphs of the same number of nodes and edges, classes in turn.
func randomGraphs[T Float](o Options, n, nodes, edges int) []*Graph[T] {
	gs := make([]*Graph[T], n)
	for i := range gs {
		g, err := NewGraph[T](o, i%o.Classes, randomFeatures(i, nodes*o.Features), randomEdges(i, nodes, edges))
		if err != nil {
			panic(err)
		}
		g.Target = math.Sin(float64(i)) // of models of a number
		gs[i] = g
	}
	return gs
}

func randomFeatures(i, n int) []float64 {
	r := random.New(1, "features", i)
	x := make([]float64, n)
	for j := range x {
		x[j] = 0.5 * r.Normal()
	}
	return x
}

// randomEdges takes the first of all pairs, shuffled.
func randomEdges(i, nodes, edges int) []Edge {
	r := random.New(1, "edges", i)
	var all []Edge
	for a := range nodes {
		for b := a + 1; b < nodes; b++ {
			all = append(all, Edge{int32(a), int32(b), 0.1 + float64(0.4*r.Float64())})
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(edges, len(all))]
}
