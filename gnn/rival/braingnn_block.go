package rival

import (
	"fmt"
	"slices"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/dense"
)

// A brainBlock is a convolution and the pooling after it, and the memory of a batch. Rows are the nodes that enter,
// those of one graph after those of the one before.
type brainBlock[T gnn.Float] struct {
	in, out int
	member  gnn.Param       // nodes × communities: Θ1, transposed
	kernel  network.Full[T] // from communities to in·out
	bias    gnn.Param
	pool    gnn.Param // out × 1

	graphs, size, keep int     // keep of size nodes stay
	row                []int32 // the rows by region, those of a region in their order
	first              []int   // where those of each region begin in row
	edges              [][]T   // of each graph: size × size
	inner              [][]T   // memory of edges that are computed
	kept               []int32 // graphs · keep: the regions that stay, the highest score first
	at                 []int32 // their places in the graph
	best               []int32 // graphs × out: which of those has the largest feature
	inverse            []T     // of each graph: 1/sd of its scores
	unit               []T     // w/‖w‖
	length             T       // ‖w‖
	region             []int32 // of each row
	members, w         []T     // nodes × communities, nodes × in·out
	x, y, h            []T     // rows by region × in; rows × out: W_i h_i; rows × out
	score, gate        []T     // of each row: s, sigmoid(s)
	pooled             []T     // graphs · keep × out
	turned             []T     // rows by region × out
	dScore, dh, dy, dp []T     // gradients
	dw                 []T     // nodes × in·out
	parts              []T     // graphs × 2·out: gradients of bias and unit
}

func newBrainBlock[T gnn.Float](l *gnn.Layout, o BrainGNN, number, in, out int) *brainBlock[T] {
	name := func(s string) string { return fmt.Sprintf("conv%d_%s", number, s) }
	b := &brainBlock[T]{in: in, out: out}
	b.member = network.Add(l, name("member_W"), o.Nodes, o.Communities)
	b.kernel = network.Full[T]{In: o.Communities, Out: in * out,
		W: network.Add(l, name("kernel_W"), o.Communities, in*out), B: network.Add(l, name("kernel_b"), in*out)}
	if o.ConvBias {
		b.bias = network.Add(l, name("b"), out)
	}
	b.pool = network.Add(l, name("pool_W"), out, 1)
	return b
}

// arrange sorts the rows by region.
func (b *brainBlock[T]) arrange(nodes int, region func(row int) int32) {
	rows := b.graphs * b.size
	network.Size(&b.region, rows)
	network.Size(&b.row, rows)
	clear(network.Size(&b.first, nodes+1))
	for i := range rows {
		r := region(i)
		b.region[i] = r
		b.first[r+1]++
	}
	for r := range nodes {
		b.first[r+1] += b.first[r]
	}
	next := slices.Clone(b.first)
	for i, r := range b.region {
		b.row[next[r]] = int32(i)
		next[r]++
	}
}

// forward computes a batch of graphs with as many nodes each; x and region give the features and the region of
// a row, edges the weights of a graph, for which there is memory.
func (b *brainBlock[T]) forward(o BrainGNN, params []T, graphs, size, threads int, x func(row int) []T,
	region func(row int) int32, edges func(g int, memory []T) []T) {
	rows := graphs * size
	b.graphs, b.size, b.keep = graphs, size, o.kept(size)
	b.arrange(o.Nodes, region)
	copy(network.Size(&b.members, o.Nodes*o.Communities), network.Of(params, b.member))
	gnn.ReLU(b.members, 0)
	b.kernel.Forward(network.Size(&b.w, o.Nodes*b.kernel.Out), b.members, params, o.Nodes, threads)
	network.Size(&b.x, rows*b.in)
	network.Size(&b.y, rows*b.out)
	network.Size(&b.turned, rows*b.out)
	dense.Each(threads, o.Nodes, func(r int) {
		lo, hi := b.first[r], b.first[r+1]
		for k, i := range b.row[lo:hi] {
			copy(b.x[(lo+k)*b.in:][:b.in], x(int(i)))
		}
		rows := dense.Rows(b.x[lo*b.in:], b.in)
		dense.Multiply(b.turned[lo*b.out:], b.out, rows, b.of(r), hi-lo, b.in, b.out, false, 1)
		for k, i := range b.row[lo:hi] {
			copy(b.y[int(i)*b.out:], b.turned[(lo+k)*b.out:][:b.out])
		}
	})
	w := network.Of(params, b.pool)
	network.Size(&b.unit, b.out)
	b.length = root(dense.Dot(w, w))
	for j, v := range w {
		b.unit[j] = v / b.length
	}
	network.Size(&b.h, rows*b.out)
	network.Size(&b.score, rows)
	network.Size(&b.gate, rows)
	network.Size(&b.inverse, graphs)
	network.Size(&b.kept, graphs*b.keep)
	network.Size(&b.at, graphs*b.keep)
	network.Size(&b.pooled, graphs*b.keep*b.out)
	network.Size(&b.best, graphs*b.out)
	network.Size(&b.edges, graphs)
	for len(b.inner) < graphs {
		b.inner = append(b.inner, nil)
	}
	dense.Each(threads, graphs, func(g int) {
		b.edges[g] = edges(g, network.Size(&b.inner[g], 2*size*size))
		h := b.h[g*size*b.out:][:size*b.out]
		dense.Multiply(h, b.out, dense.Rows(b.edges[g], size), dense.Rows(b.y[g*size*b.out:], b.out), size, size, b.out,
			false, 1)
		if o.ConvBias {
			bias := network.Of(params, b.bias)
			for at := 0; at < len(h); at += b.out {
				gnn.Add(h[at:][:b.out], bias)
			}
		}
		if o.ReLU {
			gnn.ReLU(h, 0)
		}
		b.choose(o, g)
	})
}

