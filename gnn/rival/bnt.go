package rival

import (
	"fmt"
	"math"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/random"
)

// BNT are the shape of the network.
type BNT struct {
	Nodes       int // regions
	Heads       int
	FeedForward int     // width within a block
	Dropout     float64 // of attention, and in the blocks
	Readout     string  // authors-code, paper or student_t
	Clusters    int     // K, at most the columns
	Encoding    int     // width of the MLP before the readout
	Reduced     int     // values of a cluster
	Identity    int     // learned columns of each node beside the matrix; 0: none
	Clustering  float64 // weight of the clustering loss
	Hidden      []int   // widths of the head
	Mixup       bool
	Classes     int
	centers     []float64 // K × V, of a stored network; nil: drawn
}

// IdentityColumns is the width of the released program's identity.
const IdentityColumns = 360

// ReleasedBNT are the options of the published figures; below 200 nodes the released program has no number of
// clusters, and half of the nodes are taken.
func ReleasedBNT(nodes, classes int) BNT {
	o := BNT{Nodes: nodes, Heads: 4, FeedForward: 1024, Dropout: 0.1, Readout: "authors-code", Clusters: 100,
		Encoding: 32,
		Reduced:  8, Hidden: []int{256, 32}, Mixup: true, Classes: classes}
	if nodes < 200 {
		o.Clusters = nodes / 2
	}
	return o
}

// Columns is V: those of the matrix and of the identity, up to a multiple of the heads.
func (o BNT) Columns() int {
	return (o.Nodes + o.Identity + o.Heads - 1) / o.Heads * o.Heads
}

// leaky is the slope of the ReLU below 0 in readout and head.
const leaky = 0.01

// BNTTraining is how the released program trains: Adam without warm-up, its rate from 1e-4 to 1e-5 along a
// cosine over the steps, L2 weight decay 1e-4, 200 epochs in batches of 16, the last incomplete one dropped. The
// parameters of the last epoch are taken.
func BNTTraining() network.Training {
	return network.Training{Epochs: 200, Batch: 16, Rate: 1e-4, Cosine: 1e-5, Decay: 1e-4, Whole: true}
}

func (o BNT) net(t *network.Training, graphs [][]float32, label []int) net[float32] {
	return newBNT(o, centersOf(o, t), graphs, label)
}

// A bntNet is a network and the participants whose loss it computes.
type bntNet[T gnn.Float] struct {
	BNT
	columns  int
	l        gnn.Layout
	identity gnn.Param // nodes × Identity; empty without
	penalty  float64   // of the last gradient
	memory   *memories[T]
	blocks   []bntBlock[T]
	encode   []network.Full[T] // the MLP before the readout; none for the readout of the paper
	head     []network.Full[T] // of a cluster, then of all
	centers  []T               // K × V
	length   []T               // of each center
	graphs   [][]T             // nodes × nodes each, row-major
	label    []int
}

// newBNT makes a network. centers (K × V) are those of centersOf.
func newBNT[T gnn.Float](o BNT, centers []float64, graphs [][]T, label []int) *bntNet[T] {
	n := &bntNet[T]{BNT: o, columns: o.Columns(), graphs: graphs, label: label, memory: &memories[T]{}}
	if o.Identity > 0 {
		n.identity = network.Add(&n.l, "identity_N", o.Nodes, o.Identity)
	}
	for i := range 2 {
		n.blocks = append(n.blocks, newBNTBlock[T](&n.l, i+1, n.columns, o))
	}
	if o.Readout != "paper" {
		flat := o.Nodes * n.columns
		n.encode = network.Fulls[T](&n.l, []int{flat, o.Encoding, o.Encoding, flat},
			func(i int) string { return fmt.Sprintf("e%d", i+1) })
	}
	n.head = network.Fulls[T](&n.l, []int{n.columns, o.Reduced}, func(int) string { return "red" })
	widths := append([]int{o.Clusters * o.Reduced}, o.Hidden...)
	n.head = append(n.head, network.Fulls[T](&n.l, append(widths, o.Classes),
		func(i int) string { return fmt.Sprintf("c%d", i+1) })...)
	for k := range o.Clusters {
		sum := 0.0
		for _, v := range centers[k*n.columns:][:n.columns] {
			n.centers = append(n.centers, T(v))
			sum += float64(v * v)
		}
		n.length = append(n.length, T(math.Sqrt(sum)))
	}
	return n
}

