package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/machine"
	"prgnn/internal/regular"
)

// A report says how a job ended: one without a result, or a forced one, for which the result in the store may be older.
type report struct {
	Done   bool
	NoJob  bool // what was to be done is not written down any more
	Error  string
	Said   string
	Lost   []string // digests of inputs that are not in the store
	Store  bool     // the error is one of the store, and strikes every other job too
	Fault  bool     // the machine caused it, and no input
	Remedy string   // what to do about the machine; "" where Error states it

	Seconds float64 // that it took

	// Of a pilot: its name, whether it was stopped before the job ended, and whether because its time was over.
	Pilot         string
	Stopped, Late bool
}

// ExecTasks carries out jobs that a coordinator has written down, one after the
// other, in a process of the cluster. It is called by "pipeline exec-task KEY…". A
// job whose result is there is not done again: Slurm may start one twice. The error
// names the jobs that have no result; each has a report in the store.
func ExecTasks(ctx context.Context, s *disk.Store, kinds func(string) (*dag.Kind, bool),
	keys []artifacts.Key, w io.Writer) error {
	c := spaceOf(s)
	var failed []error
	for _, k := range keys {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		began := time.Now()
		task, rep := execTask(ctx, s, kinds, k)
		if rep == nil || rep.Done {
			if c.remove(reportsDir, k.String()); rep != nil {
				c.writeReport(k, rep, w)
			}
			fmt.Fprintf(w, "%s: done in %.1f s\n", task, time.Since(began).Seconds())
			continue
		}
		if ctx.Err() != nil { // told to stop: no fault of the task
			return context.Cause(ctx)
		}
		fmt.Fprintf(w, "%s: %s\n", task, rep.Error)
		failed = append(failed, errors.New(task))
		c.writeReport(k, rep, w)
	}
	if len(failed) > 0 {
		return fmt.Errorf("without a result: %w", errors.Join(failed...))
	}
	return nil
}

func execTask(ctx context.Context, s *disk.Store, kinds func(string) (*dag.Kind, bool),
	k artifacts.Key) (task string, rep *report) {
	text, err := regular.ReadFile(spaceOf(s).path(jobsDir, k.String()))
	if err != nil {
		if there(s, k) { // done, and its description taken away
			return k.String(), nil
		}
		return k.String(), &report{NoJob: true, Error: "no such job in the store: " + err.Error()}
	}
	j, err := decodeJob(text, kinds)
	switch {
	case err != nil:
		return k.String(), &report{Error: err.Error()}
	case j.Key != k:
		return k.String(), &report{Error: errOtherKey.Error()}
	case !j.Forced && there(s, k):
		return j.Task, nil
	}
	if rep = carryOut(ctx, s, j); rep.Error == "" && !j.Forced {
		return j.Task, nil
	}
	return j.Task, rep
}

var errOtherKey = errors.New("the job belongs to another key")

// carryOut carries a job out. Without an Error it is done.
func carryOut(ctx context.Context, s *disk.Store, j *engine.Job) *report {
	began := time.Now()
	r := engine.Local{}.Execute(ctx, s, j)
	awaitSignal(ctx, r.Err)
	rep := &report{Done: r.Err == nil && r.Lost == nil, Said: r.Log, Seconds: time.Since(began).Seconds()}
	for _, d := range r.Lost {
		rep.Lost = append(rep.Lost, d.String())
		rep.Error = "some of its inputs are not in the store"
	}
	if r.Err != nil {
		rep.Error = r.Err.Error()
		var broken *engine.StoreError
		rep.Store = errors.As(r.Err, &broken)
		rep.Fault, rep.Remedy = machine.Caused(r.Err), machine.Remedy(r.Err)
	}
	return rep
}

// awaitSignal waits after a command that ended by a signal: where the cluster sent it, it sends one to each process of
// the job, and the one to this process, which says that no task is at fault, may come a moment later.
func awaitSignal(ctx context.Context, err error) {
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == -1 {
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// result is what the store holds for a key, with all its bytes.
func result(s *disk.Store, k artifacts.Key) (artifacts.Refs, bool) {
	a, err := s.Work.LookupHere(k)
	if err != nil {
		return nil, false
	}
	for _, r := range a.Outputs {
		if !s.Has(r.Ref) {
			return nil, false
		}
	}
	return a.Outputs, true
}

func there(s *disk.Store, k artifacts.Key) bool {
	_, ok := result(s, k)
	return ok
}

func (c space) writeReport(k artifacts.Key, rep *report, w io.Writer) {
	b, err := json.Marshal(rep)
	if err == nil {
		err = c.write(reportsDir, k.String(), b, 0o666)
	}
	if err != nil {
		fmt.Fprintf(w, "%s: its report could not be written: %v\n", k, err)
	}
}

// readReport takes what an element left about a job, if it did.
func (c space) readReport(k artifacts.Key) (*report, bool) {
	return readReport(c.path(reportsDir, k.String()))
}

func readReport(path string) (*report, bool) {
	b, err := regular.ReadFile(path)
	if err != nil {
		return nil, false
	}
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, false // half written by a machine that went away
	}
	return &r, true
}

func (r *report) asReport() engine.JobResult {
	rep := engine.JobResult{Log: r.Said, Seconds: r.Seconds}
	for _, text := range r.Lost {
		if d, err := artifacts.ParseDigest(text); err == nil {
			rep.Lost = append(rep.Lost, d)
		}
	}
	if rep.Lost == nil {
		rep.Err = errors.New(r.Error)
		if r.Fault {
			rep.Err = &machine.Fault{Err: rep.Err, Remedy: r.Remedy}
		}
		if r.Store {
			rep.Err = &engine.StoreError{Err: rep.Err}
		}
	}
	return rep
}
