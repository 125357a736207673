package rival

import (
	"fmt"

	"prgnn/gnn"
	"prgnn/gnn/network"
	"prgnn/numeric/random"
)

// A head is the MLP from the readout z to the logits: ReLU after each layer but the last, then batch
// normalization and dropout.
type head[T gnn.Float] struct {
	layers  []network.Full[T]
	norms   []batchNorm // after each layer but the last; none without batch normalization
	running []T         // mean and variance of each

	values  [][]T // z, and what each layer gives
	relu    [][]T // before batch normalization
	normal  [][]T // before scale and shift
	inverse [][]T // 1/√(var + ε) of each feature
	mask    [][]T // of dropout
}

// A batchNorm is one batch normalization; at is where its mean begins in running, its variance following.
type batchNorm struct {
	scale, shift gnn.Param
	at           int
}

func newHead[T gnn.Float](l *gnn.Layout, o BrainGNN) head[T] {
	h := head[T]{}
	widths := []int{2 * (o.Widths[0] + o.Widths[1]), o.Widths[1], o.Hidden, o.Classes}
	for i := range len(widths) - 1 {
		name := func(int) string { return fmt.Sprintf("fc%d", i+1) }
		h.layers = append(h.layers, network.Fulls[T](l, widths[i:i+2], name)...)
		if o.BatchNorm && i < len(widths)-2 {
			w := widths[i+1]
			h.norms = append(h.norms, batchNorm{network.Add(l, fmt.Sprintf("bn%d_scale", i+1), w),
				network.Add(l, fmt.Sprintf("bn%d_shift", i+1), w), len(h.running)})
			h.running = append(h.running, make([]T, 2*w)...)
			for j := range w {
				h.running[len(h.running)-1-j] = 1
			}
		}
	}
	return h
}

// width is that of z.
func (h *head[T]) width() int { return h.layers[0].In }

func (h *head[T]) forward(o BrainGNN, params []T, first, second *brainBlock[T], training, run bool,
	stream *random.Stream,
	threads int) []T {
	x := make([]T, first.graphs*h.width())
	first.read(x, h.width(), 0)
	second.read(x, h.width(), 2*first.out)
	h.values, h.relu, h.normal, h.inverse, h.mask = [][]T{x}, nil, nil, nil, nil
	for i, f := range h.layers {
		y := make([]T, first.graphs*f.Out)
		f.Forward(y, x, params, first.graphs, threads)
		if i < len(h.layers)-1 {
			gnn.ReLU(y, 0)
			h.relu = append(h.relu, y)
			if o.BatchNorm {
				y = h.normalize(params, i, first.graphs, training, run)
			}
			if stream != nil && o.Dropout > 0 {
				if !o.BatchNorm {
					y = append([]T(nil), y...)
				}
				h.mask = append(h.mask, network.Drop(y, o.Dropout, stream))
			}
		}
		h.values, x = append(h.values, y), y
	}
	return x
}

// epsilon and momentum are those of PyTorch's batch normalization.
const (
	epsilon  = 1e-5
	momentum = 0.1
)

// normalize is batch normalization i of rows.
func (h *head[T]) normalize(params []T, i, rows int, training, run bool) []T {
	x, n, w := h.relu[i], h.norms[i], h.layers[i].Out
	scale, shift := network.Of(params, n.scale), network.Of(params, n.shift)
	y, normal, inverse, column := make([]T, len(x)), make([]T, len(x)), make([]T, w), make([]T, rows)
	for j := range w {
		total := T(0)
		for r := range column {
			column[r] = x[r*w+j]
			total += column[r]
		}
		mean, variance := &h.running[n.at+j], &h.running[n.at+w+j]
		if training {
			inverse[j] = network.Normalize(column)
		} else {
			inverse[j] = 1 / root(*variance+epsilon)
			for r := range column {
				column[r] = (column[r] - *mean) * inverse[j]
			}
		}
		if run {
			biased := 1/T(inverse[j]*inverse[j]) - epsilon
			*mean = T((1-momentum)**mean) + T(momentum*(total/T(rows)))
			*variance = T((1-momentum)**variance) + T(momentum*(biased*T(rows)/T(max(1, rows-1))))
		}
		for r, v := range column {
			normal[r*w+j] = v
			y[r*w+j] = T(v*scale[j]) + shift[j]
		}
	}
	h.normal, h.inverse = append(h.normal, normal), append(h.inverse, inverse)
	return y
}

// back carries the gradient d of the logits to the parameters, and returns that of z.
func (h *head[T]) back(params, grad, d []T, threads int) []T {
	rows := len(d) / h.layers[len(h.layers)-1].Out
	for i := len(h.layers) - 1; i >= 0; i-- {
		f := h.layers[i]
		if i < len(h.layers)-1 {
			if h.mask != nil {
				network.Times(d, h.mask[i])
			}
			if h.norms != nil {
				h.normalizeBack(params, grad, d, i, rows)
			}
			gnn.ReLUBack(d, h.relu[i], 0)
		}
		dx := make([]T, rows*f.In)
		f.Backward(dx, d, h.values[i], params, grad, rows, threads)
		d = dx
	}
	return d
}

// normalizeBack turns the gradient d of batch normalization i into that of what it normalized.
func (h *head[T]) normalizeBack(params, grad, d []T, i, rows int) {
	n, w, normal := h.norms[i], h.layers[i].Out, h.normal[i]
	scale, ds, dt := network.Of(params, n.scale), network.Of(grad, n.scale), network.Of(grad, n.shift)
	for j := range w {
		sum, along := T(0), T(0)
		for at := j; at < len(d); at += w {
			sum += d[at]
			along += T(d[at] * normal[at])
		}
		ds[j], dt[j] = along, sum
		for at := j; at < len(d); at += w {
			d[at] = T(h.inverse[i][j]*scale[j]) * (d[at] - sum/T(rows) - T(normal[at]*(along/T(rows))))
		}
	}
}
