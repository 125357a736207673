package baseline

import (
	"context"
	"fmt"
	"sync"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// BrainNetCNN (Kawahara et al. 2017, NeuroImage 146) sees the whole matrix: two
// edge-to-edge layers, whose filters are a row and a column of it, an edge-to-node
// layer, a node-to-graph layer, and full layers:
//
//	E2E  y[c,i,j] = Σ_kj' W[c,k,j']·x[k,i,j'] + Σ_ki' V[c,k,i']·x[k,i',j] + biases
//	E2N  y[c,i]   = Σ_kj  W[c,k,j]·x[k,i,j] + bias
//	N2G  y[c]     = Σ_ki  W[c,k,i]·x[k,i] + bias
//
// with a leaky ReLU after each layer but the last, and dropout after N2G and the
// full layers but the last.
//
// The maps that the edge-to-edge layers give are never written out: see crossing.
type BrainNetCNN struct {
	Edges   [2]int  // channels of the E2E layers
	Nodes   int     // of E2N
	Hidden  []int   // of N2G and of the full layers
	Slope   float64 // of the leaky ReLU
	Dropout float64
}

// Kawahara is the network of Kawahara et al. (2017).
func Kawahara() BrainNetCNN {
	return BrainNetCNN{Edges: [2]int{32, 32}, Nodes: 64, Hidden: []int{256, 128, 30}, Slope: 0.33, Dropout: 0.5}
}

type brainNetCNN[T gnn.Float] struct {
	BrainNetCNN
	l       gnn.Layout
	d       int // nodes
	classes int
	edges   [2]edgeLayer
	nodes   network.Full[T] // of rows (k, j)
	layers  []network.Full[T]
	x       []T // cases × upper triangle
	label   []int
	state   cnnState[T]
}

// An edgeLayer is E2E. Its row filters are stored as (in·d) × out, rows in the order (k, j), its column filters as
// (d·in) × out, rows in the order (i, k).
type edgeLayer struct {
	in, out    int
	rowW, rowB gnn.Param
	colW, colB gnn.Param
}

// cnnState is what a batch leaves on its way; memory is reused.
type cnnState[T gnn.Float] struct {
	matrices     []T // case, node × node
	maps         [2]crossing[T]
	byRow, byCol []T       // case, node × channel: the sums of the filters, then their gradients
	colW, dColW  []T       // column filters of the second layer, rows in the order (k, i), and their gradient
	node         []T       // case, node × channel
	dRow, dCol   []T       // gradients of the sides of maps: case, channel × node
	tables       sync.Pool // *table[T]
}

func newBrainNetCNN[T gnn.Float](o BrainNetCNN, nodes int, x Rows, label []int, classes int) *brainNetCNN[T] {
	m := &brainNetCNN[T]{BrainNetCNN: o, d: nodes, classes: classes, x: narrow[T](x.X), label: label}
	in := 1
	for i, out := range o.Edges {
		e := edgeLayer{in: in, out: out}
		name := fmt.Sprintf("e2e%d", i+1)
		e.rowW, e.rowB = network.Add(&m.l, name+"_row_W", in, nodes, out), network.Add(&m.l, name+"_row_b", out)
		e.colW, e.colB = network.Add(&m.l, name+"_col_W", nodes, in, out), network.Add(&m.l, name+"_col_b", out)
		m.edges[i], in = e, out
	}
	m.nodes = network.Full[T]{In: in * nodes, Out: o.Nodes}
	m.nodes.W, m.nodes.B = network.Add(&m.l, "e2n_W", in, nodes, o.Nodes), network.Add(&m.l, "e2n_b", o.Nodes)
	widths := append(append([]int{nodes * o.Nodes}, o.Hidden...), classes)
	m.layers = network.Fulls[T](&m.l, widths, func(i int) string {
		if i == 0 {
			return "n2g"
		}
		return fmt.Sprintf("fc%d", i)
	})
	m.state.tables.New = func() any { return newTable[T]() }
	return m
}

func (m *brainNetCNN[T]) Layout() gnn.Layout { return m.l }
func (m *brainNetCNN[T]) Drops() bool        { return m.Dropout > 0 }

// convolve runs the layers up to E2N for the matrices of x (triangles).
func (m *brainNetCNN[T]) convolve(params, x []T, n, threads int) {
	s, d, slope := &m.state, m.d, T(m.Slope)
	at := 0
	in := network.Size(&s.matrices, n*d*d)
	for c := range n {
		a := in[c*d*d:][:d*d]
		for i := range d {
			a[i*d+i] = 1
			for j := i + 1; j < d; j++ {
				a[i*d+j], a[j*d+i] = x[at], x[at]
				at++
			}
		}
	}
	// The matrices are symmetric: their columns are their rows.
	e, w := &m.edges[0], m.edges[0].out
	byRow, byCol := network.Size(&s.byRow, n*d*w), network.Size(&s.byCol, n*d*w)
	dense.Multiply(byRow, w, dense.Rows(in, d), dense.Rows(network.Of(params, e.rowW), w), n*d, d, w, false, threads)
	dense.Multiply(byCol, w, dense.Rows(in, d), dense.Rows(network.Of(params, e.colW), w), n*d, d, w, false, threads)
	s.maps[0].set(byRow, byCol, network.Of(params, e.rowB), network.Of(params, e.colB), n, d, threads)

	e = &m.edges[1]
	w = e.out
	rowW, colW := network.Of(params, e.rowW), network.Size(&s.colW, d*e.in*w)
	swap(colW, network.Of(params, e.colW), d, e.in, w)
	byRow, byCol = network.Size(&s.byRow, n*d*w), network.Size(&s.byCol, n*d*w)
	m.each(threads, n, func(at int, t *table[T]) {
		byRow, byCol := byRow[at*d*w:][:d*w], byCol[at*d*w:][:d*w]
		clear(byRow)
		clear(byCol)
		for k := range e.in {
			row, col := s.maps[0].sides(at, k)
			line[T]{col, row}.forward(t, byRow, rowW[k*d*w:][:d*w], slope)
			line[T]{row, col}.forward(t, byCol, colW[k*d*w:][:d*w], slope)
		}
	})
	s.maps[1].set(byRow, byCol, network.Of(params, e.rowB), network.Of(params, e.colB), n, d, threads)

	w = m.Nodes
	node, nodeW, bias := network.Size(&s.node, n*d*w), network.Of(params, m.nodes.W), network.Of(params, m.nodes.B)
	m.each(threads, n, func(at int, t *table[T]) {
		node := node[at*d*w:][:d*w]
		for i := range d {
			copy(node[i*w:][:w], bias)
		}
		for k := range e.out {
			row, col := s.maps[1].sides(at, k)
			line[T]{col, row}.forward(t, node, nodeW[k*d*w:][:d*w], slope)
		}
		gnn.ReLU(node, slope)
	})
}

// each runs work for every i < n with a table of its own.
func (m *brainNetCNN[T]) each(threads, n int, work func(i int, t *table[T])) {
	dense.Each(threads, n, func(i int) {
		t := m.state.tables.Get().(*table[T])
		defer m.state.tables.Put(t)
		work(i, t)
	})
}

// backward takes the gradient of E2N's results, node × channel of each case, to the layers up to it.
func (m *brainNetCNN[T]) backward(dNode, params, grad []T, n, threads int) {
	s, d, slope := &m.state, m.d, T(m.Slope)
	w, e := m.Nodes, &m.edges[1]
	nodeW, dNodeW := network.Of(params, m.nodes.W), network.Of(grad, m.nodes.W)
	dRow, dCol := s.noSides(n * e.out * d)
	clear(dNodeW)
	m.each(threads, e.out, func(k int, t *table[T]) {
		for at := range n {
			row, col := s.maps[1].sides(at, k)
			i := (at*e.out + k) * d
			line[T]{col, row}.backward(t, dNodeW[k*d*w:][:d*w], dCol[i:][:d], dRow[i:][:d], nodeW[k*d*w:][:d*w],
				dNode[at*d*w:][:d*w], slope)
		}
	})
	sumRows(network.Of(grad, m.nodes.B), dNode)

	byRow, byCol := s.down(e, grad, n, d, threads)
	w = e.out
	rowW, dRowW := network.Of(params, e.rowW), network.Of(grad, e.rowW)
	dColW := network.Size(&s.dColW, d*e.in*w)
	dRow, dCol = s.noSides(n * e.in * d)
	clear(dRowW)
	clear(dColW)
	m.each(threads, e.in, func(k int, t *table[T]) {
		for at := range n {
			row, col := s.maps[0].sides(at, k)
			i := (at*e.in + k) * d
			line[T]{col, row}.backward(t, dRowW[k*d*w:][:d*w], dCol[i:][:d], dRow[i:][:d], rowW[k*d*w:][:d*w],
				byRow[at*d*w:][:d*w], slope)
			line[T]{row, col}.backward(t, dColW[k*d*w:][:d*w], dRow[i:][:d], dCol[i:][:d], s.colW[k*d*w:][:d*w],
				byCol[at*d*w:][:d*w], slope)
		}
	})
	swap(network.Of(grad, e.colW), dColW, e.in, d, w)

	e = &m.edges[0]
	byRow, byCol = s.down(e, grad, n, d, threads)
	w = e.out
	in := dense.Rows(s.matrices, d).T()
	dense.Multiply(network.Of(grad, e.rowW), w, in, dense.Rows(byRow, w), d, n*d, w, false, threads)
	dense.Multiply(network.Of(grad, e.colW), w, in, dense.Rows(byCol, w), d, n*d, w, false, threads)
}

// noSides makes room for gradients of the sides of maps, which are 0.
func (s *cnnState[T]) noSides(size int) (dRow, dCol []T) {
	dRow, dCol = network.Size(&s.dRow, size), network.Size(&s.dCol, size)
	clear(dRow)
	clear(dCol)
	return dRow, dCol
}

// down turns the gradients of the sides of a layer's maps into those of the filters' sums, and adds up those of
// the biases.
func (s *cnnState[T]) down(e *edgeLayer, grad []T, n, d, threads int) (byRow, byCol []T) {
	w := e.out
	byRow, byCol = network.Size(&s.byRow, n*d*w), network.Size(&s.byCol, n*d*w)
	dense.Each(threads, n, func(at int) {
		turn(byRow[at*d*w:][:d*w], s.dRow[at*d*w:], w, d)
		turn(byCol[at*d*w:][:d*w], s.dCol[at*d*w:], w, d)
	})
	sumRows(network.Of(grad, e.rowB), byRow)
	sumRows(network.Of(grad, e.colB), byCol)
	return byRow, byCol
}

// swap exchanges the first two axes of an array of a × b × w.
func swap[T gnn.Float](to, from []T, a, b, w int) {
	for i := range a {
		for j := range b {
			copy(to[(j*a+i)*w:][:w], from[(i*b+j)*w:][:w])
		}
	}
}

// turn transposes a matrix of rows × cols.
func turn[T gnn.Float](to, from []T, rows, cols int) {
	for i := range rows {
		for j := range cols {
			to[j*rows+i] = from[i*cols+j]
		}
	}
}

// head runs the layers from N2G on. masks are those of the dropout.
func (m *brainNetCNN[T]) head(params []T, n int, r *random.Stream, threads int) (values, masks [][]T) {
	values = [][]T{m.state.node}
	for i, f := range m.layers {
		y := make([]T, n*f.Out)
		f.Forward(y, values[i], params, n, threads)
		if i < len(m.layers)-1 {
			gnn.ReLU(y, T(m.Slope))
			if r != nil {
				masks = append(masks, network.Drop(y, m.Dropout, r))
			}
		}
		values = append(values, y)
	}
	return values, masks
}

func (m *brainNetCNN[T]) Gradient(params, grad []T, cases []int, r *random.Stream,
	threads int) (loss float64, right int) {
	n, width := len(cases), m.d*(m.d-1)/2
	x := make([]T, 0, n*width)
	for _, i := range cases {
		x = append(x, m.x[i*width:][:width]...)
	}
	m.convolve(params, x, n, threads)
	values, masks := m.head(params, n, r, threads)
	dy := values[len(m.layers)]
	loss, right = network.Entropies(dy, m.label, cases)
	if grad == nil {
		return loss, right
	}
	slope := T(m.Slope)
	for i := len(m.layers) - 1; i >= 0; i-- {
		dx := make([]T, len(values[i]))
		m.layers[i].Backward(dx, dy, values[i], params, grad, n, threads)
		if i > 0 && r != nil {
			network.Times(dx, masks[i-1])
		}
		gnn.ReLUBack(dx, values[i], slope) // what was dropped has gradient 0 already
		dy = dx
	}
	m.backward(dy, params, grad, n, threads)
	return loss, right
}

// sumRows adds up rows of len(sum) values.
func sumRows[T gnn.Float](sum, rows []T) {
	clear(sum)
	for i := 0; i < len(rows); i += len(sum) {
		for j, v := range rows[i:][:len(sum)] {
			sum[j] += v
		}
	}
}

// A trainedCNN rates cases.
type trainedCNN[T gnn.Float] struct {
	*brainNetCNN[T]
	params []T
	t      network.Training
}

// FitBrainNetCNN trains one on correlation matrices of that many nodes, given as
// their upper triangles, in single precision. Weights start as in its authors' program
// (ann4brains, on Caffe).
func FitBrainNetCNN(ctx context.Context, o BrainNetCNN, nodes int, t network.Training, x Rows, label []int,
	classes int) (Classifier, error) {
	m := newBrainNetCNN[float32](o, nodes, x, label, classes)
	t.Xavier = true
	params, err := network.Train[float32](ctx, m, x.N, t)
	if err != nil {
		return nil, err
	}
	m.x, m.label = nil, nil
	return &trainedCNN[float32]{m, params, t}, nil
}

func (m *trainedCNN[T]) Probability(x Rows, threads int) []float64 {
	var out []float64
	const batch = 16
	for i := 0; i < x.N; i += batch {
		n := min(batch, x.N-i)
		m.convolve(m.params, narrow[T](x.X[i*x.D:][:n*x.D]), n, threads)
		values, _ := m.head(m.params, n, nil, threads)
		out = append(out, network.Probabilities(values[len(m.layers)], m.classes)...)
	}
	return out
}

func (m *trainedCNN[T]) Parameters() int { return len(m.params) }

func (m *trainedCNN[T]) Note() string {
	return fmt.Sprintf("E2E %d, E2E %d, E2N %d, N2G %d, %s", m.Edges[0], m.Edges[1], m.Nodes, m.Hidden[0],
		words.Count(m.t.Epochs, "epoch"))
}
