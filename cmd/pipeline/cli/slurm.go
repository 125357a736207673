package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/dag"
	"prgnn/dag/cluster"
	"prgnn/stages"
)

// slurmWorkers is how many tasks are handed to a cluster at once: what it runs of
// them is its own affair. Each keeps a lock file open here.
const slurmWorkers = 1000

// An executor says where tasks run, as --executor and its companions do.
type executor struct {
	where    string
	args     []string // for sbatch
	interval time.Duration
	pilots   int
	time     time.Duration // of a pilot
	template string
	detach   bool

	cluster interface {
		dag.Executor
		Begun() bool
		Cancel() error
	} // nil for local
}

func (e *executor) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.where, "executor", "local", "run tasks `WHERE`: local, in this process; slurm, on the cluster of this login node; or submit, on one of any scheduler")
	_ = cmd.RegisterFlagCompletionFunc("executor",
		cobra.FixedCompletions([]string{"local", "slurm", "submit"}, cobra.ShellCompDirectiveNoFileComp))
	f.StringArrayVar(&e.args, "slurm-args", nil, "further `ARGUMENTS` for sbatch, such as '--partition=long --account=brain'; may be repeated")
	f.DurationVar(&e.interval, "slurm-interval", cluster.Interval, "ask Slurm's controller for the state of jobs at most once in `TIME`")
	f.Var(flags.Positive(&e.pilots), "pilots", "have a cluster start `K` pilots, which take one task after the other (default with --executor submit: 10)")
	f.DurationVar(&e.time, "pilot-time", 0, "ask for `TIME` for each pilot (default: 4h, or twice that of the longest stage)")
	f.StringVar(&e.template, "submit-template", "", "with --executor submit: the script `FILE` hands pilots over to the scheduler")
	f.BoolVar(&e.detach, "detach", false, "continue in the background; status FILE shows the progress")
}

// open fills in what the flags ask for.
func (e *executor) open(cmd *cobra.Command, g *dag.Graph, o *dag.Options, say func(string)) error {
	for flag, where := range map[string][]string{"slurm-args": {"slurm"}, "slurm-interval": {"slurm"},
		"submit-template": {"submit"}, "pilots": {"slurm", "submit"}, "pilot-time": {"slurm", "submit"}} {
		if cmd.Flags().Changed(flag) && !slices.Contains(where, e.where) && e.where != "" {
			return flags.Usage(cmd, "--%s needs --executor %s", flag, strings.Join(where, " or "))
		}
	}
	if e.pilots == 0 && cmd.Flags().Changed("pilot-time") && e.where == "slurm" {
		return flags.Usage(cmd, "--pilot-time needs --pilots")
	}
	if cmd.Flags().Changed("pilot-time") && e.time < cluster.ShortestPilot {
		return flags.Usage(cmd, "--pilot-time %v is too short to stop tasks in time: give at least %v, such as 8h, or leave it out for 4h", e.time, cluster.ShortestPilot)
	}
	if cmd.Flags().Changed("slurm-interval") && e.interval < time.Second {
		return flags.Usage(cmd, "--slurm-interval is a time of at least 1s")
	}
	var words []string
	for _, a := range e.args {
		more, err := shellWords(a)
		if err != nil {
			return flags.Usage(cmd, "--slurm-args %q: %v", a, err)
		}
		words = append(words, more...)
	}
	var err error
	switch {
	case e.where == "local":
		return nil
	case e.where == "submit" && e.template == "":
		return flags.Usage(cmd, "--executor submit needs --submit-template FILE: a script that hands %s over to your scheduler (docs/cluster.md has some)", "{n} pilots")
	case e.where == "submit":
		var t *cluster.Template
		if t, err = cluster.ReadTemplate(e.template); err == nil {
			e.cluster = e.pool(g, t, nil, say)
		}
	case e.where == "slurm":
		var x *cluster.Executor
		if x, err = cluster.New(stages.Lookup, words, say); err == nil {
			x.Interval, e.cluster = e.interval, x
			if e.pilots > 0 {
				e.cluster = e.pool(g, &cluster.SlurmPilots{Args: words}, x, say)
			}
		}
	default:
		return flags.Usage(cmd, "there is no executor %q (choose local, slurm or submit)", e.where)
	}
	if err != nil {
		return exit.Wrong(err)
	}
	o.Executor = e.cluster
	if o.Workers == 0 {
		o.Workers = slurmWorkers
	}
	return nil
}

