package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/gnn"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// Training says how a network is trained.
type Training struct {
	Epochs, Batch int
	Rate          float64 // at the start
	Halve         int     // the rate is halved every so many epochs; 0: never
	Lead          int     // the first halving comes so many epochs earlier
	Cosine        float64 // the rate falls to this one along a cosine, a step at a time; 0: it does not
	Whole         bool    // a last batch that is smaller than the others is dropped
	// Momentum, when it is not 0, makes the optimizer stochastic gradient descent
	// with it; without, it is Adam.
	Momentum float64
	Decay    float64        // L2 weight decay
	Xavier   bool           // weights start uniform in ±√(3/fan in), biases at 0, as Caffe's xavier fillers have it
	Fan      map[string]int // the fan in of biases that are of no weights
	Seed     uint64         // of the starting weights, the order of the cases, and dropout
	Stream   []any          // further words that name those streams
	Threads  int
	// Test is how many cases, the last ones, nothing is learned from: their loss
	// is told after each epoch.
	Test int
	// Held is how many cases before those validate: training ends when their loss has not fallen for
	// Patience epochs, and the parameters of the epoch of their smallest loss are taken.
	Held, Patience int
	After          int                // no epoch up to this one is taken
	Progress       func(Epoch)        // may be nil; a training that is resumed tells of the epochs before, too
	Every          int                // a checkpoint every so many epochs; 0: none
	Save           func([]byte) error // keeps a checkpoint
	Resume         []byte             // what Save was last given, or nil
}

// An Epoch is a pass over the cases that are learned from.
type Epoch struct {
	Number int     // from 1
	Rate   float64 // learning rate
	// As each batch came by: cross-entropy (of numbers the squared error), and share of right classes.
	Loss, Accuracy         float64
	Penalty                float64 // what the loss had beyond the cross-entropy
	TestLoss, TestAccuracy float64 // of the test cases, after the epoch; NaN without any
	HeldLoss               float64 // of those that validate, after the epoch, with the penalty
}

// A Network computes the loss of cases and its gradient. Cases are numbered by their place among those it was made
// for.
type Network[T gnn.Float] interface {
	// Layout lists the parameters.
	Layout() gnn.Layout
	// Gradient overwrites grad with the gradient of the cross-entropy over the cases (the mean; of
	// meanMLP and the Brain Network Transformer the sum), unless it is nil; it gives the loss's sum over them, and
	// how many are
	// classified rightly. Without dropout, which may be nil, nothing is dropped and nothing mixed.
	Gradient(params, grad []T, cases []int, dropout *random.Stream, threads int) (loss float64, right int)
	// Drops reports whether training needs random numbers: for dropout, or to mix cases.
	Drops() bool
}

// A further network has more than its parameters and the cross-entropy.
type further[T gnn.Float] interface {
	// Buffers are what training moves beside the parameters.
	Buffers() []T
	// Penalty is what the loss of the last gradient has beyond the cross-entropy; of a mean, times the cases.
	Penalty() float64
}

// stream opens a stream of the training.
func (t Training) stream(words ...any) *random.Stream {
	return random.New(t.Seed, append(words, t.Stream...)...)
}

// Initial draws all parameters, uniform in ±1/√(fan in), as PyTorch's layers do, or as
// Xavier says. Each array has its own stream. Names end in _W or _b; the last number of a
// weight's shape is what it leads to, the others are the fan in. Weights that end in _X begin uniform in
// ±√(6/(fan in + fan out)) (Glorot and Bengio 2010), rows of a table (_N) normal with variance 2/width (He et
// al. 2015, as PyTorch's kaiming_normal_ has it), scales of a normalization (_scale) at 1, all others at 0.
func Initial[T gnn.Float](l gnn.Layout, t Training) []T {
	v := make([]T, l.Len())
	for _, p := range l {
		if strings.HasSuffix(p.Name, "_scale") {
			for i := range p.Len() {
				v[p.Offset+i] = 1
			}
		}
		if strings.HasSuffix(p.Name, "_N") {
			r, sd := t.stream("weights", p.Name), math.Sqrt(2/float64(p.Shape[len(p.Shape)-1]))
			for i := range p.Len() {
				v[p.Offset+i] = T(sd * r.Normal())
			}
		}
		glorot := strings.HasSuffix(p.Name, "_X")
		if !glorot && !strings.HasSuffix(p.Name, "_W") && !strings.HasSuffix(p.Name, "_b") {
			continue
		}
		w := p
		if !glorot {
			w, _ = l.Find(p.Name[:len(p.Name)-1] + "W")
		}
		fan, out := t.Fan[p.Name], 1
		if fan == 0 {
			out = w.Shape[len(w.Shape)-1]
			fan = w.Len() / out
		}
		bound := 1 / math.Sqrt(float64(fan))
		if glorot {
			bound = math.Sqrt(6 / float64(fan+out))
		} else if t.Xavier {
			if p.Name != w.Name {
				continue
			}
			bound = math.Sqrt(3 / float64(fan))
		}
		r := t.stream("weights", p.Name)
		for i := range p.Len() {
			v[p.Offset+i] = T(Uniform(r, bound))
		}
	}
	return v
}

