package dag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag/selector"
)

// A Cause is a fact that makes tasks run, and that does not follow from a change in another task.
type Cause struct {
	Stage  string     `json:"stage,omitempty"` // "" where tasks of several stages have it
	Change Difference `json:"change"`          // What is also "failure", "result" (forced, lost or damaged) or "new"
	Text   string     `json:"text"`            // "graphs.density 0.1 → 0.2"
	Tasks  []string   `json:"tasks"`
}

// A Summary says why tasks would run, or why they ran last.
type Summary struct {
	Causes []Cause // edits first, in the order of the graph; then code, values known from the file, and new tasks
	States map[State]int
}

// Causes explains all tasks that patterns name, or the whole graph without any. Nothing is run.
func Causes(g *Graph, s *artifacts.Store, o Options, patterns ...string) (*Summary, error) {
	o.Until, o.Only = patterns, nil
	r, err := newRunner(g, s, o)
	if err != nil {
		return nil, err
	}
	if err := r.plan(context.Background()); err != nil {
		return nil, err
	}
	return r.summary(patterns)
}

func (r *runner) summary(patterns []string) (*Summary, error) {
	targets, err := r.marks(patterns)
	if err != nil {
		return nil, err
	}
	sum := &Summary{States: map[State]int{}}
	all := len(patterns) == 0
	stale := false
	for i := range targets {
		if targets[i] = targets[i] || all; targets[i] {
			state := r.step(int32(i)).State
			sum.States[state]++
			stale = stale || state != Cached
		}
	}
	past := r.reference(targets, stale)
	c := causes{at: map[string]int{}}
	part := r.upstream(targets)
	for _, i := range r.order {
		if part[i] || targets[i] {
			r.addCauses(&c, i, past, stale)
		}
	}
	sum.Causes = slices.Concat(c.edits, c.code, c.values, c.new)
	return sum, nil
}

// reference is the run to compare with: the last one of a target that is stale; or, when all
// are up to date, the last one in which a target was something else.
func (r *runner) reference(targets []bool, stale bool) *pastRun {
	for past := range r.past.back {
		for i := range targets {
			t := past.tasks[r.nodes[i].id]
			if targets[i] && t != nil && (t.State == Ran || t.State == Cached) &&
				(t.Key != r.at[i].key || stale && r.at[i].state != Cached) {
				return past
			}
		}
	}
	return nil
}

// causes collects causes, those with the same text once.
type causes struct {
	edits, code, values, new []Cause
	at                       map[string]int // of a text in its list
}

func (c *causes) add(list *[]Cause, stage, text, task string, d Difference) {
	i, seen := c.at[text]
	if !seen {
		i = len(*list)
		c.at[text] = i
		*list = append(*list, Cause{Stage: stage, Change: d, Text: text})
	}
	of := &(*list)[i]
	if of.Tasks = append(of.Tasks, task); of.Stage != stage {
		of.Stage = ""
	}
}

func (r *runner) addCauses(c *causes, i int32, past *pastRun, stale bool) {
	n, p := r.nodes[i], &r.at[i]
	stage := n.stage.name
	if p.state == Failed {
		var failed *Error
		if errors.As(p.tale().err, &failed) {
			c.add(&c.edits, stage, n.id+" cannot run: "+failed.Err.Error(), n.id, Difference{What: "failure"})
		}
		return
	}
	var t *TaskRecord
	if past != nil {
		t = past.tasks[n.id]
	}
	if t == nil && stale {
		past, t = r.past.last(n.id, func(*TaskRecord) bool { return true })
	}
	failure := ""
	if p.state == Stale {
		failure = r.failure(i)
	}
	if failure != "" {
		c.add(&c.edits, stage, stage+" failed when it was last run: "+failure, n.id, Difference{What: "failure"})
	}
	switch {
	case p.state == Stale && (p.forced || p.damaged || p.remake):
		c.add(&c.edits, stage, stage+": "+r.reason(i), n.id, Difference{What: "result"})
		return
	case t == nil && failure != "":
		return
	case t == nil && p.state != Cached:
		c.add(&c.new, stage, "not run before", n.id, Difference{What: "new"})
		return
	case t == nil || t.Key == p.key && p.state == Cached:
		return
	}
	a, err := r.store.Lookup(t.Key)
	if err != nil {
		if p.state == Stale {
			c.add(&c.edits, stage, stage+": "+r.reason(i), n.id, Difference{What: "result"})
		}
		return
	}
	for _, d := range r.differences(i, past, a.Recipe, r.draft(i)) {
		if d.What != "input" || !r.follows(i, d, past) {
			list := &c.edits
			switch d.What {
			case "code": // of an update of the program
				list = &c.code
			case "value":
				list = &c.values
			}
			c.add(list, stage, causeText(n, d), n.id, d)
		}
	}
}

// follows reports whether another input is the consequence of another task's change.
func (r *runner) follows(i int32, d Difference, past *pastRun) bool {
	if d.New == "" {
		return false
	}
	src := r.source(i, d.Name, d.New)
	if src == nil || src.Node == nil {
		return false
	}
	return d.Old != "" || past.tasks[src.Node.id] == nil // a new task is a cause of its own
}

func causeText(n *Node, d Difference) string {
	if d.What == "parameter" && d.Old != "" && d.New != "" {
		return fmt.Sprintf("%s.%s %s → %s", n.stage.name, d.Name, d.Old, d.New)
	}
	_, coords, member := strings.Cut(d.Name, "[")
	switch {
	case d.What == "code": // often of several stages
		return d.String()
	case d.What == "input" && d.New == "" && member: // likewise
		parts := slices.DeleteFunc(selector.Split(strings.TrimSuffix(coords, "]")),
			func(c string) bool { return strings.HasPrefix(c, "stage=") })
		return "removed: inputs with " + strings.Join(parts, ",")
	}
	return n.stage.name + ": " + d.String()
}
