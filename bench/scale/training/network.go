//go:build unix

package main

import (
	"context"
	"fmt"
	"os"

	"prgnn/bench/measure"
	"prgnn/gnn"
	"prgnn/internal/random"
)

// network trains PR-GNN.
func network(file *os.File) {
	graphs := make([]*gnn.Graph[float32], *n)
	to := gnn.NewGraphFile[float32](*memory, func() (*os.File, error) { return file, nil })
	made := make([]*numbers, min(*n, 1000))
	for i := range made {
		made[i] = random84(i)
	}
	var err error
	for i := range graphs {
		of := made[i%len(made)]
		graphs[i], err = gnn.NewGraph[float32](gnn.Paper(nodes), i%2, of.features, of.edges)
		measure.Check(err)
		measure.Check(to.Add(graphs[i]))
	}
	said(size(file))
	m, err := gnn.New[float32](gnn.Paper(nodes), 1)
	measure.Check(err)
	t := gnn.PaperTraining()
	t.Epochs, t.Workers, t.Seed = *epochs, *threads, 1
	t.Progress = func(e gnn.Epoch) { said(fmt.Sprintf("epoch %d, loss %.6f", e.Number, e.Losses.Total)) }
	_, err = m.Train(context.Background(), graphs, nil, t)
	measure.Check(err)
}

const (
	nodes = 84
	edges = 348
)

// numbers are what a graph is made of.
type numbers struct {
	features []float64
	edges    []gnn.Edge
}

// random84 is a symmetric matrix with some edges; other numbers take the same time.
func random84(i int) *numbers {
	r := random.New(1, "graph", i)
	x := make([]float64, nodes*nodes)
	for a := range nodes {
		x[a*nodes+a] = 1
		for b := range a {
			v := r.Float64() - 0.5
			x[a*nodes+b], x[b*nodes+a] = v, v
		}
	}
	var e []gnn.Edge
	for p, left, pairs := 0, edges, nodes*(nodes-1)/2; pairs > 0; pairs-- {
		if int(r.Float64()*float64(pairs)) < left {
			a, b := pair(p)
			e = append(e, gnn.Edge{Source: int32(b), Target: int32(a), Weight: 0.1 + 0.4*r.Float64()})
			left--
		}
		p++
	}
	return &numbers{x, e}
}

// pair is a pair of nodes b < a by its number.
func pair(p int) (a, b int) {
	for a = 1; p >= a; a++ {
		p -= a
	}
	return a, p
}
