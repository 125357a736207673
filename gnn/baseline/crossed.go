package baseline

import (
	"math"
	"unsafe"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/dense"
)

// An edge-to-edge layer gives a map that two vectors of each channel k hold:
//
//	y[k,i,j] = leaky(row[k,i] + col[k,j])
//
// A filter that runs along a row of it, Σ_j W[j]·leaky(row[i] + col[j]), is a function of one number,
// row[i], linear between the points −col[j]. With the nodes j by falling col, and p of the d nodes having a sum
// above 0,
//
//	Σ_j W[j]·leaky(row[i] + col[j]) = slope·(row[i]·A(d) + B(d)) + (1 − slope)·(row[i]·A(p) + B(p))
//	A(p) = Σ_{first p} W[j],  B(p) = Σ_{first p} W[j]·col[j]
//
// So one pass over the sorted nodes serves all i, and no map of d × d is ever written. The gradients have
// the same form: that of W[j] is a filter along i with the gradients of the results as its weights, and the
// derivative of the function above is slope·A(d) + (1 − slope)·A(p).

// A crossing holds the maps of a batch of cases.
type crossing[T gnn.Float] struct {
	row, col           []T // case, channel × node
	rowOrder, colOrder []int32
	rowAbove, colAbove []int32
	d, channels        int
}

// A side is one of the two vectors of a case and a channel.
type side[T gnn.Float] struct {
	v     []T
	order []int32 // the nodes by falling v; equal ones by number
	above []int32 // of each node: how many nodes of the other side have a sum with it that is above 0
}

// sides are those of a case and a channel.
func (c *crossing[T]) sides(at, k int) (row, col side[T]) {
	i := (at*c.channels + k) * c.d
	return side[T]{c.row[i:][:c.d], c.rowOrder[i:][:c.d], c.rowAbove[i:][:c.d]},
		side[T]{c.col[i:][:c.d], c.colOrder[i:][:c.d], c.colAbove[i:][:c.d]}
}

// set takes the sums of the row and column filters (case, node × channel) and their biases.
func (c *crossing[T]) set(rows, cols, rowB, colB []T, n, d, threads int) {
	w := len(rowB)
	c.d, c.channels = d, w
	for _, s := range []*[]T{&c.row, &c.col} {
		network.Size(s, n*w*d)
	}
	for _, s := range []*[]int32{&c.rowOrder, &c.colOrder, &c.rowAbove, &c.colAbove} {
		network.Size(s, n*w*d)
	}
	dense.Each(threads, n, func(at int) {
		var s sorter[T]
		turn(c.row[at*w*d:][:w*d], rows[at*w*d:], d, w)
		turn(c.col[at*w*d:][:w*d], cols[at*w*d:], d, w)
		for k := range w {
			row, col := c.sides(at, k)
			for j := range col.v {
				col.v[j] += rowB[k] + colB[k]
			}
			s.sort(row, col)
		}
	})
}

// sort sets the orders and the counts of two sides.
func (s *sorter[T]) sort(row, col side[T]) {
	s.falling(row)
	s.falling(col)
	// Both lists are merged, −row and col rising. What is written for a node stands when its list moves on.
	d := len(row.v)
	rows, cols := row.order, col.order
	p, j := 0, d-1
	for p < d && j >= 0 {
		r, c := rows[p], cols[j]
		row.above[r], col.above[c] = int32(j+1), int32(p)
		next := 0 // no branch, which would be guessed wrong half of the time
		if row.v[r]+col.v[c] > 0 {
			next = 1
		}
		p += next
		j += next - 1
	}
	for ; p < d; p++ {
		row.above[rows[p]] = 0
	}
	for ; j >= 0; j-- {
		col.above[cols[j]] = int32(d)
	}
}

// A sorter orders nodes, byte by byte of their values; memory is reused.
type sorter[T gnn.Float] struct {
	key, moved   []uint64
	node, spared []int32
}

// falling orders the nodes of a side.
func (s *sorter[T]) falling(x side[T]) {
	d, size := len(x.v), int(unsafe.Sizeof(x.v[0]))
	key, node := network.Size(&s.key, d), network.Size(&s.node, d)
	moved, spared := network.Size(&s.moved, d), network.Size(&s.spared, d)
	var from [8][256]int32
	for i, v := range x.v {
		k := falling(v)
		key[i], node[i] = k, int32(i)
		for b := range size {
			from[b][byte(k>>(8*b))]++
		}
	}
	for b := range size {
		at := int32(0)
		for i, n := range from[b] {
			from[b][i] = at
			at += n
		}
		for i, k := range key {
			to := &from[b][byte(k>>(8*b))]
			moved[*to], spared[*to] = k, node[i]
			*to++
		}
		key, moved, node, spared = moved, key, spared, node
	}
	copy(x.order, node)
}