// of is the kernel of a region, in × out.
func (b *brainBlock[T]) of(r int) dense.View[T] { return dense.Rows(b.w[r*b.kernel.Out:], b.out) }

// choose rates the nodes of a graph and keeps the best; of equal ones the first.
func (b *brainBlock[T]) choose(o BrainGNN, g int) {
	score, gate := b.score[g*b.size:][:b.size], b.gate[g*b.size:][:b.size]
	for i := range score {
		score[i] = dense.Dot(b.h[(g*b.size+i)*b.out:][:b.out], b.unit)
	}
	if o.ZScore {
		b.inverse[g] = standardize(score)
	}
	for i, s := range score {
		gate[i] = 1 / (1 + gnn.Exp(-s))
	}
	rank, order := make([]int32, b.size), make([]int32, b.size)
	gnn.Rank(rank, score)
	for i, r := range rank {
		order[r] = int32(i)
	}
	best := b.best[g*b.out:][:b.out]
	clear(best)
	for p, i := range order[:b.keep] {
		at := g*b.keep + p
		b.at[at], b.kept[at] = i, b.region[g*b.size+int(i)]
		h, to := b.h[(g*b.size+int(i))*b.out:][:b.out], b.pooled[at*b.out:][:b.out]
		for j, v := range h {
			to[j] = v * gate[i]
			if to[j] > b.pooled[(g*b.keep+int(best[j]))*b.out+j] {
				best[j] = int32(p)
			}
		}
	}
}

// standardize z-scores v (population sd) in place and returns 1/sd; equal values become 0, and do not move.
func standardize[T gnn.Float](v []T) (inverse T) {
	if variance := gnn.Center(v); variance > 0 {
		inverse = 1 / root(variance)
	}
	for i := range v {
		v[i] *= inverse
	}
	return inverse
}

// read writes mean and maximum of each feature over the kept nodes to part of z, rows of this width.
func (b *brainBlock[T]) read(z []T, width, part int) {
	for g := range b.graphs {
		mean, most := z[g*width+part:][:b.out], z[g*width+part+b.out:][:b.out]
		clear(mean)
		for p := range b.keep {
			gnn.Add(mean, b.pooled[(g*b.keep+p)*b.out:][:b.out])
		}
		for j, p := range b.best[g*b.out:][:b.out] {
			mean[j] /= T(b.keep)
			most[j] = b.pooled[(g*b.keep+int(p))*b.out+j]
		}
	}
}

// readBack sets the gradient of the kept nodes' features to that which comes from z, or adds to it.
func (b *brainBlock[T]) readBack(dz []T, width, part int, more bool) {
	dp := network.Size(&b.dp, len(b.pooled))
	if !more {
		clear(dp)
	}
	mean := make([]T, b.out)
	for g := range b.graphs {
		row := dz[g*width+part:]
		for j := range mean {
			mean[j] = row[j] / T(b.keep)
		}
		for p := range b.keep {
			gnn.Add(dp[(g*b.keep+p)*b.out:][:b.out], mean)
		}
		for j, p := range b.best[g*b.out:][:b.out] {
			dp[(g*b.keep+int(p))*b.out+j] += row[b.out+j]
		}
	}
}

