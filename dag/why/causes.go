package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/lists"
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
	States map[engine.State]int
	Follow []string // stale tasks that have none of the causes themselves
	// Later is the run with which tasks that are all up to date are compared, where no run before theirs had others.
	Later *record.Record
}

// Causes explains all tasks that patterns name, or the whole graph without any. Nothing is run.
func Causes(ctx context.Context, g *dag.Graph, s *disk.Store, o engine.Options, patterns ...string) (*Summary,
	error) {
	o.Until, o.Only = patterns, nil
	x, err := newExplainer(ctx, g, s, o)
	if err != nil {
		return nil, err
	}
	nodes, err := g.Select(patterns...)
	if err != nil {
		return nil, err
	}
	targets := lists.Set(nodes)
	sum := &Summary{States: map[engine.State]int{}}
	stale := false
	for _, step := range x.steps {
		if len(patterns) == 0 {
			targets[step.Node] = true
		}
		if targets[step.Node] {
			sum.States[step.State]++
			stale = stale || step.State != engine.Cached
		}
	}
	past, later := x.reference(targets, stale)
	if later {
		sum.Later = past
	}
	matters := func(step *engine.Step) bool { return later || x.before(past, step) }
	if stale {
		matters = x.changing(past)
	}
	c := causes{at: map[string]int{}}
	for i := range x.steps { // the targets, and what they need
		if step := &x.steps[i]; step.State != engine.Cached || matters(step) {
			x.addCauses(&c, step, past, stale)
		}
	}
	sum.Causes = slices.Concat(c.edits, c.code, c.values, c.new)
	caused := map[string]bool{}
	for _, c := range sum.Causes {
		for _, id := range c.Tasks {
			caused[id] = true
		}
	}
	for _, step := range x.steps {
		if id := step.Node.ID(); targets[step.Node] && !caused[id] && step.State == engine.Stale {
			sum.Follow = append(sum.Follow, id)
		}
	}
	return sum, nil
}

// reference is the run to compare with: the last one of a target that is stale; or, when all are up to date, the last
// one in which a target was something else before it became what it is. Without any, it is the last such run of all,
// which is later.
func (x *explainer) reference(targets map[*dag.Node]bool, stale bool) (_ *record.Record, later bool) {
	var other *record.Record
	for past := range x.past.Back {
		for i := range x.steps {
			step := &x.steps[i]
			t := past.Task(step.Node.ID())
			switch {
			case !targets[step.Node] || t == nil || t.State != engine.Ran && t.State != engine.Cached:
			case stale && (t.Key != step.Key || step.State != engine.Cached):
				return past, false
			case t.Key == step.Key:
			case x.before(past, step):
				return past, false
			default:
				other = cmp.Or(other, past)
			}
		}
	}
	return other, other != nil
}

// before reports whether a run began before the one that made the result of a task that is up to date.
func (x *explainer) before(past *record.Record, step *engine.Step) bool {
	made, known := x.made[step.Node]
	if !known {
		made = x.past.Made(step.Node.ID(), step.Key)
		x.made[step.Node] = made
	}
	return past != nil && made != nil && past.Started.Before(made.Started)
}

// changing reports of a task that is up to date whether one that is not, and that has an earlier result, needs it.
func (x *explainer) changing(past *record.Record) func(*engine.Step) bool {
	needed := map[*dag.Node]bool{}
	for _, step := range slices.Backward(x.steps) { // those that need a task come after it
		n := step.Node
		if !needed[n] {
			if step.State == engine.Cached {
				continue
			}
			id := n.ID()
			if past == nil || past.Task(id) == nil {
				if _, t := x.past.Last(id, func(*record.Task) bool { return true }); t == nil {
					continue
				}
			}
		}
		for src := range n.Upstream() {
			needed[src.Node] = true
		}
	}
	return func(step *engine.Step) bool { return needed[step.Node] }
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
	if n := len(of.Tasks); n == 0 || of.Tasks[n-1] != task {
		of.Tasks = append(of.Tasks, task)
	}
	if of.Stage != stage {
		of.Stage = ""
	}
}

func (x *explainer) addCauses(c *causes, step *engine.Step, past *record.Record, stale bool) {
	id, stage := step.Node.ID(), step.Node.Stage().Name()
	if step.State == engine.Failed {
		c.add(&c.edits, stage, id+" cannot run: "+step.Reason, id, Difference{What: "failure"})
		return
	}
	var t *record.Task
	if past != nil {
		t = past.Task(id)
	}
	if t == nil && stale {
		past, t = x.past.Last(id, func(*record.Task) bool { return true })
	}
	failure := ""
	if step.State == engine.Stale {
		failure = x.failure(step)
	}
	if failure != "" {
		c.add(&c.edits, stage, stage+" failed when it was last run: "+failure, id, Difference{What: "failure"})
	}
	switch {
	case step.State == engine.Stale && step.Reason != "": // forced, lost or damaged
		c.add(&c.edits, stage, stage+": "+step.Reason, id, Difference{What: "result"})
		return
	case t == nil && failure != "":
		return
	case t == nil && step.State != engine.Cached:
		c.add(&c.new, stage, "not run before", id, Difference{What: "new"})
		return
	case t == nil || t.Key == step.Key && step.State == engine.Cached:
		return
	}
	a, err := x.store.Lookup(t.Key)
	if err != nil {
		if step.State == engine.Stale {
			c.add(&c.edits, stage, stage+": "+x.reason(step), id, Difference{What: "result"})
		}
		return
	}
	now := step.Recipe()
	for _, d := range x.differences(step, past, a.Recipe, now) {
		if d.What != "input" || !follows(step, now, d, past) {
			list := &c.edits
			switch d.What {
			case "code": // of an update of the program
				list = &c.code
			case "value":
				list = &c.values
			}
			c.add(list, stage, causeText(stage, d), id, d)
		}
	}
}

// follows reports whether another input is the consequence of another task's change.
func follows(step *engine.Step, now string, d Difference, past *record.Record) bool {
	if d.New == "" || d.Member() != "" {
		return false
	}
	src := source(step.Node, now, d.Name, d.New)
	if src == nil || src.Node == nil {
		return false
	}
	return d.Old != "" || past.Task(src.Node.ID()) == nil // a new task is a cause of its own
}

func causeText(stage string, d Difference) string {
	if d.What == "parameter" && d.Old != "" && d.New != "" {
		return fmt.Sprintf("%s.%s %s → %s", stage, d.Name, d.Old, d.New)
	}
	member := d.Member()
	switch {
	case d.What == "code": // often of several stages
		return d.String()
	case member != "" && d.New == "": // likewise
		return "removed: inputs with " + member
	case member != "":
		return "added: inputs with " + member
	}
	return stage + ": " + d.String()
}
