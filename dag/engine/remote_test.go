package engine

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/remote"
	"prgnn/artifacts/remote/address"
	"prgnn/dag"
	"prgnn/internal/need"
)

// A crowd is a remote that answers no question for a record before so many are asked at once.
type crowd struct {
	remote.Remote
	most int

	mu       sync.Mutex
	asked    map[string]int
	waiting  int
	complete chan struct{} // closed when there are enough
}

func (c *crowd) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if !strings.HasPrefix(name, "actions/") {
		return c.Remote.Get(ctx, name)
	}
	c.mu.Lock()
	c.asked[name]++
	c.waiting++
	if c.waiting == c.most {
		close(c.complete)
	}
	c.mu.Unlock()
	select {
	case <-c.complete:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return c.Remote.Get(ctx, name)
}

func shared(t *testing.T, dir string) remote.Remote {
	t.Helper()
	return need.Value(address.Open("file://" + filepath.ToSlash(dir)))(t)
}

// Tasks that are ready at the same time are looked up in a remote at the same time, and each once, whether it is there
// or not, on one worker too.
func TestLookupsAtOnce(t *testing.T) {
	const n = remote.Lookups + 8
	dir := t.TempDir()
	var texts []string
	for _, workers := range []int{1, 4} {
		s := newSketch()
		var all []string
		for i := range n {
			id := "t" + strconv.Itoa(i)
			s.task(id, &join{Text: id})
			all = append(all, id)
		}
		s.task("last", &join{}, all...)
		c := &crowd{Remote: shared(t, dir), most: remote.Lookups, asked: map[string]int{}}
		c.complete = make(chan struct{})
		st := newStore(t)
		need.NoError(t, st.Remote.Attach(context.Background(), c))
		res, ran := s.run(t, st, Options{Workers: workers, Bring: func(n *dag.Node) bool { return n.ID() == "last" }})
		if there := len(texts) > 0; there && res.Cached != n+1 || !there && res.Ran != n+1 {
			t.Errorf("%+v, %s; remote %+v", res, ran, st.Remote.Report())
		}
		for name, times := range c.asked {
			if times != 1 {
				t.Errorf("%s is asked for %d times", name, times)
			}
		}
		need.Equal(t, len(c.asked), n+1)
		texts = append(texts, s.text(t, st, res, "last"))
		st.Remote.Share(context.Background(), func(int) {})
	}
	need.Equal(t, texts[0], texts[1])
}

// A latecomer is a remote that answers for other records than the first later.
type latecomer struct {
	remote.Remote
	first string
	later chan struct{}
}

func (l *latecomer) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, "actions/") && filepath.Base(name) != l.first {
		<-l.later
	}
	return l.Remote.Get(ctx, name)
}

// A task that has waited for its turn for long is looked up once more: another machine may have done it.
func TestCheckAgain(t *testing.T) {
	alone := func(st *disk.Store, id string) (key artifacts.Key) {
		s := newSketch()
		s.task(id, &join{Text: id})
		s.run(t, st, Options{Progress: func(e Event) { key = e.Key }})
		return key
	}
	for _, waited := range []time.Duration{askRemoteAgain - 2*time.Second, askRemoteAgain + 2*time.Second} {
		dir := t.TempDir()
		var now, looks atomic.Int64
		l := &latecomer{shared(t, dir), alone(newStore(t), "first").String(), make(chan struct{})}
		s := newSketch()
		first := &join{Text: "first"}
		s.task("first", first)
		s.task("second", &join{Text: "second"})
		s.task("third", &join{Text: "third"})
		first.during = func(context.Context, *dag.Task) error {
			close(l.later)
			for looks.Load() < 4 { // at the clock: after each check, and before the first task began
				time.Sleep(time.Millisecond)
			}
			other := newStore(t)
			if err := other.Remote.Attach(context.Background(), shared(t, dir)); err != nil {
				return err
			}
			alone(other, "second")
			other.Remote.Share(context.Background(), func(int) {})
			if other.Remote.Report().Shared != 1 {
				return errors.New("it is not shared")
			}
			now.Store(int64(waited))
			return nil
		}
		st := newStore(t)
		need.NoError(t, st.Remote.Attach(context.Background(), l))
		r := need.Value(newRunner(s.Draft(), st, Options{Workers: 1}))(t)
		r.id = "0123456789abcdef"
		r.clock = func() time.Duration { looks.Add(1); return time.Duration(now.Load()) }
		need.NoError(t, r.loop(context.Background()))
		second := Ran
		if waited > askRemoteAgain {
			second = Cached
		}
		for i, want := range []State{Ran, second, Ran} {
			need.Equal(t, r.at[i].state, want, i, waited)
		}
	}
}