// back carries the gradients dp of what is kept and dScore of the scores to the parameters, and to dx, the
// features that entered, unless it is nil.
func (b *brainBlock[T]) back(o BrainGNN, params, grad, dx []T, threads int) {
	rows, size := b.graphs*b.size, b.size
	network.Size(&b.dh, rows*b.out)
	network.Size(&b.dy, rows*b.out)
	network.Size(&b.parts, b.graphs*2*b.out)
	dense.Each(threads, b.graphs, func(g int) {
		dh := b.dh[g*size*b.out:][:size*b.out]
		b.chooseBack(o, g, dh)
		if o.ReLU {
			gnn.ReLUBack(dh, b.h[g*size*b.out:][:size*b.out], 0)
		}
		sum := b.parts[2*g*b.out:][:b.out]
		clear(sum)
		for at := 0; at < len(dh); at += b.out {
			gnn.Add(sum, dh[at:][:b.out])
		}
		dense.Multiply(b.dy[g*size*b.out:], b.out, dense.Rows(b.edges[g], size).T(), dense.Rows(dh, b.out), size, size,
			b.out, false, 1)
	})
	du, db := make([]T, b.out), make([]T, b.out)
	for g := range b.graphs {
		gnn.Add(db, b.parts[2*g*b.out:][:b.out])
		gnn.Add(du, b.parts[(2*g+1)*b.out:][:b.out])
	}
	if o.ConvBias {
		copy(network.Of(grad, b.bias), db)
	}
	along, dw := dense.Dot(du, b.unit), network.Of(grad, b.pool)
	for j := range dw { // of ‖w‖, the loss has written
		dw[j] += (du[j] - T(along*b.unit[j])) / b.length
	}
	network.Size(&b.dw, len(b.w))
	dense.Each(threads, o.Nodes, func(r int) {
		lo, hi := b.first[r], b.first[r+1]
		dy := b.turned[lo*b.out : hi*b.out]
		for k, i := range b.row[lo:hi] {
			copy(dy[k*b.out:][:b.out], b.dy[int(i)*b.out:])
		}
		x := dense.Rows(b.x[lo*b.in:], b.in)
		dense.Multiply(b.dw[r*b.kernel.Out:], b.out, x.T(), dense.Rows(dy, b.out), b.in, hi-lo, b.out, false, 1)
		if dx == nil {
			return
		}
		// x is not needed any more: its gradient takes the place
		dense.Multiply(b.x[lo*b.in:], b.in, dense.Rows(dy, b.out), b.of(r).T(), hi-lo, b.out, b.in, false, 1)
		for k, i := range b.row[lo:hi] {
			copy(dx[int(i)*b.in:], b.x[(lo+k)*b.in:][:b.in])
		}
	})
	dMember := network.Of(grad, b.member)
	b.kernel.Backward(dMember, b.dw, b.members, params, grad, o.Nodes, threads)
	gnn.ReLUBack(dMember, b.members, 0)
}

// chooseBack takes the gradient of one graph through gates and scores to dh.
func (b *brainBlock[T]) chooseBack(o BrainGNN, g int, dh []T) {
	clear(dh)
	score, gate, ds := b.score[g*b.size:][:b.size], b.gate[g*b.size:][:b.size], b.dScore[g*b.size:][:b.size]
	for p := range b.keep {
		at := g*b.keep + p
		i := int(b.at[at])
		d, to := b.dp[at*b.out:][:b.out], dh[i*b.out:][:b.out]
		ds[i] += T(dense.Dot(d, b.h[(g*b.size+i)*b.out:][:b.out]) * gate[i] * (1 - gate[i]))
		for j, v := range d {
			to[j] = v * gate[i]
		}
	}
	if o.ZScore {
		mean, along := T(0), T(0)
		for i, v := range ds {
			mean += v
			along += T(v * score[i])
		}
		mean, along = mean/T(b.size), along/T(b.size)
		for i, v := range ds {
			ds[i] = b.inverse[g] * (v - mean - T(score[i]*along))
		}
	}
	dense.Multiply(b.parts[(2*g+1)*b.out:], b.out, dense.Rows(ds, b.size), dense.Rows(b.h[g*b.size*b.out:], b.out), 1,
		b.size, b.out, false, 1)
	dense.Multiply(dh, b.out, dense.Rows(ds, 1), dense.Rows(b.unit, b.out), b.size, 1, b.out, true, 1)
}