// Uniform draws from ±bound.
func Uniform(r *random.Stream, bound float64) float64 { return bound * (float64(2*r.Float64()) - 1) }

// Train fits a network to all of n cases but the last ones, which validate or are for the test.
func Train[T gnn.Float](ctx context.Context, net Network[T], n int, t Training) ([]T, error) {
	r := newRun(net, t)
	taught := n - t.Test - t.Held
	all := t.Epochs * ((taught + t.Batch - 1) / t.Batch)
	for len(r.Done) < t.Epochs && !r.ended(t) {
		e := Epoch{Number: len(r.Done) + 1, Rate: r.Rate}
		if t.Halve > 0 && e.Number > 1 && (e.Number-1+t.Lead)%t.Halve == 0 {
			e.Rate /= 2
		}
		order := t.stream("order", e.Number).Perm(taught)
		sum, penalty, right, seen := 0.0, 0.0, 0, 0
		for at := 0; at < taught; at += t.Batch {
			batch := order[at:min(taught, at+t.Batch)]
			if t.Whole && at > 0 && len(batch) < t.Batch {
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var s *random.Stream
			if net.Drops() {
				s = t.stream("dropout", e.Number, at)
			}
			loss, good := net.Gradient(r.Params, r.grad, batch, s, t.Threads)
			sum, penalty, right, seen = sum+loss, penalty+r.penalty(), right+good, seen+len(batch)
			if r.Steps++; t.Cosine > 0 {
				_, cos := exact.Sincos(math.Pi * float64(r.Steps) / float64(all))
				e.Rate = t.Cosine + float64((t.Rate-t.Cosine)*(1+cos))/2
			}
			r.Optimizer.Step(e.Rate)
		}
		r.Rate = e.Rate
		e.Loss, e.Penalty, e.Accuracy = sum/float64(seen), penalty/float64(seen), float64(right)/float64(seen)
		if !finite(e.Loss+e.Penalty) || !finite(r.Params...) {
			return nil, r.diverged(e)
		}
		if t.Held > 0 {
			loss, penalty, _ := r.tested(taught, t.Held, t)
			e.HeldLoss = loss + penalty
			if e.HeldLoss < r.Least && e.Number > t.After {
				r.Best, r.Least, r.At = append(slices.Clone(r.Params), r.Buffers...), e.HeldLoss, e.Number
			}
		}
		if t.Progress != nil {
			e.TestLoss, _, e.TestAccuracy = r.tested(taught+t.Held, t.Test, t)
			t.Progress(e)
		}
		r.Done = append(r.Done, e)
		if t.Every > 0 && e.Number%t.Every == 0 && e.Number < t.Epochs {
			if err := r.save(t); err != nil {
				return nil, fmt.Errorf("checkpoint after epoch %d: %w", e.Number, err)
			}
		}
	}
	if r.Best != nil {
		copy(r.Params, r.Best)
		copy(r.Buffers, r.Best[len(r.Params):])
	}
	return r.Params, nil
}

// tested gives cross-entropy, penalty and accuracy on n cases from first on.
func (r *run[T]) tested(first, n int, t Training) (loss, penalty, accuracy float64) {
	right := 0
	for at := first; at < first+n; at += t.Batch {
		var cases []int
		for i := at; i < min(first+n, at+t.Batch); i++ {
			cases = append(cases, i)
		}
		l, good := r.net.Gradient(r.Params, nil, cases, nil, t.Threads)
		loss, penalty, right = loss+l, penalty+r.penalty(), right+good
	}
	return loss / float64(n), penalty / float64(n), float64(right) / float64(n)
}

// diverged tells when a loss has left all numbers behind.
func (r *run[T]) diverged(e Epoch) error {
	after := ""
	if e.Number > 1 {
		after = fmt.Sprintf(", after %.3g in the previous epoch", r.Done[e.Number-2].Loss)
	}
	return fmt.Errorf("training diverged in epoch %d: the loss is not finite%s: use a learning_rate below %g", e.Number, after, e.Rate)
}

func finite[T gnn.Float](v ...T) bool {
	for _, x := range v {
		if x-x != 0 { // of infinities and NaN, NaN
			return false
		}
	}
	return true
}

// An Optimizer moves parameters against their gradient. What is exported is what it remembers.
type Optimizer[T gnn.Float] struct {
	t            Training
	params, grad []T
	Adams        []*gnn.Adam[T] // of each chunk
	Velocity     []T            // with momentum
}

// chunk is how many parameters one goroutine moves at a time.
const chunk = 1 << 14

// NewOptimizer makes that of a training: stochastic gradient descent with momentum, or Adam.
func NewOptimizer[T gnn.Float](t Training, params, grad []T) *Optimizer[T] {
	o := &Optimizer[T]{t: t, params: params, grad: grad}
	if t.Momentum != 0 {
		o.Velocity = make([]T, len(params))
		return o
	}
	for part := range slices.Chunk(params, chunk) {
		o.Adams = append(o.Adams, gnn.NewAdam[T](len(part), t.Decay))
	}
	return o
}

// Step moves the parameters against the gradient.
func (o *Optimizer[T]) Step(rate float64) {
	momentum, decay, r := T(o.t.Momentum), T(o.t.Decay), T(rate)
	dense.Each(o.t.Threads, (len(o.params)+chunk-1)/chunk, func(i int) {
		lo, hi := i*chunk, min(len(o.params), (i+1)*chunk)
		p, g := o.params[lo:hi], o.grad[lo:hi]
		if o.Velocity == nil {
			o.Adams[i].Step(p, g, rate)
			return
		}
		v := o.Velocity[lo:hi]
		for j := range p {
			// v ← μv + g + decay·p; p ← p − rate·v (torch.optim.SGD)
			v[j] = T(momentum*v[j]) + (g[j] + T(decay*p[j]))
			p[j] -= T(r * v[j])
		}
	})
}

// Entropies turns the rows of logits of some cases into the gradient of their mean
// cross-entropy; it gives the sum, and how many classes are right.
func Entropies[T gnn.Float](logits []T, label []int, cases []int) (loss float64, right int) {
	classes := len(logits) / len(cases)
	for k, i := range cases {
		l, class := CrossEntropy(logits[k*classes:][:classes], label[i], 1/float64(len(cases)))
		loss += l
		if class == label[i] {
			right++
		}
	}
	return loss, right
}

// Squares turns what a network predicts of some cases, a number each, into the gradient of the mean squared error; it
// gives the sum of the squares.
func Squares[T gnn.Float](predicted []T, y []float64, cases []int) (loss float64) {
	share := 2 / float64(len(cases))
	for k, i := range cases {
		d := float64(predicted[k]) - y[i]
		loss += float64(d * d)
		predicted[k] = T(share * d)
	}
	return loss
}

// CrossEntropy turns the logits of a case into the gradient of share × its
// cross-entropy, and gives the cross-entropy and the class of the largest logit.
func CrossEntropy[T gnn.Float](logits []T, label int, share float64) (loss float64, class int) {
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

// Probabilities are the softmax of rows of logits.
func Probabilities[T gnn.Float](logits []T, classes int) []float64 {
	out := make([]float64, len(logits))
	for i, v := range logits {
		out[i] = float64(v)
	}
	for i := 0; i < len(out); i += classes {
		Softmax(out[i:][:classes])
	}
	return out
}

// Softmax replaces logits by probabilities, in place.
func Softmax[T gnn.Float](v []T) {
	largest, sum := v[0], T(0)
	for _, x := range v {
		largest = max(largest, x)
	}
	for i, x := range v {
		v[i] = gnn.Exp(x - largest)
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
}
