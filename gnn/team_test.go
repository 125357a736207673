package gnn

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestTeam counts every piece of many rounds, some of them while the helpers sleep.
func TestTeam(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		team := newTeam(workers)
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
			if round%100 == 50 {
				time.Sleep(2 * time.Millisecond)
			}
		}
		team.end()
	}
}

// TestTeamEnds: the helpers of a training do not outlive it.
func TestTeamEnds(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		team := newTeam(4)
		team.run(9, func(int, int) {})
		team.end()
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines are left over", runtime.NumGoroutine()-before)
}

// TestTeamOrder: alone, a worker goes through a run forwards and back again.
func TestTeamOrder(t *testing.T) {
	team, order := newTeam(1), []int(nil)
	note := func(_, i int) { order = append(order, i) }
	team.run(3, note)
	team.back(3, note)
	for i, want := range []int{0, 1, 2, 2, 1, 0} {
		if order[i] != want {
			t.Fatalf("order %v", order)
		}
	}
}
