package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// Li2019 is the graph network of "Graph Neural Network for Interpreting Task-fMRI
// Biomarkers" (Li et al., MICCAI 2019), in blocks of two steps:
//
//	NNConv  h'_i = R·h_i + b + Σ_j M(e_ij)·h_j over the neighbors j, with
//	        M(e) = W·ReLU(u·e + v) + B: a matrix for each edge (Simonovsky & Komodakis 2017)
//	TopK    s = tanh(h'·p/‖p‖); the best nodes stay, times their score (Gao & Ji 2019)
//
// The maximum and the mean over the nodes of each block go into an MLP. M(e)·h is
// W·h scaled by a number an edge, plus B·h: so a layer is one product of matrices, and no
// matrix is ever made for an edge.
type Li2019 struct {
	Widths []int // of the blocks
	Hidden []int // of the MLP
	Ratio  float64
}

// An EdgeGraph is a case of Li2019: undirected, nodes from 0.
type EdgeGraph struct {
	Nodes    int
	Features []float64 // nodes × features
	Edges    []gnn.Edge
}

// Check refuses what no layer can compute with.
func (g EdgeGraph) Check() error {
	for i, v := range g.Features {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			d := len(g.Features) / g.Nodes
			return fmt.Errorf("feature %d of node %d is %v: a number is needed", i%d+1, i/d+1, v)
		}
	}
	for _, e := range g.Edges {
		if e.Source < 0 || e.Target < 0 || int(max(e.Source, e.Target)) >= g.Nodes || math.IsNaN(e.Weight) ||
			math.IsInf(e.Weight, 0) {
			return fmt.Errorf("edge %d–%d of weight %v is not in a graph of %d nodes", e.Source+1, e.Target+1, e.Weight, g.Nodes)
		}
	}
	return nil
}

type li2019[T gnn.Float] struct {
	Li2019
	l      gnn.Layout
	blocks []liBlock
	mlp    []network.Full[T]
	graphs []liGraph[T]
	label  []int
}

// liBlock has the parameters of a block from in to out features. W, B and R stand
// side by side in one array, in × 3·out, for h from the left; gate is u and v.
type liBlock struct {
	in, out       int
	w, b, gate, p gnn.Param
}

// A liGraph lists neighbors, for each node those of start[i] to start[i+1].
type liGraph[T gnn.Float] struct {
	n     int
	x     []T
	start []int32
	to    []int32
	e     []T
}

func newLi2019[T gnn.Float](o Li2019, features int, graphs []EdgeGraph, label []int, classes int) *li2019[T] {
	m := &li2019[T]{Li2019: o, label: label}
	in := features
	sum := 0
	for i, out := range o.Widths {
		b := liBlock{in: in, out: out}
		name := fmt.Sprintf("conv%d", i+1)
		b.w, b.b = network.Add(&m.l, name+"_W", in, 3*out), network.Add(&m.l, name+"_b", out)
		b.gate = network.Add(&m.l, name+"_gate_W", 2, 1)
		b.p = network.Add(&m.l, fmt.Sprintf("pool%d_W", i+1), out, 1)
		m.blocks, in, sum = append(m.blocks, b), out, sum+2*out
	}
	widths := append(append([]int{sum}, o.Hidden...), classes)
	m.mlp = network.Fulls[T](&m.l, widths, func(i int) string { return fmt.Sprintf("fc%d", i+1) })
	for _, g := range graphs {
		m.graphs = append(m.graphs, newLiGraph[T](g))
	}
	return m
}

