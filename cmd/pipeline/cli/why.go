package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/progress"
	"prgnn/dag"
	"prgnn/internal/words"
)

func (a *app) whyCommand() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:   "why FILE TASK",
		Short: "what exactly makes a task stale, or made it run last",
		Long: `Compares the recipe of a task, which is all that its result depends on, with the one of its last
result, and shows what differs: a parameter, an input and the file or task that it comes
from, a declaration in the source of the program. Of a task that has its result: what made it run when it
ran. -v shows the whole recipe. Nothing is run.`,
		Example: `  pipeline why biopoint.yaml 'graphs[sub-003]' --set graphs.density=0.2
  pipeline why biopoint.yaml evaluate -v`,
		Args:              exactly(2),
		ValidArgsFunction: completeFile,
		RunE:              func(_ *cobra.Command, args []string) error { return a.why(args[0], args[1], sets) },
	}
	setFlag(cmd, &sets)
	return cmd
}

type whyEvent struct {
	Event       string           `json:"event"` // "why"
	Task        string           `json:"task"`
	Stage       string           `json:"stage"`
	State       dag.State        `json:"state"`
	Reason      string           `json:"reason"`
	Key         string           `json:"key,omitempty"`
	Run         string           `json:"run,omitempty"` // that it is compared with
	When        string           `json:"when,omitempty"`
	Differences []dag.Difference `json:"differences"` // never null
	WaitsFor    []string         `json:"waits_for,omitempty"`
	Recipe      string           `json:"recipe"`
	Before      string           `json:"before,omitempty"`
}

func (a *app) why(file, task string, sets []string) error {
	p, err := a.load(file, sets)
	if err != nil {
		return err
	}
	if _, err := p.Graph.Select(task); err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", file, err))
	}
	store, done, err := a.openToLook(p)
	if err != nil {
		return err
	}
	defer done()
	e, err := dag.Why(p.Graph, store, dag.Options{}, task)
	if err != nil {
		return exit.Wrong(err)
	}
	if a.JSON {
		w := whyEvent{"why", e.Node.ID, e.Node.Stage.Name, e.State, e.Reason, progress.KeyText(e.Key), e.Run, "", append([]dag.Difference{}, e.Differences...), e.WaitsFor, e.Recipe, e.Before}
		if !e.When.IsZero() {
			w.When = e.When.Format(time.RFC3339)
		}
		a.Object(w)
		return nil
	}
	a.printWhy(e)
	return nil
}

func (a *app) printWhy(e *dag.Explanation) {
	id := a.Page.Bold(e.Node.ID)
	then := ""
	if e.Run != "" {
		then = fmt.Sprintf("run %s of %s", e.Run, e.When.Local().Format("2006-01-02 15:04:05"))
	}
	switch {
	case e.State == dag.Cached && e.Run == "":
		fmt.Fprintf(a.Out, "%s has its result; there is no other to compare with\n", id)
	case e.State == dag.Cached:
		fmt.Fprintf(a.Out, "%s has its result; what differs from %s:\n", id, then)
	case e.State == dag.Unknown:
		fmt.Fprintf(a.Out, "%s waits for what %s will give\n", id, words.Some(e.WaitsFor, 6))
		if len(e.Differences) > 0 {
			fmt.Fprintf(a.Out, "and it will run in any case, because, since %s:\n", then)
		}
	case e.State == dag.Failed:
		fmt.Fprintf(a.Out, "%s cannot run: %s\n", id, e.Reason)
	case e.Run == "" || len(e.Differences) == 0:
		fmt.Fprintf(a.Out, "%s is stale: %s\n", id, e.Reason)
	default:
		fmt.Fprintf(a.Out, "%s is stale, because, since %s:\n", id, then)
	}
	for _, d := range e.Differences {
		a.printDifference(d, "  ")
	}
	if a.Verbose && e.Recipe != "" {
		fmt.Fprintf(a.Out, "\nits recipe\n  %s\n", strings.ReplaceAll(strings.TrimRight(e.Recipe, "\n"), "\n", "\n  "))
	}
}

// printDifference shows one fact then and now, the way diffs are read.
func (a *app) printDifference(d dag.Difference, indent string) {
	if d.What == "code" && d.Name != "" {
		fmt.Fprintln(a.Out, indent+d.String())
		return
	}
	name := strings.TrimSpace(d.What + " " + d.Name)
	from := ""
	if d.From != "" {
		from = a.Page.Faint("   from " + d.From)
	}
	if d.Old != "" {
		fmt.Fprintln(a.Out, a.Page.Red(indent+"- "+name+": "+d.Old))
	}
	if d.New != "" {
		fmt.Fprintln(a.Out, a.Page.Green(indent+"+ "+name+": "+d.New)+from)
	}
	if d.Old == "" && d.New == "" {
		fmt.Fprintln(a.Out, indent+name+" has changed")
	}
}