// Layout lists the parameters.
func (n *bntNet[T]) Layout() gnn.Layout { return n.l }

// Drops reports whether training needs random numbers.
func (n *bntNet[T]) Drops() bool { return n.Dropout > 0 || n.Mixup }

// Buffers are none.
func (n *bntNet[T]) Buffers() []T { return nil }

// Penalty is the weighted clustering loss of the last gradient.
func (n *bntNet[T]) Penalty() float64 { return n.penalty }

// A bntPass is what a forward pass leaves for the way back. Rows are nodes, those of one participant after
// those of the one before.
type bntPass[T gnn.Float] struct {
	graphs int
	blocks []*state[T]
	*readout[T]
}

// logits are participants × classes.
func (p *bntPass[T]) logits() []T { return p.values[len(p.values)-1] }

// forward computes the logits of some matrices (rows × columns), in which it writes the identity. Without
// masks nothing is dropped.
func (n *bntNet[T]) forward(params, x []T, masks [][]*mask[T], threads int) *bntPass[T] {
	p := &bntPass[T]{graphs: len(x) / (n.Nodes * n.columns)}
	if n.Identity > 0 {
		for at := 0; at < len(x); at += n.columns {
			copy(x[at+n.Nodes:], network.Of(params, n.identity)[at/n.columns%n.Nodes*n.Identity:][:n.Identity])
		}
	}
	for i, b := range n.blocks {
		var m []*mask[T]
		if masks != nil {
			m = masks[i]
		}
		p.blocks = append(p.blocks, b.forward(params, x, n.Nodes, m, &n.memory.numbers, threads))
		x = p.blocks[i].second.out
	}
	p.readout = n.read(params, x, p.graphs, threads)
	return p
}

// back carries gradients of the logits to the parameters, and returns those of the matrices if they are wanted.
func (n *bntNet[T]) back(params, grad []T, p *bntPass[T], logits []T, matrices bool, threads int) []T {
	d := n.readBack(params, grad, p.readout, logits, threads)
	for i := len(n.blocks) - 1; i >= 0; i-- {
		d = n.blocks[i].back(params, grad, p.blocks[i], d, matrices || n.Identity > 0 || i > 0, threads)
	}
	if n.Identity > 0 {
		di := network.Of(grad, n.identity)
		clear(di)
		for at := 0; at < len(d); at += n.columns {
			gnn.Add(di[at/n.columns%n.Nodes*n.Identity:], d[at+n.Nodes:][:n.Identity])
		}
	}
	return d
}

// padded are the matrices of cases, with columns of zeros at their end.
func (n *bntNet[T]) padded(cases []int) []T {
	x := make([]T, len(cases)*n.Nodes*n.columns)
	for k, i := range cases {
		for r := range n.Nodes {
			copy(x[(k*n.Nodes+r)*n.columns:], n.graphs[i][r*n.Nodes:][:n.Nodes])
		}
	}
	return x
}

// rate rates participants: layers 1 and 2 are what each node receives in each block, the mean over heads and rows of
// its column of the attention; layer 3 is gradient × input of each node, over its row of the matrix.
func (n *bntNet[T]) rate(params []T, cases []int, threads int) []gnn.Prediction {
	n.memory.reset()
	x := n.padded(cases)
	p := n.forward(params, x, nil, threads)
	out := predictions(p.logits(), n.Classes)
	dx := n.back(params, make([]T, len(params)), p, contrasts(p.logits(), n.Classes), true, threads)
	for k := range cases {
		for _, s := range p.blocks {
			out[k].Layers = append(out[k].Layers, allKept(received(graph(s.attention, k, len(cases)), n.Nodes)))
		}
		input := make([]float64, n.Nodes)
		for i, g := range graph(dx, k, len(cases)) {
			if i%n.columns < n.Nodes { // the matrix, without the identity
				input[i/n.columns] += float64(float64(g) * float64(graph(x, k, len(cases))[i]))
			}
		}
		out[k].Layers = append(out[k].Layers, allKept(input))
	}
	return out
}

