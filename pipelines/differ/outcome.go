package differ

import (
	"cmp"
	"fmt"
	"slices"

	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/stages/role"
)

// A Pass is one repetition of a graph: with a number of threads, or in another place.
type Pass struct {
	Again   Results
	Threads int             // 0: not known
	Failed  []*engine.Error // its failed tasks
}

// A State is how a task compares.
type State string

// The states, from the best to the worst; and that of a task that was not compared.
const (
	Identical State = "identical"
	Allowed   State = "allowed" // different within what its kind promises
	Different State = "different"
	Absent    State = "absent" // one side has no result of it
	Failed    State = "failed"
	Damaged   State = "damaged" // its stored result or inputs are
)

var states = []State{Identical, Allowed, Different, Absent, Failed}

// An Outcome is how one task compares.
type Outcome struct {
	Event   string            `json:"event"` // "audited"
	Task    string            `json:"task"`
	Stage   string            `json:"stage"`
	State   State             `json:"state"`
	Promise string            `json:"promise,omitempty"` // of one that differs
	Threads int               `json:"threads,omitempty"` // with how many it differs, where others gave something else
	From    []string          `json:"from,omitempty"`    // the tasks in which the difference begins, when it does not begin here
	Outputs map[string]Output `json:"outputs,omitempty"` // where both sides have them
	Error   string            `json:"error,omitempty"`
	Log     string            `json:"log,omitempty"` // its end, of one that failed

	Node          *dag.Node `json:"-"`
	Stored, Again Result    `json:"-"`
	name          [2]string // of the two sides
}

// An Output is one output of two sides.
type Output struct {
	Stored     string      `json:"stored"` // digests
	Again      string      `json:"again"`
	Difference *Difference `json:"difference,omitempty"` // where the difference begins
}

// Differs reports whether a task has other bytes than it had.
func (o *Outcome) Differs() bool { return o.State == Different || o.State == Allowed }

// Begins reports whether a difference begins in a task: it differs, and everything that it read is the same.
func (o *Outcome) Begins() bool { return o.Differs() && o.From == nil }

// Compare compares the results of each pass with the stored ones: the worst outcome of each task, in the order of the
// graph. A difference begins in a task when all that it read from other tasks is the same; else it follows from
// theirs. Where it begins, its size is measured.
func Compare(g *dag.Graph, stored Results, passes ...Pass) ([]*Outcome, error) {
	worst, varies, order := map[*dag.Node]*Outcome{}, map[*dag.Node]bool{}, inOrder(g)
	for _, p := range passes {
		in := map[*dag.Node]*Outcome{}
		for _, n := range order {
			o, err := p.outcome(n, stored, in)
			if err != nil {
				return nil, err
			}
			in[n] = o
			was := cmp.Or(worst[n], o)
			varies[n] = varies[n] || was.State != o.State
			if worst[n] = was; slices.Index(states, o.State) > slices.Index(states, was.State) {
				worst[n] = o
			}
		}
	}
	var all []*Outcome
	for n := range g.Tasks() {
		if o := worst[n]; o != nil {
			if !varies[n] || !o.Differs() {
				o.Threads = 0
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// outcome compares one task, after those upstream of it.
func (p Pass) outcome(n *dag.Node, stored Results, upstream map[*dag.Node]*Outcome) (*Outcome, error) {
	o := &Outcome{Event: "audited", Task: n.ID(), Stage: n.Stage().Name(), State: Identical, Threads: p.Threads,
		Node: n,
		name: [2]string{stored.Name, p.Again.Name}}
	var wanted, came bool
	o.Stored, wanted = stored.Tasks[n.ID()]
	o.Again, came = p.Again.Tasks[n.ID()]
	at := slices.IndexFunc(p.Failed, func(e *engine.Error) bool { return e.Task == n.ID() })
	switch {
	case at >= 0:
		o.State, o.Error, o.Log = Failed, p.Failed[at].Err.Error(), p.Failed[at].Log
		return o, nil
	case wanted && !came:
		o.State, o.Error = Failed, "it did not run: an upstream task failed"
		return o, nil
	case !wanted:
		o.State, o.Error = Absent, stored.Name+" has no result of it"
		return o, nil
	}
	o.Outputs = map[string]Output{}
	for _, port := range n.Instance().Ports().Out {
		out := Output{Stored: o.Stored.Outputs.Of(port.Name).Digest.String(),
			Again: o.Again.Outputs.Of(port.Name).Digest.String()}
		if o.Outputs[port.Name] = out; out.Stored != out.Again {
			o.State = Different
		}
	}
	if o.State == Identical {
		return o, nil
	}
	o.Promise = role.PromiseOf(n.Instance()).String()
	return o, o.follow(upstream)
}

// follow finds where a difference begins, and whether it stays within the promise.
func (o *Outcome) follow(upstream map[*dag.Node]*Outcome) error {
	o.State = Allowed
	for src := range o.Node.Upstream() {
		up := upstream[src.Node]
		if up == nil || up.Outputs[src.Output].Stored == up.Outputs[src.Output].Again {
			continue
		}
		if up.From != nil {
			o.From = append(o.From, up.From...)
		} else {
			o.From = append(o.From, up.Task)
		}
		if up.State == Different {
			o.State = Different
		}
	}
	if o.From != nil {
		slices.Sort(o.From)
		o.From = slices.Compact(o.From)
		return nil
	}
	for _, port := range o.Node.Instance().Ports().Out {
		out := o.Outputs[port.Name]
		var err error
		if out.Difference, err = o.Difference(port); err != nil {
			return err
		}
		if o.Outputs[port.Name] = out; !keeps(role.PromiseOf(o.Node.Instance()), out.Difference) {
			o.State = Different
		}
	}
	return nil
}

// keeps reports whether a difference stays within a promise.
func keeps(p role.Promise, d *Difference) bool {
	return d == nil || p.Nothing || p.Tolerance > 0 && (d.Kind == "values" && !d.Other && d.MaxRel <= p.Tolerance)
}

// Difference compares the values of one output, where both sides have the bytes; nil where the bytes are the same.
func (o *Outcome) Difference(port dag.Port) (*Difference, error) {
	before, after := o.Stored.Outputs.Of(port.Name), o.Again.Outputs.Of(port.Name)
	if before.Digest == after.Digest {
		return nil, nil
	}
	for i, side := range []Result{o.Stored, o.Again} {
		if ref := side.Outputs.Of(port.Name); side.Store == nil || !side.Store.Has(ref) {
			return &Difference{Kind: "bytes", Text: fmt.Sprintf("the bytes differ; the size of the difference is unknown because the bytes of %s are missing",
				cmp.Or(o.name[i], "one side"))}, nil
		}
	}
	return Blobs(o.Stored.Store, before, o.Again.Store, after, port.Type)
}
