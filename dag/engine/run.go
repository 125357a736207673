package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/listing"
)

// Options say how to run a graph. The zero value runs everything that is not up
// to date, one task a CPU.
type Options struct {
	// Negative numbers are an error.
	Workers  int         // 0: one for each CPU
	Threads  int         // goroutines that each task may use, whatever its kind asks for; 0: what that asks for
	Memory   int64       // bytes that running tasks may need together, as their kinds state; 0: no limit
	Until    []string    // stages or tasks: run these and what they need (see Graph.Select)
	Only     []string    // run only these; what they need must be cached
	Force    []string    // run these even if cached
	FailFast bool        // stop starting tasks after the first failure
	Rehash   bool        // do not trust the memo of file digests
	Executor Executor    // where tasks are carried out; nil: Local
	Progress func(Event) // called from one goroutine, in order
	// Bring reports whether the caller reads the results of a task after the run: those that
	// only the remote has are brought into the store, and made again if they are damaged
	// there. It may be nil, and is called from many goroutines.
	Bring func(*dag.Node) bool
}

// A Result is the outcome of a run.
type Result struct {
	ID       string // of the run record; "-" if none could be written
	NoRecord error  // why; nil for a store that cannot be written at all
	Tasks    int
	Ran      int
	Cached   int
	Failed   int
	Skipped  int
	// Unfinished are the others, of a run that ended before its time: they were not
	// begun, or given up.
	Unfinished int
	Seconds    float64
	Errors     []*Error // of the failed tasks, in the order of the graph
	// Damaged are tasks that have a result again, whose bytes or record were damaged when the run began. A task whose
	// record cannot be found, since the place in its pack is unreadable, runs as one that never ran.
	Damaged []string
	Missing []string                  // tasks that have a result again, which the remote promised and had not
	Outputs map[string]artifacts.Refs // by task, then port, of every task that ran or was cached
	Sources string                    // OtherSources of the graph: why results are not found again after a build
}

// Run brings the graph up to date. It returns an error only when the run as a
// whole could not go on (the store is full, the context was canceled, an option
// names no task); tasks that failed are in the result. There is a result beside
// an error too, unless the run could not begin: what was finished is kept.
func Run(ctx context.Context, g *dag.Graph, s *disk.Store, o Options) (*Result, error) {
	r, err := newRunner(g, s, o)
	if err != nil {
		return nil, err
	}
	// In a store that cannot be written, a run that finds everything there is fine.
	r.readOnly = s.Work.Hold()
	if _, here := r.opt.Executor.(Local); here {
		s.Work.PackMore()
	}
	r.id = unrecorded
	if r.readOnly == nil {
		r.id = artifacts.NewRunID()
	}
	err = r.loop(ctx)
	if r.readOnly == nil {
		if saved := r.save(true); err == nil {
			err = saved
		}
	}
	res := r.result()
	res.Sources = OtherSources(g)
	if !errors.Is(r.readOnly, artifacts.ErrReadOnly) {
		res.NoRecord = r.readOnly
	}
	// Who has asked for results that are there has got them.
	if errors.Is(err, artifacts.ErrFull) && r.fatal == nil && res.Cached == res.Tasks {
		res.ID, res.NoRecord, err = unrecorded, err, nil
	}
	return res, err
}

// OtherSources reports, in a sentence for a person, that the code identities of a graph's kinds do not describe the
// sources of this program; "" if they do.
func OtherSources(g *dag.Graph) string {
	for _, s := range g.Stages() {
		if s.Kind().Code == "" {
			return fmt.Sprintf("the stage kind %s has no code identity, so every build of this program runs its stages again: make generate (in a module of your own: go generate ./...) writes it to codes.txt, and the field Code of the kind takes it from there", s.Kind().Name)
		}
		if !strings.HasPrefix(s.Kind().Code, "kind "+s.Kind().Name+" ") {
			continue
		}
		d := listing.Unlisted(s.Kind().Code)
		if module, unseen := strings.CutPrefix(d, listing.Unseen); unseen {
			return fmt.Sprintf("this program cannot compare the sources of the module %s with those of the listing, so every build of it runs the stages of the listing again; list the directory of the module in go.work (use), and go generate ./... has the program compare them", module)
		}
		if variable, linked := strings.CutPrefix(d, listing.Linked); linked {
			return fmt.Sprintf("-ldflags sets the variable %s, which no source shows: every build of this program runs the stages of the listing again; make it a parameter of the kind, or build without -X", variable)
		}
		if d != "" {
			return fmt.Sprintf("%s differs from the listing of the sources: until make generate (in a module of your own: go generate ./...) and a new build, every build of this program runs the stages of the listing again", d)
		}
	}
	return ""
}

// unrecorded is the ID of a run that could leave no record.
const unrecorded = "-"

// A Step is what a plan states of one task.
type Step struct {
	Node    *dag.Node
	State   State          // Cached, Stale, Unknown, or Failed for a task that cannot run
	Key     artifacts.Key  // when it can be known
	Outputs artifacts.Refs // when Cached
	Reason  string         // why it is not cached, for a person; "" of a Stale task whose result the store never had
	Damaged bool           // Stale since bytes or the record of its result are damaged

	recipe func() string
}

// Recipe is the recipe of the task as far as it is known: of an input that has yet to be made, it states that it is
// there. It is "" where a file cannot be read.
func (s *Step) Recipe() string { return s.recipe() }

// Plan returns what Run would do, in the order of the graph. It runs nothing. (Package why adds the reasons that
// records
// of past runs give.)
func Plan(ctx context.Context, g *dag.Graph, s *disk.Store, o Options) ([]Step, error) {
	r, err := newRunner(g, s, o)
	if err != nil {
		return nil, err
	}
	if err := r.plan(ctx); err != nil {
		return nil, err
	}
	return r.steps(), nil
}

// ErrLost is in the error of a task whose input the store loses again and again.
var ErrLost = errors.New("check the disk, and that no command writes to its inputs")

// ErrOnly is in the error of a task that Options.Only selects, but that needs a task without a result.
var ErrOnly = errors.New("upstream tasks are not run with only; use until to run them too")

var errOnlyAndUntil = errors.New("until and only exclude each other: until also runs upstream tasks, only does not")
