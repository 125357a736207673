package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/members"
	"prgnn/cmd/pipeline/progress"
	"prgnn/cmd/pipeline/reasons"
	"prgnn/dag/engine"
	"prgnn/dag/why"
	"prgnn/internal/machine"
	"prgnn/internal/words"
	"prgnn/pipelines/precheck"
	"prgnn/stages/column"
)

func (a *app) planCommand() *cobra.Command {
	var o engine.Options
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "what would run and why, and how long it takes",
		Long: `Lists for every task whether its result exists (cached), must be computed (stale), or cannot
be known before a stale upstream task has run (unknown), with the reason.
Tasks of a stage with the same reason share a line; -v gives each its own. Nothing is run.`,
		Example: `  pipeline plan biopoint.yaml
  pipeline plan biopoint.yaml --set graphs.density=0.2     what would this change cost?
  pipeline plan biopoint.yaml --json | jq -r 'select(.state == "stale") | .task'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.JSON && cmd.Flags().Changed("jobs") {
				return flags.Usage(cmd, "--jobs is for the estimated time, which --json does not print: leave out --jobs")
			}
			return a.plan(args[0], o)
		},
	}
	f := cmd.Flags()
	f.VarP(flags.Positive(&o.Workers), "jobs", "j", "estimate the time for at most `N` tasks at once (default: one for each CPU)")
	setFlag(cmd, &a.sets)
	stagesFlag(cmd, &o.Until, "until", "only this `STAGE` or task and its upstream tasks; may be repeated")
	stagesFlag(cmd, &o.Only, "only", "only this `STAGE` or task; may be repeated")
	stagesFlag(cmd, &o.Force, "force", "assume that this `STAGE` or task has no result; may be repeated")
	f.BoolVar(&o.Rehash, "rehash", false, "hash every input file again, even if its size and times are unchanged")
	return cmd
}

type planEvent struct {
	Task    string                       `json:"task"`
	Stage   string                       `json:"stage"`
	State   engine.State                 `json:"state"`
	Reason  string                       `json:"reason"`
	Key     string                       `json:"key,omitempty"`
	Outputs map[string]progress.Artifact `json:"outputs,omitempty"`
}

// A universesEvent has the universes of a file with decisions.
type universesEvent struct {
	Universes  []string     `json:"universes"` // DECISION=OPTION …
	Excluded   []column.Not `json:"excluded,omitempty"`
	NotSampled int          `json:"not_sampled"`
	Tasks      int          `json:"tasks"`
	Shared     int          `json:"shared"` // by several of them
}

func (a *app) plan(file string, o engine.Options) error {
	p, err := a.load(file, a.sets)
	if err != nil {
		a.dropped(file, nil)
		return err
	}
	if err := checkSelection(p.Graph, o); err != nil {
		return err
	}
	failing := placed(doomed(p, o))
	a.notes(members.Notes(p, nil), failing)
	store, done, err := a.openToLook(p)
	if err != nil {
		return err
	}
	defer done()
	a.dropped(file, store)
	steps, err := why.Plan(context.Background(), p.Graph, store, o)
	if err != nil {
		return err
	}
	planned := func() ([]engine.Step, error) { return steps, nil }
	for _, n := range precheck.TooLarge(p.Roster, p.Graph, machine.Memory, planned) {
		a.Note("%s", n)
	}
	past := progress.Remember(p.Graph, store)
	e := progress.Estimated(steps, past, o.Workers)
	if full := e.NoRoom(a.storeDir(p.Dir)); full != "" {
		a.Note("%s", full)
	}
	if a.JSON {
		for _, s := range steps {
			a.Object("plan", planEvent{s.Node.ID(), s.Node.Stage().Name(), s.State, s.Reason, progress.KeyText(s.Key),
				progress.Artifacts(s.Outputs)})
		}
		if u := p.Universes; len(u.Decisions) > 0 {
			e := universesEvent{Universes: make([]string, len(u.Rows)), Excluded: u.Not, NotSampled: u.Left}
			for i := range u.Rows {
				e.Universes[i] = u.Name(i)
			}
			e.Tasks, e.Shared = u.Sharing(p.Graph)
			a.Object("universes", e)
		}
		return exit.Wrong(errors.Join(failing...))
	}
	g := console.Grid{Wide: a.Wide()}
	for _, group := range reasons.Group(steps, a.Verbose) {
		g.Add(group.Name(), string(group.State), group.Reason)
	}
	g.Print(a.Out)
	if universes := p.Universes.Summary(p.Graph); universes != "" {
		fmt.Fprintln(a.Out, strings.Join(append([]string{universes}, p.Universes.Reasons()...), "\n"))
	}
	states := map[engine.State]int{}
	for _, s := range steps {
		states[s.State]++
	}
	fmt.Fprintf(a.Out, "plan: %s: %d cached, %d stale, %d unknown", words.Count(len(steps), "task"),
		states[engine.Cached], states[engine.Stale], states[engine.Unknown])
	if n := states[engine.Failed]; n > 0 {
		fmt.Fprintf(a.Out, ", %d cannot run", n)
	}
	fmt.Fprintln(a.Out)
	if states[engine.Stale]+states[engine.Unknown] > 0 {
		fmt.Fprintf(a.Out, "time: %s\n", e)
		fmt.Fprintf(a.Out, "disk: %s\n", cmp.Or(e.Disk(), "unknown, as the time"))
		if few := 10; e.Disk() == "" && len(p.Universes.Rows) > few {
			seed := ""
			if p.Universes.Unseeded { // that of stages by default: the whole run finds these results
				seed = " --set seed=0"
			}
			fmt.Fprintf(a.Out, "a run of %d universes measures both: %s --set decisions.sample=%[1]d%[3]s\n", few,
				a.Again("plan", "run"), seed)
		}
	}
	if lines := progress.Retraining(p.Graph); lines != nil {
		fmt.Fprintln(a.Out, "a permutation test with retrained models is not part of this pipeline (pipeline stages permutation); it would have:")
		for _, line := range lines {
			fmt.Fprintf(a.Out, "  %s\n", line)
		}
	}
	return exit.Wrong(errors.Join(failing...))
}
