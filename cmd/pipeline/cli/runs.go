package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
)

func (a *app) runsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "runs",
		Short: "past runs, the newest first",
		Long: `Lists the runs recorded in the store of the working directory (or of --store). The beginning of
an id is enough to name a run for show and diff.`,
		Example: `  pipeline runs
  pipeline runs --json | jq -r 'select(.failed > 0) | .id'`,
		Args: exactly(0),
		RunE: func(*cobra.Command, []string) error { return a.runs() },
	}
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

func pastRun(r *dag.Record) pastRunEvent {
	e := pastRunEvent{
		runEvent: runEvent{"run", r.ID, r.Ran + r.Cached + r.Failed + r.Skipped + r.Unfinished, r.Ran, r.Cached, r.Failed, r.Skipped, round(r.Seconds), r.Unfinished, r.Finished.IsZero() || r.Stopped != ""},
		Pipeline: r.Pipeline, File: r.File, Started: r.Started.Format(time.RFC3339), Stopped: r.Stopped,
		Version: r.Program.Version, Commit: r.Program.Revision,
	}
	if !r.Finished.IsZero() {
		e.Finished = r.Finished.Format(time.RFC3339)
	}
	return e
}

// outcomeOf is what became of a run, in a few words.
func outcomeOf(r *dag.Record) string {
	switch {
	case r.Finished.IsZero():
		return "not ended (running, or killed)"
	case r.Stopped == context.Canceled.Error():
		return "interrupted"
	case r.Stopped != "":
		return "stopped: " + r.Stopped
	case r.Failed > 0:
		return fmt.Sprintf("%d failed, %d skipped", r.Failed, r.Skipped)
	}
	return "fine"
}

func (a *app) runs() error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	all, damaged := store.Runs()
	g := grid{right: map[int]bool{3: true, 4: true, 5: true}}
	g.add("run", "started", "pipeline", "ran", "cached", "took", "outcome")
	for _, rr := range all {
		r, err := dag.ReadRecord(rr)
		if err != nil {
			damaged = errors.Join(damaged, err)
			continue
		}
		if a.json {
			a.object(pastRun(r))
			continue
		}
		g.add(r.ID, r.Started.Local().Format("2006-01-02 15:04:05"), r.Pipeline, fmt.Sprint(r.Ran), fmt.Sprint(r.Cached), seconds(r.Seconds), outcomeOf(r))
	}
	if !a.json {
		if len(all) == 0 {
			a.note("no runs are recorded in %s", store.Dir())
		} else {
			g.print(a.out)
		}
	}
	return damaged
}

