package gnn

// A block is one graph convolution and the pooling after it (Eq. 1–4).
type block[T Float] struct {
	conv  conv[T]
	score score[T] // SAGE pooling: the scoring convolution
	unit  []T      // TopK pooling: w/‖w‖, padded; nil for SAGE
	norm  T        // ‖w‖

	pW    Param
	dUnit span
	last  bool // no block follows
}

func newBlock[T Float](m *Model[T], l, in, out int) block[T] {
	b := block[T]{conv: newConv(m, l, in, out), last: l == len(m.Widths)-1}
	if m.Pool == "topk" {
		b.unit, b.pW, b.dUnit = make([]T, padded(out)), m.param("pool%d_w", l+1), m.room(out)
	} else {
		b.score = newScore(m, l, out)
	}
	return b
}

func (b *block[T]) prepare(params []T) {
	b.conv.prepare(params)
	if b.unit == nil {
		b.score.prepare(params)
		return
	}
	w := of(params, b.pW)
	b.norm = length(w)
	for i, x := range w {
		b.unit[i] = x / b.norm
	}
}

// finish takes the gradient through w/‖w‖: with u = w/‖w‖, dw = (du − (du·u)u)/‖w‖.
func (b *block[T]) finish(grad, working []T) {
	b.conv.finish(grad, working)
	if b.unit == nil {
		b.score.finish(grad, working)
		return
	}
	dw, du := of(grad, b.pW), part(working, b.dUnit)
	along := dot(du, b.unit, len(b.unit))
	for i := range dw {
		dw[i] = (du[i] - T(along*b.unit[i])) / b.norm
	}
}

// A blockState is what one graph of n nodes leaves in a block.
type blockState[T Float] struct {
	adj    *adjacency[T] // of the block's input
	in     []T           // n × stride: the block's input
	stride int
	node   []int32 // n: which nodes of the whole graph these are

	conv  convState[T]
	score scoreState[T]
	raw   []T     // n: score before the sigmoid
	s     []T     // n: pooling score
	tail  []T     // n: exp(−|raw|)
	rank  []int32 // n: place of each node in descending order of raw
	order []int32 // n: the node at each place; the first k are kept
	k     int
	out   []T // k × P: features after pooling, in that order
	sum   []T // P: of its rows

	next     adjacency[T] // among the kept nodes, in that order
	nextNode []int32      // k

	dist                 float64 // this graph's distance loss
	dRaw                 []T     // n: its gradient, times λ₁
	weight, value, slope []T     // of mmdSums
	dS                   []T     // n: gradient of the losses that look at the whole batch
}

// scratch is the working memory of one goroutine.
type scratch[T Float] struct {
	conv convScratch[T]
	dRaw []T   // n
	dh   []T   // n × P
	dOut [][]T // per block: k × P
	dIn  []T   // n × padded(d)
	row  []T   // P
	ones []T   // as many as there are rows
	dz   []T
	dy   []T

	room []T // for the features of a packed graph

	counts []ScoreCounts // of pooling scores, one a block
}

// forward runs convolution and pooling:
//
//	s_i = sigmoid(h_i·w/‖w‖)  or  sigmoid(φ^θ(H, E)_i)
//	idx = top(s, k), ranked by the raw score, the earlier node first among equals
//	out_p = s_i·h_i,  E' = E[idx, idx],  i = idx_p
func (b *block[T]) forward(m *Model[T], st *blockState[T], soon []T) {
	n, w := st.adj.n, padded(b.conv.out)
	slope := T(m.Slope)
	b.conv.forward(m.k, &st.conv, st.adj, st.in, st.stride, slope, soon)
	h := st.conv.h

	st.raw, st.s, st.tail = resize(st.raw, padded(n)), resize(st.s, padded(n)), resize(st.tail, padded(n))
	clear(st.raw)
	if b.unit != nil {
		m.k.dots(st.raw, h, b.unit, n, w)
	} else {
		b.score.forward(m.k, &st.score, st.adj, h, w, slope, st.raw)
	}
	if m.Center {
		takeMean(st.raw[:n])
	}
	m.k.sigmoid(st.s, st.tail, st.raw)
	st.rank, st.order = resize(st.rank, padded(n)), resize(st.order, n)
	m.k.rank(st.rank, st.raw, n)
	st.raw, st.s, st.tail, st.rank = st.raw[:n], st.s[:n], st.tail[:n], st.rank[:n]
	for _, r := range st.raw {
		if r != r { // scores that are not numbers have no order; the loss will tell
			for i := range st.rank {
				st.rank[i] = int32(i)
			}
			break
		}
	}
	for i, r := range st.rank {
		st.order[r] = int32(i)
	}
	st.k = m.Keep(n)
	st.out = resize(st.out, st.k*w)
	if m.Gate {
		m.k.gate(st.out, h, st.s, st.order[:st.k], w)
	} else {
		for p, i := range st.order[:st.k] {
			copy(st.out[p*w:][:w], h[int(i)*w:])
		}
	}
	if b.last {
		return
	}
	st.next.induce(m.k, st.adj, st.rank, st.k)
	if m.Augment {
		st.next.augment(m.k, m.EdgeWeights)
	}
	st.nextNode = resize(st.nextNode, st.k)
	for p, i := range st.order[:st.k] {
		st.nextNode[p] = st.node[i]
	}
}

// backward takes dOut = dL/dout (k × P), dRaw and dS, writes the gradients of the
// block's weights into grad and, when dIn is not nil, that of its input there.
//
//	dh_i = s_i·dout_p for kept nodes;  ds_i = dS_i + h_i·dout_p
//	draw_i = ds_i·s_i·(1−s_i) + dRaw_i
//	TopK: dh_i += draw_i·u, du = Σ draw_i h_i
func (b *block[T]) backward(m *Model[T], st *blockState[T], scratch *scratch[T], dOut, grad, dIn, soon []T) {
	n, w := st.adj.n, padded(b.conv.out)
	slope := T(m.Slope)
	h := st.conv.h
	scratch.dRaw, scratch.dh = resize(scratch.dRaw, padded(n)), resize(scratch.dh, n*w)
	dr, dh := scratch.dRaw[:padded(n)], scratch.dh
	clear(dh)
	copy(dr, st.dS[:n])
	if m.Gate {
		m.k.gateBack(dh, dr, dOut, h, st.s, st.order[:st.k], w)
	} else {
		for p, i := range st.order[:st.k] {
			copy(dh[int(i)*w:][:w], dOut[p*w:])
		}
	}
	for i, s := range st.s {
		dr[i] = T(dr[i]*s*(1-s)) + st.dRaw[i]
	}
	if m.Center {
		takeMean(dr[:n])
	}
	if b.unit != nil {
		m.k.outerAdd(dh, dr, b.unit, n, w)
		m.k.gemm(part(grad, b.dUnit), w, dr, 0, 1, h, w, 1, n, w, nil)
	} else {
		b.score.backward(m.k, &st.score, st.adj, h, w, slope, dr, dh, &scratch.conv, grad)
	}
	b.conv.backward(m.k, &st.conv, st.adj, st.in, st.stride, slope, dh, &scratch.conv, grad, dIn, soon)
}

// takeMean subtracts the mean; it is its own gradient.
func takeMean[T Float](v []T) {
	var sum T
	for _, x := range v {
		sum += x
	}
	mean := sum / T(len(v))
	for i := range v {
		v[i] -= mean
	}
}
