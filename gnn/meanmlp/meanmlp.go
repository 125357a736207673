package meanmlp

import (
	"fmt"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/internal/dense"
	"prgnn/internal/random"
)

// Options are the shape of the network.
type Options struct {
	Hidden  int
	Layers  int     // residual blocks; the released default has none
	Dropout float64 // after the first ReLU
	Classes int
}

// Released are the options of the published figures.
func Released(classes int) Options { return Options{Hidden: 160, Dropout: 0.49, Classes: classes} }

// A Net is a network and the participants whose loss it computes.
type Net[T gnn.Float] struct {
	Options
	regions int
	l       gnn.Layout
	blocks  []block
	u, c    gnn.Param
	series  [][]T // T × F each, row-major
	label   []int
}

// A block is a full layer (in × out, as y = x·W + b) with its normalization.
type block struct {
	in, out            int
	w, b, scale, shift gnn.Param
}

// New makes a network for participants with series of F regions each.
func New[T gnn.Float](o Options, regions int, series [][]T, label []int) *Net[T] {
	n := &Net[T]{Options: o, regions: regions, series: series, label: label}
	in := regions
	for l := range o.Layers + 1 {
		name := "in"
		if l > 0 {
			name = fmt.Sprintf("r%d", l)
		}
		n.blocks = append(n.blocks, block{in: in, out: o.Hidden,
			w: network.Add(&n.l, name+"_W", in, o.Hidden), b: network.Add(&n.l, name+"_b", o.Hidden),
			scale: network.Add(&n.l, name+"_scale", o.Hidden), shift: network.Add(&n.l, name+"_shift", o.Hidden)})
		in = o.Hidden
	}
	n.u, n.c = network.Add(&n.l, "out_W", o.Hidden, o.Classes), network.Add(&n.l, "out_b", o.Classes)
	return n
}

// Layout lists the parameters.
func (n *Net[T]) Layout() gnn.Layout { return n.l }

// Drops reports whether there is dropout.
func (n *Net[T]) Drops() bool { return n.Dropout > 0 }

// A pass is what a forward pass leaves for the way back. Rows are volumes, those of one participant
// after those of the one before.
type pass[T gnn.Float] struct {
	from   []int // first row of each participant, and the end
	x      []T   // rows × regions
	keep   []T   // factors of dropout; nil without
	layers []layer[T]
	mean   []T // participants × hidden: mean over time of the last layer
	logits []T // participants × classes
}

type layer[T gnn.Float] struct {
	normal  []T // rows × hidden: before scale and shift
	inverse []T // rows: 1/√(var + ε)
	out     []T // rows × hidden: after ReLU and dropout
}

// forward computes the logits of cases. keep, rows × hidden, may be nil.
func (n *Net[T]) forward(params []T, cases []int, keep []T, threads int) *pass[T] {
	p := &pass[T]{from: make([]int, len(cases)+1), keep: keep}
	for k, i := range cases {
		p.from[k+1] = p.from[k] + len(n.series[i])/n.regions
	}
	rows := p.from[len(cases)]
	p.x = make([]T, 0, rows*n.regions)
	for _, i := range cases {
		p.x = append(p.x, n.series[i]...)
	}
	in := p.x
	for l, b := range n.blocks {
		h := b.out
		y := layer[T]{normal: make([]T, rows*h), inverse: make([]T, rows), out: make([]T, rows*h)}
		bias, scale, shift := network.Of(params, b.b), network.Of(params, b.scale), network.Of(params, b.shift)
		for r := range rows {
			copy(y.normal[r*h:], bias)
		}
		dense.Multiply(y.normal, h, dense.Rows(in, b.in), dense.Rows(network.Of(params, b.w), h), rows, b.in,
			h, true, threads)
		dense.Each(threads, len(cases), func(k int) {
			for r := p.from[k]; r < p.from[k+1]; r++ {
				v, out := y.normal[r*h:][:h], y.out[r*h:][:h]
				y.inverse[r] = network.Normalize(v)
				for j, x := range v {
					out[j] = T(x*scale[j]) + shift[j]
				}
				if l > 0 {
					for j, x := range in[r*h:][:h] {
						out[j] += x
					}
				}
				for j, x := range out {
					out[j] = max(x, 0)
				}
				if l == 0 && keep != nil {
					network.Times(out, keep[r*h:][:h])
				}
			}
		})
		p.layers = append(p.layers, y)
		in = y.out
	}
	h := n.Hidden
	p.mean, p.logits = make([]T, len(cases)*h), make([]T, len(cases)*n.Classes)
	u, c := network.Of(params, n.u), network.Of(params, n.c)
	dense.Each(threads, len(cases), func(k int) {
		mean, logits := p.mean[k*h:][:h], p.logits[k*n.Classes:][:n.Classes]
		for r := p.from[k]; r < p.from[k+1]; r++ {
			for j, x := range in[r*h:][:h] {
				mean[j] += x
			}
		}
		copy(logits, c)
		for j := range mean {
			mean[j] /= T(p.from[k+1] - p.from[k])
			for a := range logits {
				logits[a] += T(mean[j] * u[j*n.Classes+a])
			}
		}
	})
	return p
}

