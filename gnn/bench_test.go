package gnn

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"prgnn/internal/need"
)

// paperGraphs are graphs of the paper's sizes: 84 nodes, 348 edges and a few
// more. Their numbers do not matter for time.
func paperGraphs[T Float](n int) []*Graph[T] {
	gs := make([]*Graph[T], n)
	for i := range gs {
		x := randomFeatures(i, 84*84)
		for j := range x { // correlations are symmetric
			x[j] = x[min(j/84, j%84)*84+max(j/84, j%84)]
		}
		g, err := NewGraph[T](Paper(84), i%2, x, randomEdges(i, 84, 348))
		if err != nil {
			panic(err)
		}
		gs[i] = g
	}
	return gs
}

func BenchmarkEpoch(b *testing.B) {
	for _, c := range []struct{ pool, distance string }{{"topk", "bce"}, {"topk", "mmd"},
		{"sage", "bce"}, {"sage", "mmd"}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s-%s-%d", c.pool, c.distance, threads),
				func(b *testing.B) { benchEpoch[float32](b, c.pool, c.distance, threads) })
		}
	}
	b.Run("float64-topk-bce-1", func(b *testing.B) { benchEpoch[float64](b, "topk", "bce", 1) })
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("packed-%d", threads), func(b *testing.B) {
			graphs := paperGraphs[float32](944)
			packs(0, graphs)
			benchGraphs(b, "topk", "bce", threads, graphs)
		})
	}
}

// benchEpoch is one pass over 944 graphs in batches of 100, the paper's training set.
func benchEpoch[T Float](b *testing.B, pool, distance string, threads int) {
	benchGraphs(b, pool, distance, threads, paperGraphs[T](944))
}

func benchGraphs[T Float](b *testing.B, pool, distance string, threads int, graphs []*Graph[T]) {
	o := Paper(84)
	o.Pool, o.Distance = pool, distance
	m := need.Value(New[T](o, 1))(b)
	w := newWorker(m, threads)
	adam := NewAdam[T](len(m.Params), 0)
	grad := make([]T, len(m.Params))
	b.ReportAllocs()
	for b.Loop() {
		for batch := range slices.Chunk(graphs, 100) {
			m.prepare()
			if _, err := w.gradient(batch, grad, nil); err != nil {
				b.Fatal(err)
			}
			adam.Step(m.Params, grad, 1e-3)
		}
	}
}

// BenchmarkKernels tells how many products and sums (each counts as one operation) the inner
// loops do in a nanosecond, on one graph of the paper's sizes that lies in the cache.
func BenchmarkKernels(b *testing.B) {
	g := paperGraphs[float32](1)[0]
	const n, w = 84, 16
	adj := &g.adjacency
	entries := 0
	for _, d := range adj.degree {
		entries += int(d)
	}
	theta, z, out, dTheta := make([]float32, n*w), make([]float32, n*w), make([]float32, n*w), make([]float32, n*w)
	alpha, f, d := make([]float32, adj.size()), make([]float32, padded(n)), make([]float32, adj.size())
	k := fastest[float32]()
	for _, c := range []struct {
		name       string
		operations int // 0: counted in entries of the adjacency
		run        func()
	}{
		{"gemm H·Θᵀ", 2 * n * n * w, func() { k.gemm(z, w, g.Features, n, 1, theta, w, n, n, w, nil) }},
		{"gemm Hᵀ·dZ", 2 * n * n * w, func() { k.gemm(dTheta, w, g.Features, 1, n, z, w, n, n, w, nil) }},
		{"spread", 2 * entries * w, func() { k.spread(out, adj, alpha, z, w, false) }},
		{"spread back", 2 * entries * w, func() { k.spread(out, adj, alpha, z, w, true) }},
		{"edgeDots", 2 * entries * w, func() { k.edgeDots(d, adj, out, z, w) }},
		{"attend", 0, func() { k.attend(alpha, adj, f, f, 0) }},
		{"attendBack", 0, func() { k.attendBack(d, alpha, adj, f, f, 0, f) }},
		{"collect", 0, func() { k.collect(f, adj, d) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			// The least of many short turns: what others do on the machine hardly counts.
			each := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				for range 50 {
					c.run()
				}
				each = min(each, float64(time.Since(start).Nanoseconds())/50)
			}
			if c.operations > 0 {
				b.ReportMetric(float64(c.operations)/each, "operations/ns")
			} else {
				b.ReportMetric(each/float64(entries), "ns/entry")
			}
		})
	}
}
