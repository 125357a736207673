package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/dag"
)

func (a *app) showCommand() *cobra.Command {
	var sets []string
	rows := 5
	cmd := &cobra.Command{
		Use:   "show RUN|FILE [STAGE]",
		Short: "what a stage made: schema, shape, digest, first rows",
		Long: `With a FILE: its stages and the results that they have now. With a STAGE too: what it made, with
schema, shape, digest and the first rows; of a fan-out the first member, or all with -v. STAGE
may be a task, and name an output: graphs, connectivity[sub-003], train[fold=2].history.
With a RUN (pipeline runs lists them): what that run made.`,
		Example: `  pipeline show biopoint.yaml
  pipeline show biopoint.yaml evaluate
  pipeline show biopoint.yaml 'connectivity[sub-003].quality' --rows 20
  pipeline show biopoint.yaml evaluate --json | jq .head`,
		Args:              between(1, 2),
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if isRun(args[0]) {
				return a.showRun(args[0], args[1:], rows)
			}
			if len(args) == 1 {
				return a.showFile(args[0], sets)
			}
			return a.showStage(args[0], sets, args[1], rows)
		},
	}
	setFlag(cmd, &sets)
	cmd.Flags().Var(positive{&rows}, "rows", "show the first `N` rows of a table (with --json also elements of an array)")
	return cmd
}

type stageEvent struct {
	Event   string       `json:"event"` // "stage"
	Stage   string       `json:"stage"`
	Kind    string       `json:"kind"`
	Tasks   int          `json:"tasks"`
	Cached  int          `json:"cached"`
	Bytes   int64        `json:"bytes"`
	Outputs []outputType `json:"outputs"`
}

type outputType struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Doc    string `json:"doc,omitempty"`
}

func (a *app) showFile(file string, sets []string) error {
	c, err := a.look(file, sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	g := grid{right: map[int]bool{2: true, 3: true, 4: true}}
	g.add("stage", "kind", "tasks", "there", "size", "outputs")
	for _, s := range c.pipeline.Graph.Stages {
		e := stageEvent{Event: "stage", Stage: s.Name, Kind: s.Kind.Name, Tasks: len(s.Tasks)}
		there, _ := c.split(s.Tasks)
		e.Cached = len(there)
		for _, n := range there {
			for _, r := range c.steps[n].Outputs {
				e.Bytes += r.Size
			}
		}
		var outs []string
		if len(s.Tasks) > 0 {
			for _, p := range s.Tasks[0].Work.Ports().Out {
				e.Outputs = append(e.Outputs, outputType{p.Name, p.Type.Format, p.Doc})
				outs = append(outs, p.Name)
			}
		}
		if a.json {
			a.object(e)
			continue
		}
		g.add(e.Stage, e.Kind, fmt.Sprint(e.Tasks), fmt.Sprint(e.Cached), byteCount(e.Bytes), strings.Join(outs, ", "))
	}
	if !a.json {
		g.print(a.out)
	}
	return nil
}

// An outputEvent is one artifact and what it holds.
type outputEvent struct {
	Event  string `json:"event"` // "output"
	Task   string `json:"task"`
	Stage  string `json:"stage"`
	Output string `json:"output"`
	Doc    string `json:"doc,omitempty"`
	outputJSON
	contentJSON
}

func (a *app) showStage(file string, sets []string, what string, rows int) error {
	c, err := a.look(file, sets)
	if err != nil {
		return err
	}
	defer c.store.Close()
	sel, err := choose(c.pipeline.Graph, what)
	if err != nil {
		return err
	}
	tasks := sel.tasks
	if !sel.named {
		tasks = sel.all
	}
	there, others := c.split(tasks)
	if len(there) == 0 {
		return a.notThere(c, export{file: file, sets: sets}, sel, there, others)
	}
	if len(others) > 0 {
		a.note("%d of %d results are not there: %s", len(others), len(tasks), some(idsOf(others), 6))
	}
	var outs []output
	for _, n := range there {
		for _, p := range n.Work.Ports().Out {
			if !sel.named || p.Name == sel.port.Name {
				outs = append(outs, output{n, p, c.ref(n, p.Name)})
			}
		}
	}
	return a.showOutputs(c.store, outs, rows)
}

// showOutputs describes artifacts: all for --json and -v, else those of the
// first task (of each part, where a stage has two).
func (a *app) showOutputs(store *artifacts.Store, outs []output, rows int) error {
	first, others := map[*dag.StageNode]*dag.Node{}, map[*dag.Node]bool{}
	for _, o := range outs {
		if first[o.task.Stage] == nil {
			first[o.task.Stage] = o.task
		}
		if o.task != first[o.task.Stage] && !a.verbose && !a.json {
			others[o.task] = true
			continue
		}
		got, err := readOutput(store, o)
		if err != nil {
			return err
		}
		if a.json {
			a.object(outputEvent{"output", o.task.ID, o.task.Stage.Name, o.port.Name, o.port.Doc,
				outputJSON{o.ref.Digest.String(), o.ref.Format, o.ref.Size}, got.json(rows)})
			continue
		}
		fmt.Fprintf(a.out, "%s  %s, %s, sha256 %s\n", a.page.bold(o.name()), o.ref.Format, byteCount(o.ref.Size), short(o.ref.Digest.String()))
		if o.port.Doc != "" {
			fmt.Fprintf(a.out, "  %s\n", a.page.faint(o.port.Doc))
		}
		got.print(a.out, rows, "  ")
		fmt.Fprintln(a.out)
	}
	if len(others) > 0 {
		fmt.Fprintf(a.out, "and the same of %s; -v shows all, %s[…] one\n", count(len(others), "other member"), outs[0].task.Stage.Name)
	}
	return nil
}

func readOutput(store *artifacts.Store, o output) (content, error) {
	b, err := readAll(store, o.ref)
	if errors.Is(err, artifacts.ErrMiss) { // of a past run
		return content{}, fmt.Errorf("%s: %s; pipeline run FILE --until %s makes it again, with the file and the settings of that run", o.name(), freed, stageOf(o.task.ID))
	}
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", o.name(), err)
	}
	got, err := decode(b, o.ref.Format, o.port.Type)
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", o.name(), err)
	}
	return got, nil
}
