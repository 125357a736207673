package braingnn

import (
	"context"
	"slices"

	"prgnn/gnn"
	"prgnn/gnn/network"
)

// A Model is a trained network.
type Model struct {
	Options
	params, running []float32
}

// PaperTraining is that of the paper, as we read it: Adam, 100 epochs in batches of 100, the rate halved every
// 20; the last epoch is taken.
func PaperTraining() network.Training {
	return network.Training{Epochs: 100, Batch: 100, Rate: 1e-3, Halve: 20}
}

// AuthorsTraining is that of the released program: a rate of 0.01 for 19 epochs, then halved every 20, L2 weight
// decay; of the epochs after the fifth, that with the smallest loss of those who validate is taken.
func AuthorsTraining() network.Training {
	return network.Training{Epochs: 100, Batch: 100, Rate: 1e-2, Halve: 20, Lead: 1, Decay: 5e-3, Patience: 100,
		After: 5}
}

// Fit trains a network, in single precision. The order of the graphs is that of network.Training: those that are
// learned from, then those that validate, then those for the test.
func Fit(ctx context.Context, o Options, t network.Training, graphs []Graph[float32], label []int) (*Model, error) {
	net := New(o, graphs, label)
	params, err := network.Train[float32](ctx, net, len(graphs), o.start(t))
	return &Model{o, params, net.Buffers()}, err
}

// start gives the biases of the convolutions their range: the fan in is that of the convolution.
func (o Options) start(t network.Training) network.Training {
	t.Fan = map[string]int{"conv1_b": o.Features, "conv2_b": o.Widths[0]}
	return t
}

// Untrained is the network at the starting weights of a training.
func Untrained(o Options, t network.Training) *Model {
	net := New[float32](o, nil, nil)
	return &Model{o, network.Initial[float32](net.Layout(), o.start(t)), net.Buffers()}
}

// Parameters is the number of trained values.
func (m *Model) Parameters() int { return len(m.params) }

// Communities are relu(Θ1): how much each region belongs to each community, region by region.
func (m *Model) Communities() [][]float32 {
	b := New[float32](m.Options, nil, nil).blocks[0]
	v := slices.Clone(network.Of(m.params, b.member))
	network.ReLU(v, 0)
	return slices.Collect(slices.Chunk(v, m.Options.Communities))
}

// together is how many graphs are rated at once.
const together = 64

// Rate gives probabilities, and the score sigmoid(s) of every node that enters each pooling.
func (m *Model) Rate(graphs []Graph[float32], threads int) []gnn.Prediction {
	return rate(m.Options, m.params, m.running, graphs, threads)
}

func rate[T gnn.Float](o Options, params, running []T, graphs []Graph[T], threads int) []gnn.Prediction {
	var out []gnn.Prediction
	n := New(o, graphs, nil)
	copy(n.Buffers(), running)
	for at := 0; at < len(graphs); at += together {
		cases := make([]int, min(together, len(graphs)-at))
		for k := range cases {
			cases[k] = at + k
		}
		p := network.Probabilities(n.forward(params, cases, false, false, nil, threads), o.Classes)
		for g := range cases {
			one := gnn.Prediction{Probability: p[g*o.Classes:][:o.Classes]}
			for c, v := range one.Probability {
				if v > one.Probability[one.Class] {
					one.Class = c
				}
			}
			for _, b := range n.blocks {
				one.Layers = append(one.Layers, b.scores(g))
			}
			out = append(out, one)
		}
	}
	return out
}

// scores are those of one graph, by region.
func (b *block[T]) scores(g int) gnn.Scores {
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
