package meanmlp

import (
	"context"

	"prgnn/gnn"
	"prgnn/gnn/network"
)

// A Model is a trained network.
type Model struct {
	Options
	Regions int
	params  []float32
}

// Training is how the published figures were trained: Adam 5e-3 without weight decay, batches of 64, at
// most 400 epochs, until the loss of the cases that validate has not fallen for 30.
func Training() network.Training {
	return network.Training{Epochs: 400, Batch: 64, Rate: 5e-3, Patience: 30}
}

// Fit trains a network, in single precision. The order of the series is that of network.Training: those
// that are learned from, those that validate, those for the test.
func Fit(ctx context.Context, o Options, t network.Training, regions int, series [][]float32,
	label []int) (*Model, error) {
	params, err := network.Train[float32](ctx, New(o, regions, series, label), len(series), t)
	if err != nil {
		return nil, err
	}
	return &Model{o, regions, params}, nil
}

// Parameters is the number of trained values.
func (m *Model) Parameters() int { return len(m.params) }

// together is how many participants are rated at once.
const together = 64

// Probability of each class for each participant: n × classes, row-major.
func (m *Model) Probability(series [][]float32, threads int) []float64 {
	var out []float64
	for at := 0; at < len(series); at += together {
		part := series[at:min(len(series), at+together)]
		p := New(m.Options, m.Regions, part, nil).forward(m.params, upTo(len(part)), nil, threads)
		out = append(out, network.Probabilities(p.logits, m.Classes)...)
	}
	return out
}

// RegionScores are gradient × input of the logit of class 1 less that of class 0, summed over time: a row
// of regions for each participant. With more classes it is the logit of the predicted class less the mean of
// the others. With steps > 0 the gradient is its mean on the way from a series of zeros to the series, at the
// midpoints of so many parts (integrated gradients, Sundararajan et al. 2017, ICML).
func (m *Model) RegionScores(series [][]float32, steps, threads int) []float64 {
	var out []float64
	for at := 0; at < len(series); at += together {
		out = append(out, regionScores(m.Options, m.params, m.Regions, series[at:min(len(series), at+together)], steps,
			threads)...)
	}
	return out
}

func regionScores[T gnn.Float](o Options, params []T, regions int, series [][]T, steps, threads int) []float64 {
	n := New(o, regions, series, nil)
	p := n.forward(params, upTo(len(series)), nil, threads)
	direction := make([]T, len(p.logits))
	for k := range series {
		network.Contrast(direction[k*o.Classes:][:o.Classes], p.logits[k*o.Classes:])
	}
	var gradient []T
	if steps == 0 {
		gradient = n.back(params, nil, p, direction, threads)
	}
	for step := range steps {
		share := T((float64(step) + 0.5) / float64(steps))
		scaled := make([][]T, len(series))
		for k, x := range series {
			scaled[k] = make([]T, len(x))
			for i, v := range x {
				scaled[k][i] = share * v
			}
		}
		at := New(o, regions, scaled, nil)
		g := at.back(params, nil, at.forward(params, upTo(len(series)), nil, threads), direction, threads)
		if gradient == nil {
			gradient = make([]T, len(g))
		}
		for i, v := range g {
			gradient[i] += v / T(steps)
		}
	}
	out := make([]float64, len(series)*regions)
	for k := range series {
		for i := p.from[k] * regions; i < p.from[k+1]*regions; i++ {
			out[k*regions+i%regions] += float64(float64(gradient[i]) * float64(p.x[i]))
		}
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Untrained is the network at the starting weights of a training.
func Untrained(o Options, t network.Training, regions int) *Model {
	return &Model{o, regions, network.Initial[float32](New[float32](o, regions, nil, nil).Layout(), t)}
}