// isRun tells the id of a run from the name of a file.
func isRun(name string) bool {
	if !runID.MatchString(name) {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

var runID = regexp.MustCompile(`^[0-9a-f]{1,16}$`)

// record loads a run by the beginning of its id.
func record(store *artifacts.Store, id string) (*dag.Record, error) {
	rr, err := store.LoadRun(id)
	if errors.Is(err, artifacts.ErrMiss) {
		return nil, wrongf("there is no run %s in %s; pipeline runs lists them", id, store.Dir())
	}
	if err != nil {
		return nil, err
	}
	return dag.ReadRecord(rr)
}

// stageOf is the stage in the name of a task.
func stageOf(task string) string {
	stage, _, _ := strings.Cut(task, "[")
	return stage
}

func (a *app) showRun(id string, what []string, rows int) error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	r, err := record(store, id)
	if err != nil {
		return err
	}
	if len(what) == 1 {
		outs, err := recordedOutputs(r, what[0])
		if err != nil {
			return err
		}
		return a.showOutputs(store, outs, rows)
	}
	if a.json {
		a.object(pastRun(r))
		for _, t := range r.Tasks {
			e := dag.Event{Task: t.ID, Stage: stageOf(t.ID), State: t.State, Key: t.Key, Outputs: t.Outputs, Seconds: t.Seconds, Read: t.Read, Memory: t.Memory}
			if t.Error != "" {
				e.Err = errors.New(t.Error)
			}
			a.out.Write(appendTask(nil, e))
		}
		return nil
	}
	a.printRun(r)
	return nil
}

func (a *app) printRun(r *dag.Record) {
	g := grid{}
	g.add("run", r.ID)
	g.add("pipeline", fmt.Sprintf("%s (%s)", r.Pipeline, r.File))
	g.add("started", r.Started.Local().Format("2006-01-02 15:04:05"))
	g.add("took", seconds(r.Seconds))
	g.add("outcome", outcomeOf(r))
	g.add("program", strings.Join(strings.Fields(r.Program.Version+" "+r.Program.Revision+" "+r.Program.Go+" "+r.Program.Platform), ", "))
	for _, s := range []struct {
		name   string
		values []string
	}{{"until", r.Until}, {"only", r.Only}, {"force", r.Force}} {
		if len(s.values) > 0 {
			g.add(s.name, strings.Join(s.values, ", "))
		}
	}
	g.print(a.out)
	fmt.Fprintln(a.out)

	type sum struct {
		tally
		seconds float64
		memory  int64
		read    int64
		bytes   int64
	}
	var order []string
	sums := map[string]*sum{}
	for _, t := range r.Tasks {
		name := stageOf(t.ID)
		s := sums[name]
		if s == nil {
			s = &sum{}
			sums[name] = s
			order = append(order, name)
		}
		switch t.State {
		case dag.Ran:
			s.ran++
		case dag.Cached:
			s.cached++
		case dag.Failed:
			s.failed++
		case dag.Skipped:
			s.skipped++
		}
		s.seconds += t.Seconds
		s.memory = max(s.memory, t.Memory)
		s.read += t.Read
		for _, ref := range t.Outputs {
			s.bytes += ref.Size
		}
	}
	g = grid{right: map[int]bool{2: true, 3: true, 4: true, 5: true}}
	g.add("stage", "tasks", "work", "memory", "read", "results")
	for _, name := range order {
		s := sums[name]
		memory, read := "", ""
		if s.memory > 0 {
			memory = byteCount(s.memory)
		}
		if s.read > 0 {
			read = byteCount(s.read)
		}
		g.add(name, s.outcome(), seconds(s.seconds), memory, read, byteCount(s.bytes))
	}
	g.print(a.out)
	for _, t := range r.Tasks {
		if t.State == dag.Failed {
			fmt.Fprintf(a.out, "%s %s\n", a.page.red("failed:"), indented(t.Error))
		}
	}
}

// recordedOutputs finds what a run made, by STAGE, TASK, or either with .OUTPUT;
// * stands for any text.
func recordedOutputs(r *dag.Record, what string) ([]output, error) {
	name, port := what, ""
	if dot := strings.LastIndexByte(what, '.'); dot > strings.LastIndexByte(what, ']') {
		name, port = what[:dot], what[dot+1:]
	}
	pattern, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$")
	if err != nil {
		return nil, err
	}
	var outs []output
	var stages, ports []string
	nodes := map[string]*dag.StageNode{}
	for _, t := range r.Tasks {
		stages = append(stages, stageOf(t.ID))
		if !pattern.MatchString(t.ID) && !pattern.MatchString(stageOf(t.ID)) {
			continue
		}
		stage := stageOf(t.ID)
		if nodes[stage] == nil {
			nodes[stage] = &dag.StageNode{Name: stage}
		}
		n := &dag.Node{ID: t.ID, Stage: nodes[stage]}
		for _, out := range slices.Sorted(maps.Keys(t.Outputs)) {
			ports = append(ports, out)
			if port == "" || port == out {
				outs = append(outs, output{n, dag.Port{Name: out}, t.Outputs[out]})
			}
		}
	}
	switch {
	case len(outs) > 0:
		return outs, nil
	case port != "" && len(ports) > 0:
		return nil, wrongf("%s made no output %q in run %s%s", name, port, r.ID, meant(port, slices.Compact(ports)))
	}
	return nil, wrongf("run %s has no result of %q%s", r.ID, name, meant(name, slices.Compact(stages)))
}
