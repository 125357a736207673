package dag

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// slowDisk is an executor whose tasks all wait for the disk until so many do that no more may.
type slowDisk struct {
	waiting atomic.Int32
	full    chan struct{}
}

func (d *slowDisk) Execute(ctx context.Context, s *artifacts.Store, j *Job) Report {
	j.Waits()
	if d.waiting.Add(1) == mostStoring+1 {
		close(d.full)
	}
	select {
	case <-d.full:
	case <-time.After(time.Minute):
		return Report{Err: errors.New("it holds up others")}
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
