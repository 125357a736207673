package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/words"
)

func (a *app) showCommand() *cobra.Command {
	var where, partial bool
	var rows int
	cmd := &cobra.Command{
		Use:   "show RUN|FILE [STAGE]",
		Short: "the results of a stage: schema, shape, digest, first rows",
		Long: `With a FILE: its stages and their present results. With a STAGE too: its results, with
schema, shape, digest and the first rows; of a fan-out the first member, or all with -v. STAGE
may be a task, and name an output: graphs, connectivity[sub-003], train[fold=2].history.
STAGE may be findings: the cautions of the summary with their codes and numbers.
With a RUN (pipeline runs lists them): the results of that run.

A FILE is shown with the settings (--set) of its last run. Where that run was for a part, and
a STAGE has no complete result with these settings, those of an earlier run are used; a line states it.

--where names the files of the store that hold one output, and reads none of them. With --json each
is an object with its path, format, digest, the names of its axes and the coordinates of its task;
an object "axis" before them names the regions. These files must not be changed.`,
		Example: `  pipeline show biopoint.yaml
  pipeline show biopoint.yaml evaluate
  pipeline show biopoint.yaml 'connectivity[sub-003].quality' --rows 20
  pipeline show biopoint.yaml evaluate --json | jq .head
  pipeline show biopoint.yaml connectivity.pearson --where
  pipeline show biopoint.yaml findings --json --rows 100 | jq -r '.head[][0]'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case where && (len(args) == 1 || results.IsRun(args[0])):
				return flags.Usage(cmd, "--where needs a pipeline file and one of its stages")
			case where && cmd.Flags().Changed("rows"):
				return flags.Usage(cmd, "--rows is for a table that is shown: leave out --where")
			case where:
				c, err := a.look(args[0], args[1])
				if err != nil {
					return err
				}
				defer c.Store.Close()
				return results.PrintPlaces(a.Console, c, args[1], partial)
			case partial:
				return flags.Usage(cmd, "--partial needs --where")
			case len(args) == 1 && cmd.Flags().Changed("rows"):
				return flags.Usage(cmd, "--rows is for a table: name a STAGE[.OUTPUT]")
			case results.IsRun(args[0]):
				return a.showRun(args[0], args[1:], rows)
			}
			if len(args) == 1 {
				return a.showFile(args[0])
			}
			return a.showStage(args[0], args[1], rows)
		},
	}
	a.asRunFlags(cmd)
	cmd.Flags().BoolVar(&where, "where", false, "name the files of the store that hold the output STAGE[.OUTPUT]")
	cmd.Flags().BoolVar(&partial, "partial", false, "with --where: also when some results are missing")
	cmd.Flags().Var(flags.Positive(&rows), "rows", "show the first `N` rows of a table (with --json also elements of an array; default 5)")
	return cmd
}

type stageEvent struct {
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

func (a *app) showFile(file string) error {
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	g := console.Grid{Right: map[int]bool{2: true, 3: true, 4: true}, Wide: a.Wide()}
	g.Add("stage", "kind", "tasks", "there", "size", "outputs")
	for _, s := range c.Pipeline.Graph.Stages() {
		e := stageEvent{Stage: s.Name(), Kind: s.Kind().Name, Tasks: len(s.Tasks())}
		there, _ := c.Split(s.Tasks())
		e.Cached = len(there)
		for _, n := range there {
			for _, r := range c.Steps[n].Outputs {
				e.Bytes += r.Size
			}
		}
		var outs []string
		if len(s.Tasks()) > 0 {
			for _, p := range s.Tasks()[0].Instance().Ports().Out {
				e.Outputs = append(e.Outputs, outputType{p.Name, p.Type.Format, p.Doc})
				outs = append(outs, p.Name)
			}
		}
		if a.AsJSON("stage", e) {
			continue
		}
		g.Add(e.Stage, e.Kind, fmt.Sprint(e.Tasks), fmt.Sprint(e.Cached), console.ByteCount(e.Bytes),
			strings.Join(outs, ", "))
	}
	if !a.JSON {
		g.Print(a.Out)
	}
	return nil
}

func (a *app) showStage(file, what string, rows int) error {
	c, err := a.look(file, what)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	var outs []results.Output
	for _, part := range results.Parts(c.Pipeline.Graph, what) {
		of, err := a.outputsOf(c, part)
		if err != nil {
			return err
		}
		outs = append(outs, of...)
	}
	return results.PrintOutputs(a.Console, c.Store, nil, outs, rows)
}

// outputsOf are the results that a stage, task or output stands for.
func (a *app) outputsOf(c *results.Current, what string) (outs []results.Output, err error) {
	sel, tasks, err := results.Named(c.Pipeline.Graph, what)
	if err != nil {
		return nil, err
	}
	there, others := c.Shown(tasks)
	if earlier := c.Tried(what); len(others) > 0 && earlier != nil {
		a.Warn("%s has %d of %s with these settings; shown are the complete results of an earlier run (%s)", what,
			len(there), words.Count(len(tasks), "result"), results.WithSettings(a.Console, earlier.Sets))
		if sel, tasks, err = results.Named(earlier.Pipeline.Graph, what); err != nil {
			return nil, err
		}
		c = earlier
		there, others = c.Shown(tasks)
	}
	if len(there) == 0 {
		return nil, c.Missing(a.Console, sel, there, others, "")
	}
	if len(others) > 0 {
		a.Note("%d of %s %s missing: %s", len(others), words.Count(len(tasks), "result"),
			words.Verb(len(others), "is", "are"), words.Some(results.IDs(others), 6))
	}
	for _, n := range there {
		for _, p := range n.Instance().Ports().Out {
			if !sel.Named || p.Name == sel.Port.Name {
				outs = append(outs, results.Output{Task: n, Port: p, Ref: c.Ref(n, p.Name)})
			}
		}
	}
	return outs, nil
}
