package gnn

import (
	"fmt"
	"testing"
)

// paperGraphs are graphs of the paper's sizes: 84 nodes, 348 edges and a few
// more. Their numbers do not matter for time.
func paperGraphs[T Float](n int) []*Graph[T] { return randomGraphs[T](Paper(84), n, 84, 348) }

func BenchmarkEpoch(b *testing.B) {
	for _, c := range []struct{ pool, distance string }{{"topk", "bce"}, {"topk", "mmd"}, {"sage", "bce"}, {"sage", "mmd"}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s-%s-%d", c.pool, c.distance, threads), func(b *testing.B) { benchEpoch[float32](b, c.pool, c.distance, threads) })
		}
	}
	b.Run("float64-topk-bce-1", func(b *testing.B) { benchEpoch[float64](b, "topk", "bce", 1) })
}

// benchEpoch is one pass over 944 graphs in batches of 100, the paper's training set.
func benchEpoch[T Float](b *testing.B, pool, distance string, threads int) {
	o := Paper(84)
	o.Pool, o.Distance = pool, distance
	m, err := New[T](o, 1)
	if err != nil {
		b.Fatal(err)
	}
	graphs := paperGraphs[T](944)
	w := newWorker(m, threads)
	adam := NewAdam[T](len(m.Params), 0)
	grad := make([]T, len(m.Params))
	b.ReportAllocs()
	for b.Loop() {
		for at := 0; at < len(graphs); at += 100 {
			m.prepare()
			if _, err := w.gradient(graphs[at:min(at+100, len(graphs))], grad, nil); err != nil {
				b.Fatal(err)
			}
			adam.Step(m.Params, grad, 1e-3)
		}
	}
}
