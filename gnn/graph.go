package gnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Float is the precision of a computation.
type Float interface{ float32 | float64 }

// An Edge joins two nodes, counted from 0, with Source < Target.
type Edge struct {
	Source, Target int32
	Weight         float64
}

// A Graph is one brain graph, ready for a model: undirected, without multiple edges.
type Graph[T Float] struct {
	Label    int // class, from 0
	Features []T // nodes × features, row-major
	adjacency[T]
}

// NewGraph makes a graph for models of these options from its node features
// (nodes × o.Features, row-major) and its edges. It refuses values that are not
// finite, edges that leave the graph, join a node to itself or come twice.
func NewGraph[T Float](o Options, label int, features []float64, edges []Edge) (*Graph[T], error) {
	d := o.Features
	if d < 1 || len(features) < d || len(features)%d != 0 {
		return nil, fmt.Errorf("%d features do not make nodes of %d features each", len(features), d)
	}
	n := len(features) / d
	g := &Graph[T]{Label: label, Features: make([]T, n*d)}
	for i, v := range features {
		g.Features[i] = T(v)
		if !finite(float64(g.Features[i])) {
			return nil, fmt.Errorf("feature %d of node %d is %v: %s", i%d+1, i/d+1, v, trouble(v))
		}
	}
	type half struct {
		from, to int32
		w        float64
	}
	halves := make([]half, 0, 2*len(edges))
	for _, e := range edges {
		switch {
		case e.Source < 0 || int(e.Source) >= n || e.Target < 0 || int(e.Target) >= n:
			return nil, fmt.Errorf("edge %d–%d leaves the graph of %d nodes", e.Source+1, e.Target+1, n)
		case e.Source == e.Target:
			return nil, fmt.Errorf("edge %d–%d joins a node to itself", e.Source+1, e.Target+1)
		case !finite(float64(T(e.Weight))):
			return nil, fmt.Errorf("edge %d–%d has weight %v: %s", e.Source+1, e.Target+1, e.Weight, trouble(e.Weight))
		}
		halves = append(halves, half{e.Source, e.Target, e.Weight}, half{e.Target, e.Source, e.Weight})
	}
	slices.SortFunc(halves, func(a, b half) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	a := &g.adjacency
	a.reset(n)
	for i, h := range halves {
		if i > 0 && halves[i-1].from == h.from && halves[i-1].to == h.to {
			return nil, fmt.Errorf("edge %d–%d comes twice", min(h.from, h.to)+1, max(h.from, h.to)+1)
		}
		a.degree[h.from]++
	}
	a.place()
	fill := make([]int32, n)
	for _, h := range halves {
		fill[h.from]++
		e := a.entry(int(h.from), int(fill[h.from]))
		a.col[e], a.weight[e] = h.to, 1
		if o.EdgeWeights {
			a.weight[e] = T(h.w)
		}
	}
	for i := range n {
		a.weight[a.entry(i, 0)] = 1
		if o.EdgeWeights {
			a.weight[a.entry(i, 0)] = T(o.SelfWeight)
		}
	}
	// The halves are sorted by their source, so the other half of the next entry
	// of row j that names i is found by walking the columns in order.
	clear(fill)
	for i := range n {
		for t := 1; t < int(a.degree[i]); t++ {
			e := a.entry(i, t)
			j := int(a.col[e])
			fill[j]++
			a.reverse[e] = int32(a.entry(j, int(fill[j])))
		}
	}
	return g, nil
}

// trouble says why x cannot be computed with.
func trouble(x float64) string {
	if finite(x) {
		return "too large for single precision"
	}
	return "a number is needed"
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Nodes is the number of nodes.
func (g *Graph[T]) Nodes() int { return g.n }

// lanes is the number of rows of an adjacency that lie side by side, and the
// multiple to which the widths of node features are padded in memory: eight
// float32 fill one vector register.
const lanes = 8

func padded(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// An adjacency lists, for each node, itself and its neighbours. Eight rows at a
// time are stored side by side ("sliced ELLPACK"): entry t of row i is at
// start[i/8] + 8t + i%8, so that a loop over t can treat eight rows at once and
// still sum each row in the order of its entries. Entry 0 is the node itself, the
// others follow in the order of the graph's nodes. Places beyond a row's degree
// hold zeros.
type adjacency[T Float] struct {
	n       int
	degree  []int32 // padded(n): entries of each row, the node itself included; 0 in the padding
	start   []int32 // padded(n)/8 + 1
	col     []int32 // per entry: the neighbour
	reverse []int32 // per entry (i, j): where (j, i) is
	weight  []T     // per entry: e_ij
}

func (a *adjacency[T]) entry(i, t int) int { return int(a.start[i/lanes]) + lanes*t + i%lanes }

// reset makes room for n rows that have only their own entries so far.
func (a *adjacency[T]) reset(n int) {
	a.n = n
	a.degree = resize(a.degree, padded(n))
	for i := range a.degree {
		a.degree[i] = 0
		if i < n {
			a.degree[i] = 1
		}
	}
}

// place lays out the rows when their degrees are known, and writes the entries
// of the nodes themselves.
func (a *adjacency[T]) place() {
	slices8 := len(a.degree) / lanes
	a.start = resize(a.start, slices8+1)
	total := int32(0)
	for s := range slices8 {
		a.start[s] = total
		longest := int32(0)
		for _, d := range a.degree[s*lanes:][:lanes] {
			longest = max(longest, d)
		}
		total += lanes * longest
	}
	a.start[slices8] = total
	a.col = resize(a.col, int(total))
	a.reverse = resize(a.reverse, int(total))
	a.weight = resize(a.weight, int(total))
	clear(a.col)
	clear(a.reverse)
	clear(a.weight)
	for i := range a.n {
		e := a.entry(i, 0)
		a.col[e], a.reverse[e] = int32(i), int32(e)
	}
}

// size is the number of places, the padding included.
func (a *adjacency[T]) size() int { return len(a.col) }

// resize gives a slice of n elements, reusing s when it is long enough. What it
// holds is not defined.
func resize[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n, n+n/4)
	}
	return s[:n]
}
