package engine

import (
	"context"
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/internal/line"
	"prgnn/dag/recipe"
)

// plan goes through the run without running anything.
func (r *runner) plan(ctx context.Context) error {
	r.dry = true
	if err := r.loop(ctx); err != nil {
		return err
	}
	r.hash = hashing(ctx, r.store) // for drafts, which may be the first to need a file
	r.planRemakes()
	return nil
}

func (r *runner) steps() []Step {
	var steps []Step
	clear(r.roots) // of before planRemakes
	for i := range r.at {
		if p := &r.at[i]; p.phase != outside && p.wanted {
			steps = append(steps, r.step(int32(i)))
		}
	}
	return steps
}

func (r *runner) step(i int32) Step {
	p := &r.at[i]
	s := Step{Node: r.Nodes[i], State: p.state, Key: p.key, recipe: func() string { return r.draft(i) }}
	switch p.state {
	case Cached:
		s.Outputs = *p.outputs.Load()
	case Stale:
		s.Reason, s.Damaged = r.reason(i), p.damaged
	case Unknown, Skipped: // skipped: what it needs cannot run, but that may be mended
		s.State = Unknown
		if s.Reason = p.tale().reason; s.Reason == "" {
			s.Reason = r.because(i, r.cause(i)).Error()
		}
	case Failed:
		s.Reason = p.story.err.(*Error).Err.Error()
	}
	return s
}

// cause is what a task that is unknown waits for: of several, always the same,
// whichever was found out first.
func (r *runner) cause(i int32) int32 {
	for _, worst := range []State{Failed, Skipped, Stale, Unknown} {
		for _, j := range r.Needs.Of(i) {
			if r.at[j].state == worst {
				return j
			}
		}
	}
	return i
}

// planRemakes finds the tasks whose record is there but whose bytes are not, and
// without whose bytes another task of the plan cannot run.
func (r *runner) planRemakes() {
	for at := len(r.Order) - 1; at >= 0; at-- {
		u := r.Order[at]
		s := r.at[u].state
		if r.at[u].phase == outside || s != Stale && s != Unknown {
			continue
		}
		for b := range r.Nodes[u].Inputs() {
			for _, src := range r.Nodes[u].Inputs()[b].Sources {
				if src.Node == nil {
					continue
				}
				q := &r.at[r.Of[src.Node]]
				maybe := q.state == Unknown && q.remake // so far only needed by what may not run
				if q.state != Cached && !(maybe && s == Stale) {
					continue
				}
				if ref, ok := q.outputs.Load().Get(src.Output); ok && r.store.Has(ref) {
					continue
				}
				q.state, q.remake = s, true
				q.damaged = r.lostRemotely(q.key, *q.outputs.Load())
				needs := "needs"
				if s == Unknown {
					needs = "may need"
				}
				lost := "its result is no longer in the store"
				if q.damaged {
					lost = LostRemotely
				}
				q.write().reason = fmt.Sprintf("%s, and %s %s it", lost, r.Nodes[u].ID(), needs)
			}
		}
	}
}

// reason states for a person, on one line, why a task runs again whose record the store has; "" where it has none.
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
	return ""
}

// LostRemotely is the reason of a task whose result the remote promises and has not.
const LostRemotely = "its result in the remote is missing or damaged"

// draft writes the recipe of a task as far as it is known: of an input that has
// yet to be made, only that it is there. What cannot be read leaves it empty.
func (r *runner) draft(i int32) (text string) {
	var err error
	defer recovered(&err)
	n := r.Nodes[i]
	ports := n.Instance().Ports()
	refs := make([][]artifacts.Ref, len(n.Inputs()))
	for b := range n.Inputs() {
		for s := range n.Inputs()[b].Sources {
			src := &n.Inputs()[b].Sources[s]
			ref, ok := r.made(src)
			if !ok {
				ref = artifacts.Ref{Format: line.Unknown}
			}
			refs[b] = append(refs[b], ref)
		}
	}
	var t *recipe.Task
	if t, err = r.work(n, r.hash); err != nil {
		return ""
	}
	return string(recipe.Append(nil, t, ports.In, refs))
}

// made is what a source gives, where that has been made.
func (r *runner) made(src *dag.Source) (artifacts.Ref, bool) {
	if src.Node != nil && r.at[r.Of[src.Node]].outputs.Load() == nil {
		return artifacts.Ref{}, false
	}
	ref, err := r.resolve(src)
	return ref, err == nil
}