// falling turns a value into a number that falls as it rises; −0 is 0.
func falling[T gnn.Float](v T) uint64 {
	v += 0
	if unsafe.Sizeof(v) == 4 {
		b := math.Float32bits(float32(v))
		return uint64(^(b ^ (uint32(int32(b)>>31) | 1<<31)))
	}
	b := math.Float64bits(float64(v))
	return ^(b ^ (uint64(int64(b)>>63) | 1<<63))
}

// block is how many channels of a filter's results are computed at a time: their sums stay in the nearest cache.
const block = 16

// sums are the inner loops, over up to 16 channels: columns of weights, out and d, whose rows are stride values
// apart. Tables have rows of 16.
type sums[T gnn.Float] struct {
	// fill sets a and b to A(p) and B(p) of weights along a side; without b, to A alone.
	fill func(a, b, weights []T, stride, cols int, along side[T])
	// add adds the filter's result to out for each node of the other side.
	add func(out []T, stride, cols int, a, b []T, across side[T], slope T)
	// slopes sets dv to the derivatives of the results by the values of the other side, times d, added up.
	slopes func(dv, d []T, stride, cols int, a []T, across side[T], slope T)
}

func fill[T gnn.Float](a, b, weights []T, stride, cols int, along side[T]) {
	clear(a[:block])
	if b != nil {
		clear(b[:block])
	}
	for p, j := range along.order {
		v, row := along.v[j], weights[int(j)*stride:][:cols]
		a0, a1 := a[p*block:][:cols], a[(p+1)*block:][:cols]
		for c, x := range row {
			a1[c] = a0[c] + x
		}
		if b == nil {
			continue
		}
		b0, b1 := b[p*block:][:cols], b[(p+1)*block:][:cols]
		for c, x := range row {
			b1[c] = b0[c] + T(v*x)
		}
	}
}

func add[T gnn.Float](out []T, stride, cols int, a, b []T, across side[T], slope T) {
	rest, d := 1-slope, len(across.v)
	allA, allB := a[d*block:][:cols], b[d*block:][:cols]
	for i, v := range across.v {
		p := int(across.above[i]) * block
		a, b, out := a[p:][:cols], b[p:][:cols], out[i*stride:][:cols]
		for c := range out {
			below := T(v*T(slope*allA[c])) + T(slope*allB[c])
			out[c] += T(rest*(T(v*a[c])+b[c])) + below
		}
	}
}

// slopes adds products c and c+8 first, then those of neighbors.
func slopes[T gnn.Float](dv, d []T, stride, cols int, a []T, across side[T], slope T) {
	rest := 1 - slope
	all := a[len(across.v)*block:][:cols]
	for i := range dv {
		d, a := d[i*stride:][:cols], a[int(across.above[i])*block:][:cols]
		var s [block / 2]T
		for c, v := range d {
			s[c%len(s)] += T(v * (T(rest*a[c]) + T(slope*all[c])))
		}
		dv[i] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
	}
}

// A table holds A(p) and B(p), for p up to the nodes; memory is reused.
type table[T gnn.Float] struct {
	a, b, dv []T
	sums[T]
}

func newTable[T gnn.Float]() *table[T] { return &table[T]{sums: fastest[T]()} }

// A line is the way of a filter over a map: along one side, for each node of the other.
type line[T gnn.Float] struct{ along, across side[T] }

// forward adds the results, node × channel, of weights that are too.
func (l line[T]) forward(t *table[T], out, weights []T, slope T) {
	d := len(l.along.v)
	w := len(out) / d
	a, b := network.Size(&t.a, (d+1)*block), network.Size(&t.b, (d+1)*block)
	for c := 0; c < w; c += block {
		cols := min(block, w-c)
		t.fill(a, b, weights[c:], w, cols, l.along)
		t.add(out[c:], w, cols, a, b, l.across, slope)
	}
}

// backward adds, for the gradient d of the results, those of the weights and of both sides.
func (l line[T]) backward(t *table[T], dWeights, dAlong, dAcross, weights, d []T, slope T) {
	n := len(l.along.v)
	w := len(d) / n
	a, b, dv := network.Size(&t.a, (n+1)*block), network.Size(&t.b, (n+1)*block), network.Size(&t.dv, n)
	for c := 0; c < w; c += block {
		cols := min(block, w-c)
		t.fill(a, nil, weights[c:], w, cols, l.along)
		t.slopes(dv, d[c:], w, cols, a, l.across, slope)
		accumulate(dAcross, dv)
		t.fill(a, b, d[c:], w, cols, l.across)
		t.add(dWeights[c:], w, cols, a, b, l.along, slope)
		t.slopes(dv, weights[c:], w, cols, a, l.along, slope)
		accumulate(dAlong, dv)
	}
}

func accumulate[T gnn.Float](sum, v []T) {
	for i, x := range v {
		sum[i] += x
	}
}
