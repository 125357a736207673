package baseline

import (
	"context"
	"fmt"
	"math"

	"prgnn/gnn"
	"prgnn/internal/dense"
	"prgnn/internal/exact"
	"prgnn/internal/random"
)

// Training says how a network is trained.
type Training struct {
	Epochs, Batch int
	Rate          float64 // at the start
	Halve         int     // the rate is halved every so many epochs; 0: never
	// Momentum, when it is not 0, makes the optimiser stochastic gradient descent
	// with it; without, it is Adam.
	Momentum float64
	Decay    float64 // L2 weight decay
	Xavier   bool    // weights start uniform in ±√(3/fan in), biases at 0, as Caffe's xavier fillers have it
	Seed     uint64  // of the starting weights, the order of the cases, and dropout
	Stream   []any   // further words that name those streams
	Threads  int
	// Test is how many cases, the last ones, nothing is learned from: their loss
	// is told after each epoch.
	Test     int
	Progress func(Epoch) // may be nil
}

// An Epoch is a pass over the cases that are learned from.
type Epoch struct {
	Number                 int     // from 1
	Rate                   float64 // learning rate
	Loss, Accuracy         float64 // cross-entropy, and share of right classes, as each batch came by
	TestLoss, TestAccuracy float64 // of the others, after the epoch; NaN without any
}

// A network computes the loss of cases and its gradient. Cases are told by their
// place among those it was made for.
type network[T gnn.Float] interface {
	layout() gnn.Layout
	// gradient overwrites grad with the gradient of the mean cross-entropy over the
	// cases, unless it is nil; it gives the loss's sum over them, and how many are
	// classified rightly. Without dropout, which may be nil, nothing is dropped.
	gradient(params, grad []T, cases []int, dropout *random.Stream, threads int) (loss float64, right int)
	drops() bool
}

// stream opens a stream of the training.
func (t Training) stream(words ...any) *random.Stream {
	return random.New(t.Seed, append(words, t.Stream...)...)
}

// initial draws all parameters, uniform in ±1/√(fan in), as PyTorch's layers do, or as
// Xavier says. Each array has its own stream. Names end in _W or _b; the last number of a
// weight's shape is what it leads to, the others are the fan in.
func initial[T gnn.Float](l gnn.Layout, t Training) []T {
	v := make([]T, l.Len())
	for _, p := range l {
		w, _ := l.Find(p.Name[:len(p.Name)-1] + "W")
		fan := w.Len() / w.Shape[len(w.Shape)-1]
		bound := 1 / math.Sqrt(float64(fan))
		if t.Xavier {
			if p.Name != w.Name {
				continue
			}
			bound = math.Sqrt(3 / float64(fan))
		}
		r := t.stream("weights", p.Name)
		for i := range p.Len() {
			v[p.Offset+i] = T(bound * (float64(2*r.Float64()) - 1))
		}
	}
	return v
}

// train fits a network to all of n cases but the last ones, which are for the test.
func train[T gnn.Float](ctx context.Context, net network[T], n int, t Training) ([]T, error) {
	params := initial[T](net.layout(), t)
	grad := make([]T, len(params))
	step := optimiser(t, params, grad)
	taught := n - t.Test
	e := Epoch{Rate: t.Rate}
	for e.Number = 1; e.Number <= t.Epochs; e.Number++ {
		if t.Halve > 0 && e.Number > 1 && (e.Number-1)%t.Halve == 0 {
			e.Rate /= 2
		}
		order := t.stream("order", e.Number).Perm(taught)
		sum, right := 0.0, 0
		for at := 0; at < taught; at += t.Batch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var r *random.Stream
			if net.drops() {
				r = t.stream("dropout", e.Number, at)
			}
			loss, good := net.gradient(params, grad, order[at:min(taught, at+t.Batch)], r, t.Threads)
			sum, right = sum+loss, right+good
			step(e.Rate)
		}
		before := e.Loss
		e.Loss, e.Accuracy = sum/float64(taught), float64(right)/float64(taught)
		if !finite(e.Loss) || !finite(params...) {
			return nil, diverged(e, before)
		}
		if t.Progress != nil {
			e.TestLoss, e.TestAccuracy = tested(net, params, taught, t)
			t.Progress(e)
		}
	}
	return params, nil
}

// tested gives cross-entropy and accuracy on the cases from first on.
func tested[T gnn.Float](net network[T], params []T, first int, t Training) (loss, accuracy float64) {
	sum, right := 0.0, 0
	for at := first; at < first+t.Test; at += t.Batch {
		var cases []int
		for i := at; i < min(first+t.Test, at+t.Batch); i++ {
			cases = append(cases, i)
		}
		l, good := net.gradient(params, nil, cases, nil, t.Threads)
		sum, right = sum+l, right+good
	}
	return sum / float64(t.Test), float64(right) / float64(t.Test)
}

// diverged tells when a loss has left all numbers behind.
func diverged(e Epoch, before float64) error {
	after := ""
	if e.Number > 1 {
		after = fmt.Sprintf(", after %.3g in the epoch before", before)
	}
	return fmt.Errorf("the training diverges: in epoch %d the loss is no longer a number%s: take a smaller learning_rate than %g", e.Number, after, e.Rate)
}

func finite[T gnn.Float](v ...T) bool {
	for _, x := range v {
		if x-x != 0 { // of infinities and NaN, NaN
			return false
		}
	}
	return true
}

