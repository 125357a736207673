package gnn

import (
	"bytes"
	"encoding/gob"
)

// A run is a training under way.
type run[T Float] struct {
	m       *Model[T]
	adam    *Adam[T]
	grad    []T // of a batch
	epoch   int // done
	history []Epoch
	best    []T // Params and Buffers of the best epoch
	bestCE  float64
}

// A snapshot is everything that the rest of a training depends on: going on from
// it gives the same bits as never having stopped.
type snapshot[T Float] struct {
	Epoch           int
	History         []Epoch
	Params, Buffers []T
	Adam            Adam[T]
	Best            []T
	BestCE          float64
}

func (r *run[T]) checkpoint() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(snapshot[T]{
		Epoch: r.epoch, History: r.history, Params: r.m.Params, Buffers: r.m.Buffers,
		Adam: *r.adam, Best: r.best, BestCE: r.bestCE,
	})
	return b.Bytes(), err
}

// resume goes back to a checkpoint. One that cannot be read, or is of another
// model, is passed over: the training then starts from the beginning, and ends
// the same.
func (r *run[T]) resume(b []byte) {
	var s snapshot[T]
	if gob.NewDecoder(bytes.NewReader(b)).Decode(&s) != nil ||
		len(s.Params) != len(r.m.Params) || len(s.Buffers) != len(r.m.Buffers) ||
		len(s.Adam.M) != len(r.adam.M) || len(s.Adam.V) != len(r.adam.V) || len(s.History) != s.Epoch {
		return
	}
	copy(r.m.Params, s.Params)
	copy(r.m.Buffers, s.Buffers)
	*r.adam = s.Adam
	r.epoch, r.history, r.best, r.bestCE = s.Epoch, s.History, s.Best, s.BestCE
}
