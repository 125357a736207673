package rival

import (
	"fmt"
	"slices"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/dense"
	"prgnn/numeric/random"
)

// MeanMLP is the shape of the network, and how its regions are scored.
type MeanMLP struct {
	Regions int
	Hidden  int
	Layers  int     // residual blocks; the released default has none
	Dropout float64 // after the first ReLU
	Classes int
	// Steps of integrated gradients (Sundararajan et al. 2017, ICML): the gradient is its mean on the way from a series
	// of zeros to the series, at the midpoints of so many parts; 0: that at the series.
	Steps int
}

// ReleasedMeanMLP are the options of the published figures.
func ReleasedMeanMLP(regions, classes int) MeanMLP {
	return MeanMLP{Regions: regions, Hidden: 160, Dropout: 0.49, Classes: classes}
}

// MeanMLPTraining is how the published figures were trained: Adam 5e-3 without weight decay, batches of 64, at
// most 400 epochs, until the loss of the cases that validate has not fallen for 30.
func MeanMLPTraining() network.Training {
	return network.Training{Epochs: 400, Batch: 64, Rate: 5e-3, Patience: 30}
}

func (o MeanMLP) net(_ *network.Training, series [][]float32, label []int) net[float32] {
	return newMeanMLP(o, series, label)
}

// A meanNet is a network and the participants whose loss it computes.
type meanNet[T gnn.Float] struct {
	MeanMLP
	plain[T]
	l      gnn.Layout
	blocks []meanBlock[T]
	out    network.Full[T]
	series [][]T // T × F each, row-major
	label  []int
	memory *memories[T]
}

// A meanBlock is a full layer with its normalization.
type meanBlock[T gnn.Float] struct {
	network.Full[T]
	scale, shift gnn.Param
}

// newMeanMLP makes a network.
func newMeanMLP[T gnn.Float](o MeanMLP, series [][]T, label []int) *meanNet[T] {
	n := &meanNet[T]{MeanMLP: o, series: series, label: label, memory: &memories[T]{}}
	in := o.Regions
	for l := range o.Layers + 1 {
		name := "in"
		if l > 0 {
			name = fmt.Sprintf("r%d", l)
		}
		full := network.Fulls[T](&n.l, []int{in, o.Hidden}, func(int) string { return name })[0]
		n.blocks = append(n.blocks, meanBlock[T]{full, network.Add(&n.l, name+"_scale", o.Hidden),
			network.Add(&n.l, name+"_shift", o.Hidden)})
		in = o.Hidden
	}
	n.out = network.Fulls[T](&n.l, []int{o.Hidden, o.Classes}, func(int) string { return "out" })[0]
	return n
}

// Layout lists the parameters.
func (n *meanNet[T]) Layout() gnn.Layout { return n.l }

// Drops reports whether there is dropout.
func (n *meanNet[T]) Drops() bool { return n.Dropout > 0 }

// A meanPass is what a forward pass leaves for the way back. Rows are volumes, those of one participant
// after those of the one before.
type meanPass[T gnn.Float] struct {
	from   []int            // first row of each participant, and the end
	x      []T              // rows × regions
	keep   *network.Mask[T] // nil without dropout
	layers []meanLayer[T]
	mean   []T // participants × hidden: mean over time of the last layer
	logits []T // participants × classes
}

type meanLayer[T gnn.Float] struct {
	normal  []T // rows × hidden: before scale and shift
	inverse []T // rows: 1/√(var + ε)
	out     []T // rows × hidden: after ReLU and dropout
}

// of are the series of cases.
func (n *meanNet[T]) of(cases []int) [][]T {
	out := make([][]T, len(cases))
	for k, i := range cases {
		out[k] = n.series[i]
	}
	return out
}

// forward computes the logits of series. The dropout keep, of rows × hidden, may be nil.
func (n *meanNet[T]) forward(params []T, series [][]T, keep *network.Mask[T], threads int) *meanPass[T] {
	p := &meanPass[T]{from: make([]int, len(series)+1), keep: keep}
	for k, x := range series {
		p.from[k+1] = p.from[k] + len(x)/n.Regions
	}
	rows := p.from[len(series)]
	memory := &n.memory.numbers
	p.x = memory.Take(rows * n.Regions)
	for k, x := range series {
		copy(p.x[p.from[k]*n.Regions:], x)
	}
	in, h := p.x, n.Hidden
	for l, b := range n.blocks {
		y := meanLayer[T]{normal: memory.Take(rows * h), inverse: memory.Take(rows), out: memory.Take(rows * h)}
		scale, shift := network.Of(params, b.scale), network.Of(params, b.shift)
		b.Forward(y.normal, in, params, rows, threads)
		dense.Each(threads, len(series), func(k int) {
			for r := p.from[k]; r < p.from[k+1]; r++ {
				v, out := y.normal[r*h:][:h], y.out[r*h:][:h]
				y.inverse[r] = network.Normalize(v)
				gnn.Affine(out, v, scale, shift)
				if l > 0 {
					gnn.Add(out, in[r*h:][:h])
				}
				gnn.ReLU(out, 0)
				if l == 0 && keep != nil {
					keep.Drop(out, out, r*h)
				}
			}
		})
		p.layers = append(p.layers, y)
		in = y.out
	}
	p.mean, p.logits = make([]T, len(series)*h), make([]T, len(series)*n.Classes)
	dense.Each(threads, len(series), func(k int) {
		mean := p.mean[k*h:][:h]
		for r := p.from[k]; r < p.from[k+1]; r++ {
			gnn.Add(mean, in[r*h:][:h])
		}
		for j := range mean {
			mean[j] /= T(p.from[k+1] - p.from[k])
		}
	})
	n.out.Forward(p.logits, p.mean, params, len(series), threads)
	return p
}

