package gnn

import (
	"sync"
	"sync/atomic"
)

// A team of so many workers shares out independent pieces of work among goroutines. In every run each has the same
// share of the pieces, so that what it touched before is in the cache of its processor, and
// helps the others when it is done with it. Which worker does which piece is left to
// chance; nothing that is computed may depend on it.
type team int

// A share counts how many of its pieces are taken.
type share struct {
	taken atomic.Int64
	_     [56]byte // each has a line of the cache for itself
}

// run calls work(worker, i) for every i < n, and returns when all are done.
func (t team) run(n int, work func(worker, i int)) { t.do(n, false, work) }

// back is run with each share taken from its end: what a run touched last is done first.
func (t team) back(n int, work func(worker, i int)) { t.do(n, true, work) }

func (t team) do(n int, back bool, work func(worker, i int)) {
	shares := make([]share, min(max(1, int(t)), n))
	take := func(worker int) { // what is left of its share, then of the others'
		for turn := range shares {
			of := (worker + turn) % len(shares)
			lo, hi := of*n/len(shares), (of+1)*n/len(shares)
			for at := lo + int(shares[of].taken.Add(1)) - 1; at < hi; at = lo + int(shares[of].taken.Add(1)) - 1 {
				i := at
				if back {
					i = lo + hi - 1 - at
				}
				work(worker, i)
			}
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < len(shares); worker++ {
		others.Go(func() { take(worker) })
	}
	take(0)
	others.Wait()
}
