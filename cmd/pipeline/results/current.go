package results

import (
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/dag/why"
	"prgnn/pipelines"
)

// A Current is a pipeline file with what the store holds for it now.
type Current struct {
	File     string   // as it was named
	Sets     []string // --set
	OfLast   bool     // Sets are those of the last run, and not of the command line
	Pipeline *pipelines.Pipeline
	Store    *disk.Store
	Steps    map[*dag.Node]*engine.Step
	Run      *record.Record // whose results these are, whatever the file has now; nil for those of now
	Gone     error          // why the pipeline of Run cannot be loaded: its tasks are here without inputs

	read map[artifacts.Digest]bool // what was read to see whether it is damaged: whether it is
}

// LookUp looks up the results of a pipeline that has been loaded.
func LookUp(ctx context.Context, p *pipelines.Pipeline, store *disk.Store, until ...string) (*Current, error) {
	steps, err := why.Plan(ctx, p.Graph, store, engine.Options{Until: until})
	if err != nil {
		return nil, err
	}
	c := &Current{Pipeline: p, Store: store, Steps: make(map[*dag.Node]*engine.Step, len(steps))}
	for i := range steps {
		c.Steps[steps[i].Node] = &steps[i]
	}
	return c, nil
}

// Split separates the tasks whose result and its bytes are stored from all others. (A run often needs the
// record only: see package dag.)
func (c *Current) Split(tasks []*dag.Node) (there, others []*dag.Node) {
	for _, n := range tasks {
		if s := c.Steps[n]; s != nil && s.State == engine.Cached && c.hasBytes(s) {
			there = append(there, n)
		} else {
			others = append(others, n)
		}
	}
	return there, others
}

func (c *Current) hasBytes(s *engine.Step) bool {
	for _, ref := range s.Outputs {
		if !c.Store.Has(ref.Ref) {
			if s.Reason = Freed; c.Store.Remote.Lost(s.Key, ref.Ref) {
				s.Reason, s.Damaged = engine.LostRemotely, true
			}
			return false
		}
	}
	return true
}

// Complete reports whether every task has a result.
func (c *Current) Complete() bool {
	for _, s := range c.Steps {
		if s.State != engine.Cached {
			return false
		}
	}
	return true
}

// Freed is the reason of a task whose recorded bytes are not in the store.
const Freed = "removed by gc, or lost"

// Kept is one output of a task, whose bytes have to be there.
func (c *Current) Kept(a *console.Console, n *dag.Node, port string) (artifacts.Ref, error) {
	s := c.Steps[n]
	ref := s.Outputs.Of(port)
	if c.Store.Has(ref) {
		return ref, nil
	}
	makes := c.runUntil(a, n.ID()) + " makes it again"
	if c.Store.Remote.Lost(s.Key, ref) {
		return ref, &exit.Error{Code: exit.Damaged,
			Err: fmt.Errorf("%s.%s: %s\n  %s", n.ID(), port, engine.LostRemotely, makes)}
	}
	return ref, fmt.Errorf("%s.%s is no longer in the store\n  %s", n.ID(), port, makes)
}

// Ref is one output of a task whose result is there, or known before it has run.
func (c *Current) Ref(n *dag.Node, port string) artifacts.Ref { return c.outputs(n).Of(port) }

// outputs are those of the result of a task, or those that it will give: the cohort of an edited table has not run, and
// its regions are those of the results that are stored.
func (c *Current) outputs(n *dag.Node) artifacts.Refs {
	s := c.Steps[n]
	if s == nil {
		return nil
	}
	if f, ok := n.Instance().(dag.Precomputed); ok && s.Outputs == nil && s.State == engine.Stale {
		return f.KnownOutputs()
	}
	return s.Outputs
}
