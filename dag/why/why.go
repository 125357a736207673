// Package why explains the tasks of a graph: why each would run, or why it ran last.
package why

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/internal/line"
	"prgnn/dag/listing"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/internal/words"
)

// An Explanation says why a task would run, or why it ran last.
type Explanation struct {
	engine.Step
	// Run is the run whose result the task is compared with, and When it was; ""
	// when there is none to compare with.
	Run  string
	When time.Time
	// Differences between the recipe then and the recipe now. Of a task that is
	// cached: between the recipe now and the last other one before it, that is,
	// what made it run when it ran; without one, and with a later other one, from that.
	Differences []Difference
	Later       bool
	// WaitsFor are the tasks upstream that are stale themselves, of a task that is
	// Unknown: what they will give decides.
	WaitsFor []string
	// Recipe and Before are the two recipes as far as they are known.
	Recipe, Before string
}

// An explainer has a plan and the past of its graph.
type explainer struct {
	store *disk.Store
	past  *record.Past
	steps []engine.Step
	made  map[*dag.Node]*record.Record // the runs that made the results of tasks, as far as asked for
	code  map[codeOf][]Difference      // tasks of one kind have it in common
}

// A codeOf is a difference in the code of a kind since a run.
type codeOf struct {
	past *record.Record
	kind *dag.Kind
	d    Difference
}

func newExplainer(ctx context.Context, g *dag.Graph, s *disk.Store, o engine.Options) (*explainer, error) {
	steps, err := engine.Plan(ctx, g, s, o)
	if err != nil {
		return nil, err
	}
	return &explainer{s, record.NewPast(s, g.Name()), steps, map[*dag.Node]*record.Record{},
		map[codeOf][]Difference{}}, nil
}

// Plan is engine.Plan, and each stale task has a reason, which may come from the records of past runs.
func Plan(ctx context.Context, g *dag.Graph, s *disk.Store, o engine.Options) ([]engine.Step, error) {
	x, err := newExplainer(ctx, g, s, o)
	if err != nil {
		return nil, err
	}
	for i := range x.steps {
		if step := &x.steps[i]; step.State == engine.Stale && step.Reason == "" {
			step.Reason = x.reason(step)
		}
	}
	return x.steps, nil
}

// Task explains one task. Nothing is run.
func Task(ctx context.Context, g *dag.Graph, s *disk.Store, o engine.Options, task string) (*Explanation, error) {
	nodes, err := g.Select(task)
	if err != nil {
		return nil, err
	}
	// The cohort's tables are a task called cohort, beside tasks cohort[…].
	if at := slices.IndexFunc(nodes, func(n *dag.Node) bool { return n.ID() == task }); at >= 0 {
		nodes = nodes[at : at+1]
	}
	if len(nodes) != 1 {
		return nil, fmt.Errorf("%q matches %d tasks, such as %s; give one", task, len(nodes), nodes[0].ID())
	}
	o.Until, o.Only = []string{task}, nil
	x, err := newExplainer(ctx, g, s, o)
	if err != nil {
		return nil, err
	}
	step := &x.steps[slices.IndexFunc(x.steps, func(s engine.Step) bool { return s.Node == nodes[0] })]
	e := &Explanation{Step: *step, Recipe: step.Recipe()}
	if e.State == engine.Stale && e.Reason == "" {
		e.Reason = x.reason(step)
	}
	past, later := x.reference(map[*dag.Node]bool{e.Node: true}, e.State != engine.Cached)
	if past != nil {
		t := past.Task(e.Node.ID())
		e.Run, e.When, e.Later = past.ID, past.Started, later
		if a, err := s.Lookup(t.Key); err == nil {
			e.Before = a.Recipe
			e.Differences = slices.DeleteFunc(x.differences(step, past, a.Recipe, e.Recipe), unknown)
		}
	}
	if e.State == engine.Unknown {
		e.WaitsFor = x.waitsFor(e.Node)
	}
	return e, nil
}

// waitsFor lists the stale tasks that a task needs, directly or not.
func (x *explainer) waitsFor(n *dag.Node) []string {
	part := map[*dag.Node]bool{}
	for todo := []*dag.Node{n}; len(todo) > 0; {
		n, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for src := range n.Upstream() {
			if !part[src.Node] {
				part[src.Node] = true
				todo = append(todo, src.Node)
			}
		}
	}
	var ids []string
	for _, s := range x.steps {
		if part[s.Node] && (s.State == engine.Stale || s.State == engine.Failed) {
			ids = append(ids, s.Node.ID())
		}
	}
	return ids
}

