package network

import (
	"bytes"
	"encoding/gob"
	"math"

	"prgnn/gnn"
)

// A run is a training under way. What is exported is everything that the rest of it depends on: going on from
// there gives the same bits as never having stopped.
type run[T gnn.Float] struct {
	net     Network[T]
	further further[T] // nil, or net
	grad    []T

	Params, Buffers []T
	Optimizer       *Optimizer[T]
	Done            []Epoch
	Rate            float64 // of the last epoch
	Steps           int
	Best            []T     // parameters and buffers of the epoch that is taken
	Least           float64 // the smallest loss of the cases that validate, and its epoch
	At              int
}

func newRun[T gnn.Float](net Network[T], t Training) *run[T] {
	r := &run[T]{net: net, Params: Initial[T](net.Layout(), t), Rate: t.Rate, Least: math.Inf(1)}
	if f, ok := net.(further[T]); ok {
		r.further, r.Buffers = f, f.Buffers()
	}
	r.grad = make([]T, len(r.Params))
	r.Optimizer = NewOptimizer(t, r.Params, r.grad)
	r.resume(t)
	return r
}

// resume goes back to a checkpoint. One that cannot be read, or is of another network, is passed over:
// the training then starts from the beginning, and ends the same.
func (r *run[T]) resume(t Training) {
	var s run[T]
	if gob.NewDecoder(bytes.NewReader(t.Resume)).Decode(&s) != nil || len(s.Params) != len(r.Params) ||
		len(s.Buffers) != len(r.Buffers) || s.Optimizer == nil || len(s.Optimizer.Adams) != len(r.Optimizer.Adams) ||
		len(s.Optimizer.Velocity) != len(r.Optimizer.Velocity) {
		return
	}
	copy(r.Params, s.Params)
	copy(r.Buffers, s.Buffers)
	r.Optimizer.Adams, r.Optimizer.Velocity = s.Optimizer.Adams, s.Optimizer.Velocity
	r.Done, r.Rate, r.Steps, r.Best, r.Least, r.At = s.Done, s.Rate, s.Steps, s.Best, s.Least, s.At
	for _, e := range r.Done {
		if t.Progress != nil {
			t.Progress(e)
		}
	}
}

func (r *run[T]) save(t Training) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		return err
	}
	return t.Save(b.Bytes())
}

// ended reports whether the loss of the cases that validate has not fallen for too long.
func (r *run[T]) ended(t Training) bool { return r.Best != nil && len(r.Done)-r.At >= t.Patience }

// penalty is that of the last batch.
func (r *run[T]) penalty() float64 {
	if r.further == nil {
		return 0
	}
	return r.further.Penalty()
}
