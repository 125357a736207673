package rival

import (
	"context"
	"math"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/lists"
)

// A Design is a network's options; C is what it sees of a participant.
type Design[C any] interface {
	// net makes the network for cases, and completes how it is trained.
	net(t *network.Training, cases []C, label []int) net[float32]
	// Check refuses options that no network can have, of a file.
	Check() error
}

// A net is trained, and rates its cases.
type net[T gnn.Float] interface {
	network.Network[T]
	Buffers() []T
	rate(params []T, cases []int, threads int) []gnn.Prediction
}

// A Model is a network with its parameters.
type Model[C any] struct {
	design          Design[C]
	training        network.Training
	params, buffers []float32
}

// Fit trains a network, in single precision. The order of the cases is that of network.Training: those that are
// learned from, those that validate, those for the test.
func Fit[C any](ctx context.Context, d Design[C], t network.Training, cases []C, label []int) (*Model[C], error) {
	n := d.net(&t, cases, label)
	params, err := network.Train(ctx, n, len(cases), t)
	return &Model[C]{d, t, params, n.Buffers()}, err
}

// Untrained is the network at the starting weights of a training.
func Untrained[C any](d Design[C], t network.Training) *Model[C] {
	n := d.net(&t, nil, nil)
	return &Model[C]{d, t, network.Initial[float32](n.Layout(), t), n.Buffers()}
}

// Parameters is the number of trained values.
func (m *Model[C]) Parameters() int { return len(m.params) }

// together is how many participants are rated at once.
const together = 16

// Rate gives the probabilities of the classes and the scores of the regions, layer by layer.
func (m *Model[C]) Rate(cases []C, threads int) []gnn.Prediction {
	n := m.design.net(&m.training, cases, nil)
	copy(n.Buffers(), m.buffers)
	return rate(n, m.params, len(cases), threads)
}

func rate[T gnn.Float](n net[T], params []T, cases, threads int) (out []gnn.Prediction) {
	for at := 0; at < cases; at += together {
		some := lists.UpTo(min(together, cases-at))
		for k := range some {
			some[k] += at
		}
		out = append(out, n.rate(params, some, threads)...)
	}
	return out
}

// predictions are those of logits: for each case its probabilities, and the class of the largest.
func predictions[T gnn.Float](logits []T, classes int) []gnn.Prediction {
	all := network.Probabilities(logits, classes)
	out := make([]gnn.Prediction, len(all)/classes)
	for i := range out {
		p := all[i*classes:][:classes]
		out[i].Probability = p
		for c, v := range p {
			if v > p[out[i].Class] {
				out[i].Class = c
			}
		}
	}
	return out
}

// allKept are scores of a layer that keeps each region.
func allKept(score []float64) gnn.Scores {
	s := gnn.Scores{Node: make([]int32, len(score)), Score: score, Kept: make([]bool, len(score))}
	for i := range score {
		s.Node[i], s.Kept[i] = int32(i), true
	}
	return s
}

// contrasts are the gradients of the logits' contrast (network.Contrast), row by row.
func contrasts[T gnn.Float](logits []T, classes int) []T {
	d := make([]T, len(logits))
	for at := 0; at < len(d); at += classes {
		network.Contrast(d[at:][:classes], logits[at:])
	}
	return d
}

// memories are what the passes of a network compute in.
type memories[T gnn.Float] struct {
	numbers network.Memory[T]
	kept    network.Memory[uint8]
}

func (m *memories[T]) reset() {
	m.numbers.Reset()
	m.kept.Reset()
}

// A plain network has nothing beside its parameters and the cross-entropy.
type plain[T gnn.Float] struct{}

// Buffers are none.
func (plain[T]) Buffers() []T { return nil }

// Penalty is 0.
func (plain[T]) Penalty() float64 { return 0 }

func root[T gnn.Float](x T) T { return T(math.Sqrt(float64(x))) }
