package engine

import (
	"context"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/recipe"
	"prgnn/dag/shelf"
	"prgnn/internal/words"
)

// An Executor carries out tasks somewhere: in this process (Local), or in others
// that see the same store. See docs/engine.md#executors.
type Executor interface {
	// Execute carries out one job and returns when it has ended, or soon after the
	// context has. It is called in a goroutine of its own for each job, and never
	// for two jobs of one key at a time. If the result has neither Err nor Lost,
	// the store holds the job's action with Outputs, and their bytes.
	Execute(context.Context, *disk.Store, *Job) JobResult
}

// A Job is one task that is ready to be carried out, and all that is needed for
// it. Kind, Instance and the functions aside it is plain data, which may go to another
// machine; Instance follows from Kind and the parameters in Recipe. Tasks of a kind that is
// not registered (the tables of a cohort) cost nothing, and are carried out in this process.
type Job struct {
	Task     string      // its name, for messages
	Coords   []dag.Coord // of the task, for messages
	Kind     *dag.Kind
	Instance dag.Stage
	Recipe   string
	Key      artifacts.Key // of Recipe
	Inputs   []JobInput    // by port, in the order in which the stage sees them
	Forced   bool          // to be carried out even if the store has its result
	Threads  int           // goroutines that it may use
	Memory   int64         // bytes that it needs; 0: little
	Time     time.Duration // how long it may take at most; 0: not known

	// Progress passes on what the stage reports (dag.Task.Progress); it may be nil.
	Progress func(done, total int, note string)
	// Waits reports that the job needs no processor any more and waits for the disk; it may be nil.
	Waits func()
}

// A JobInput is one thing connected to an input port.
type JobInput struct {
	Port   string
	Coords []dag.Coord // of a gathering port
	Name   string      // for messages
	Ref    artifacts.Ref
	File   string // the user's file, as an absolute path; "" for a blob of the store

	shelf *shelf.Shelf // of the run; nil elsewhere
	again bool         // other tasks are still to read it
}

// A JobResult states how a job ended.
type JobResult struct {
	Outputs artifacts.Refs
	Err     error
	// Lost are blobs among the inputs that the store does not hold, or held with
	// other bytes: their producers run again, then the job.
	Lost   []artifacts.Digest
	Log    string // the last lines of the log, of a job that failed
	Memory int64  // bytes: the most that processes of its own held; 0 when it had none
	// Seconds are what it took where it was carried out; 0 where only the whole is known, waiting included.
	Seconds float64
}

// A StoreError would affect every other task too: the disk is full, or the store cannot be written. It ends
// the run.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return e.Err.Error() }
func (e *StoreError) Unwrap() error { return e.Err }

// Local carries jobs out in this process. The zero value is ready.
type Local struct{}

// Execute looks for the job's inputs, calls its stage, and checks, stores and
// records what it gave, in this order.
func (Local) Execute(ctx context.Context, s *disk.Store, j *Job) JobResult {
	in := openInputs(ctx, s, j)
	if lost := in.absent(); lost != nil {
		return JobResult{Lost: lost}
	}
	log := s.Work.Log(j.Key)
	scratch := s.Work.Scratch(j.Key)
	var rep JobResult
	ports, outside, err := j.declared()
	var out dag.Outputs
	if err == nil {
		out, err = call(content.WithStore(ctx, s.Dir()), j, in.byPort, scratch, log, &rep)
	}
	if err == nil {
		err = checkOutputs(ports, out)
	}
	if err == nil {
		err = warn(out, log)
	}
	if ctx.Err() != nil && err != nil { // whatever it says: it was told to stop
		log.Close()
		return JobResult{Err: err}
	}
	// Also after an error: bytes that are not the right ones may be its cause.
	if wrong := in.recheck(); wrong != nil {
		err = wrong
	}
	if err == nil {
		err = j.outsideChanged(in.hash, outside)
	}
	if rep.Lost = in.discardDamaged(); rep.Lost == nil && err == nil {
		rep.Outputs, err = keep(ctx, s, j, ports, out)
	}
	if err != nil {
		err = words.Bound(err)
		rep.Err = err
		rep.Log = log.Tail(saidLines)
		log.WriteLine("error: " + err.Error())
	} else if rep.Lost == nil {
		// A checkpoint that stays behind is never asked for again; gc takes it.
		_ = scratch.Remove()
	}
	log.Close() // a log that cannot be written fails nobody
	return rep
}

// declared is what the stage of a job declares of its outputs and of the files that it reads beside its inputs.
func (j *Job) declared() (outputs []dag.Port, outside []content.Code, err error) {
	defer recovered(&err)
	return j.Instance.Ports().Out, recipe.OutsideFiles(j.Instance, j.work().Inputs), nil
}

// saidLines is how much of its log a failed task shows.
const saidLines = 20