// received is the mean over the rows of attention (heads · nodes × nodes).
func received[T gnn.Float](attention []T, nodes int) []float64 {
	sum := make([]float64, nodes)
	for i, a := range attention {
		sum[i%nodes] += float64(a)
	}
	for j := range sum {
		sum[j] /= float64(len(attention) / nodes)
	}
	return sum
}

// Gradient overwrites grad with the gradient of the summed cross-entropy of cases, unless it is nil. With
// random numbers the cases are mixed.
func (n *bntNet[T]) Gradient(params, grad []T, cases []int, stream *random.Stream,
	threads int) (loss float64, right int) {
	n.memory.reset()
	x := n.padded(cases)
	share, partner := 1.0, []int(nil)
	var masks [][]*mask[T]
	if stream != nil {
		if n.Mixup {
			share, partner = stream.Float64(), stream.Perm(len(cases))
			x = mix(n.memory.numbers.Take(len(x)), x, share, partner)
		}
		if n.Dropout > 0 {
			masks = n.masks(len(cases), stream, threads)
		}
	}
	p := n.forward(params, x, masks, threads)
	n.penalty = n.cluster(p)
	d := p.logits()
	for k, i := range cases {
		row, label := d[k*n.Classes:][:n.Classes], n.label[i]
		other := label
		if partner != nil {
			other = n.label[cases[partner[k]]]
		}
		l, class := mixedEntropy(row, label, other, share)
		loss += l
		if share < 0.5 {
			label = other
		}
		if class == label {
			right++
		}
	}
	if grad != nil {
		n.back(params, grad, p, d, false, threads)
	}
	return loss, right
}

// mix is share·x + (1−share)·x', where x' are the participants in another order.
func mix[T gnn.Float](out, x []T, share float64, order []int) []T {
	size := len(x) / len(order)
	a, b := T(share), T(1-share)
	for k, from := range order {
		mine, other := x[k*size:][:size], x[from*size:][:size]
		for i, v := range mine {
			out[k*size+i] = T(a*v) + T(b*other[i])
		}
	}
	return out
}

// mixedEntropy turns logits into the gradient of their cross-entropy with share of one label and the rest
// of another.
func mixedEntropy[T gnn.Float](logits []T, label, other int, share float64) (loss float64, class int) {
	second := append([]T(nil), logits...)
	a, class := network.CrossEntropy(logits, label, share)
	b, _ := network.CrossEntropy(second, other, 1-share)
	for c, v := range second {
		logits[c] += v
	}
	return float64(share*a) + float64((1-share)*b), class
}

// centersOf draws K × V centers, uniform as Xavier has it, and makes them orthogonal one after the other. Their
// lengths are 1, but that of the first as it was drawn, unless unit is set. More centers than columns cannot
// be orthogonal; the released program does not notice.
func centersOf(o BNT, t *network.Training) []float64 {
	if o.centers != nil {
		return o.centers
	}
	columns := o.Columns()
	bound := math.Sqrt(6 / float64(o.Clusters+columns))
	r := random.New(t.Seed, append([]any{"weights", "centers"}, t.Stream...)...)
	c := make([]float64, o.Clusters*columns)
	for i := range c {
		c[i] = network.Uniform(r, bound)
	}
	orthogonal(c, columns, o.Readout == "paper")
	return c
}

// orthogonal is the Gram-Schmidt process on rows.
func orthogonal(c []float64, columns int, unit bool) {
	product := func(a, b []float64) (sum float64) {
		for i, v := range a {
			sum += float64(v * b[i])
		}
		return sum
	}
	rows := len(c) / columns
	squared := make([]float64, rows)
	for i := range rows {
		row := c[i*columns:][:columns]
		along := make([]float64, i)
		for j := range along {
			along[j] = product(c[j*columns:][:columns], row) / squared[j]
		}
		for j, f := range along {
			for k, v := range c[j*columns:][:columns] {
				row[k] -= float64(f * v)
			}
		}
		squared[i] = product(row, row)
	}
	for i := range rows {
		if i == 0 && !unit {
			continue
		}
		length := math.Sqrt(squared[i])
		for k := range columns {
			c[i*columns+k] /= length
		}
	}
}
