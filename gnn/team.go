package gnn

import (
	"sync"
	"sync/atomic"
)

// A team shares out independent pieces of work among goroutines. Which goroutine
// does which piece is left to chance; nothing that is computed may depend on it.
type team struct{ workers int }

func newTeam(workers int) *team { return &team{max(1, workers)} }

// run calls work(worker, i) for every i < n, and returns when all are done.
func (t *team) run(n int, work func(worker, i int)) {
	if t.workers == 1 || n == 1 {
		for i := range n {
			work(0, i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for worker := range min(t.workers, n) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(worker, i)
			}
		})
	}
	wait.Wait()
}
