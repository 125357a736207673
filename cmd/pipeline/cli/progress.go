package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"prgnn/dag"
)

// A progress shows how far a run is. It is told every event, in order, from one
// goroutine; bars, lines and --json are three readers of that one stream.
type progress interface {
	event(dag.Event)
	close()
}

// progressFor chooses what the flags and the stream ask for.
func (a *app) progressFor(g *dag.Graph, o dag.Options) progress {
	switch {
	case a.json:
		return &jsonLines{a}
	case a.quiet:
		return silent{}
	case a.term.is():
		return newBars(a.term, newTallies(g, o))
	}
	return newLines(a.stderr, newTallies(g, o), a.verbose)
}

type silent struct{}

func (silent) event(dag.Event) {}
func (silent) close()          {}

// tallies count what became of each stage's tasks.
type tallies struct {
	order  []*tally
	byName map[string]*tally
}

type tally struct {
	name  string
	tasks int // that the run will look at

	ran, cached, failed, skipped int

	running map[string]partial // by task
	latest  string             // the task that spoke last
	begun   time.Time          // when its first task began
	ended   time.Time
}

// A partial is how far a running task is.
type partial struct {
	done, total int
	note        string
}

func newTallies(g *dag.Graph, o dag.Options) *tallies {
	t := &tallies{byName: map[string]*tally{}}
	wanted := selected(g, o)
	for _, s := range g.Stages {
		one := t.byName[s.Name] // the cohort may have two parts of one name
		if one == nil {
			one = &tally{name: s.Name, running: map[string]partial{}}
			t.byName[s.Name] = one
			t.order = append(t.order, one)
		}
		for _, n := range s.Tasks {
			if wanted == nil || wanted[n] {
				one.tasks++
			}
		}
	}
	return t
}

// selected are the tasks that --only and --until leave in a run; nil means all.
func selected(g *dag.Graph, o dag.Options) map[*dag.Node]bool {
	if len(o.Only)+len(o.Until) == 0 {
		return nil
	}
	nodes, err := g.Select(append(o.Only[:len(o.Only):len(o.Only)], o.Until...)...)
	if err != nil {
		return nil // the run says what is wrong
	}
	in := map[*dag.Node]bool{}
	for len(nodes) > 0 {
		n := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		if in[n] {
			continue
		}
		in[n] = true
		for _, b := range n.Inputs {
			for _, s := range b.Sources {
				if s.Node != nil && len(o.Until) > 0 {
					nodes = append(nodes, s.Node)
				}
			}
		}
	}
	return in
}

// count takes in an event and returns the stage that it belongs to.
func (t *tallies) count(e dag.Event, now time.Time) *tally {
	s := t.byName[e.Stage]
	if s == nil {
		return nil
	}
	switch e.State {
	case dag.Waiting:
		return s
	case dag.Running:
		if s.begun.IsZero() {
			s.begun = now
		}
		s.running[e.Task] = partial{e.Done, e.Total, e.Note}
		s.latest = e.Task
		return s
	case dag.Ran:
		s.ran++
	case dag.Cached:
		s.cached++
	case dag.Failed:
		s.failed++
	case dag.Skipped:
		s.skipped++
	}
	delete(s.running, e.Task)
	s.ended = now
	return s
}

// total is at least what is done: a task whose result got lost in the run is
// done twice.
func (s *tally) total() int     { return max(s.tasks, s.done()) }
func (s *tally) done() int      { return s.ran + s.cached + s.failed + s.skipped }
func (s *tally) complete() bool { return s.done() >= s.total() }
func (s *tally) begins() bool   { return s.done() > 0 || len(s.running) > 0 }

// left estimates the time that the stage still needs: what is to be worked goes
// on as fast as what has been worked, a task under way counting in part.
func (s *tally) left(now time.Time) (time.Duration, bool) {
	worked := float64(s.ran + s.failed)
	for _, p := range s.running {
		if p.total > 0 {
			worked += float64(p.done) / float64(p.total)
		}
	}
	work := float64(s.total() - s.cached - s.skipped)
	since := now.Sub(s.begun)
	if s.begun.IsZero() || since < 2*time.Second || worked < 0.02*work || worked == 0 {
		return 0, false
	}
	return time.Duration(float64(since) * (work - worked) / worked), true
}

// outcome is "3 ran, 115 cached, 1 failed".
func (s *tally) outcome() string {
	text := ""
	for _, part := range []struct {
		n    int
		word string
	}{{s.ran, "ran"}, {s.cached, "cached"}, {s.failed, "failed"}, {s.skipped, "skipped"}} {
		if part.n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", part.n, part.word)
	}
	return text
}

// took is the time between the stage's first task and its last.
func (s *tally) took() string {
	if s.ran+s.failed == 0 || s.begun.IsZero() {
		return ""
	}
	return " in " + seconds(s.ended.Sub(s.begun).Seconds())
}

// saying is the note of the running task that spoke last.
func (s *tally) saying() string {
	p, ok := s.running[s.latest]
	switch {
	case !ok:
		return ""
	case p.note != "":
		return s.latest + ": " + p.note
	case p.total > 0:
		return fmt.Sprintf("%s: %d/%d", s.latest, p.done, p.total)
	}
	return s.latest
}

// lines is progress in a pipe or a file: a line when a stage is through, and a
// sign of life when nothing was for half a minute.
type lines struct {
	w       io.Writer
	verbose bool
	every   time.Duration

	mu      sync.Mutex
	t       *tallies
	printed map[*tally]bool
	last    time.Time // of the last line
	stop    chan struct{}
	stopped sync.WaitGroup
}

func newLines(w io.Writer, t *tallies, verbose bool) *lines {
	l := &lines{w: w, verbose: verbose, every: 30 * time.Second, t: t, printed: map[*tally]bool{}, last: time.Now(), stop: make(chan struct{})}
	l.stopped.Go(func() { tick(l.every, l.stop, l.alive) })
	return l
}

func (l *lines) event(e dag.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	s := l.t.count(e, now)
	if s == nil {
		return
	}
	switch e.State {
	case dag.Waiting, dag.Running:
		return
	}
	if l.verbose {
		took := ""
		if e.State == dag.Ran || e.State == dag.Failed {
			took = " in " + seconds(e.Seconds)
		}
		fmt.Fprintf(l.w, "%s: %s%s\n", e.Task, e.State, took)
	}
	if s.complete() && !l.printed[s] {
		l.stage(s, now)
	}
}

func (l *lines) stage(s *tally, now time.Time) {
	l.printed[s] = true
	l.last = now
	fmt.Fprintf(l.w, "%s: %s%s\n", s.name, s.outcome(), s.took())
}

// alive says what goes on when no line was printed for a while.
func (l *lines) alive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Sub(l.last) < l.every {
		return
	}
	l.last = now
	for _, s := range l.t.order {
		if len(s.running) == 0 {
			continue
		}
		fmt.Fprintf(l.w, "%s: %d/%d", s.name, s.done(), s.total())
		if left, ok := s.left(now); ok {
			fmt.Fprintf(l.w, ", about %s left", seconds(left.Seconds()))
		}
		fmt.Fprintf(l.w, " (%s)\n", s.saying())
	}
}

// close prints the stages that were begun and are not through.
func (l *lines) close() {
	close(l.stop)
	l.stopped.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.t.order {
		if s.done() > 0 && !l.printed[s] {
			l.stage(s, time.Now())
		}
	}
}

// tick calls f every so often until stop is closed.
func tick(every time.Duration, stop <-chan struct{}, f func()) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			f()
		}
	}
}
