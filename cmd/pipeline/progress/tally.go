package progress

import (
	"fmt"
	"time"

	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/words"
)

// tallies count what became of each stage's tasks.
type tallies struct {
	order  []*tally
	byName map[string]*tally
}

type tally struct {
	name  string
	tasks int // that the run will look at

	Counts

	running map[string]partial // by task
	latest  string             // the task that spoke last
	awaits  string             // the task of it that another run is at, and this one waits for
	begun   time.Time          // when its first task began
	ended   time.Time

	usual float64 // s that a task took in past runs, on average; 0 when that is not known
}

// A partial is how far a running task is.
type partial struct {
	done, total int
	note        string
}

func newTallies(g *dag.Graph, o engine.Options) *tallies {
	t := &tallies{byName: map[string]*tally{}}
	wanted := Selected(g, o)
	for _, s := range g.Stages() {
		one := t.byName[s.Name()] // the cohort may have two parts of one name
		if one == nil {
			one = &tally{name: s.Name(), running: map[string]partial{}}
			t.byName[s.Name()] = one
			t.order = append(t.order, one)
		}
		for _, n := range s.Tasks() {
			if wanted == nil || wanted[n] {
				one.tasks++
			}
		}
	}
	return t
}

// Selected are the tasks that --only and --until leave in a run; nil means all.
func Selected(g *dag.Graph, o engine.Options) map[*dag.Node]bool {
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
		for src := range n.Upstream() {
			if len(o.Until) > 0 {
				nodes = append(nodes, src.Node)
			}
		}
	}
	return in
}

// count takes in an event and returns the stage that it belongs to.
func (t *tallies) count(e engine.Event, now time.Time) *tally {
	s := t.byName[e.Stage]
	if s == nil {
		return nil
	}
	switch e.State {
	case engine.Waiting:
		if e.Note != "" {
			s.awaits = e.Task
		}
		return s
	case engine.Running:
		if s.begun.IsZero() {
			s.begun = now
		}
		s.awaits = without(s.awaits, e.Task)
		s.running[e.Task] = partial{e.Done, e.Total, e.Note}
		s.latest = e.Task
		return s
	}
	s.Add(e.State)
	delete(s.running, e.Task)
	s.awaits = without(s.awaits, e.Task)
	s.ended = now
	return s
}

// without is a name, or nothing when it is that of a task.
func without(name, task string) string {
	if name == task {
		return ""
	}
	return name
}

// total is at least what is done: a task whose result got lost in the run is
// done twice.
func (s *tally) total() int { return max(s.tasks, s.done()) }

func (s *tally) done() int { return s.ran + s.cached + s.failed + s.skipped }

func (s *tally) complete() bool { return s.done() >= s.total() }

func (s *tally) begins() bool { return s.done() > 0 || s.active() }

// active reports whether one of its tasks is at work, in this run or in one that this run waits for.
func (s *tally) active() bool { return len(s.running) > 0 || s.awaits != "" }

// remember takes in how long tasks took in past runs.
func (t *tallies) remember(past Past) {
	for stage, mean := range past.means() {
		if s := t.byName[stage]; s != nil {
			s.usual = mean.seconds
		}
	}
}

// left estimates the time that the stage still needs: what is to be worked goes
// on as fast as what has been worked, a task under way counting in part; or, at
// its beginning, as fast as in past runs.
func (s *tally) left(now time.Time) (time.Duration, bool) {
	if d, ok := s.atItsPace(now); ok {
		return d, true
	}
	if s.usual > 0 && len(s.running) > 0 {
		worked, work := s.work()
		return time.Duration(s.usual * (work - worked) / float64(len(s.running)) * float64(time.Second)), true
	}
	return 0, false
}

// atItsPace is left for a stage of which enough has been worked in this run.
func (s *tally) atItsPace(now time.Time) (time.Duration, bool) {
	worked, work := s.work()
	since := now.Sub(s.begun)
	if s.begun.IsZero() || since < 2*time.Second || worked <= 0.02*work {
		return 0, false
	}
	return time.Duration(float64(since) * (work - worked) / worked), true
}

// work is how many tasks have been worked, those under way in part, and how many have to be.
func (s *tally) work() (worked, all float64) {
	return float64(s.ran+s.failed) + s.underWay(), float64(s.total() - s.cached - s.skipped)
}

// underWay is how much of the running tasks has been worked, in tasks.
func (s *tally) underWay() (n float64) {
	for _, p := range s.running {
		if p.total > 0 {
			n += float64(p.done) / float64(p.total)
		}
	}
	return n
}

// allCached is the one line for a run that found every result; "" for any other.
func (t *tallies) allCached() string {
	stages, tasks := 0, 0
	for _, s := range t.order {
		if s.tasks == 0 && s.done() == 0 {
			continue
		}
		if s.cached < s.total() {
			return ""
		}
		stages, tasks = stages+1, tasks+s.cached
	}
	if stages == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d cached", words.Count(stages, "stage"), tasks)
}

// Counts are how many tasks ended how.
type Counts struct{ ran, cached, failed, skipped int }

// Add counts a finished task.
func (s *Counts) Add(state engine.State) {
	switch state {
	case engine.Ran:
		s.ran++
	case engine.Cached:
		s.cached++
	case engine.Failed:
		s.failed++
	case engine.Skipped:
		s.skipped++
	}
}

// Outcome is "3 ran, 115 cached, 1 failed".
func (s *Counts) Outcome() string {
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
	return " in " + console.Seconds(s.ended.Sub(s.begun).Seconds())
}

// saying is the note of the running task that spoke last.
func (s *tally) saying() string {
	p, ok := s.running[s.latest]
	switch {
	case !ok && s.awaits != "":
		return s.awaits + ": another run is at it"
	case !ok:
		return ""
	case p.note != "":
		return s.latest + ": " + p.note
	case p.total > 0:
		return fmt.Sprintf("%s: %d/%d", s.latest, p.done, p.total)
	}
	return s.latest
}
