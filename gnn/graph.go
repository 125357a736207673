package gnn

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
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
	Label       int     // class, from 0
	Target      float64 // of models with Options.Number: what they predict
	nodes, each int     // each: features per node

	*whole[T] // as the kernels need it, or
	packed    packed[T]
	data      []byte // in the packed form
}

// A whole is what the kernels need of a graph.
type whole[T Float] struct {
	Features []T // nodes × features, row-major
	adjacency[T]
	all []T // of a graph that stays in memory: the memory of its arrays
}

// Checked gives node features (nodes × d, row-major) in the precision of T, and the edges sorted by their ends. It
// refuses values that are not finite, edges that leave the graph, join a node to itself or come twice.
func Checked[T Float](d int, features []float64, edges []Edge) (values []T, sorted []Edge, err error) {
	if d < 1 || len(features) < d || len(features)%d != 0 {
		return nil, nil, fmt.Errorf("%d features cannot be divided into nodes of %d features each", len(features), d)
	}
	n := len(features) / d
	values = make([]T, n*d)
	for i, v := range features {
		values[i] = T(v)
		if !finite(values[i]) {
			return nil, nil, fmt.Errorf("feature %d of node %d is %v: %s", i%d+1, i/d+1, v, trouble(v))
		}
	}
	sorted = make([]Edge, len(edges))
	for i, e := range edges {
		switch {
		case e.Source < 0 || int(e.Source) >= n || e.Target < 0 || int(e.Target) >= n:
			return nil, nil, fmt.Errorf("edge %d–%d is outside a graph of %d nodes", e.Source+1, e.Target+1, n)
		case e.Source == e.Target:
			return nil, nil, fmt.Errorf("edge %d–%d is a self-loop", e.Source+1, e.Target+1)
		case !finite(T(e.Weight)):
			return nil, nil, fmt.Errorf("edge %d–%d has weight %v: %s", e.Source+1, e.Target+1, e.Weight, trouble(e.Weight))
		}
		sorted[i] = Edge{min(e.Source, e.Target), max(e.Source, e.Target), e.Weight}
	}
	slices.SortFunc(sorted, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Target, b.Target))
	})
	for i, e := range sorted {
		if i > 0 && sorted[i-1].Source == e.Source && sorted[i-1].Target == e.Target {
			return nil, nil, fmt.Errorf("edge %d–%d appears twice", e.Source+1, e.Target+1)
		}
	}
	return values, sorted, nil
}

// NewGraph makes a graph for models of these options from what Checked lets pass.
func NewGraph[T Float](o Options, label int, features []float64, edges []Edge) (*Graph[T], error) {
	values, sorted, err := Checked[T](o.Features, features, edges)
	if err != nil {
		return nil, err
	}
	n := len(values) / o.Features
	w := &whole[T]{Features: values}
	w.self = 1
	if o.EdgeWeights {
		w.self = T(o.SelfWeight)
	}
	w.from, w.to, w.strength = make([]int32, len(sorted)), make([]int32, len(sorted)), make([]T, len(sorted))
	for i, e := range sorted {
		w.from[i], w.to[i], w.strength[i] = e.Source, e.Target, 1
		if o.EdgeWeights {
			w.strength[i] = T(e.Weight)
		}
	}
	w.build(kernelsOf[T](), n)
	w.work = nil
	w.together()
	return &Graph[T]{Label: label, nodes: n, each: o.Features, whole: w}, nil
}

// together lays the arrays of a graph side by side, about in the order of their use, so that they are fetched ahead as
// one: the adjacency cost more time in misses than the features, which are three quarters of the bytes.
func (w *whole[T]) together() {
	word := int(unsafe.Sizeof(w.self))
	words := func(numbers int) int { return (4*numbers + word - 1) / word }
	values := []*[]T{&w.Features, &w.weight, &w.strength}
	numbers := []*[]int32{&w.start, &w.row, &w.degree, &w.col, &w.first, &w.from, &w.to, &w.reverse}
	size := 0
	for _, v := range values {
		size += len(*v)
	}
	for _, v := range numbers {
		size += words(len(*v))
	}
	w.all = make([]T, size)
	rest := w.all
	for _, v := range values {
		n := copy(rest, *v)
		*v, rest = rest[:n:n], rest[n:]
	}
	for _, v := range numbers {
		n := copy(view[int32](rest), *v)
		*v, rest = view[int32](rest)[:n:n], rest[words(n):]
	}
}

