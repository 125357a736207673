package baseline

import (
	"context"
	"fmt"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/dense"
	"prgnn/internal/random"
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
// Maps are stored as [case][i][k][j]. A row filter is then a product of matrices, with
// a row for each i; a column filter is one too, with a row for each j and the depth
// (i, k), which has a constant stride. No map is ever copied into patches.
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
	edges   [2]edgeLayer[T]
	nodes   network.Full[T] // of rows (k, j)
	layers  []network.Full[T]
	x       []T // cases × upper triangle
	label   []int
	state   cnnState[T]
}

// An edgeLayer is E2E, from in to out channels. Its filters are stored as
// (in·d) × out, rows in the order (k, j), and (d·in) × out, rows in the order (i, k).
type edgeLayer[T gnn.Float] struct {
	in, out, d int
	rowW, rowB gnn.Param
	colW, colB gnn.Param
}

// cnnState is what a batch leaves on its way; memory is reused.
type cnnState[T gnn.Float] struct {
	maps    [3][]T // the input and the outputs of the E2E layers
	byRow   [2][]T // case, i × channel: the sums of the row filters, then their gradients
	byCol   [2][]T // case, j × channel
	columns []T    // case, channel × j
	grad    [2][]T // of the maps that the E2E layers give
	turned  []T    // transposed weights
	node    []T    // case, i × channel
}

