package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/why"
)

func (a *app) whyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why FILE [STAGE|TASK]",
		Short: "why a task, a stage or anything runs: the parameter, input or code that changed",
		Long: `Explains why tasks run. The first lines state the cause: a parameter with its old and new value, an input
file, a declaration in the program's source, or a task that failed when it was last run. Changes that
follow from an upstream task are left out.

With a TASK, its recipe (everything its result depends on) is then compared with the recipe of
its last result; -v shows the whole recipe and every input. If a task is up to date, why explains
its last run. Nothing is run.`,
		Example: `  pipeline why biopoint.yaml --set graphs.density=0.2
  pipeline why biopoint.yaml graphs --set graphs.density=0.2
  pipeline why biopoint.yaml 'graphs[sub-003]' --set graphs.density=0.2
  pipeline why biopoint.yaml evaluate -v`,
		RunE: func(_ *cobra.Command, args []string) error { return a.why(args[0], args[1:]) },
	}
	setFlag(cmd, &a.sets)
	return cmd
}

type whyEvent struct {
	Task        string           `json:"task"`
	Stage       string           `json:"stage"`
	State       engine.State     `json:"state"`
	Reason      string           `json:"reason"`
	Key         string           `json:"key,omitempty"`
	Run         string           `json:"run,omitempty"` // that it is compared with
	When        string           `json:"when,omitempty"`
	Later       bool             `json:"later,omitempty"` // the run is later than the one that made the result
	Differences []why.Difference `json:"differences"`     // never null
	WaitsFor    []string         `json:"waits_for,omitempty"`
	Recipe      string           `json:"recipe"`
	Before      string           `json:"before,omitempty"`
	Causes      []why.Cause      `json:"causes"` // never null
}

// A causesEvent is the answer about several tasks.
type causesEvent struct {
	States map[engine.State]int `json:"states"`
	Causes []why.Cause          `json:"causes"`          // never null
	Follow []string             `json:"follow"`          // tasks that run for no cause of their own; never null
	Later  string               `json:"later,omitempty"` // the run with which tasks are compared that no earlier run had
}

func (a *app) why(file string, named []string) error {
	p, err := a.loadToLook(file, a.sets)
	if err != nil {
		return err
	}
	nodes, err := p.Graph.Select(named...)
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", file, err))
	}
	store, done, err := a.openToLook(p)
	if err != nil {
		return err
	}
	defer done()
	sum, err := why.Causes(context.Background(), p.Graph, store, engine.Options{}, named...)
	if err != nil {
		return exit.Wrong(err)
	}
	sum.Causes = append([]why.Cause{}, sum.Causes...)
	// The cohort's tables are a task called cohort, beside tasks cohort[…].
	one := len(nodes) == 1 || len(named) == 1 &&
		slices.ContainsFunc(nodes, func(n *dag.Node) bool { return n.ID() == named[0] })
	if !one {
		e := causesEvent{sum.States, sum.Causes, append([]string{}, sum.Follow...), ""}
		if sum.Later != nil {
			e.Later = sum.Later.ID
		}
		if a.AsJSON("causes", e) {
			return nil
		}
		results.PrintCauses(a.Console, sum)
		return nil
	}
	e, err := why.Task(context.Background(), p.Graph, store, engine.Options{}, named[0])
	if err != nil {
		return exit.Wrong(err)
	}
	if a.JSON {
		w := whyEvent{e.Node.ID(), e.Node.Stage().Name(), e.State, e.Reason, progress.KeyText(e.Key), e.Run, "",
			e.Later, append([]why.Difference{}, e.Differences...), e.WaitsFor, e.Recipe, e.Before, sum.Causes}
		if !e.When.IsZero() {
			w.When = e.When.Format(time.RFC3339)
		}
		a.Object("why", w)
		return nil
	}
	results.PrintWhy(a.Console, sum, e)
	return nil
}
