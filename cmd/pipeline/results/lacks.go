package results

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Lacks says what a page lacks; nil for a whole page. A failed leakage check is quoted;
// other messages may name places on this machine, which no page does.
func (c *Current) Lacks(missing, unchecked []string, failures []*engine.Error) []string {
	var lines []string
	blame := blameOf(c, failures)
	if unchecked != nil {
		lines = append(lines, uncheckedText(blame, unchecked)+" No accuracy is reported, and nothing else that needs a trained model.")
	}
	checks := map[string]bool{}
	for n := range c.Steps {
		checks[n.ID()] = isCheck(n)
	}
	var others []string
	for _, e := range failures {
		if checks[e.Task] {
			lines = append(lines, c.Pipeline.Roster.CompleteExclude(e.Err.Error()))
		} else {
			others = append(others, e.Task)
		}
	}
	if others != nil {
		lines = append(lines, "Failed: "+words.Some(others, 6)+". pipeline log FILE TASK shows why.")
	}
	var unexplained []string
	because := map[string][]string{} // tasks by the one that failed before them
	for _, id := range missing {
		cause := blame.of(id)
		switch {
		case cause == nil:
			unexplained = append(unexplained, id)
		case cause.Task != id: // what failed itself is named above
			because[failureText(cause)] = append(because[failureText(cause)], id)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(because)) {
		lines = append(lines, "Not run: "+words.Some(because[text], 6)+" ("+text+")")
	}
	if unexplained != nil {
		lines = append(lines, "No result: "+words.Some(unexplained, 6))
	}
	return lines
}

// uncheckedText says of leakage checks without a result whether they failed or were not run.
func uncheckedText(blame *blame, unchecked []string) string {
	var failed, waiting []string
	for _, id := range unchecked {
		switch cause := blame.of(id); {
		case cause == nil:
			waiting = append(waiting, id+" (not run)")
		case cause.Task == id:
			failed = append(failed, id)
		default:
			waiting = append(waiting, id+" (not run: "+failureText(cause)+")")
		}
	}
	var parts []string
	if failed != nil {
		parts = append(parts, "Leakage check not passed: "+words.Some(failed, 6)+".")
	}
	if waiting != nil {
		parts = append(parts, "Leakage check missing: "+words.Some(waiting, 3)+".")
	}
	return strings.Join(parts, " ")
}

// failureText is a failure in one line, without a message that names a place on this machine.
func failureText(e *engine.Error) string {
	first, _, _ := strings.Cut(e.Err.Error(), "\n")
	if placed.MatchString(first) {
		return e.Task + " failed"
	}
	return e.Task + " failed: " + first
}

// placed finds an absolute path.
var placed = pattern.New(`(^|[\s"'(=])(/|[A-Za-z]:[\\/])`)

// blame finds what failed before a task. Each task is looked at once, however many ask.
type blame struct {
	current *Current
	failed  map[string]*engine.Error // failures of this run, by task
	nodes   map[string]*dag.Node
	found   map[*dag.Node]*engine.Error
}

func blameOf(c *Current, failures []*engine.Error) *blame {
	s := &blame{c, map[string]*engine.Error{}, map[string]*dag.Node{}, map[*dag.Node]*engine.Error{}}
	for _, e := range failures {
		s.failed[e.Task] = e
	}
	for n := range c.Steps {
		s.nodes[n.ID()] = n
	}
	return s
}

// of is the failure of a task or of one upstream; nil where there is none.
func (s *blame) of(id string) *engine.Error {
	if n := s.nodes[id]; n != nil {
		return s.before(n)
	}
	return nil
}

func (s *blame) before(n *dag.Node) (cause *engine.Error) {
	if e, ok := s.found[n]; ok {
		return e
	}
	defer func() { s.found[n] = cause }()
	if e := s.failed[n.ID()]; e != nil {
		return e
	}
	if text := s.current.Failure(n); text != "" {
		return &engine.Error{Task: n.ID(), Err: errors.New(text)}
	}
	for src := range n.Upstream() {
		if e := s.before(src.Node); e != nil {
			return e
		}
	}
	return nil
}