func newBrainNetCNN[T gnn.Float](o BrainNetCNN, nodes int, x Rows, label []int, classes int) *brainNetCNN[T] {
	m := &brainNetCNN[T]{BrainNetCNN: o, d: nodes, classes: classes, x: narrow[T](x.X), label: label}
	in := 1
	for i, out := range o.Edges {
		e := edgeLayer[T]{in: in, out: out, d: nodes}
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
	return m
}

func (m *brainNetCNN[T]) Layout() gnn.Layout { return m.l }
func (m *brainNetCNN[T]) Drops() bool        { return m.Dropout > 0 }

// convolve runs the layers up to E2N for the matrices of x (triangles).
func (m *brainNetCNN[T]) convolve(params, x []T, n, threads int) {
	s, d := &m.state, m.d
	at := 0
	in := network.Size(&s.maps[0], n*d*d)
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
	for l := range m.edges {
		e := &m.edges[l]
		out := network.Size(&s.maps[l+1], n*d*e.out*d)
		e.forward(out, s.maps[l], network.Size(&s.byRow[l], n*d*e.out), network.Size(&s.byCol[l], n*d*e.out),
			network.Size(&s.columns, n*d*e.out), params, n, T(m.Slope), threads)
	}
	m.nodes.Forward(network.Size(&s.node, n*d*m.Nodes), s.maps[2], params, n*d, threads)
	network.ReLU(s.node, T(m.Slope))
}

func (e *edgeLayer[T]) forward(y, x, byRow, byCol, columns, params []T, n int, slope T, threads int) {
	d, c, deep := e.d, e.out, e.in*e.d
	dense.Multiply(byRow, c, dense.Rows(x, deep), dense.Rows(network.Of(params, e.rowW), c), n*d, deep, c,
		false, threads)
	rowB, colB := network.Of(params, e.rowB), network.Of(params, e.colB)
	dense.Each(threads, n, func(at int) {
		q := byCol[at*d*c:][:d*c]
		dense.Multiply(q, c, dense.View[T]{Data: x[at*d*deep:][:d*deep], Row: 1, Col: d},
			dense.Rows(network.Of(params, e.colW), c), d, deep, c, false, 1)
		columns := columns[at*d*c:][:d*c]
		for k := range c {
			both := rowB[k] + colB[k]
			for j := range d {
				columns[k*d+j] = q[j*c+k] + both
			}
		}
		r, out := byRow[at*d*c:][:d*c], y[at*d*c*d:][:d*c*d]
		for i := range d {
			spread(out[i*c*d:][:c*d], r[i*c:][:c], columns, slope)
		}
	})
}

// spread writes, for each channel, relu(r[channel] + column[channel, j]).
func spread[T gnn.Float](out, r, columns []T, slope T) {
	d := len(columns) / len(r)
	for k, r := range r {
		column := columns[k*d:][:d]
		out := out[k*d:][:d]
		for j, v := range column {
			v += r
			out[j] = max(v, 0) + T(slope*min(v, 0))
		}
	}
}

// backward takes the gradient of y, which it overwrites, to the filters and, if dx
// is not nil, to x.
func (e *edgeLayer[T]) backward(dx, dy, y, x, byRow, byCol, columns, turned, params, grad []T,
	n int, slope T, threads int) {
	d, c, deep := e.d, e.out, e.in*e.d
	dense.Each(threads, n, func(at int) {
		dr, dq := byRow[at*d*c:][:d*c], columns[at*d*c:][:d*c]
		clear(dq)
		for i := range d {
			gather(dr[i*c:][:c], dq, dy[(at*d+i)*c*d:][:c*d], y[(at*d+i)*c*d:][:c*d], slope)
		}
		q := byCol[at*d*c:][:d*c]
		for k := range c {
			for j := range d {
				q[j*c+k] = dq[k*d+j]
			}
		}
	})
	rowB, colB := network.Of(grad, e.rowB), network.Of(grad, e.colB)
	clear(rowB)
	clear(colB)
	for i := range n * d {
		for k := range c {
			rowB[k] += byRow[i*c+k]
			colB[k] += byCol[i*c+k]
		}
	}
	// Case by case: a map is half a second-level cache, all of them are not.
	for at := range n {
		dense.Multiply(network.Of(grad, e.rowW), c, dense.Rows(x[at*d*deep:], deep).T(),
			dense.Rows(byRow[at*d*c:], c), deep, d, c, at > 0, threads)
		dense.Multiply(network.Of(grad, e.colW), c, dense.Rows(x[at*d*deep:], d),
			dense.Rows(byCol[at*d*c:], c), deep, d, c, at > 0, threads)
	}
	if dx == nil {
		return
	}
	turn(turned, network.Of(params, e.rowW), deep, c)
	dense.Multiply(dx, deep, dense.Rows(byRow, c), dense.Rows(turned, deep), n*d, c, deep, false, threads)
	dense.Each(threads, n, func(at int) {
		dense.Multiply(dx[at*d*deep:], d, dense.Rows(network.Of(params, e.colW), c), dense.Rows(columns[at*d*c:], d),
			deep, c, d, true, 1)
	})
}

// gather is spread's way back: d = dy·relu', dr = Σ_j d, dq += d.
func gather[T gnn.Float](dr, dq, dy, y []T, slope T) {
	d := len(dq) / len(dr)
	for k := range dr {
		dy, y, dq := dy[k*d:][:d], y[k*d:][:d], dq[k*d:][:d]
		var s [4]T
		for j, v := range dy {
			if !(y[j] > 0) {
				v *= slope
			}
			dq[j] += v
			s[j&3] += v
		}
		dr[k] = (s[0] + s[1]) + (s[2] + s[3])
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
			network.ReLU(y, T(m.Slope))
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
		network.ReLUBack(dx, values[i], slope) // what was dropped has gradient 0 already
		dy = dx
	}
	s, d := &m.state, m.d
	deep := m.nodes.In
	for at := range n {
		dense.Multiply(network.Of(grad, m.nodes.W), m.Nodes, dense.Rows(s.maps[2][at*d*deep:], deep).T(),
			dense.Rows(dy[at*d*m.Nodes:], m.Nodes), deep, d, m.Nodes, at > 0, threads)
	}
	sumRows(network.Of(grad, m.nodes.B), dy)
	turned := network.Size(&s.turned, deep*max(m.Nodes, m.Edges[0]))
	turn(turned, network.Of(params, m.nodes.W), deep, m.Nodes)
	dMap := network.Size(&s.grad[1], n*d*deep)
	dense.Multiply(dMap, deep, dense.Rows(dy, m.Nodes), dense.Rows(turned, deep), n*d, m.Nodes, deep, false, threads)
	for l := 1; l >= 0; l-- {
		e := &m.edges[l]
		var dx []T
		if l > 0 {
			dx = network.Size(&s.grad[0], n*d*e.in*d)
		}
		columns := network.Size(&s.columns, n*d*e.out)
		e.backward(dx, s.grad[l], s.maps[l+1], s.maps[l], s.byRow[l], s.byCol[l], columns, turned,
			params, grad, n, slope, threads)
	}
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
	return fmt.Sprintf("E2E %d, E2E %d, E2N %d, N2G %d, %d epochs", m.Edges[0], m.Edges[1], m.Nodes, m.Hidden[0], m.t.Epochs)
}