// optimiser gives a function that moves the parameters against the gradient.
func optimiser[T gnn.Float](t Training, params, grad []T) func(rate float64) {
	const chunk = 1 << 14
	chunks := (len(params) + chunk - 1) / chunk
	each := func(work func(i, lo, hi int)) {
		dense.Each(t.Threads, chunks, func(i int) { work(i, i*chunk, min(len(params), (i+1)*chunk)) })
	}
	if t.Momentum == 0 {
		adams := make([]*gnn.Adam[T], chunks)
		each(func(i, lo, hi int) { adams[i] = gnn.NewAdam[T](hi-lo, t.Decay) })
		return func(rate float64) {
			each(func(i, lo, hi int) { adams[i].Step(params[lo:hi], grad[lo:hi], rate) })
		}
	}
	velocity := make([]T, len(params))
	momentum, decay := T(t.Momentum), T(t.Decay)
	return func(rate float64) {
		r := T(rate)
		each(func(_, lo, hi int) {
			p, g, v := params[lo:hi], grad[lo:hi], velocity[lo:hi]
			for j := range p {
				// v ← μv + g + decay·p; p ← p − rate·v (torch.optim.SGD)
				v[j] = T(momentum*v[j]) + (g[j] + T(decay*p[j]))
				p[j] -= T(r * v[j])
			}
		})
	}
}

// entropies turns the rows of logits of some cases into the gradient of their mean
// cross-entropy; it gives the sum, and how many classes are right.
func entropies[T gnn.Float](logits []T, label []int, cases []int) (loss float64, right int) {
	classes := len(logits) / len(cases)
	for k, i := range cases {
		l, class := crossEntropy(logits[k*classes:][:classes], label[i], 1/float64(len(cases)))
		loss += l
		if class == label[i] {
			right++
		}
	}
	return loss, right
}

// crossEntropy turns the logits of a case into the gradient of share × its
// cross-entropy, and gives the cross-entropy and the class of the largest logit.
func crossEntropy[T gnn.Float](logits []T, label int, share float64) (loss float64, class int) {
	for c, v := range logits {
		if v > logits[class] {
			class = c
		}
	}
	largest, sum := float64(logits[class]), 0.0
	for _, v := range logits {
		sum += exact.Exp(float64(v) - largest)
	}
	loss = exact.Log(sum) - (float64(logits[label]) - largest)
	for c, v := range logits {
		p := exact.Exp(float64(v)-largest) / sum
		if c == label {
			p--
		}
		logits[c] = T(float64(share * p))
	}
	return loss, class
}

// probabilities are the softmax of rows of logits.
func probabilities[T gnn.Float](logits []T, classes int) []float64 {
	out := make([]float64, len(logits))
	for i, v := range logits {
		out[i] = float64(v)
	}
	for i := 0; i < len(out); i += classes {
		softmax(out[i:][:classes])
	}
	return out
}

// A full layer is y = x·W + b for rows x; W is in × out.
type full[T gnn.Float] struct {
	in, out int
	w, b    gnn.Param
}

// fulls adds the layers of an MLP of these widths to a layout.
func fulls[T gnn.Float](l *gnn.Layout, widths []int, name func(i int) string) []full[T] {
	var layers []full[T]
	for i := range len(widths) - 1 {
		f := full[T]{in: widths[i], out: widths[i+1]}
		f.w, f.b = add(l, name(i)+"_W", f.in, f.out), add(l, name(i)+"_b", f.out)
		layers = append(layers, f)
	}
	return layers
}

// add appends an array to a layout.
func add(l *gnn.Layout, name string, shape ...int) gnn.Param {
	p := gnn.Param{Name: name, Shape: shape, Offset: l.Len()}
	*l = append(*l, p)
	return p
}

func of[T any](params []T, p gnn.Param) []T { return params[p.Offset:][:p.Len()] }

func (f full[T]) forward(y, x, params []T, n, threads int) {
	b := of(params, f.b)
	for i := range n {
		copy(y[i*f.out:], b)
	}
	dense.Multiply(y, f.out, dense.Rows(x, f.in), dense.Rows(of(params, f.w), f.out), n, f.in, f.out, true, threads)
}

// backward: dW = xᵀ·dy; db = Σ dy; dx = dy·Wᵀ, unless dx is nil. dx is computed as
// its transpose, which is quicker for a batch that is smaller than the layer.
func (f full[T]) backward(dx, dy, x, params, grad []T, n, threads int) {
	dense.Multiply(of(grad, f.w), f.out, dense.Rows(x, f.in).T(), dense.Rows(dy, f.out), f.in, n, f.out, false, threads)
	db := of(grad, f.b)
	clear(db)
	for i := range n {
		for j, v := range dy[i*f.out:][:f.out] {
			db[j] += v
		}
	}
	if dx == nil {
		return
	}
	turned := make([]T, f.in*n)
	dense.Multiply(turned, n, dense.Rows(of(params, f.w), f.out), dense.Rows(dy, f.out).T(), f.in,
		f.out, n, false, threads)
	for i := range n {
		for j := range f.in {
			dx[i*f.in+j] = turned[j*n+i]
		}
	}
}

// relu is max(x, 0) + slope·min(x, 0), in place.
func relu[T gnn.Float](v []T, slope T) {
	for i, x := range v {
		v[i] = max(x, 0) + T(slope*min(x, 0))
	}
}

// reluBack multiplies a gradient by the slope where the result was not above 0.
func reluBack[T gnn.Float](d, y []T, slope T) {
	for i, v := range y {
		if !(v > 0) {
			d[i] *= slope
		}
	}
}

// drop sets each value to 0 with probability p, and divides the others by 1−p; it
// gives the factors.
func drop[T gnn.Float](v []T, p float64, r *random.Stream) []T {
	keep := T(1 / (1 - p))
	mask := make([]T, len(v))
	for i := range v {
		if r.Float64() >= p {
			mask[i] = keep
		}
		v[i] *= mask[i]
	}
	return mask
}

func times[T gnn.Float](v, factor []T) {
	for i, f := range factor {
		v[i] *= f
	}
}
