package engine

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/param"
)

// A work is a task that the runner sends off.
type assignment struct {
	node    int32
	key     artifacts.Key // as it was when it was checked
	threads int
	forced  bool // even if the store has its result
}

// An outcome is how that ended.
type outcome struct {
	JobResult
	node    int32
	key     artifacts.Key
	adopted bool    // the result was in the store by the time: another run made it
	lost    []int32 // the producers of Lost: they have to run again
	seconds float64
	read    int64 // bytes of its inputs
}

// carryOut has one task carried out, unless its result has come to be there. It
// runs in a goroutine of its own.
func (r *runner) carryOut(ctx context.Context, w assignment) (o outcome) {
	began := time.Now()
	o = outcome{node: w.node, key: w.key}
	defer func() { o.seconds = time.Since(began).Seconds() }()
	defer recovered(&o.Err)

	d := description{view: r.store.View()}
	d.view.Begin()
	if o.Err = r.describe(w.node, &d); o.Err != nil {
		return o
	}
	o.key = artifacts.KeyOf(d.recipe)
	// Another process may have done it since it was checked. Of another machine's, see checkAgain.
	o.Outputs, _, _ = lookup(d.view, o.key, d.ports, false)
	for _, ref := range o.Outputs {
		if r.store.Health.Damaged(ref.Ref) {
			_ = r.store.Health.Discard(ref.Ref) // if it cannot be removed, new bytes replace it anyway
		}
	}
	if !w.forced && o.Outputs != nil && r.store.Has(o.Outputs.List()...) {
		o.adopted = true
		return o
	}
	j := r.job(w, o.key, &d)
	for i := range j.Inputs {
		o.read += j.Inputs[i].Ref.Size
	}
	o.JobResult = r.opt.Executor.Execute(ctx, r.store, j)
	o.lost = r.producers(w.node, &d, o.Lost)
	return o
}

// job is what an executor needs to know.
func (r *runner) job(w assignment, key artifacts.Key, d *description) *Job {
	n := r.Nodes[w.node]
	j := &Job{
		Task: n.ID(), Coords: slices.Clone(n.Coords()), Kind: n.Stage().Kind(), Instance: param.Copy(n.Instance()),
		Recipe: string(d.recipe), Key: key, Forced: w.forced, Threads: w.threads, Memory: n.Stage().Needs().Memory,
		Time:     n.Stage().Needs().Time,
		Progress: r.progressOf(n),
		Waits:    func() { r.waiting <- w.node },
	}
	for b := range n.Inputs() {
		gather := slices.ContainsFunc(d.ports.In, func(p dag.Port) bool {
			return p.Name == n.Inputs()[b].Port &&
				p.Gather
		})
		for s := range n.Inputs()[b].Sources {
			src := &n.Inputs()[b].Sources[s]
			in := JobInput{Port: n.Inputs()[b].Port, Ref: d.refs[b][s], Name: src.File, File: src.File}
			if gather {
				in.Coords = src.Coords
			}
			if src.Node != nil {
				in.Name, in.File = src.Node.ID()+"."+src.Output, ""
				in.shelf, in.again = &r.shelf, r.at[r.Of[src.Node]].readers.Load() > 1
			}
			j.Inputs = append(j.Inputs, in)
		}
	}
	return j
}

// producers are the tasks that gave these blobs to a task.
func (r *runner) producers(i int32, d *description, blobs []artifacts.Digest) []int32 {
	if len(blobs) == 0 {
		return nil
	}
	var list []int32
	for b := range r.Nodes[i].Inputs() {
		for s := range r.Nodes[i].Inputs()[b].Sources {
			src := &r.Nodes[i].Inputs()[b].Sources[s]
			if src.Node == nil || !slices.Contains(blobs, d.refs[b][s].Digest) {
				continue
			}
			if p := r.Of[src.Node]; !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// progressOf passes on a stage's progress: no more often than a person can
// follow, and never holding up the stage.
func (r *runner) progressOf(n *dag.Node) func(int, int, string) {
	const pause = 100 * time.Millisecond
	var next atomic.Int64 // since r.began, in nanoseconds
	return func(done, total int, note string) {
		now := int64(time.Since(r.began))
		due := next.Load()
		if now < due || !next.CompareAndSwap(due, now+int64(pause)) {
			return
		}
		select {
		case r.notes <- Event{Task: n.ID(), Stage: n.Stage().Name(), State: Running, Done: done, Total: total,
			Note: note}:
		default:
		}
	}
}
