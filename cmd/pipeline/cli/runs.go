package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/reasons"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/record"
	"prgnn/internal/lists"
)

func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs [FILE]",
		Short: "past runs, newest first",
		Long: `Lists the runs recorded in the store of the working directory (or of --store); with a FILE, the
runs of its pipeline in the store beside it. The beginning of an id is enough to name a run for
show and diff.`,
		Example: `  pipeline runs
  pipeline runs biopoint.yaml
  pipeline runs --json | jq -r 'select(.failed > 0) | .id'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && len(a.sets) > 0 {
				return flags.Usage(cmd, "--set and --without need FILE")
			}
			if len(args) == 0 {
				return a.here(func(s *disk.Store) error { return a.listRuns(s, "") })
			}
			return a.runsOf(args[0])
		},
	}
	setFlag(cmd, &a.sets)
	return cmd
}

// A pastRunEvent is a recorded run: the fields of the last line of run, and more.
type pastRunEvent struct {
	runEvent
	Pipeline string `json:"pipeline"`
	File     string `json:"file"`
	Started  string `json:"started"`
	Finished string `json:"finished,omitempty"`
	Stopped  string `json:"stopped,omitempty"` // why it ended before its time
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
}

func pastRun(r *record.Record) any {
	e := pastRunEvent{
		runEvent: runEvent{r.ID, r.Ran + r.Cached + r.Failed + r.Skipped + r.Unfinished, r.Ran, r.Cached,
			r.Failed, r.Skipped, progress.Round(r.Seconds), r.Unfinished,
			r.Finished.IsZero() || r.Stopped != "", false},
		Pipeline: r.Pipeline, File: r.File, Started: r.Started.Format(time.RFC3339), Stopped: r.Stopped,
		Version: r.Program.Version, Commit: r.Program.Revision,
	}
	if !r.Finished.IsZero() {
		e.Finished = r.Finished.Format(time.RFC3339)
		return e
	}
	return killedRunEvent{pastRunEvent: e}
}

// A killedRunEvent is a run without an end: its record has some of the tasks that ran.
type killedRunEvent struct {
	pastRunEvent
	Tasks   *int     `json:"tasks"` // null, as all counts
	Ran     *int     `json:"ran"`
	Cached  *int     `json:"cached"`
	Failed  *int     `json:"failed"`
	Skipped *int     `json:"skipped"`
	Seconds *float64 `json:"seconds"`
}

// unknown stands for a count that the record of a run without an end does not have.
const unknown = "unknown"

// took is how long a run took.
func took(r *record.Record) string {
	if r.Finished.IsZero() {
		return unknown
	}
	return console.Seconds(r.Seconds)
}

// outcomeOf is what became of a run, in a few words.
func outcomeOf(r *record.Record) string {
	switch {
	case r.Finished.IsZero():
		return "unfinished (running or killed)"
	case r.Stopped == context.Canceled.Error():
		return "interrupted"
	case r.Stopped != "":
		return "stopped: " + r.Stopped
	case r.Failed > 0:
		return fmt.Sprintf("%d failed, %d skipped", r.Failed, r.Skipped)
	}
	return "fine"
}

// runsOf lists the runs of one pipeline. A file that has not been run has none.
func (a *app) runsOf(file string) error {
	p, err := a.load(file, a.sets)
	if err != nil {
		if run := a.lastRunOf(file); run.ID != "" { // its data may be gone
			_, dir := a.sourceOf(file)
			store, failed := a.openStore(dir)
			if failed != nil {
				return errors.Join(err, failed)
			}
			defer store.Close()
			return errors.Join(a.listRuns(store, run.Pipeline), err)
		}
		return err
	}
	store, done, err := a.openToLook(p)
	if err != nil {
		return err
	}
	defer done()
	return a.listRuns(store, p.Graph.Name())
}

// listRuns prints the runs of a pipeline, or of all when its name is "".
func (a *app) listRuns(store *disk.Store, pipeline string) error {
	all, damaged := store.Runs()
	g := console.Grid{Right: map[int]bool{3: true, 4: true, 5: true}, Wide: a.Wide()}
	g.Add("run", "started", "pipeline", "ran", "cached", "took", "outcome")
	listed := 0
	for _, rr := range all {
		if pipeline != "" && rr.Pipeline != pipeline {
			continue
		}
		listed++
		r, err := record.Read(store, rr)
		if err != nil {
			damaged = errors.Join(damaged, err)
			continue
		}
		if a.AsJSON("run", pastRun(r)) {
			continue
		}
		ran, cached := fmt.Sprint(r.Ran), fmt.Sprint(r.Cached)
		if r.Finished.IsZero() {
			ran, cached = unknown, unknown
		}
		g.Add(r.ID, r.Started.Local().Format("2006-01-02 15:04:05"), r.Pipeline, ran, cached, took(r), outcomeOf(r))
	}
	if !a.JSON {
		switch {
		case listed > 0:
			g.Print(a.Out)
		case pipeline == "":
			a.Note("no runs are recorded in %s", store.Dir())
		default:
			a.Note("no runs of the pipeline %s are recorded", pipeline)
		}
	}
	return damaged
}

func (a *app) showRun(id string, what []string, rows int) error {
	r, store, err := a.openRun(id)
	if err != nil {
		return err
	}
	defer store.Close()
	if len(what) == 1 {
		outs, err := results.RecordedOutputs(r, what[0])
		if err != nil {
			return err
		}
		if err := results.CheckRun(a.Console, r, store, outs); err != nil {
			return err
		}
		return results.PrintOutputs(a.Console, store, r, outs, rows)
	}
	if a.JSON {
		a.Object("run", pastRun(r))
		for _, t := range r.Tasks {
			e := engine.Event{Task: t.ID, Stage: dag.StageOf(t.ID), State: t.State, Key: t.Key, Outputs: t.Outputs,
				Seconds: t.Seconds, Read: t.Read, Memory: t.Memory}
			if t.Error != "" {
				e.Err = errors.New(t.Error)
			}
			a.Out.Write(progress.AppendTask(nil, e))
		}
		return nil
	}
	a.printRun(r)
	return nil
}

func (a *app) printRun(r *record.Record) {
	g := console.Grid{Wide: a.Wide()}
	g.Add("run", r.ID)
	g.Add("pipeline", fmt.Sprintf("%s (%s)", r.Pipeline, r.File))
	g.Add("started", r.Started.Local().Format("2006-01-02 15:04:05"))
	g.Add("took", took(r))
	g.Add("outcome", outcomeOf(r))
	g.Add("program", strings.Join(strings.Fields(r.Program.Version+" "+r.Program.Revision+" "+r.Program.Go+" "+
		r.Program.Platform), ", "))
	for _, s := range []struct {
		name   string
		values []string
	}{{"until", r.Until}, {"only", r.Only}, {"force", r.Force}} {
		if len(s.values) > 0 {
			g.Add(s.name, strings.Join(s.values, ", "))
		}
	}
	g.Print(a.Out)
	if r.Finished.IsZero() {
		a.Note("its tasks are unknown, because a run records them when it ends; every finished task is kept")
		return
	}
	fmt.Fprintln(a.Out)

	size := func(n int64) string { // "" where nothing was measured
		if n == 0 {
			return ""
		}
		return console.ByteCount(n)
	}
	g = console.Grid{Right: map[int]bool{2: true, 3: true, 4: true, 5: true}, Wide: a.Wide()}
	g.Add("stage", "tasks", "work", "memory", "read", "results")
	for _, stage := range lists.By(r.Tasks, func(t record.Task) string { return dag.StageOf(t.ID) }) {
		var counts progress.Counts
		seconds, memory, read, bytes := 0.0, int64(0), int64(0), int64(0)
		for _, t := range stage.All {
			counts.Add(t.State)
			seconds, memory, read = seconds+t.Seconds, max(memory, t.Memory), read+t.Read
			for _, ref := range t.Outputs {
				bytes += ref.Size
			}
		}
		g.Add(stage.Key, counts.Outcome(), console.Seconds(seconds), size(memory), size(read), console.ByteCount(bytes))
	}
	g.Print(a.Out)
	for _, t := range r.Tasks {
		if t.State == engine.Failed {
			fmt.Fprintf(a.Out, "%s %s\n", a.Page.Red("failed:"), reasons.Indented(t.Error))
		}
	}
}
