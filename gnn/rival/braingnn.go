package rival

import (
	"math"
	"slices"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// BrainGNN are the shape of the network and its loss.
type BrainGNN struct {
	Nodes, Features int // of a graph, of a node
	Communities     int
	Widths          []int // of the two convolutions
	Hidden          int   // width of the MLP's second layer; that of the first is Widths[1]
	Ratio           float64
	Edge            string // sum or softmax
	ReLU, ConvBias  bool   // after the convolutions
	ZScore          bool   // of the scores of a graph
	Augment         bool   // E becomes the off-diagonal of (E+I)² between the blocks
	BatchNorm       bool
	Dropout         float64
	TPK             string // all or code
	GLC             string // sigmoid, mean, sum or code
	// Weights of the losses.
	LambdaUnit, LambdaTPK, LambdaGLC float64
	Classes                          int
}

// PaperBrainGNN are the options of the paper, as we read it.
func PaperBrainGNN(nodes, features, classes int) BrainGNN {
	return BrainGNN{Nodes: nodes, Features: features, Communities: 8, Widths: []int{32, 32}, Hidden: 512, Ratio: 0.5,
		Edge: "sum", ReLU: true, ZScore: true, TPK: "all", GLC: "sigmoid", LambdaUnit: 1, LambdaTPK: 0.1,
		LambdaGLC: 0.1, Classes: classes}
}

// AuthorsBrainGNN are the options of the released program.
func AuthorsBrainGNN(nodes, features, classes int) BrainGNN {
	o := PaperBrainGNN(nodes, features, classes)
	o.Edge, o.ReLU, o.ConvBias, o.ZScore, o.Augment = "softmax", false, true, false, true
	o.BatchNorm, o.Dropout, o.TPK, o.GLC, o.LambdaUnit = true, 0.5, "code", "code", 0
	return o
}

// PaperBrainGNNTraining is that of the paper, as we read it: Adam, 100 epochs in batches of 100, the rate halved every
// 20; the last epoch is taken.
func PaperBrainGNNTraining() network.Training {
	return network.Training{Epochs: 100, Batch: 100, Rate: 1e-3, Halve: 20}
}

// AuthorsBrainGNNTraining is that of the released program: a rate of 0.01 for 19 epochs, then halved every 20, L2
// weight
// decay; of the epochs after the fifth, that with the smallest loss of those who validate is taken.
func AuthorsBrainGNNTraining() network.Training {
	return network.Training{Epochs: 100, Batch: 100, Rate: 1e-2, Halve: 20, Lead: 1, Decay: 5e-3, Patience: 100,
		After: 5}
}

func (o BrainGNN) net(t *network.Training, graphs []Graph[float32], label []int) net[float32] {
	*t = o.start(*t)
	return newBrainGNN(o, graphs, label)
}

// start gives the biases of the convolutions their range: the fan in is that of the convolution.
func (o BrainGNN) start(t network.Training) network.Training {
	t.Fan = map[string]int{"conv1_b": o.Features, "conv2_b": o.Widths[0]}
	return t
}

// Communities are relu(Θ1): how much each region belongs to each community, region by region.
func Communities(m *Model[Graph[float32]]) [][]float32 {
	o := m.design.(BrainGNN)
	v := slices.Clone(network.Of(m.params, newBrainGNN[float32](o, nil, nil).blocks[0].member))
	gnn.ReLU(v, 0)
	return slices.Collect(slices.Chunk(v, o.Communities))
}

// kept is how many of n nodes pooling keeps.
func (o BrainGNN) kept(n int) int { return int(math.Ceil(float64(o.Ratio*float64(n)) - 1e-9)) }

// A Graph is the input of one participant.
type Graph[T gnn.Float] struct {
	x      []T // nodes × features
	spread []T // nodes × nodes: the weights with which neighbors enter
	joined []T // E + I where spread is not that, and it is needed
}

// NewGraph makes a graph from node features and edges that gnn.Checked lets pass.
func NewGraph[T gnn.Float](o BrainGNN, features []float64, edges []gnn.Edge) (g Graph[T], err error) {
	if g.x, edges, err = gnn.Checked[T](o.Features, features, edges); err != nil {
		return g, err
	}
	g.joined = make([]T, o.Nodes*o.Nodes)
	for i := range o.Nodes {
		g.joined[i*o.Nodes+i] = 1
	}
	for _, e := range edges {
		i, j := int(e.Source), int(e.Target)
		g.joined[i*o.Nodes+j], g.joined[j*o.Nodes+i] = T(e.Weight), T(e.Weight)
	}
	g.spread = g.joined
	if o.Edge == "softmax" {
		g.spread = append([]T(nil), g.joined...)
		softmaxRows(g.spread, o.Nodes)
		if !o.Augment {
			g.joined = nil
		}
	}
	return g, nil
}

// softmaxRows is the softmax of each row over its entries that are not 0.
func softmaxRows[T gnn.Float](a []T, n int) {
	for i, v := range a {
		if v == 0 {
			a[i] = T(math.Inf(-1))
		}
	}
	for row := range slices.Chunk(a, n) {
		gnn.Softmax(row)
	}
}

// inner writes to a (k × k) the weights with which the kept nodes, in this order, enter the second convolution.
func inner[T gnn.Float](o BrainGNN, a, work []T, g *Graph[T], kept []int32) {
	from, k := g.spread, len(kept)
	if o.Augment {
		from = g.joined
	}
	for p, i := range kept {
		row := from[int(i)*o.Nodes:][:o.Nodes]
		for q, j := range kept {
			work[p*k+q] = row[j]
		}
	}
	switch {
	case o.Augment: // E + I is symmetric; as its transpose it need not be turned
		dense.Gram(a, dense.Rows(work, k).T(), k, k, 1)
		for p := range k {
			a[p*k+p] = 1
		}
		if o.Edge == "softmax" {
			softmaxRows(a, k)
		}
	case o.Edge == "softmax": // again, over fewer
		for p := range k {
			row, sum := a[p*k:][:k], T(0)
			for _, v := range work[p*k:][:k] {
				sum += v
			}
			for q, v := range work[p*k:][:k] {
				row[q] = v / sum
			}
		}
	default:
		copy(a, work)
	}
}

// A brainNet is a network and the graphs whose loss it computes. Its memory is for one batch at a time.
type brainNet[T gnn.Float] struct {
	BrainGNN
	l       gnn.Layout
	blocks  [2]*brainBlock[T]
	head    head[T]
	graphs  []Graph[T]
	label   []int
	penalty float64
}

// newBrainGNN makes a network.
func newBrainGNN[T gnn.Float](o BrainGNN, graphs []Graph[T], label []int) *brainNet[T] {
	n := &brainNet[T]{BrainGNN: o, graphs: graphs, label: label}
	in := o.Features
	for i, out := range o.Widths {
		n.blocks[i] = newBrainBlock[T](&n.l, o, i+1, in, out)
		in = out
	}
	n.head = newHead[T](&n.l, o)
	return n
}

// Layout lists the parameters.
func (n *brainNet[T]) Layout() gnn.Layout { return n.l }

// Drops reports whether training needs random numbers.
func (n *brainNet[T]) Drops() bool { return n.Dropout > 0 }

// Buffers are what training moves beside the parameters: running mean and variance of each batch
// normalization.
func (n *brainNet[T]) Buffers() []T { return n.head.running }

// Penalty is what the last loss has beyond the cross-entropy, times its number of graphs.
func (n *brainNet[T]) Penalty() float64 { return n.penalty }

// Gradient overwrites grad with the gradient of the loss (the mean over the cases), unless it is nil, and
// returns the sum of the cross-entropies. Without gradient and random numbers, batch normalization takes
// the running statistics.
func (n *brainNet[T]) Gradient(params, grad []T, cases []int, stream *random.Stream,
	threads int) (loss float64, right int) {
	logits := n.forward(params, cases, grad != nil || stream != nil, grad != nil, stream, threads)
	d := append([]T(nil), logits...)
	label := make([]int, len(cases))
	for k, i := range cases {
		label[k] = n.label[i]
	}
	loss, right = network.Entropies(d, label, lists.UpTo(len(cases)))
	n.penalty = n.losses(grad, label) * float64(len(cases))
	if grad != nil {
		n.back(params, grad, d, threads)
	}
	return loss, right
}

// rate gives the score sigmoid(s) of every node that enters each pooling.
func (n *brainNet[T]) rate(params []T, cases []int, threads int) []gnn.Prediction {
	out := predictions(n.forward(params, cases, false, false, nil, threads), n.Classes)
	for g := range out {
		out[g].Layers = []gnn.Scores{n.blocks[0].scores(g), n.blocks[1].scores(g)}
	}
	return out
}

// scores are those of one graph, by region.
func (b *brainBlock[T]) scores(g int) gnn.Scores {
	s := gnn.Scores{Node: slices.Clone(b.region[g*b.size:][:b.size])}
	slices.Sort(s.Node)
	s.Score, s.Kept = make([]float64, b.size), make([]bool, b.size)
	kept := b.kept[g*b.keep:][:b.keep]
	for i, r := range b.region[g*b.size:][:b.size] {
		at, _ := slices.BinarySearch(s.Node, r)
		s.Score[at], s.Kept[at] = float64(b.gate[g*b.size+i]), slices.Contains(kept, r)
	}
	return s
}

// forward computes the logits of some graphs. With training, batch normalization takes the statistics of the
// batch, and with run moves the running ones.
func (n *brainNet[T]) forward(params []T, cases []int, training, run bool, stream *random.Stream, threads int) []T {
	first, second := n.blocks[0], n.blocks[1]
	first.forward(n.BrainGNN, params, len(cases), n.Nodes, threads,
		func(row int) []T { return n.graphs[cases[row/n.Nodes]].x[row%n.Nodes*n.Features:] },
		func(row int) int32 { return int32(row % n.Nodes) },
		func(g int, _ []T) []T { return n.graphs[cases[g]].spread })
	second.forward(n.BrainGNN, params, len(cases), first.keep, threads,
		func(row int) []T { return first.pooled[row*first.out:] },
		func(row int) int32 { return first.kept[row] },
		func(g int, memory []T) []T {
			k := first.keep
			inner(n.BrainGNN, memory[:k*k], memory[k*k:], &n.graphs[cases[g]], first.kept[g*k:][:k])
			return memory[:k*k]
		})
	return n.head.forward(n.BrainGNN, params, first, second, training, run, stream, threads)
}

// back carries the gradient of the logits to the parameters.
func (n *brainNet[T]) back(params, grad, logits []T, threads int) {
	first, second := n.blocks[0], n.blocks[1]
	dz := n.head.back(params, grad, logits, threads)
	second.readBack(dz, n.head.width(), 2*first.out, false)
	second.back(n.BrainGNN, params, grad, network.Size(&first.dp, len(first.pooled)), threads)
	first.readBack(dz, n.head.width(), 0, true)
	first.back(n.BrainGNN, params, grad, nil, threads)
}
