package dag

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/dag/listing"
)

// An Explanation says why a task would run, or why it ran last.
type Explanation struct {
	Step
	// Run is the run whose result the task is compared with, and When it was; ""
	// when there is none to compare with.
	Run  string
	When time.Time
	// Differences between the recipe then and the recipe now. Of a task that is
	// cached: between the recipe now and the last other one before it, that is,
	// what made it run when it ran.
	Differences []Difference
	// WaitsFor are the tasks upstream that are stale themselves, of a task that is
	// Unknown: what they will give decides.
	WaitsFor []string
	// Recipe and Before are the two recipes as far as they are known.
	Recipe, Before string
}

// A Difference is one fact in which two recipes differ.
type Difference struct {
	// "stage", "code", "parameter", "environment", "program", "file", "directory", "value", "input" or "format"
	What string `json:"what"`
	// of the parameter; of the input port, with coordinates where it gathers; of the declaration or module
	Name string `json:"name,omitempty"`
	Old  string `json:"old,omitempty"` // "" when the fact is new
	New  string `json:"new,omitempty"` // "" when it is gone
	// input: the path of the file, or the task and output, that it comes from now; program, file, directory: its path;
	// code: file and line
	From string `json:"from,omitempty"`
}

// String describes a difference for a person, on one line.
func (d Difference) String() string {
	what := strings.TrimSpace(d.What + " " + d.Name)
	if d.What == "value" { // of a task that gives what it has already
		what = "its " + d.Name
		switch {
		case d.Old == "":
			return "new: " + what
		case d.New == "":
			return "gone: " + what
		}
		return what + " changed"
	}
	if d.What == "code" && d.Name != "" {
		return d.ofCode()
	}
	if d.What == "input" || slices.Contains(contents, d.What) {
		from := ""
		if d.From != "" {
			from = " (" + d.From + ")"
		}
		switch {
		case d.Old == "" && d.New != "":
			return fmt.Sprintf("%s%s is new", what, from)
		case d.New == "" && d.Old != "":
			return fmt.Sprintf("%s is gone", what)
		}
		return fmt.Sprintf("%s%s has changed", what, from)
	}
	switch {
	case d.Old == "" && d.New == "":
		return what + " has changed"
	case d.Old == "":
		return fmt.Sprintf("%s is new: %s", what, d.New)
	case d.New == "":
		return fmt.Sprintf("%s is gone (it was %s)", what, d.Old)
	case d.What == "code":
		return what + " has changed"
	}
	return fmt.Sprintf("%s: %s → %s", what, d.Old, d.New)
}

// ofCode tells a difference in one declaration or module.
func (d Difference) ofCode() string {
	module := strings.HasPrefix(d.Name, "module ")
	what, from := "code: "+d.Name, ""
	if d.From != "" {
		from = " (" + d.From + ")"
	}
	switch {
	case d.Old == "" && module:
		return what + " " + d.New + " is new"
	case d.Old == "":
		return what + " is new" + from
	case d.New == "":
		return what + " is gone"
	case module:
		return fmt.Sprintf("%s %s → %s", what, d.Old, d.New)
	}
	then, now := listing.Declaration{Name: d.Name, Digest: d.Old}, listing.Declaration{Name: d.Name, Digest: d.New}
	if then.Text() == now.Text() {
		return what + " mentions other names" + from
	}
	return what + " changed" + from
}

