package cluster

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
)

// An Executor is a engine.Executor whose jobs are carried out by Slurm.
type Executor struct {
	// Kinds finds the stage kinds that the program on the cluster has. What is of
	// no such kind (the tables of a cohort) is carried out here.
	Kinds    func(name string) (*dag.Kind, bool)
	Args     []string          // further words for sbatch: --partition=long …
	Interval time.Duration     // between two questions to the controller
	Note     func(line string) // something for the person; may be nil

	begin    sync.Once
	begun    atomic.Bool
	problem  error // why it could not begin
	requests chan *tracked
	cancels  chan chan error
	quit     chan struct{} // ends the coordinator; nil: it ends with the process
	work     sync.WaitGroup
}

// New fails where Slurm is not installed.
func New(kinds func(string) (*dag.Kind, bool), args []string, note func(string)) (*Executor, error) {
	if err := present(); err != nil {
		return nil, err
	}
	return &Executor{Kinds: kinds, Args: args, Note: note, Interval: Interval,
		requests: make(chan *tracked),
		cancels:  make(chan chan error)}, nil
}

// A tracked is a job that the coordinator waits for.
type tracked struct {
	job  *engine.Job
	key  artifacts.Key
	done chan engine.JobResult
	gone <-chan struct{} // nobody waits for it any more

	// Where it is: the element of an array; no name before it is handed over.
	name  string
	index int
	since time.Time // it was handed over, or found
	off   time.Time // when it was first seen to have ended, without a result

	tries  map[cause]int
	memory int64 // bytes; grows when it was too little
	limit  time.Duration
	said   string // its state as it was told last
}

// Execute has a job carried out by the cluster, and waits until the store has its
// result.
func (x *Executor) Execute(ctx context.Context, s *disk.Store, j *engine.Job) engine.JobResult {
	if k, ok := x.Kinds(j.Kind.Name); !ok || k != j.Kind {
		return engine.Local{}.Execute(ctx, s, j)
	}
	// The machines of a cluster seldom reach a remote, so that is for this one.
	if lost := fetch(ctx, s, j); lost != nil {
		return engine.JobResult{Lost: lost}
	}
	x.begin.Do(func() { x.problem = x.start(s) })
	if x.problem != nil {
		return engine.JobResult{Err: &engine.StoreError{Err: x.problem}}
	}
	t := &tracked{job: j, key: j.Key, done: make(chan engine.JobResult, 1), gone: ctx.Done(), tries: map[cause]int{},
		memory: max(j.Memory, leastMemory), limit: j.Time}
	if t.limit == 0 {
		t.limit = usualTime
	}
	select {
	case x.requests <- t:
	case <-ctx.Done():
		return engine.JobResult{Err: context.Cause(ctx)}
	}
	select {
	case r := <-t.done:
		return r
	case <-ctx.Done():
		return engine.JobResult{Err: context.Cause(ctx)}
	}
}

const (
	// leastMemory is what the program takes with a stage that says it needs little.
	leastMemory = 512 << 20
	// usualTime is what a task gets whose stage does not say how long it may take.
	usualTime = time.Hour
)

// fetch brings the inputs of a job into the store and tells which it cannot have.
func fetch(ctx context.Context, s *disk.Store, j *engine.Job) (lost []artifacts.Digest) {
	var refs []artifacts.Ref
	for _, in := range j.Inputs {
		if in.File == "" {
			refs = append(refs, in.Ref)
		}
	}
	for i, here := range s.Remote.Fetch(ctx, refs...) {
		if !here {
			lost = append(lost, refs[i].Digest)
		}
	}
	return lost
}

// Begun reports whether any job was submitted.
func (x *Executor) Begun() bool { return x.begun.Load() }

// Cancel cancels all submitted jobs.
func (x *Executor) Cancel() error {
	if !x.Begun() {
		return nil
	}
	answer := make(chan error)
	x.cancels <- answer
	return <-answer
}

// start makes the coordinator's goroutine, which owns all that follows.
func (x *Executor) start(s *disk.Store) error {
	c := &coordinator{x: x, store: s, space: spaceOf(s), waiting: map[artifacts.Key]*tracked{},
		arrays: map[string]*array{}, most: maxElements, piece: wholePiece}
	err := able(s, c.note)
	if err != nil {
		return err
	}
	if c.program, err = c.space.keepProgram(); err != nil {
		return err
	}
	if err := c.find(); err != nil {
		return err
	}
	x.begun.Store(true)
	x.work.Go(c.loop)
	return nil
}

// able reports whether the file system of the store lacks what no run can do without, and notes what else is missing.
func able(s *disk.Store, note func(format string, args ...any)) error {
	a, err := s.Health.Probe()
	if err != nil {
		return err
	}
	problems := a.Problems()
	if problems != nil && !a.Rename {
		return fmt.Errorf("store %s: %w", s.Dir(), problems)
	}
	if problems != nil {
		note("store %s: %v", s.Dir(), problems)
	}
	return nil
}
