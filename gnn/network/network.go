package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

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
	Cosine        float64 // the rate falls to this one along a cosine, a step at a time; 0: it does not
	Whole         bool    // a last batch that is smaller than the others is dropped
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
	Test int
	// Held is how many cases before those validate: training ends when their loss has not fallen for
	// Patience epochs, and the parameters of the epoch of their smallest loss are taken.
	Held, Patience int
	Progress       func(Epoch) // may be nil
}

// An Epoch is a pass over the cases that are learned from.
type Epoch struct {
	Number                 int     // from 1
	Rate                   float64 // learning rate
	Loss, Accuracy         float64 // cross-entropy, and share of right classes, as each batch came by
	TestLoss, TestAccuracy float64 // of the test cases, after the epoch; NaN without any
	HeldLoss               float64 // of those that validate, after the epoch
}

// A Network computes the loss of cases and its gradient. Cases are told by their
// place among those it was made for.
type Network[T gnn.Float] interface {
	// Layout lists the parameters.
	Layout() gnn.Layout
	// Gradient overwrites grad with the gradient of the cross-entropy over the cases (the mean; of
	// packages meanmlp and bnt the sum), unless it is nil; it gives the loss's sum over them, and how many are
	// classified rightly. Without dropout, which may be nil, nothing is dropped and nothing mixed.
	Gradient(params, grad []T, cases []int, dropout *random.Stream, threads int) (loss float64, right int)
	// Drops reports whether training needs random numbers: for dropout, or to mix cases.
	Drops() bool
}

// stream opens a stream of the training.
func (t Training) stream(words ...any) *random.Stream {
	return random.New(t.Seed, append(words, t.Stream...)...)
}

// Initial draws all parameters, uniform in ±1/√(fan in), as PyTorch's layers do, or as
// Xavier says. Each array has its own stream. Names end in _W or _b; the last number of a
// weight's shape is what it leads to, the others are the fan in. Weights that end in _X begin uniform in
// ±√(6/(fan in + fan out)) (Glorot and Bengio 2010), scales of a normalization (_scale) at 1, all others at 0.
func Initial[T gnn.Float](l gnn.Layout, t Training) []T {
	v := make([]T, l.Len())
	for _, p := range l {
		if strings.HasSuffix(p.Name, "_scale") {
			for i := range p.Len() {
				v[p.Offset+i] = 1
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
		out := w.Shape[len(w.Shape)-1]
		fan := w.Len() / out
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
	params := Initial[T](net.Layout(), t)
	grad := make([]T, len(params))
	step := Optimiser(t, params, grad)
	taught := n - t.Test - t.Held
	var best []T
	least, at := math.Inf(1), 0 // the smallest loss of the cases that validate, and its epoch
	e := Epoch{Rate: t.Rate}
	steps, all := 0, t.Epochs*((taught+t.Batch-1)/t.Batch)
	for e.Number = 1; e.Number <= t.Epochs; e.Number++ {
		if t.Halve > 0 && e.Number > 1 && (e.Number-1)%t.Halve == 0 {
			e.Rate /= 2
		}
		order := t.stream("order", e.Number).Perm(taught)
		sum, right, seen := 0.0, 0, 0
		for at := 0; at < taught; at += t.Batch {
			batch := order[at:min(taught, at+t.Batch)]
			if t.Whole && at > 0 && len(batch) < t.Batch {
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var r *random.Stream
			if net.Drops() {
				r = t.stream("dropout", e.Number, at)
			}
			loss, good := net.Gradient(params, grad, batch, r, t.Threads)
			sum, right, seen = sum+loss, right+good, seen+len(batch)
			if steps++; t.Cosine > 0 {
				_, cos := exact.Sincos(math.Pi * float64(steps) / float64(all))
				e.Rate = t.Cosine + float64((t.Rate-t.Cosine)*(1+cos))/2
			}
			step(e.Rate)
		}
		before := e.Loss
		e.Loss, e.Accuracy = sum/float64(seen), float64(right)/float64(seen)
		if !finite(e.Loss) || !finite(params...) {
			return nil, diverged(e, before)
		}
		if t.Held > 0 {
			e.HeldLoss, _ = tested(net, params, taught, t.Held, t)
			if e.HeldLoss < least {
				best, least, at = slices.Clone(params), e.HeldLoss, e.Number
			}
		}
		if t.Progress != nil {
			e.TestLoss, e.TestAccuracy = tested(net, params, taught+t.Held, t.Test, t)
			t.Progress(e)
		}
		if best != nil && e.Number-at >= t.Patience {
			break
		}
	}
	if best != nil {
		return best, nil
	}
	return params, nil
}

// tested gives cross-entropy and accuracy on n cases from first on.
func tested[T gnn.Float](net Network[T], params []T, first, n int, t Training) (loss, accuracy float64) {
	sum, right := 0.0, 0
	for at := first; at < first+n; at += t.Batch {
		var cases []int
		for i := at; i < min(first+n, at+t.Batch); i++ {
			cases = append(cases, i)
		}
		l, good := net.Gradient(params, nil, cases, nil, t.Threads)
		sum, right = sum+l, right+good
	}
	return sum / float64(n), float64(right) / float64(n)
}

// diverged tells when a loss has left all numbers behind.
func diverged(e Epoch, before float64) error {
	after := ""
	if e.Number > 1 {
		after = fmt.Sprintf(", after %.3g in the previous epoch", before)
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

// Optimiser gives a function that moves the parameters against the gradient.
func Optimiser[T gnn.Float](t Training, params, grad []T) func(rate float64) {
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
