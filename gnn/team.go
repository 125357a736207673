package gnn

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A team shares out independent pieces of work among goroutines. In every run each has the same
// share of the pieces, so that what it touched before is in the cache of its processor, and
// helps the others when it is done with it. Which goroutine does which piece is left to
// chance; nothing that is computed may depend on it.
//
// To wake a goroutine takes as long as the pauses between the runs of a training last: so they
// wait awake for a while before they sleep.
type team struct {
	workers int
	round   atomic.Pointer[round]
	helpers []helper // the goroutines but the caller's
}

type helper struct {
	asleep atomic.Bool
	wake   chan struct{}
	_      [48]byte // each has a line of the cache for itself
}

// A round is one run.
type round struct {
	n      int
	back   bool
	work   func(worker, i int)
	shares []share // one a worker
	left   atomic.Int64
	over   bool // the team has come to its end
}

// A share counts how many of its pieces are taken.
type share struct {
	taken atomic.Int64
	_     [56]byte
}

func newTeam(workers int) *team { return &team{workers: max(1, workers)} }

// run calls work(worker, i) for every i < n, and returns when all are done.
func (t *team) run(n int, work func(worker, i int)) { t.do(n, false, work) }

// back is run with each share taken from its end: what a run touched last is done first.
func (t *team) back(n int, work func(worker, i int)) { t.do(n, true, work) }

func (t *team) do(n int, back bool, work func(worker, i int)) {
	r := &round{n: n, back: back, work: work, shares: make([]share, min(t.workers, n))}
	r.left.Store(int64(n))
	if len(r.shares) > 1 {
		t.start()
		t.announce(r)
	}
	r.take(0)
	done := func() bool { return r.left.Load() == 0 }
	if !awake(done) {
		for !done() {
			runtime.Gosched()
		}
	}
}

// start makes the helpers, once.
func (t *team) start() {
	if t.helpers != nil {
		return
	}
	t.helpers = make([]helper, t.workers-1)
	for i := range t.helpers {
		h := &t.helpers[i]
		h.wake = make(chan struct{}, 1)
		go func() {
			for r := t.next(h, nil); !r.over; r = t.next(h, r) {
				r.take(i + 1)
			}
		}()
	}
}

// end lets the helpers go. The team is of no use any more.
func (t *team) end() { t.announce(&round{over: true}) }

func (t *team) announce(r *round) {
	t.round.Store(r)
	for i := range t.helpers {
		if h := &t.helpers[i]; h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
}

// next waits for the round after last.
func (t *team) next(h *helper, last *round) *round {
	come := func() bool { return t.round.Load() != last }
	for !awake(come) {
		h.asleep.Store(true)
		if come() && h.asleep.CompareAndSwap(true, false) {
			break
		}
		<-h.wake // in any case somebody has found us asleep
	}
	return t.round.Load()
}

// awake waits until something is so, but no longer than a fifth of a millisecond, and
// tells whether it is.
func awake(so func() bool) bool {
	for end := time.Now().Add(200 * time.Microsecond); ; {
		for range 256 {
			if so() {
				return true
			}
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// take does what is left of a worker's share, then of the others'.
func (r *round) take(worker int) {
	done := 0
	for turn := range r.shares {
		of := (worker + turn) % len(r.shares)
		lo, hi := of*r.n/len(r.shares), (of+1)*r.n/len(r.shares)
		for at := lo + int(r.shares[of].taken.Add(1)) - 1; at < hi; at = lo + int(r.shares[of].taken.Add(1)) - 1 {
			i := at
			if r.back {
				i = lo + hi - 1 - at
			}
			r.work(worker, i)
			done++
		}
	}
	r.left.Add(int64(-done))
}