// moderate is the memory in bytes that any pilot may ask for.
const moderate = 4 << 30

// pool is a pool of pilots that are each as large as the largest task, but for the few that need much more memory than
// most: jobs of their own carry these out, where there is an executor for them.
func (e *executor) pool(g *dag.Graph, s cluster.Scheduler, large *cluster.Executor, say func(string)) *cluster.Pool {
	most := int64(math.MaxInt64)
	if large != nil {
		most = max(moderate, 2*g.UsualMemory())
	}
	n := g.Largest(most)
	n.Memory = cluster.PilotMemory(n.Threads, n.Memory)
	n.Time = cmp.Or(e.time, max(cluster.PilotTime, 2*n.Time))
	return &cluster.Pool{Kinds: stages.Lookup, Scheduler: s, Pilots: cmp.Or(e.pilots, 10), Needs: n, Large: large,
		Note: say}
}

// end lets the pilots end.
func (e *executor) end(a *app) {
	if p, ok := e.cluster.(*cluster.Pool); ok {
		if err := p.Cancel(); err != nil {
			a.Note("%v", err)
		}
	}
}

// shellWords takes a text apart as a shell does: at blanks that stand in no quotes.
func shellWords(text string) ([]string, error) {
	var words []string
	word, begun, quote := "", false, rune(0)
	for _, r := range text {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case unicode.IsSpace(r):
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word += string(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word)
	}
	return words, nil
}

// interrupted asks what shall become of the jobs in Slurm's hands.
func (e *executor) interrupted(a *app) {
	if e.cluster == nil || !e.cluster.Begun() {
		return
	}
	yes := false
	if a.Term.IsTerminal() && term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprint(a.Stderr, "Jobs on the cluster continue, and the next run uses their results. Cancel them? [y/N] ")
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		yes = slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	if !yes {
		a.Note("jobs on the cluster continue, and the next run uses their results")
		return
	}
	if err := e.cluster.Cancel(); err != nil {
		a.Note("not cancelled: %v", err)
		return
	}
	a.Note("cancelled")
}

func (a *app) execTaskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "exec-task KEY…",
		Short:  "run tasks prepared by run --executor slurm",
		Hidden: true,
		Long: `Runs tasks by their keys, in a store where run --executor slurm has prepared them. Slurm's
jobs call it; called by hand on a node of the cluster, it shows what such a job sees.`,
		Example: `  pipeline exec-task --store /shared/study/.pipeline 1f0c…`,
		Args:    between(1, 1<<20),
		RunE: func(_ *cobra.Command, args []string) error {
			var keys []artifacts.Key
			for _, text := range args {
				k, err := artifacts.ParseKey(text)
				if err != nil {
					return exit.Wrong(err)
				}
				keys = append(keys, k)
			}
			store, err := a.openAlone() // what is shared, the run shares
			if err != nil {
				return err
			}
			defer store.Close()
			ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer done()
			if err := cluster.ExecTasks(ctx, store, stages.Lookup, keys, a.Out); err != nil {
				a.Out.Flush()
				fmt.Fprintln(a.Stderr, err)
				return &exit.Error{Code: exit.Failed}
			}
			return nil
		},
	}
}

func (a *app) execPilotCommand() *cobra.Command {
	p := cluster.Pilot{Kinds: stages.Lookup, Out: a.Stderr}
	cmd := &cobra.Command{
		Use:   "exec-pilot POOL",
		Short: "run the tasks of run --pilots",
		Long: `Takes tasks that run --pilots has prepared in a store, and runs them, until the run has ended or
the time is over. The jobs of the cluster call it.`,
		Hidden:  true,
		Example: `  pipeline exec-pilot --store /shared/study/.pipeline --cpus 2 --memory 1G --time 4h prgnn-1f0c…`,
		Args:    exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := a.openAlone()
			if err != nil {
				return err
			}
			defer store.Close()
			ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer done()
			p.Needs.Time = cmp.Or(cluster.TimeLeft(ctx), p.Needs.Time)
			return p.Work(ctx, store, args[0])
		},
	}
	f := cmd.Flags()
	f.Var(flags.Positive(&p.Needs.Threads), "cpus", "run tasks that need `N` CPUs together")
	f.Var(flags.Size(&p.Needs.Memory), "memory", "run tasks that need `SIZE` together")
	f.DurationVar(&p.Needs.Time, "time", 0, "end after `TIME`")
	f.Var(flags.Positive(&p.Pilots), "pilots", "`K` pilots take tasks of the run")
	return cmd
}
