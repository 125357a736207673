package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
)

// What several tasks read is made once, and is dropped with the last of them; what one reads is not held.
func TestShared(t *testing.T) {
	var made atomic.Int64
	read := func(in dag.Input) ([]byte, error) {
		made.Add(1)
		return in.Bytes()
	}
	use := func(ctx context.Context, t *dag.Task) error {
		for _, in := range t.All("in") {
			if _, err := dag.ReadOnce(in, &read); err != nil {
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

// TestSharedByReader: a value is shared by the tasks that read with the reader that made it, and by no others.
func TestSharedByReader(t *testing.T) {
	s := newSketch()
	s.task("a", &join{Text: "a"})
	times := func(n int) func(dag.Input) (string, error) {
		return func(in dag.Input) (string, error) {
			b, err := in.Bytes()
			return strings.Repeat(string(b), n), err
		}
	}
	var mu sync.Mutex
	got := map[string]string{}
	use := func(id string, read *func(dag.Input) (string, error)) {
		s.task(id, &join{Text: id, during: func(_ context.Context, t *dag.Task) error {
			v, err := dag.ReadOnce(t.All("in")[0], read)
			mu.Lock()
			defer mu.Unlock()
			got[t.ID] = v
			return err
		}}, "a")
	}
	once, twice, thrice := times(1), times(2), times(3)
	use("b", &twice)
	use("c", &thrice)
	use("d", &twice)
	use("e", &once)
	res, ran := s.run(t, newStore(t), Options{Workers: 1})
	need.Equal(t, res.Failed, 0, ran)
	need.Equal(t, fmt.Sprint(got), "map[b:aa c:aaa d:aa e:a]")
}

// Tasks of a stage that read the same take turns one after the other, in whatever order the file has them.
func TestTasksThatReadTheSameFollowEachOther(t *testing.T) {
	s := newSketch()
	for _, id := range []string{"a", "b"} {
		s.task(id, &join{Text: id})
	}
	stage := s.Stage("user", joinKind, "at")
	for i, from := range []string{"b", "a", "b", "a"} {
		s.Connect(s.Task(stage, &join{}, fmt.Sprint(i+1)), "in",
			dag.Source{Node: s.nodes[from], Output: "out", Coords: []dag.Coord{{Axis: "from", Value: "1"}}})
	}
	r := need.Value(newRunner(s.Draft(), newStore(t), Options{}))(t)
	var order []string
	for at, i := range r.inTurn {
		need.Equal(t, r.turn[i], int32(at))
		order = append(order, r.Nodes[i].ID())
	}
	need.Equal(t, strings.Join(order, " "), "a b user[at=2] user[at=4] user[at=1] user[at=3]")
}

// Values of which two have room: the tasks that read c and d make these once, although a task to come reads all.
func TestWhatIsReadNowHasRoom(t *testing.T) {
	var mu sync.Mutex
	made := map[string]int{}
	read := func(in dag.Input) (big, error) {
		b, err := in.Bytes()
		mu.Lock()
		defer mu.Unlock()
		made[string(b)]++
		return big(b), err
	}
	use := func(_ context.Context, t *dag.Task) error {
		for _, in := range t.All("in") {
			b, of := in.Bytes()
			if len(b) > 1 { // of the task before
				continue
			}
			if v, err := dag.ReadOnce(in, &read); err != nil || of != nil || string(v) != string(b) {
				return fmt.Errorf("%q of %q: %v, %v", v, b, err, of)
			}
		}
		return nil
	}
	s := newSketch()
	all := []string{"a", "b", "c", "d"}
	for _, id := range all {
		s.task(id, &join{Text: id})
	}
	var before []string // each task waits for the one before
	for _, id := range all {
		for i := range 4 {
			reader := fmt.Sprint(id, i)
			s.task(reader, &join{Text: reader, during: use}, append(before, id)...)
			before = []string{reader}
		}
	}
	s.task("last", &join{Text: "last", during: use}, append(before, all...)...)
	res, ran := s.run(t, newStore(t), Options{Workers: 1})
	need.Equal(t, res.Failed, 0, ran)
	need.Equal(t, fmt.Sprint(made), "map[a:2 b:2 c:1 d:1]") // last reads a and b again
}

type big string

func (big) Size() int64 { return 60 << 20 }