func newLiGraph[T gnn.Float](g EdgeGraph) liGraph[T] {
	type entry struct {
		from, to int32
		e        T
	}
	var all []entry
	for _, e := range g.Edges {
		all = append(all, entry{e.Source, e.Target, T(e.Weight)}, entry{e.Target, e.Source, T(e.Weight)})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	out := liGraph[T]{n: g.Nodes, x: narrow[T](g.Features), start: make([]int32, g.Nodes+1)}
	for _, a := range all {
		out.start[a.from+1]++
		out.to, out.e = append(out.to, a.to), append(out.e, a.e)
	}
	for i := range g.Nodes {
		out.start[i+1] += out.start[i]
	}
	return out
}

// among gives the graph of some of its nodes.
func (g *liGraph[T]) among(kept []int32) liGraph[T] {
	place := make([]int32, g.n)
	for i := range place {
		place[i] = -1
	}
	for i, k := range kept {
		place[k] = int32(i)
	}
	out := liGraph[T]{n: len(kept), start: make([]int32, 1, len(kept)+1)}
	for _, k := range kept {
		for t := g.start[k]; t < g.start[k+1]; t++ {
			if to := place[g.to[t]]; to >= 0 {
				out.to, out.e = append(out.to, to), append(out.e, g.e[t])
			}
		}
		out.start = append(out.start, int32(len(out.to)))
	}
	return out
}

func (m *li2019[T]) Layout() gnn.Layout { return m.l }
func (m *li2019[T]) Drops() bool        { return false }

// liState is what a block leaves of one graph.
type liState[T gnn.Float] struct {
	g     liGraph[T]
	x     []T // nodes × in
	h     []T // nodes × out: after NNConv
	wbr   []T // nodes × 3·out: W·x, B·x, R·x
	score []T // tanh
	kept  []int32
	y     []T     // kept × out
	best  []int32 // per feature: the node of y with the maximum
}

// forward runs one graph through the blocks; z is the readout.
func (m *li2019[T]) forward(params []T, g liGraph[T]) (states []liState[T], z []T) {
	x := g.x
	for _, b := range m.blocks {
		s := liState[T]{g: g, x: x}
		s.conv(b, params)
		s.pool(b, params, m.Ratio)
		z = append(z, s.readout(b.out)...)
		g, x = g.among(s.kept), s.y
		states = append(states, s)
	}
	return states, z
}

func (s *liState[T]) conv(b liBlock, params []T) {
	n, w := s.g.n, b.out
	s.wbr, s.h = make([]T, 3*n*w), make([]T, n*w)
	dense.Multiply(s.wbr, 3*w, dense.Rows(s.x, b.in), dense.Rows(network.Of(params, b.w), 3*w), n, b.in, 3*w, false, 1)
	bias, gate := network.Of(params, b.b), network.Of(params, b.gate)
	for i := range n {
		h := s.h[i*w:][:w]
		for c, r := range s.wbr[i*3*w+2*w:][:w] {
			h[c] = r + bias[c]
		}
		for t := s.g.start[i]; t < s.g.start[i+1]; t++ {
			k := max(0, T(gate[0]*s.g.e[t])+gate[1])
			from := s.wbr[int(s.g.to[t])*3*w:][:2*w]
			for c := range h {
				h[c] += T(k*from[c]) + from[w+c]
			}
		}
	}
}

func (s *liState[T]) convBack(b liBlock, params, grad, dh, dx []T) {
	n, w := s.g.n, b.out
	gate, dGate, dBias := network.Of(params, b.gate), network.Of(grad, b.gate), network.Of(grad, b.b)
	d := make([]T, 3*n*w)
	for i := range n {
		dh := dh[i*w:][:w]
		for c, v := range dh {
			d[i*3*w+2*w+c] += v
			dBias[c] += v
		}
		for t := s.g.start[i]; t < s.g.start[i+1]; t++ {
			pre := T(gate[0]*s.g.e[t]) + gate[1]
			k := max(0, pre)
			at := int(s.g.to[t]) * 3 * w
			from, to := s.wbr[at:][:w], d[at:][:2*w]
			var dk T
			for c, v := range dh {
				to[c] += T(k * v)
				to[w+c] += v
				dk += T(v * from[c])
			}
			if pre > 0 {
				dGate[0] += T(dk * s.g.e[t])
				dGate[1] += dk
			}
		}
	}
	dense.Multiply(network.Of(grad, b.w), 3*w, dense.Rows(s.x, b.in).T(), dense.Rows(d, 3*w), b.in, n, 3*w, true, 1)
	if dx != nil {
		dense.Multiply(dx, b.in, dense.Rows(d, 3*w), dense.Rows(network.Of(params, b.w), 3*w).T(), n, 3*w,
			b.in, false, 1)
	}
}

// pool keeps the ⌈rN⌉ best; of equal ones, those of lower number. They stay in
// descending order of their scores, as in PyTorch Geometric.
func (s *liState[T]) pool(b liBlock, params []T, ratio float64) {
	n, w := s.g.n, b.out
	p := network.Of(params, b.p)
	norm := length(p)
	raw := make([]T, n)
	s.score = make([]T, n)
	at := make([]int32, n)
	for i := range n {
		for c, v := range s.h[i*w:][:w] {
			raw[i] += T(v * p[c])
		}
		raw[i] /= norm
		s.score[i] = T(exact.Tanh(float64(raw[i])))
		at[i] = int32(i)
	}
	slices.SortStableFunc(at, func(a, b int32) int { return cmp.Compare(raw[b], raw[a]) })
	s.kept = at[:int(math.Ceil(float64(ratio*float64(n))-1e-9))]
	s.y = make([]T, len(s.kept)*w)
	for k, i := range s.kept {
		for c, v := range s.h[int(i)*w:][:w] {
			s.y[k*w+c] = v * s.score[i]
		}
	}
}

// poolBack takes dL/dy to dL/dh. With q = h·p/‖p‖: dq/dp = (h − q·p/‖p‖)/‖p‖.
func (s *liState[T]) poolBack(b liBlock, params, grad, dy []T) (dh []T) {
	w := b.out
	p, dp := network.Of(params, b.p), network.Of(grad, b.p)
	norm := length(p)
	dh = make([]T, s.g.n*w)
	for k, i := range s.kept {
		h, dh, dy := s.h[int(i)*w:][:w], dh[int(i)*w:][:w], dy[k*w:][:w]
		var dot, dScore T
		for c, v := range h {
			dot += T(v * p[c])
			dScore += T(dy[c] * v)
		}
		score := s.score[i]
		dq := dScore * (1 - T(score*score))
		q := dot / norm
		for c, v := range h {
			dh[c] = T(dy[c]*score) + T(dq*p[c])/norm
			dp[c] += T(dq * ((v - T(q*p[c])/norm) / norm))
		}
	}
	return dh
}

func length[T gnn.Float](p []T) T {
	sum := 0.0
	for _, v := range p {
		sum += float64(float64(v) * float64(v))
	}
	return T(math.Sqrt(sum))
}

// readout is max‖mean over the nodes that were kept.
func (s *liState[T]) readout(w int) []T {
	z := make([]T, 2*w)
	s.best = make([]int32, w)
	n := len(s.kept)
	for c := range w {
		for k := range n {
			v := s.y[k*w+c]
			z[w+c] += v
			if v > s.y[int(s.best[c])*w+c] {
				s.best[c] = int32(k)
			}
		}
		z[c], z[w+c] = s.y[int(s.best[c])*w+c], z[w+c]/T(n)
	}
	return z
}

// readoutBack adds dL/dz to dL/dy.
func (s *liState[T]) readoutBack(w int, dz, dy []T) {
	n := len(s.kept)
	for c := range w {
		dy[int(s.best[c])*w+c] += dz[c]
		mean := dz[w+c] / T(n)
		for k := range n {
			dy[k*w+c] += mean
		}
	}
}

func (m *li2019[T]) Gradient(params, grad []T, cases []int, _ *random.Stream, threads int) (loss float64, right int) {
	n := len(cases)
	states, zs := make([][]liState[T], n), make([][]T, n)
	dense.Each(threads, n, func(k int) { states[k], zs[k] = m.forward(params, m.graphs[cases[k]]) })
	values := network.Through(m.mlp, params, slices.Concat(zs...), 0, n, threads)
	dy := values[len(m.mlp)]
	loss, right = network.Entropies(dy, m.label, cases)
	if grad == nil {
		return loss, right
	}
	dy = network.ThroughBack(m.mlp, params, grad, values, dy, 0, true, n, threads)
	// Each graph goes back by itself; the gradients are added in the order of the batch.
	head := m.mlp[0].W.Offset
	each := make([][]T, n)
	width := len(dy) / n
	dense.Each(threads, n, func(k int) {
		each[k] = make([]T, head)
		m.backward(params, each[k], states[k], dy[k*width:][:width])
	})
	clear(grad[:head])
	for _, g := range each {
		for i, v := range g {
			grad[i] += v
		}
	}
	return loss, right
}

func (m *li2019[T]) backward(params, grad []T, states []liState[T], dz []T) {
	var dNext []T // of the features that the next block sees
	for l := len(states) - 1; l >= 0; l-- {
		s, b := &states[l], m.blocks[l]
		dy := dNext
		if dy == nil {
			dy = make([]T, len(s.y))
		}
		s.readoutBack(b.out, dz[len(dz)-2*b.out:], dy)
		dz = dz[:len(dz)-2*b.out]
		dh := s.poolBack(b, params, grad, dy)
		dNext = nil
		if l > 0 {
			dNext = make([]T, len(s.x))
		}
		s.convBack(b, params, grad, dh, dNext)
	}
}

// A GraphClassifier is trained, and predicts the classes of graphs.
type GraphClassifier interface {
	Probability(graphs []EdgeGraph, threads int) []float64
	Parameters() int
	Note() string
}

type trainedLi[T gnn.Float] struct {
	*li2019[T]
	params  []T
	classes int
	t       network.Training
}

// FitLi2019 trains the network in single precision.
func FitLi2019(ctx context.Context, o Li2019, t network.Training, graphs []EdgeGraph, label []int,
	classes int) (GraphClassifier, error) {
	m := newLi2019[float32](o, len(graphs[0].Features)/graphs[0].Nodes, graphs, label, classes)
	params, err := network.Train[float32](ctx, m, len(graphs), t)
	if err != nil {
		return nil, err
	}
	m.graphs, m.label = nil, nil
	return &trainedLi[float32]{m, params, classes, t}, nil
}

func (m *trainedLi[T]) Probability(graphs []EdgeGraph, threads int) []float64 {
	n := len(graphs)
	zs := make([][]T, n)
	dense.Each(threads, n, func(k int) { _, zs[k] = m.forward(m.params, newLiGraph[T](graphs[k])) })
	values := network.Through(m.mlp, m.params, slices.Concat(zs...), 0, n, threads)
	return network.Probabilities(values[len(m.mlp)], m.classes)
}

func (m *trainedLi[T]) Parameters() int { return len(m.params) }

func (m *trainedLi[T]) Note() string {
	return fmt.Sprintf("NNConv %v, MLP %v, %s", m.Widths, m.Hidden, words.Count(m.t.Epochs, "epoch"))
}