// Gradient overwrites grad with the gradient of the summed cross-entropy of cases, unless it is nil.
func (n *meanNet[T]) Gradient(params, grad []T, cases []int, dropout *random.Stream,
	threads int) (loss float64, right int) {
	n.memory.reset()
	var keep *network.Mask[T]
	if dropout != nil && n.Dropout > 0 {
		rows := 0
		for _, i := range cases {
			rows += len(n.series[i]) / n.Regions
		}
		mask := network.NewMask[T](n.memory.kept.Take(rows*n.Hidden), n.Dropout, dropout)
		keep = &mask
	}
	p := n.forward(params, n.of(cases), keep, threads)
	for k, i := range cases {
		l, class := network.CrossEntropy(p.logits[k*n.Classes:][:n.Classes], n.label[i], 1)
		loss += l
		if class == n.label[i] {
			right++
		}
	}
	if grad != nil {
		n.back(params, grad, p, p.logits, threads)
	}
	return loss, right
}

// back carries gradients of the logits (participants × classes) to the parameters, and returns those of
// the series. With grad nil, to the series alone; otherwise those are not computed.
func (n *meanNet[T]) back(params, grad []T, p *meanPass[T], logits []T, threads int) (dx []T) {
	cases, rows, h := len(p.from)-1, p.from[len(p.from)-1], n.Hidden
	mean, d := make([]T, cases*h), n.memory.numbers.Take(rows*h) // d: gradient of the layer's result
	n.out.Backward(mean, logits, p.mean, params, grad, cases, threads)
	dense.Each(threads, cases, func(k int) {
		row := mean[k*h:][:h]
		for j := range row {
			row[j] /= T(p.from[k+1] - p.from[k])
		}
		for r := p.from[k]; r < p.from[k+1]; r++ {
			copy(d[r*h:], row)
		}
	})
	for l := len(n.blocks) - 1; l >= 0; l-- {
		b, y := n.blocks[l], p.layers[l]
		var skip []T
		if l > 0 {
			skip = n.memory.numbers.Take(rows * h)
		}
		scales := make([]T, 2*cases*h) // of each participant: of scale, of shift
		scale := network.Of(params, b.scale)
		dense.Each(threads, cases, func(k int) {
			ds, dt := scales[2*k*h:][:h], scales[(2*k+1)*h:][:h]
			for r := p.from[k]; r < p.from[k+1]; r++ {
				dr, normal := d[r*h:][:h], y.normal[r*h:][:h]
				gnn.ReLUBack(dr, y.out[r*h:][:h], 0)
				if l == 0 && p.keep != nil {
					p.keep.Drop(dr, dr, r*h)
				}
				if l > 0 {
					copy(skip[r*h:], dr)
				}
				gnn.Uncenter(dr, normal, scale, ds, dt, y.inverse[r])
			}
		})
		in := p.x
		if l > 0 {
			in = p.layers[l-1].out
		}
		if grad != nil {
			ds, dt := network.Of(grad, b.scale), network.Of(grad, b.shift)
			clear(ds)
			clear(dt)
			for k := range cases {
				gnn.Add(ds, scales[2*k*h:][:h])
				gnn.Add(dt, scales[(2*k+1)*h:][:h])
			}
		}
		var below []T
		if l > 0 || grad == nil {
			below = n.memory.numbers.Take(rows * b.In)
		}
		b.Backward(below, d, in, params, grad, rows, threads)
		gnn.Add(below, skip)
		d = below
	}
	return d
}

// rate gives gradient × input of the contrast of the logits, summed over time, as layer 1.
func (n *meanNet[T]) rate(params []T, cases []int, threads int) []gnn.Prediction {
	n.memory.reset()
	series := n.of(cases)
	p := n.forward(params, series, nil, threads)
	x, direction := slices.Clone(p.x), contrasts(p.logits, n.Classes)
	var gradient []T
	if n.Steps == 0 {
		gradient = n.back(params, nil, p, direction, threads)
	}
	for step := range n.Steps {
		n.memory.reset()
		share := T((float64(step) + 0.5) / float64(n.Steps))
		scaled := make([][]T, len(series))
		for k, x := range series {
			scaled[k] = make([]T, len(x))
			for i, v := range x {
				scaled[k][i] = share * v
			}
		}
		g := n.back(params, nil, n.forward(params, scaled, nil, threads), direction, threads)
		if gradient == nil {
			gradient = make([]T, len(g))
		}
		for i, v := range g {
			gradient[i] += v / T(n.Steps)
		}
	}
	out := predictions(p.logits, n.Classes)
	for k := range series {
		score := make([]float64, n.Regions)
		for i := p.from[k] * n.Regions; i < p.from[k+1]*n.Regions; i++ {
			score[i%n.Regions] += float64(float64(gradient[i]) * float64(x[i]))
		}
		out[k].Layers = []gnn.Scores{allKept(score)}
	}
	return out
}
