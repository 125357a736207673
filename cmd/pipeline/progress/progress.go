package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
)

// A Display shows how far a run is. It is told every event, in order, from one
// goroutine; bars, lines and --json are three readers of that one stream.
type Display interface {
	Event(engine.Event)
	Say(line string) // something for the person, beside the progress
	Close()
}

// For chooses what the flags and the stream ask for.
func For(a *console.Console, g *dag.Graph, store *disk.Store, o engine.Options) Display {
	switch {
	case a.JSON:
		return newJSONLines(a, g, newTallies(g, o))
	case a.Quiet:
		return Silent{a}
	case a.Term.IsTerminal() && !a.Verbose:
		return newBars(a.Stderr, a.Term, newTallies(g, o), func() Past { return Remember(g, store) })
	}
	return newLines(a.Stderr, newTallies(g, o), a.Verbose)
}

// Silent shows no progress, only what is said beside it.
type Silent struct{ *console.Console }

func (Silent) Event(engine.Event) {}

func (s Silent) Say(line string) { fmt.Fprintln(s.Stderr, line) }

func (Silent) Close() {}

// lines is progress in a pipe or a file: a line when a stage is through, and a
// sign of life when nothing was for half a minute.
type lines struct {
	w       io.Writer
	verbose bool
	every   time.Duration

	mu      sync.Mutex
	t       *tallies
	printed map[*tally]bool
	busy    bool      // a task ran
	cached  []*tally  // that were through before one did: their lines wait for it
	last    time.Time // of the last line
	stop    chan struct{}
	stopped sync.WaitGroup
}

func newLines(w io.Writer, t *tallies, verbose bool) *lines {
	l := &lines{w: w, verbose: verbose, every: 30 * time.Second, t: t, printed: map[*tally]bool{}, last: time.Now(),
		stop: make(chan struct{})}
	l.stopped.Go(func() { tick(l.every, l.stop, l.alive) })
	return l
}

func (l *lines) Event(e engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	s := l.t.count(e, now)
	if s == nil {
		return
	}
	if e.State != engine.Cached && e.State != engine.Waiting {
		l.busy = true
		l.flush(now)
	}
	switch e.State {
	case engine.Waiting, engine.Running:
		return
	}
	if l.verbose {
		took := ""
		if e.State == engine.Ran || e.State == engine.Failed {
			took = " in " + console.Seconds(e.Seconds)
		}
		fmt.Fprintf(l.w, "%s: %s%s\n", e.Task, e.State, took)
	}
	switch {
	case !s.complete() || l.printed[s]:
	case l.busy || l.verbose:
		l.stage(s, now)
	default:
		l.printed[s] = true
		l.cached = append(l.cached, s)
	}
}

// flush prints the lines that wait.
func (l *lines) flush(now time.Time) {
	for _, s := range l.cached {
		l.stage(s, now)
	}
	l.cached = nil
}

func (l *lines) stage(s *tally, now time.Time) {
	l.printed[s] = true
	l.last = now
	fmt.Fprintf(l.w, "%s: %s%s\n", s.name, s.Outcome(), s.took())
}

func (l *lines) Say(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, line)
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
		if !s.active() {
			continue
		}
		fmt.Fprintf(l.w, "%s: %d/%d", s.name, s.done(), s.total())
		if left, ok := s.left(now); ok && left >= time.Second {
			fmt.Fprintf(l.w, ", about %s left", console.Seconds(left.Seconds()))
		}
		fmt.Fprintf(l.w, " (%s)\n", s.saying())
	}
}

// Close prints the stages that were begun and are not through.
func (l *lines) Close() {
	close(l.stop)
	l.stopped.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if all := l.t.allCached(); all != "" && !l.verbose {
		fmt.Fprintln(l.w, all)
		return
	}
	l.flush(time.Now())
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
