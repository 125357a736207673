package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/internal/need"
)

// slowDisk is an executor whose tasks all wait for the disk until so many do that no more may.
type slowDisk struct {
	waiting atomic.Int32
	full    chan struct{}
}

func (d *slowDisk) Execute(ctx context.Context, s *disk.Store, j *Job) JobResult {
	j.Waits()
	if d.waiting.Add(1) == mostStoring+1 {
		close(d.full)
	}
	select {
	case <-d.full:
	case <-time.After(time.Minute):
		return JobResult{Err: errors.New("it holds up others")}
	}
	j.Waits = nil
	return Local{}.Execute(ctx, s, j)
}

// TestStoring: with one worker, other tasks begin while mostStoring wait for the disk, and the next one is the last.
func TestStoring(t *testing.T) {
	s := newSketch()
	for i := range 3 * mostStoring {
		s.task(fmt.Sprint("t", i), &join{Text: fmt.Sprint(i)})
	}
	d := &slowDisk{full: make(chan struct{})}
	res, _ := s.run(t, newStore(t), Options{Workers: 1, Executor: d})
	need.Equal(t, res.Ran, 3*mostStoring)
}

// Of two tasks of one key one waits for the other: there is no other run, and none is told of.
func TestNoOtherRun(t *testing.T) {
	for range 10 {
		s := newSketch()
		for _, id := range []string{"a", "b"} {
			s.task(id, &join{Text: "same", during: func(context.Context, *dag.Task) error {
				time.Sleep(5 * time.Millisecond)
				return nil
			}})
		}
		need.Value(Run(t.Context(), s.Draft(), newStore(t), Options{Workers: 2, Progress: func(e Event) {
			if e.State == Waiting {
				t.Errorf("%s: %s", e.Task, e.Note)
			}
		}}))(t)
	}
}