// Gradient overwrites grad with the gradient of the summed cross-entropy of cases, unless it is nil.
func (n *Net[T]) Gradient(params, grad []T, cases []int, dropout *random.Stream,
	threads int) (loss float64, right int) {
	var keep []T
	if dropout != nil && n.Dropout > 0 {
		rows := 0
		for _, i := range cases {
			rows += len(n.series[i]) / n.regions
		}
		keep = network.Mask[T](rows*n.Hidden, n.Dropout, dropout)
	}
	p := n.forward(params, cases, keep, threads)
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
func (n *Net[T]) back(params, grad []T, p *pass[T], logits []T, threads int) (dx []T) {
	cases, rows, h := len(p.from)-1, p.from[len(p.from)-1], n.Hidden
	d := n.backOutput(params, grad, p, logits, threads) // gradient of the layer's result
	for l := len(n.blocks) - 1; l >= 0; l-- {
		b, y := n.blocks[l], p.layers[l]
		var skip []T
		if l > 0 {
			skip = make([]T, rows*h)
		}
		scales := make([]T, 2*cases*h) // of each participant: of scale, of shift
		scale := network.Of(params, b.scale)
		dense.Each(threads, cases, func(k int) {
			ds, dt := scales[2*k*h:][:h], scales[(2*k+1)*h:][:h]
			for r := p.from[k]; r < p.from[k+1]; r++ {
				dr, normal := d[r*h:][:h], y.normal[r*h:][:h]
				network.ReLUBack(dr, y.out[r*h:][:h], 0)
				if l == 0 && p.keep != nil {
					network.Times(dr, p.keep[r*h:][:h])
				}
				if l > 0 {
					copy(skip[r*h:], dr)
				}
				network.Unnormalize(dr, normal, scale, ds, dt, y.inverse[r])
			}
		})
		in := p.x
		if l > 0 {
			in = p.layers[l-1].out
		}
		if grad != nil {
			ds, dt, db := network.Of(grad, b.scale), network.Of(grad, b.shift), network.Of(grad, b.b)
			clear(ds)
			clear(dt)
			clear(db)
			for k := range cases {
				for j := range h {
					ds[j] += scales[2*k*h+j]
					dt[j] += scales[(2*k+1)*h+j]
				}
			}
			for r := range rows {
				for j, v := range d[r*h:][:h] {
					db[j] += v
				}
			}
			dense.Multiply(network.Of(grad, b.w), h, dense.Rows(in, b.in).T(), dense.Rows(d, h), b.in, rows, h,
				false, threads)
			if l == 0 {
				return nil
			}
		}
		below := make([]T, rows*b.in)
		dense.Multiply(below, b.in, dense.Rows(d, h), dense.Rows(network.Of(params, b.w), h).T(), rows, h,
			b.in, false, threads)
		for i, v := range skip {
			below[i] += v
		}
		d = below
	}
	return d
}

// backOutput is the gradient of the last hidden layer's result, rows × hidden; grad gets that of the output layer.
func (n *Net[T]) backOutput(params, grad []T, p *pass[T], logits []T, threads int) []T {
	cases, h := len(p.from)-1, n.Hidden
	u := network.Of(params, n.u)
	if grad != nil {
		du, dc := network.Of(grad, n.u), network.Of(grad, n.c)
		clear(du)
		clear(dc)
		for k := range cases {
			d := logits[k*n.Classes:][:n.Classes]
			for j, m := range p.mean[k*h:][:h] {
				for a, v := range d {
					du[j*n.Classes+a] += T(m * v)
				}
			}
			for a, v := range d {
				dc[a] += v
			}
		}
	}
	d := make([]T, p.from[cases]*h)
	dense.Each(threads, cases, func(k int) {
		row := make([]T, h)
		for j := range row {
			for a, v := range logits[k*n.Classes:][:n.Classes] {
				row[j] += T(v * u[j*n.Classes+a])
			}
			row[j] /= T(p.from[k+1] - p.from[k])
		}
		for r := p.from[k]; r < p.from[k+1]; r++ {
			copy(d[r*h:], row)
		}
	})
	return d
}
