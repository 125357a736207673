package dag

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"prgnn/artifacts"
)

// A job is a task that is to be carried out.
type job struct {
	node    int32
	key     artifacts.Key // as it was when it was checked
	threads int
	forced  bool // even if the store has its result
}

// An outcome is how that ended. One of err and outputs is set, or lost.
type outcome struct {
	node    int32
	key     artifacts.Key
	outputs map[string]artifacts.Ref
	adopted bool    // the result was in the store by the time: another run made it
	lost    []int32 // producers whose bytes are gone or damaged: they have to run again
	err     error
	seconds float64
	read    int64 // bytes of its inputs
}

// A storeError is one that no other task would escape either: the disk is full,
// the store cannot be written.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// carryOut runs one task: its inputs are looked for, its stage called, its
// outputs checked, stored and recorded, in this order. It runs in a goroutine of
// its own.
func (r *runner) carryOut(ctx context.Context, j job) (o outcome) {
	began := time.Now()
	o = outcome{node: j.node, key: j.key}
	defer func() { o.seconds = time.Since(began).Seconds() }()

	var d description
	if o.err = r.describe(j.node, &d); o.err != nil {
		return o
	}
	o.key = artifacts.KeyOf(string(d.recipe))
	// Another process may have done it since it was checked.
	if o.outputs = r.lookup(o.key, d.ports); !j.forced && o.outputs != nil && r.hasAll(o.outputs) {
		o.adopted = true
		return o
	}
	in := r.open(j.node, &d)
	o.read = in.size()
	if o.lost = in.absent(); o.lost != nil {
		return o
	}
	scratch := r.store.Scratch(o.key)
	out, err := r.call(ctx, j, in.byPort, scratch)
	if err == nil {
		err = checkOutputs(d.ports.Out, out)
	}
	if ctx.Err() != nil && err != nil {
		o.err = err
		return o
	}
	// Also after an error: bytes that are not the right ones may be its cause.
	if wrong := in.recheck(); wrong != nil {
		err = wrong
	}
	if o.lost = in.discardDamaged(); o.lost != nil || err != nil {
		o.err = err
		return o
	}
	if o.outputs, o.err = r.keep(string(d.recipe), d.ports.Out, out); o.err == nil {
		// A checkpoint that stays behind is never asked for again; gc takes it.
		_ = scratch.Remove()
	}
	return o
}

// call runs the stage. What happens in it stays in it: a panic is this task's
// error, and so is a goroutine that the stage ends under itself.
func (r *runner) call(ctx context.Context, j job, inputs map[string][]Input, scratch artifacts.Scratch) (out Outputs, err error) {
	n := r.nodes[j.node]
	t := &Task{
		ID: n.ID, Coords: slices.Clone(n.Coords), Threads: j.threads, inputs: inputs,
		progress: r.progressOf(n), checkpoint: scratch.Get, saveCheckpoint: saveIn(scratch),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = errGone
		defer func() {
			if v := recover(); v != nil {
				out, err = nil, &Panic{Value: v, Stack: debug.Stack()}
			}
		}()
		out, err = n.Work.Run(ctx, t)
	}()
	<-ended
	return out, err
}

var errGone = fmt.Errorf("the stage ended its goroutine (runtime.Goexit) in place of returning")

// A Panic is the error of a task whose stage panicked: a bug of the stage.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string {
	return fmt.Sprintf("the stage panicked: %v\n%s", p.Value, p.Stack)
}

// saveIn marks the errors of saving a checkpoint as the store's.
func saveIn(s artifacts.Scratch) func([]byte) error {
	return func(b []byte) error {
		if err := s.Put(b); err != nil {
			return &storeError{err}
		}
		return nil
	}
}

// progressOf passes on a stage's progress: no more often than a person can
// follow, and never holding up the stage.
func (r *runner) progressOf(n *Node) func(int, int, string) {
	const pause = 100 * time.Millisecond
	var next atomic.Int64 // since r.began, in nanoseconds
	return func(done, total int, note string) {
		now := int64(time.Since(r.began))
		due := next.Load()
		if now < due || !next.CompareAndSwap(due, now+int64(pause)) {
			return
		}
		select {
		case r.notes <- Event{Task: n.ID, Stage: n.Stage.Name, State: Running, Done: done, Total: total, Note: note}:
		default:
		}
	}
}

// keep stores the outputs, then the claim that the recipe gives them: a crash in
// between leaves bytes that nobody names, never a name without bytes.
func (r *runner) keep(recipe string, ports []Port, out Outputs) (map[string]artifacts.Ref, error) {
	refs := make(map[string]artifacts.Ref, len(ports))
	for _, p := range ports {
		v := &encoding{Value: out[p.Name]}
		ref, err := r.store.Put(v)
		switch {
		case v.err != nil:
			return nil, fmt.Errorf("output %q does not encode: %w", p.Name, v.err)
		case err != nil:
			return nil, &storeError{err}
		}
		refs[p.Name] = ref
	}
	if _, err := r.store.Record(artifacts.Action{Recipe: recipe, Outputs: refs}); err != nil {
		return nil, &storeError{err}
	}
	return refs, nil
}

// encoding tells an error of the value (this task's) from one of the writer
// behind it (everybody's).
type encoding struct {
	artifacts.Value
	err error
}

func (e *encoding) Encode(w io.Writer) (err error) {
	tw := &watchedWriter{w: w}
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
		if err != nil && tw.err == nil {
			e.err = err
		}
	}()
	return e.Value.Encode(tw)
}

type watchedWriter struct {
	w   io.Writer
	err error
}

func (t *watchedWriter) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.err = err
	}
	return n, err
}
