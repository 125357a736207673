package engine

import (
	"fmt"

	"prgnn/artifacts"
	"prgnn/dag"
)

// A State is how far a task is.
type State string

// The states of a task. In a plan: Cached, Stale, Unknown (it depends on what a
// stale task will give). In a run: Waiting (for another run, which is at it), Running, then Ran, Cached, Failed or
// Skipped (something that it needs failed).
const (
	Waiting State = "waiting"
	Running State = "running"
	Ran     State = "ran"
	Cached  State = "cached"
	Failed  State = "failed"
	Skipped State = "skipped"
	Stale   State = "stale"
	Unknown State = "unknown"
)

// An Event is one thing that happened in a run, as plain data: the terminal,
// --json, the run record and the tests read the same stream. A task ends once; but
// one whose bytes turn out to be lost later in the run begins again after its
// end, and ends again: its last end is the one that counts.
type Event struct {
	Task    string
	Stage   string
	State   State
	Key     artifacts.Key
	Outputs artifacts.Refs // Ran, Cached
	Seconds float64        // Ran, Failed
	Read    int64          // bytes of its inputs; Ran, Failed
	Memory  int64          // bytes, see TaskRecord; Ran, Failed
	Err     error          // Failed: an *Error. Skipped: what it waited for
	Done    int            // Running: progress within the task, when Total > 0
	Total   int
	Note    string
}

// An Error is what went wrong in one task.
type Error struct {
	Task string
	Pos  dag.Pos
	Err  error
	Key  artifacts.Key // of the task's log, if it came so far
	Log  string        // the last lines of the log before the error
}

func (e *Error) Error() string {
	if e.Pos == (dag.Pos{}) {
		return fmt.Sprintf("%s: %v", e.Task, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Pos, e.Task, e.Err)
}
func (e *Error) Unwrap() error { return e.Err }
