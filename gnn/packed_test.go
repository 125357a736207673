package gnn

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// packs packs graphs if they need more than so many bytes.
func packs[T Float](memory int64, graphs []*Graph[T]) {
	p := NewPacker[T](memory)
	for _, g := range graphs {
		p.Add(g)
	}
}

// A packed graph comes back as it was, whatever its size and its features.
func TestPackedGraph(t *testing.T) {
	t.Run("float32", keeps[float32])
	t.Run("float64", keeps[float64])
}

func keeps[T Float](t *testing.T) {
	var w whole[T] // one for all, as in a training
	var r []T
	for i, n := range []int{1, 2, 9, 84, 256, 257, 30, 7, 66000} {
		for _, kind := range []string{"any", "symmetric", "negative zero"} {
			o := Paper(n)
			if n > 100 {
				o.Features = 1
			}
			x := randomFeatures(i, n*o.Features)
			if kind != "any" && o.Features == n {
				for i := range x {
					x[i] = x[min(i/n, i%n)*n+max(i/n, i%n)]
				}
			}
			if kind == "negative zero" && o.Features > 1 { // equal to its mirror image, but not the same
				x[1], x[n] = 0, math.Copysign(0, -1)
			}
			edges := []Edge{{0, int32(n - 1), 0.25}}
			if n < 100 {
				edges = randomEdges(i, n, 4*n)
			}
			if n == 1 {
				edges = nil
			}
			g := need.Value(NewGraph[T](o, 0, x, edges))(t)
			before := *g.whole
			packs(0, []*Graph[T]{g})
			if g.whole != nil {
				t.Fatal("the graph is not packed")
			}
			need.Equal(t, g.packed.symmetric, o.Features == n && (kind == "symmetric" || n == 1), n, kind)
			values := g.packed.unpack(g.data)
			g.packed.join(kernelsOf[T](), &w.adjacency, values, g.data)
			w.Features = g.packed.matrix(kernelsOf[T](), &r, values)
			after := w
			before.all, after.work, after.dense = nil, nil, nil
			if len(before.from) == 0 {
				before.from, before.to, before.strength = after.from, after.to, after.strength
			}
			if !reflect.DeepEqual(before, after) || fmt.Sprint(before.Features) != fmt.Sprint(after.Features) {
				t.Errorf("%d nodes, %s: the graph is another one", n, kind)
			}
		}
	}
}

// Symmetric graphs of the paper's size train to the same bits as they are.
func TestTrainingOnPackedGraphs(t *testing.T) {
	var want []float32
	for _, c := range []struct {
		memory  int64
		workers int
	}{{1 << 40, 1}, {1 << 20, 2}, {0, 1}, {0, 3}} {
		graphs := paperGraphs[float32](60)
		packs(c.memory, graphs)
		if g := graphs[7]; c.memory < 1<<40 {
			need.Equal(t, g.packed.symmetric, true, "symmetric")
		}
		m := need.Value(New[float32](Paper(84), 1))(t)
		_, err := m.Train(context.Background(), graphs, nil,
			Training{Epochs: 3, Batch: 25, Rate: 0.01, Workers: c.workers})
		need.NoError(t, err)
		if want == nil {
			want = m.Params
		}
		need.Equal(t, slices.Equal(m.Params, want), true, c.memory, "bytes,", c.workers, "goroutines")
	}
}
