package rival

import (
	"fmt"
	"math"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// A bntBlock is one of the two encoder blocks.
type bntBlock[T gnn.Float] struct {
	heads, columns int
	in, out        network.Full[T] // of attention: to q, k and v, and from the joined heads
	up, down       network.Full[T]
	first, second  norm // after attention, after the full layers
}

// A norm is the scale and the shift of a layer normalization.
type norm struct{ scale, shift gnn.Param }

func newBNTBlock[T gnn.Float](l *gnn.Layout, number, columns int, o BNT) bntBlock[T] {
	name := func(s string) string { return fmt.Sprintf(s, number) }
	full := func(in, out int, w, b string) network.Full[T] {
		return network.Full[T]{In: in, Out: out, W: network.Add(l, name(w), in, out), B: network.Add(l, name(b), out)}
	}
	b := bntBlock[T]{heads: o.Heads, columns: columns}
	// as PyTorch's attention begins: Xavier's weights of q, k and v, biases of 0
	b.in = full(columns, 3*columns, "a%d_in_X", "a%d_in_shift")
	b.out = full(columns, columns, "a%d_out_W", "a%d_out_shift")
	b.up = full(columns, o.FeedForward, "f%d_1_W", "f%d_1_b")
	b.down = full(o.FeedForward, columns, "f%d_2_W", "f%d_2_b")
	for i, n := range []*norm{&b.first, &b.second} {
		n.scale = network.Add(l, fmt.Sprintf("n%d_%d_scale", number, i+1), columns)
		n.shift = network.Add(l, fmt.Sprintf("n%d_%d_shift", number, i+1), columns)
	}
	return b
}

// A mask holds the factors of dropout of one participant in one block.
type mask[T gnn.Float] struct {
	attention         network.Mask[T] // heads × nodes × nodes
	first, up, second network.Mask[T] // nodes × columns, × FeedForward, × columns
}

func firstOf[T gnn.Float](m *mask[T]) network.Mask[T]  { return m.first }
func secondOf[T gnn.Float](m *mask[T]) network.Mask[T] { return m.second }

// masks draws those of some participants: block × participant.
func (n *bntNet[T]) masks(graphs int, stream *random.Stream, threads int) [][]*mask[T] {
	all := make([][]*mask[T], len(n.blocks))
	seeds := make([]uint64, len(all)*graphs)
	for i := range all {
		all[i] = make([]*mask[T], graphs)
	}
	for i := range seeds {
		seeds[i] = stream.Uint64()
	}
	dense.Each(threads, len(seeds), func(i int) {
		r := random.New(seeds[i], "dropout")
		draw := func(size int) network.Mask[T] {
			return network.NewMask[T](n.memory.kept.Take(size), n.Dropout, r)
		}
		m := &mask[T]{draw(n.Heads * n.Nodes * n.Nodes), draw(n.Nodes * n.columns), draw(n.Nodes * n.FeedForward),
			draw(n.Nodes * n.columns)}
		all[i/graphs][i%graphs] = m
	})
	return all
}

// A state is what the forward pass of a block leaves.
type state[T gnn.Float] struct {
	memory        *network.Memory[T]
	nodes         int
	masks         []*mask[T] // of each participant; nil without dropout
	x             []T        // rows × columns
	qkv           []T        // rows × 3·columns
	attention     []T        // participants × heads × nodes × nodes, before dropout
	joined        []T        // rows × columns: the heads' results
	hidden        []T        // rows × FeedForward, after ReLU and dropout
	first, second *normal[T]
}

// A normal is what a layer normalization leaves.
type normal[T gnn.Float] struct {
	before  []T // rows × columns: normalized, before scale and shift
	inverse []T // of each row: 1/√(var + ε)
	out     []T
}

// graph is the part of a participant.
func graph[T any](v []T, g, graphs int) []T { return v[g*(len(v)/graphs):][:len(v)/graphs] }

func (b *bntBlock[T]) forward(params, x []T, nodes int, masks []*mask[T],
	memory *network.Memory[T], threads int) *state[T] {
	c, h := b.columns, b.heads
	rows := len(x) / c
	graphs := rows / nodes
	s := &state[T]{memory: memory, nodes: nodes, masks: masks, x: x, qkv: memory.Take(rows * 3 * c),
		joined: memory.Take(rows * c), attention: memory.Take(graphs * h * nodes * nodes),
		hidden: memory.Take(rows * b.up.Out)}
	b.in.Forward(s.qkv, x, params, rows, threads)
	factor := T(1 / math.Sqrt(float64(c/h)))
	dense.Each(threads, graphs*h, func(i int) {
		q, k, v := b.parts(s.qkv, i/h, i%h, nodes)
		a := s.attention[i*nodes*nodes:][:nodes*nodes]
		dense.Multiply(a, nodes, q, k.T(), nodes, c/h, nodes, false, 1)
		gnn.Scale(a, factor)
		softmax(a, nodes)
		dropped := s.dropped(i, h)
		dense.Multiply(s.joined[i/h*nodes*c+i%h*(c/h):], c, dense.Rows(dropped, nodes), v, nodes, nodes, c/h, false, 1)
		s.done(dropped)
	})
	y := memory.Take(rows * c)
	b.out.Forward(y, s.joined, params, rows, threads)
	s.first = join(b.first, params, x, y, c, masks, firstOf[T], memory, graphs, threads)
	b.up.Forward(s.hidden, s.first.out, params, rows, threads)
	dense.Each(threads, graphs, func(g int) {
		part := graph(s.hidden, g, graphs)
		gnn.ReLU(part, 0)
		if masks != nil {
			masks[g].up.Drop(part, part, 0)
		}
	})
	b.down.Forward(y, s.hidden, params, rows, threads)
	s.second = join(b.second, params, s.first.out, y, c, masks, secondOf[T], memory, graphs, threads)
	return s
}

// parts are q, k and v of a head of a participant.
func (b *bntBlock[T]) parts(qkv []T, g, head, nodes int) (q, k, v dense.View[T]) {
	c := b.columns
	at := g*nodes*3*c + head*(c/b.heads)
	return dense.Rows(qkv[at:], 3*c), dense.Rows(qkv[at+c:], 3*c), dense.Rows(qkv[at+2*c:], 3*c)
}

// dropped is the attention of a head, after dropout, until done.
func (s *state[T]) dropped(i, heads int) []T {
	size := s.nodes * s.nodes
	a := s.attention[i*size:][:size]
	if s.masks == nil {
		return a
	}
	out := s.memory.Take(size)
	s.masks[i/heads].attention.Drop(out, a, i%heads*size)
	return out
}

func (s *state[T]) done(dropped []T) {
	if s.masks != nil {
		s.memory.Give(dropped)
	}
}

// join is LN(x + y), y after dropout; y is overwritten.
func join[T gnn.Float](l norm, params, x, y []T, columns int, masks []*mask[T], of func(*mask[T]) network.Mask[T],
	memory *network.Memory[T], graphs, threads int) *normal[T] {
	n := &normal[T]{before: memory.Take(len(x)), inverse: memory.Take(len(x) / columns), out: memory.Take(len(x))}
	scale, shift := network.Of(params, l.scale), network.Of(params, l.shift)
	dense.Each(threads, graphs, func(g int) {
		if masks != nil {
			part := graph(y, g, graphs)
			of(masks[g]).Drop(part, part, 0)
		}
		from := g * (len(x) / graphs)
		for at := from; at < from+len(x)/graphs; at += columns {
			row, out := n.before[at:][:columns], n.out[at:][:columns]
			copy(row, y[at:])
			gnn.Add(row, x[at:][:columns])
			n.inverse[at/columns] = network.Normalize(row)
			gnn.Affine(out, row, scale, shift)
		}
	})
	return n
}

// unjoin turns the gradient d of a layer normalization into that of what was normalized.
func unjoin[T gnn.Float](l norm, params, grad []T, n *normal[T], d []T, columns, graphs, threads int) {
	scale := network.Of(params, l.scale)
	parts := make([]T, 2*graphs*columns) // of each participant: of scale, of shift
	dense.Each(threads, graphs, func(g int) {
		ds, dt := parts[2*g*columns:][:columns], parts[(2*g+1)*columns:][:columns]
		from := g * (len(d) / graphs)
		for at := from; at < from+len(d)/graphs; at += columns {
			gnn.Uncenter(d[at:][:columns], n.before[at:][:columns], scale, ds, dt, n.inverse[at/columns])
		}
	})
	ds, dt := network.Of(grad, l.scale), network.Of(grad, l.shift)
	clear(ds)
	clear(dt)
	for g := range graphs {
		for j := range columns {
			ds[j] += parts[2*g*columns+j]
			dt[j] += parts[(2*g+1)*columns+j]
		}
	}
}

// back carries the gradient d of the block's result to the parameters, and returns that of x if it is wanted. d
// is overwritten.
func (b *bntBlock[T]) back(params, grad []T, s *state[T], d []T, wanted bool, threads int) []T {
	c, h, nodes := b.columns, b.heads, s.nodes
	rows := len(s.x) / c
	graphs := rows / nodes
	// through is the gradient of what was added, before its dropout
	through := func(d []T, of func(*mask[T]) network.Mask[T]) []T {
		if s.masks == nil {
			return d
		}
		out := s.memory.Take(len(d))
		for g, m := range s.masks {
			of(m).Drop(graph(out, g, graphs), graph(d, g, graphs), 0)
		}
		return out
	}
	unjoin(b.second, params, grad, s.second, d, c, graphs, threads)
	up := s.memory.Take(rows * b.up.Out)
	b.down.Backward(up, through(d, secondOf[T]), s.hidden, params, grad, rows, threads)
	dense.Each(threads, graphs, func(g int) {
		part := graph(up, g, graphs)
		if s.masks != nil {
			s.masks[g].up.Drop(part, part, 0)
		}
		gnn.ReLUBack(part, graph(s.hidden, g, graphs), 0)
	})
	dx := s.memory.Take(rows * c)
	b.up.Backward(dx, up, s.first.out, params, grad, rows, threads)
	gnn.Add(dx, d)
	unjoin(b.first, params, grad, s.first, dx, c, graphs, threads)
	joined := d
	b.out.Backward(joined, through(dx, firstOf[T]), s.joined, params, grad, rows, threads)

	dqkv := s.memory.Take(rows * 3 * c)
	factor := T(1 / math.Sqrt(float64(c/h)))
	dense.Each(threads, graphs*h, func(i int) {
		q, k, v := b.parts(s.qkv, i/h, i%h, nodes)
		at := i/h*nodes*3*c + i%h*(c/h)
		dj := dense.Rows(joined[i/h*nodes*c+i%h*(c/h):], c)
		da, dropped := s.memory.Take(nodes*nodes), s.dropped(i, h)
		defer s.done(dropped)
		defer s.memory.Give(da)
		dense.Multiply(da, nodes, dj, v.T(), nodes, c/h, nodes, false, 1)
		dense.Multiply(dqkv[at+2*c:], 3*c, dense.Rows(dropped, nodes).T(), dj, nodes, nodes, c/h, false, 1)
		if s.masks != nil {
			s.masks[i/h].attention.Drop(da, da, i%h*nodes*nodes)
		}
		softmaxBack(da, s.attention[i*nodes*nodes:][:nodes*nodes], nodes, factor)
		dense.Multiply(dqkv[at:], 3*c, dense.Rows(da, nodes), k, nodes, nodes, c/h, false, 1)
		dense.Multiply(dqkv[at+c:], 3*c, dense.Rows(da, nodes).T(), q, nodes, nodes, c/h, false, 1)
	})
	var out []T
	if wanted {
		out = s.memory.Take(rows * c)
	}
	b.in.Backward(out, dqkv, s.x, params, grad, rows, threads)
	if wanted {
		gnn.Add(out, dx)
	}
	return out
}

// softmax replaces rows of this width by their softmax.
func softmax[T gnn.Float](v []T, width int) {
	for at := 0; at < len(v); at += width {
		gnn.Softmax(v[at:][:width])
	}
}

// softmaxBack turns the gradient d of softmaxes p of factor·x, row by row, into that of x.
func softmaxBack[T gnn.Float](d, p []T, width int, factor T) {
	for at := 0; at < len(d); at += width {
		gnn.SoftmaxBack(d[at:][:width], p[at:][:width], factor)
	}
}