// Why explains one task. Nothing is run.
func Why(g *Graph, s *artifacts.Store, o Options, task string) (*Explanation, error) {
	nodes, err := g.Select(task)
	if err != nil {
		return nil, err
	}
	// The cohort's tables are a task called cohort, beside tasks cohort[…].
	if at := slices.IndexFunc(nodes, func(n *Node) bool { return n.id == task }); at >= 0 {
		nodes = nodes[at : at+1]
	}
	if len(nodes) != 1 {
		return nil, fmt.Errorf("%q matches %d tasks, such as %s: name one", task, len(nodes), nodes[0].id)
	}
	o.Until, o.Only = []string{task}, nil
	r, err := newRunner(g, s, o)
	if err != nil {
		return nil, err
	}
	if err := r.plan(context.Background()); err != nil {
		return nil, err
	}
	i := r.of[nodes[0]]
	e := &Explanation{Step: r.step(i), Recipe: r.draft(i)}
	other := func(*TaskRecord) bool { return true }
	if e.State == Cached {
		other = func(t *TaskRecord) bool { return t.Key != e.Key }
	}
	if past, t := r.past.last(e.Node.id, other); t != nil {
		e.Run, e.When = past.ID, past.Started
		if a, err := s.Lookup(t.Key); err == nil {
			e.Before = a.Recipe
			e.Differences = r.differences(i, past, a.Recipe, e.Recipe)
		}
	}
	if e.State == Unknown {
		e.WaitsFor = r.waitsFor(i)
	}
	return e, nil
}

// waitsFor lists the stale tasks that a task needs, directly or not.
func (r *runner) waitsFor(i int32) []string {
	of := make([]bool, len(r.nodes))
	of[i] = true
	var ids []string
	for j, part := range r.upstream(of) {
		if s := r.at[j].state; part && (s == Stale || s == Failed) {
			ids = append(ids, r.nodes[j].id)
		}
	}
	return ids
}

// LostRemotely is the reason of a task whose result the remote promises and has not.
const LostRemotely = "its result in the remote is missing or damaged"

// failure is the first line of the error with which a task failed when it was last run, with the key that it has
// now; "" where it did not.
func (r *runner) failure(i int32) string {
	id := r.nodes[i].id
	t := r.past.failed(id)
	if t == nil || t.Key != r.at[i].key {
		return ""
	}
	_, text, _ := strings.Cut(t.Error, ": "+id+": ") // behind the place in the pipeline file
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, ":")
}

// reason says for a person, on one line, why a task is stale.
func (r *runner) reason(i int32) string {
	switch p := &r.at[i]; {
	case p.tale().reason != "":
		return p.story.reason
	case p.forced:
		return "forced to run again"
	case p.damaged && p.outputs.Load() == nil:
		return "its record in the store is damaged"
	case p.damaged && r.lostRemotely(p.key, *p.outputs.Load()):
		return LostRemotely
	case p.damaged:
		return "its result in the store is damaged"
	case p.remake:
		return "its result is no longer in the store"
	}
	failed := r.past.failed(r.nodes[i].id)
	past, t := r.past.last(r.nodes[i].id, func(*TaskRecord) bool { return true })
	switch {
	case failed != nil && failed.Key == r.at[i].key:
		return "it failed when it was last run"
	case r.store.Remote.Untrusted(r.at[i].key):
		return "no trusted key has signed its record, which came from a remote"
	case failed != nil && t == nil:
		return "it has changed since it failed, and has no earlier result"
	case t == nil:
		return "not run before"
	}
	if t.Key == r.at[i].key {
		return "its record is no longer in the store"
	}
	a, err := r.store.Lookup(t.Key)
	if err != nil {
		of := "is no longer in the store"
		switch {
		case errors.Is(err, artifacts.ErrCorrupt):
			of = "is damaged"
		case r.store.Remote.Untrusted(t.Key):
			of = "came from a remote, and no trusted key has signed it"
		}
		return "it has changed; the record of its last run " + of + ", so the change is unknown"
	}
	const most = 3
	var parts []string
	ds := r.differences(i, past, a.Recipe, r.draft(i))
	for _, d := range ds[:min(len(ds), most)] {
		parts = append(parts, d.String())
	}
	if len(ds) > most {
		parts = append(parts, fmt.Sprintf("and %d more differences", len(ds)-most))
	}
	return strings.Join(parts, "; ")
}
