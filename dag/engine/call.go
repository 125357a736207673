package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/artifacts/tasklog"
	"prgnn/dag"
	"prgnn/internal/machine"
)

// call runs the stage. What happens in it stays in it: a panic is this task's
// error, and so is a goroutine that the stage ends under itself.
func call(ctx context.Context, j *Job, inputs map[string][]dag.Input, scratch disk.Scratch, log *tasklog.Log,
	rep *JobResult) (out dag.Outputs, err error) {
	var mu sync.Mutex // guards rep.Memory
	t := dag.Wiring{
		Inputs: inputs, Log: log, Progress: progressAndLog(j.Progress, log),
		Checkpoint: scratch.Get, SaveCheckpoint: saveIn(scratch),
		TookMemory: func(bytes int64) {
			mu.Lock()
			defer mu.Unlock()
			rep.Memory = max(rep.Memory, bytes)
		},
	}.Task(j.Task, j.Coords, j.Threads)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = errGone
		defer recovered(&err)
		if out, err = j.Instance.Run(ctx, t); err != nil {
			if strings.TrimSpace(err.Error()) == "" { // panics here, and not later, where err is a nil pointer
				err = fmt.Errorf("the stage failed with an error without text (%T): give the error that its Run "+
					"returns a text%w", err, err)
			}
		}
	}()
	<-ended
	return out, err
}

// warn writes the warnings of output tables to the log of their task.
func warn(out dag.Outputs, log *tasklog.Log) (err error) {
	defer recovered(&err)
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if table, ok := out[name].(*encoding.Table); ok {
			for _, w := range tableWarnings(table) {
				log.WriteLine("warning: " + w)
			}
		}
	}
	return nil
}

var tableWarnings = func(*encoding.Table) []string { return nil }

// RegisterWarnings gives what lists the warnings of an output table, for the log of its task. A program whose tables
// carry warnings calls it in an init function.
func RegisterWarnings(of func(*encoding.Table) []string) { tableWarnings = of }

var errGone = fmt.Errorf("the stage ended its goroutine (runtime.Goexit) instead of returning")

// A Panic is the error of a task whose stage panicked: a bug of the stage.
type Panic struct {
	Value any
	Stack []byte
}

// recovered makes a panic the error of the function that defers it.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &Panic{Value: v, Stack: debug.Stack()}
	}
}

func (p *Panic) Error() string {
	return fmt.Sprintf("the stage panicked: %v\n%s", p.Value, p.Stack)
}

// progressAndLog keeps the notes of a task in its log, each once: epochs with
// their losses are what a person looks for there.
func progressAndLog(tell func(int, int, string), log *tasklog.Log) func(int, int, string) {
	var mu sync.Mutex
	last := ""
	return func(done, total int, note string) {
		mu.Lock()
		if note != "" && note != last {
			last = note
			log.WriteLine(note)
		}
		mu.Unlock()
		if tell != nil {
			tell(done, total, note)
		}
	}
}

// saveIn marks the errors of saving a checkpoint as the store's.
func saveIn(s disk.Scratch) func([]byte) error {
	return func(b []byte) error {
		if err := s.Put(b); err != nil {
			return &StoreError{err}
		}
		return nil
	}
}

// keep stores the outputs, then the claim that the recipe gives them: a crash in
// between leaves bytes that nobody names, never a name without bytes.
func keep(ctx context.Context, s *disk.Store, j *Job, ports []dag.Port, out dag.Outputs) (refs artifacts.Refs,
	err error) {
	defer recovered(&err) // of Size and KnownOutputs
	refs = make(artifacts.Refs, 0, len(ports))
	written := make([]*disk.Written, 0, len(ports))
	defer func() {
		for _, w := range written {
			w.Discard()
		}
	}()
	waits := false
	for _, p := range ports {
		if err := fits(s, p.Name, out[p.Name]); err != nil {
			return nil, err
		}
		v := &guarded{Value: out[p.Name], ctx: ctx}
		w, err := s.Write(v)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case v.err != nil:
			return nil, fmt.Errorf("output %q does not encode: %w", p.Name, v.err)
		case err != nil:
			return nil, &StoreError{err}
		}
		written = append(written, w)
		refs.Set(p.Name, w.Ref)
		waits = waits || w.Waits()
	}
	if f, ok := j.Instance.(dag.Precomputed); ok && !slices.Equal(f.KnownOutputs(), refs) {
		return nil, errors.New("the stage returned other values than it announced")
	}
	if waits && j.Waits != nil {
		j.Waits()
	}
	for _, w := range written {
		if err := w.Keep(); err != nil {
			return nil, &StoreError{err}
		}
	}
	if _, err := s.Record(artifacts.Action{Recipe: j.Recipe, Outputs: refs}); err != nil {
		return nil, &StoreError{err}
	}
	return refs, nil
}

// fits refuses a large file, which has a size before it is written, where the store has no room for it.
func fits(s *disk.Store, output string, v artifacts.Value) error {
	file, ok := v.(interface{ Size() int64 })
	if !ok {
		return nil
	}
	if free, known := machine.Free(s.Dir()); known && file.Size() > free {
		return &machine.Fault{Err: fmt.Errorf("output %q has %d bytes, but the file system of the store %s has room for %d: "+
			"free space there (pipeline gc removes what no run needs) or use a store on a larger disk (--store); "+
			"a sparse file is stored with all its bytes", output, file.Size(), s.Dir(), free)}
	}
	return nil
}

// guarded tells an encoding error of the value (this task's) from one of the writer
// behind it (everybody's).
type guarded struct {
	artifacts.Value
	ctx context.Context // an output that is large is written until it ends
	err error
}

func (e *guarded) Encode(w io.Writer) (err error) {
	tw := &watchedWriter{w: w, ctx: e.ctx}
	defer func() {
		if err != nil && tw.err == nil {
			e.err = err
		}
	}()
	defer recovered(&err)
	return e.Value.Encode(tw)
}

// keptInAnyCase is what is written of an output after an interrupt, in bytes: it takes a moment, and the work that gave
// a small one may have taken hours.
const keptInAnyCase = 16 << 20

type watchedWriter struct {
	w   io.Writer
	ctx context.Context
	n   int64 // bytes written
	err error
}

func (t *watchedWriter) Write(p []byte) (int, error) {
	n, err := 0, t.ctx.Err()
	if err == nil || t.n+int64(len(p)) <= keptInAnyCase {
		n, err = t.w.Write(p)
		t.n += int64(n)
	}
	if err != nil {
		t.err = err
	}
	return n, err
}
