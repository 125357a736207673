package gnn

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestTeam counts every piece of many rounds.
func TestTeam(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		team := team(workers)
		for round := range 300 {
			n := round % 23
			times, busy := make([]atomic.Int32, n), make([]atomic.Int32, workers)
			run := team.run
			if round%2 == 1 {
				run = team.back
			}
			run(n, func(worker, i int) {
				if busy[worker].Add(1) != 1 {
					t.Errorf("worker %d does two pieces at once", worker)
				}
				times[i].Add(1)
				if i%5 == 0 {
					runtime.Gosched()
				}
				busy[worker].Add(-1)
			})
			for i := range times {
				if c := times[i].Load(); c != 1 {
					t.Fatalf("%d workers, round %d: piece %d of %d was done %d times", workers, round, i, n, c)
				}
			}
		}
	}
}

// TestTeamOrder: alone, a worker goes through a run forwards and back again.
func TestTeamOrder(t *testing.T) {
	team, order := team(1), []int(nil)
	note := func(_, i int) { order = append(order, i) }
	team.run(3, note)
	team.back(3, note)
	for i, want := range []int{0, 1, 2, 2, 1, 0} {
		if order[i] != want {
			t.Fatalf("order %v", order)
		}
	}
}
