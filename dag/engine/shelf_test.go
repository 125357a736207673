package engine

import (
	"context"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
)

// What several tasks read is made once, and is dropped with the last of them; what one reads is not held.
func TestShared(t *testing.T) {
	var made atomic.Int64
	use := func(ctx context.Context, t *dag.Task) error {
		for _, in := range t.All("in") {
			_, err := dag.ReadOnce(in, func(in dag.Input) ([]byte, error) {
				made.Add(1)
				return in.Bytes()
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	s := newSketch()
	s.task("a", &join{Text: "a"})
	s.task("alone", &join{Text: "alone"})
	for _, id := range []string{"b", "c", "d"} {
		s.task(id, &join{Text: id, during: use}, "a")
	}
	s.task("e", &join{Text: "e", during: use}, "a", "alone")
	r := need.Value(newRunner(s.Draft(), newStore(t), Options{Workers: 1}))(t)
	r.id = artifacts.NewRunID()
	need.NoError(t, r.loop(t.Context()))
	if n := made.Load(); n != 2 {
		t.Errorf("%d values were made, want one of a and one of alone", n)
	}
	if n := r.shelf.Used(); n != 0 {
		t.Errorf("values of %d bytes are left on the shelf", n)
	}
}