// trouble says why x cannot be computed with.
func trouble(x float64) string {
	if finite(x) {
		return "too large for single precision"
	}
	return "a number is needed"
}

func finite[T Float](x T) bool { return x-x == 0 }

// Nodes is the number of nodes.
func (g *Graph[T]) Nodes() int { return g.nodes }

// bytes is about what the graph takes in memory.
func (g *Graph[T]) bytes() int64 {
	return int64(len(g.all)) * int64(unsafe.Sizeof(g.self))
}

// lanes is the number of rows of an adjacency that lie side by side, and the
// multiple to which the widths of node features are padded in memory: eight
// float32 fill one vector register.
const lanes = 8

func padded(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// An adjacency lists, for each node, itself and its neighbors. Eight rows at a
// time are stored side by side ("sliced ELLPACK"): entry t of row i is at
// first[i] + 8t, so that a loop over t can treat eight rows at once and still sum
// each row in the order of its entries. Rows of like length lie together. Entry 0 is the
// node itself, the others follow in the order of the whole graph's nodes. Places
// beyond a row's degree join a node to itself with weight 0.
type adjacency[T Float] struct {
	n        int
	from, to []int32 // per edge, in the order of the whole graph's nodes: its ends
	strength []T     // per edge: e_ij
	self     T       // e_ii

	degree  []int32 // padded(n): entries of each row, the node itself included; 0 in the padding
	first   []int32 // padded(n): where entry 0 of each row is
	start   []int32 // padded(n)/8 + 1: where each slice of eight rows begins
	row     []int32 // padded(n): the rows, slice after slice
	col     []int32 // per entry: the neighbor
	reverse []int32 // per entry (i, j): where (j, i) is
	weight  []T     // per entry: e_ij

	work  []int32 // working memory of build
	dense []T     // and of augment
}

// build lays out the rows of a graph of n nodes from its edges.
func (a *adjacency[T]) build(k *kernels[T], n int) {
	a.rows(n)
	to, degree := a.to[:len(a.from)], a.degree
	clear(degree)
	for i := range degree[:n] {
		degree[i] = 1
	}
	for i, p := range a.from {
		degree[p]++
		degree[to[i]]++
	}
	a.sortRows()
	a.layOut(k)
}

// rows makes room for n of them.
func (a *adjacency[T]) rows(n int) {
	a.n = n
	rows := padded(n)
	a.degree, a.first, a.row, a.start = resize(a.degree, rows), resize(a.first, rows), resize(a.row, rows),
		resize(a.start, rows/lanes+1)
}

// layOut lays out the rows in their order.
func (a *adjacency[T]) layOut(k *kernels[T]) {
	rows := len(a.row)
	total := int32(0)
	for s := range rows / lanes {
		a.start[s] = total
		total += lanes * a.degree[a.row[s*lanes]]
	}
	a.start[rows/lanes] = total
	a.col, a.reverse, a.weight = resize(a.col, int(total)), resize(a.reverse, int(total)), resize(a.weight, int(total))
	k.blank(a)
	a.work = append(a.work[:0], a.first...)
	k.link(a, a.work)
}

// sortRows writes the rows by descending degree, those of one degree in order.
func (a *adjacency[T]) sortRows() {
	a.work = resize(a.work, a.n+1)
	count := a.work
	clear(count)
	for _, d := range a.degree { // 0 … n
		count[d]++
	}
	at := int32(0)
	for d := a.n; d >= 0; d-- {
		at, count[d] = at+count[d], at
	}
	for i, d := range a.degree {
		a.row[count[d]] = int32(i)
		count[d]++
	}
}

// size is the number of places, the padding included.
func (a *adjacency[T]) size() int { return len(a.col) }

// resize gives a slice of n elements, reusing s when it is long enough. What it
// holds is not defined.
func resize[E any](s []E, n int) []E {
	switch {
	case cap(s) == 0: // the first time
		return make([]E, n)
	case cap(s) < n:
		return make([]E, n, n+n/4)
	}
	return s[:n]
}
