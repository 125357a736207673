package bnt

import (
	"context"

	"prgnn/gnn"
	"prgnn/gnn/network"
)

// A Model is a trained network.
type Model struct {
	Options
	Nodes   int
	centers []float64
	params  []float32
}

// Training is how the released program trains: Adam without warm-up, its rate from 1e-4 to 1e-5 along a
// cosine over the steps, L2 weight decay 1e-4, 200 epochs in batches of 16, the last incomplete one dropped.
func Training() network.Training {
	return network.Training{Epochs: 200, Batch: 16, Rate: 1e-4, Cosine: 1e-5, Decay: 1e-4, Whole: true}
}

// Fit trains a network, in single precision. The order of the matrices is that of network.Training: those that
// are learned from, then those for the test. The parameters of the last epoch are taken.
func Fit(ctx context.Context, o Options, t network.Training, nodes int, graphs [][]float32,
	label []int) (*Model, error) {
	centers := Centers(o, nodes, t)
	params, err := network.Train[float32](ctx, New(o, nodes, centers, graphs, label), len(graphs), t)
	if err != nil {
		return nil, err
	}
	return &Model{o, nodes, centers, params}, nil
}

// Untrained is the network at the starting weights of a training.
func Untrained(o Options, t network.Training, nodes int) *Model {
	centers := Centers(o, nodes, t)
	l := New[float32](o, nodes, centers, nil, nil).Layout()
	return &Model{o, nodes, centers, network.Initial[float32](l, t)}
}

// Parameters is the number of trained values.
func (m *Model) Parameters() int { return len(m.params) }

// A Rating is what the network makes of one participant.
type Rating struct {
	Probability []float64
	// Attention is what each node receives in each block: the mean over heads and rows of its column.
	Attention [2][]float64
	// Input is gradient × input of each node, over its row of the matrix: of the logit of class 1 less that of class
	// 0, or with more classes of the predicted class less the mean of the others.
	Input []float64
}

// together is how many participants are rated at once.
const together = 16

// Rate rates participants.
func (m *Model) Rate(graphs [][]float32, threads int) []Rating {
	return rate(m.Options, m.params, m.Nodes, m.centers, graphs, threads)
}

func rate[T gnn.Float](o Options, params []T, nodes int, centers []float64, graphs [][]T, threads int) []Rating {
	var out []Rating
	n := New(o, nodes, centers, graphs, nil)
	unused := make([]T, len(params)) // the gradient of the parameters
	for at := 0; at < len(graphs); at += together {
		cases := make([]int, min(together, len(graphs)-at))
		for k := range cases {
			cases[k] = at + k
		}
		x := n.padded(cases)
		p := n.forward(params, x, nil, threads)
		probability := network.Probabilities(p.logits(), o.Classes)
		direction := make([]T, len(p.logits()))
		for k := range cases {
			network.Contrast(direction[k*o.Classes:][:o.Classes], p.logits()[k*o.Classes:])
		}
		dx := n.back(params, unused, p, direction, true, threads)
		for k := range cases {
			r := Rating{Probability: probability[k*o.Classes:][:o.Classes], Input: make([]float64, nodes)}
			for i, g := range graph(dx, k, len(cases)) {
				if i%n.columns < nodes { // the matrix, without the identity
					r.Input[i/n.columns] += float64(float64(g) * float64(graph(x, k, len(cases))[i]))
				}
			}
			for b, s := range p.blocks {
				r.Attention[b] = received(graph(s.attention, k, len(cases)), nodes)
			}
			out = append(out, r)
		}
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
