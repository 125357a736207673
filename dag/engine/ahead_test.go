package engine

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"prgnn/dag"
	"prgnn/internal/need"
)

// The files of as many tasks as run at a time are digested while what comes before these tasks is done. A file that
// is not there is no matter until a task asks for it.
func TestHashAhead(t *testing.T) {
	s, dir := newSketch(), t.TempDir()
	first := &join{Text: "1"}
	s.task("first", first)
	path := func(i int) string { return filepath.Join(dir, strconv.Itoa(i)) }
	for i := range 3 {
		id := "reads" + strconv.Itoa(i)
		if i != 1 {
			write(t, path(i), id)
		}
		s.task(id, &join{}, "first")
		s.file(id, path(i))
	}
	r := need.Value(newRunner(s.Draft(), newStore(t), Options{Workers: 2}))(t)
	r.id = "0123456789abcdef"
	known := func(i int) bool {
		return r.files.Known(path(i))
	}
	first.during = func(context.Context, *dag.Task) error {
		for range 1000 {
			if known(0) && known(1) && !known(2) {
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return errors.New("not digested ahead")
	}
	need.NoError(t, r.loop(context.Background()))
	for i, want := range []State{Ran, Ran, Failed, Ran} {
		if got := r.at[i].state; got != want {
			t.Errorf("task %d: %v, want %v; %v", i, got, want, r.at[i].tale().err)
		}
	}
}
