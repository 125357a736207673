package audit

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/workdir"
	"prgnn/pipelines/differ"
)

// Options say which tasks are run again, and how.
type Options struct {
	Stages     []string
	Sample     float64
	Seed       uint64
	Workers    int
	Threads    []int
	Downstream bool
	Fetched    bool
	Partial    bool   // tasks that cannot be audited are no failure
	Keep       string // where what was run again is kept
}

// An auditor is one audit: its console, what is asked for, and what was found.
type auditor struct {
	*console.Console
	Options
	sum auditEvent
}

func start(con *console.Console, o Options) *auditor {
	return &auditor{Console: con, Options: o}
}

// chosen are the tasks that are asked for: all of them where none is named.
func (a *auditor) chosen(g *dag.Graph) ([]*dag.Node, error) {
	if len(a.Stages) == 0 {
		return slices.Collect(g.Tasks()), nil
	}
	return g.Select(a.Stages...)
}

// A Room is an empty place to run in.
type Room struct {
	*console.Console
	Dir    *workdir.Dir
	keep   string
	stores []*disk.Store
}

// RoomPrefix begins the names of rooms; gc sweeps those of dead processes.
const RoomPrefix = ".pipeline-audit-"

// NewRoom makes a room on the file system of a directory.
func NewRoom(a *console.Console, beside, keep string) (*Room, error) {
	if keep != "" {
		if err := a.MayWrite(keep); err != nil {
			return nil, err
		}
		if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
			return nil, exit.Wrongf("%s is not empty: --keep takes a new directory", keep)
		}
	}
	dir, err := workdir.Make(beside, RoomPrefix)
	if err != nil {
		return nil, fmt.Errorf("an audit needs a place to work in: %w", err)
	}
	return &Room{Console: a, Dir: dir, keep: keep}, nil
}

// Close removes the directory with the recomputed results, except those of --keep.
func (r *Room) Close() {
	for _, s := range r.stores {
		s.Close()
	}
	r.Dir.Remove()
}

// run runs a graph in an empty store; the first one is the one that is kept. before is called with it, unless nil.
func (r *Room) run(g *dag.Graph, o engine.Options, before func(*disk.Store) error) (differ.Pass, error) {
	dir := filepath.Join(r.Dir.Path, fmt.Sprint(len(r.stores)))
	if len(r.stores) == 0 {
		dir = cmp.Or(r.keep, dir)
	}
	pass := differ.Pass{Threads: o.Threads}
	clean, err := disk.Open(dir)
	if err != nil {
		return pass, err
	}
	r.stores = append(r.stores, clean)
	if before != nil {
		if err := before(clean); err != nil {
			return pass, err
		}
	}
	shown := progress.For(r.Console, g, clean, o)
	if r.JSON {
		shown = progress.Silent{Console: r.Console} // its tasks are reported as audited
	}
	ctx, done := console.Interruptible("the tasks that are run again are aborted, and the store stays as it is", shown.Say)
	defer done()
	o.Progress = shown.Event
	result, err := engine.Run(ctx, g, clean, o)
	shown.Close()
	if err != nil && ctx.Err() != nil {
		r.Warn("interrupted; an audit keeps nothing and starts again from the beginning")
		return pass, &exit.Error{Code: exit.Interrupted}
	}
	if err != nil {
		return pass, err
	}
	pass.Again, pass.Failed = differ.OfRun("this audit", clean, result), result.Errors
	return pass, nil
}

// repeat runs a graph once for each number of threads, and compares. before, unless nil, is called before the first
// time.
func (a *auditor) repeat(room *Room, g *dag.Graph, stored differ.Results, until []string,
	before func(*disk.Store) error) ([]*differ.Outcome, error) {
	var passes []differ.Pass
	for _, threads := range a.Threads {
		pass, err := room.run(g, engine.Options{Workers: a.Workers, Threads: threads, Until: until}, before)
		if err != nil {
			return nil, err
		}
		passes, before = append(passes, pass), nil
	}
	return differ.Compare(g, stored, passes...)
}