// failure is the first line of the error with which a task failed when it was last run, with the key that it has
// now; "" where it did not.
func (x *explainer) failure(step *engine.Step) string {
	id := step.Node.ID()
	t := x.past.Failed(id)
	if t == nil || t.Key != step.Key {
		return ""
	}
	_, text, _ := strings.Cut(": "+t.Error, ": "+id+": ") // behind the place in a pipeline file
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, ":")
}

// reason states for a person, on one line, why a task is stale whose result is not in the store.
func (x *explainer) reason(step *engine.Step) string {
	failed := x.past.Failed(step.Node.ID())
	past, t := x.past.Last(step.Node.ID(), func(*record.Task) bool { return true })
	switch {
	case failed != nil && failed.Key == step.Key:
		return "it failed when it was last run"
	case x.store.Remote.Untrusted(step.Key):
		return "no trusted key has signed its record, which came from a remote"
	case failed != nil && t == nil:
		return "it has changed since it failed, and has no earlier result"
	case t == nil:
		return "not run before"
	}
	if t.Key == step.Key {
		return "its record is no longer in the store"
	}
	a, err := x.store.Lookup(t.Key)
	if err != nil {
		of := "is no longer in the store"
		switch {
		case errors.Is(err, artifacts.ErrCorrupt):
			of = "is damaged"
		case x.store.Remote.Untrusted(t.Key):
			of = "came from a remote, and no trusted key has signed it"
		}
		return "it has changed; the record of its last run " + of + ", so the change is unknown"
	}
	const most = 3
	var parts []string
	ds := x.differences(step, past, a.Recipe, step.Recipe())
	for _, d := range ds[:min(len(ds), most)] {
		parts = append(parts, d.String())
	}
	if len(ds) > most {
		parts = append(parts, "and "+words.Count(len(ds)-most, "more difference"))
	}
	return strings.Join(parts, "; ")
}

// unknown reports whether a difference is of an input that an upstream task has to make first.
func unknown(d Difference) bool {
	return d.What == "input" && strings.HasPrefix(d.New, line.Unknown+" ")
}

// differences compares an old recipe of a task with its present one, as far as that is known (of a new member of a
// gathered input, that it is new), and adds where inputs come from, and which declarations make the difference in code.
func (x *explainer) differences(step *engine.Step, past *record.Record, old, now string) []Difference {
	if now == "" { // a file cannot be read
		return nil
	}
	var ds []Difference
	for _, d := range Recipes(old, now) {
		switch {
		case unknown(d) && d.Member() == "":
			continue
		case d.What == "input" && d.New != "":
			d.From = origin(source(step.Node, now, d.Name, d.New))
		case slices.Contains(line.Files, d.What):
			d.From = outside(step.Node, d)
			if slices.Contains(ds, d) { // one file by several paths
				continue
			}
		case d.What == "code" && d.New != "":
			kind := step.Node.Stage().Kind()
			at := codeOf{past, kind, d}
			if x.code[at] == nil {
				x.code[at] = Code(d, kind.Name, past, listing.Reach(kind.Code, kind.Name))
			}
			ds = append(ds, x.code[at]...)
			continue
		}
		ds = append(ds, d)
	}
	return ds
}

// origin is the path of the file, or the task and output, behind an input.
func origin(src *dag.Source) string {
	switch {
	case src == nil:
		return ""
	case src.Node != nil:
		return src.Node.ID() + "." + src.Output
	}
	return src.File
}

// source finds an input of a task by its name in the recipe that the task has now. Of several with that name, it is the
// one with the value.
func source(n *dag.Node, now, name, value string) *dag.Source {
	var inputs []line.Line
	for text := range strings.Lines(now) {
		if l := line.Read(strings.TrimSuffix(text, "\n")); l.What == "input" {
			inputs = append(inputs, l)
		}
	}
	var from *dag.Source
	for _, p := range n.Instance().Ports().In { // in the order of a recipe
		for _, b := range n.Inputs() {
			if b.Port != p.Name {
				continue
			}
			for s := range b.Sources {
				if len(inputs) == 0 { // the recipe cannot be written
					return from
				}
				l := inputs[0]
				inputs = inputs[1:]
				switch {
				case l.Name != name:
				case l.Value == value:
					return &b.Sources[s]
				default:
					from = cmp.Or(from, &b.Sources[s])
				}
			}
		}
	}
	return from
}

// outside is where the files or programs lie in which two recipes of a task differ; "" where that is not certain.
func outside(n *dag.Node, d Difference) string {
	var places []string
	for _, c := range recipe.OutsideFiles(n.Instance(), n.Inputs()) {
		if c.What == d.What && c.Name == d.Name && !c.Secret {
			places = append(places, c.String())
		}
	}
	if len(places) != 1 {
		return ""
	}
	return places[0]
}
