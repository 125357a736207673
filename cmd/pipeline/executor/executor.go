// Package executor says where the tasks of a run are carried out, and asks what becomes of them when it is interrupted.
package executor

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/dag"
	"prgnn/dag/cluster"
	"prgnn/dag/engine"
)

// slurmWorkers is how many tasks are handed to a cluster at once: what it runs of
// them is its own affair. Each keeps a lock file open here.
const slurmWorkers = 1000

// An Executor says where tasks run, as --executor and its companions do.
type Executor struct {
	Where    string
	args     []string // for sbatch
	interval time.Duration
	pilots   int
	time     time.Duration // of a pilot
	template string
	Detach   bool

	cluster interface {
		engine.Executor
		Begun() bool
		Cancel() error
	} // nil for local
}

// Flags are its flags.
func (e *Executor) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.Where, "executor", "local", "run tasks `WHERE`: local, in this process; slurm, on the cluster of this login node; or submit, on one of any scheduler")
	_ = cmd.RegisterFlagCompletionFunc("executor",
		cobra.FixedCompletions([]string{"local", "slurm", "submit"}, cobra.ShellCompDirectiveNoFileComp))
	f.StringArrayVar(&e.args, "slurm-args", nil, "further `ARGUMENTS` for sbatch, such as '--partition=long --account=brain'; may be repeated")
	f.DurationVar(&e.interval, "slurm-interval", cluster.Interval, "ask Slurm's controller for the state of jobs at most once in `TIME`")
	f.Var(flags.Positive(&e.pilots), "pilots", "have a cluster start `K` pilots, which take one task after the other (default with --executor submit: 10)")
	f.DurationVar(&e.time, "pilot-time", 0, "ask for `TIME` for each pilot (default: 4h, or twice that of the longest stage)")
	f.StringVar(&e.template, "submit-template", "", "with --executor submit: the script `FILE` hands pilots over to the scheduler")
	f.BoolVar(&e.Detach, "detach", false, "continue in the background; status FILE shows the progress")
}

// Open fills in what the flags ask for.
func (e *Executor) Open(cmd *cobra.Command, g *dag.Graph, o *engine.Options, say func(string)) error {
	for flag, where := range map[string][]string{"slurm-args": {"slurm"}, "slurm-interval": {"slurm"},
		"submit-template": {"submit"}, "pilots": {"slurm", "submit"}, "pilot-time": {"slurm", "submit"}} {
		if cmd.Flags().Changed(flag) && !slices.Contains(where, e.Where) && e.Where != "" {
			return flags.Usage(cmd, "--%s needs --executor %s", flag, strings.Join(where, " or "))
		}
	}
	if e.pilots == 0 && cmd.Flags().Changed("pilot-time") && e.Where == "slurm" {
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
	case e.Where == "local":
		return nil
	case e.Where == "submit" && e.template == "":
		return flags.Usage(cmd, "--executor submit needs --submit-template FILE: a script that hands %s over to your scheduler (docs/cluster.md has some)", "{n} pilots")
	case e.Where == "submit":
		var t *cluster.Template
		if t, err = cluster.ReadTemplate(e.template); err == nil {
			e.cluster = e.pool(g, t, nil, say)
		}
	case e.Where == "slurm":
		var x *cluster.Executor
		if x, err = cluster.New(dag.Lookup, words, say); err == nil {
			x.Interval, e.cluster = e.interval, x
			if e.pilots > 0 {
				e.cluster = e.pool(g, &cluster.SlurmPilots{Args: words}, x, say)
			}
		}
	default:
		return flags.Usage(cmd, "there is no executor %q (choose local, slurm or submit)", e.Where)
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
func (e *Executor) pool(g *dag.Graph, s cluster.Scheduler, large *cluster.Executor, say func(string)) *cluster.Pool {
	most := int64(math.MaxInt64)
	if large != nil {
		most = max(moderate, 2*usualMemory(g))
	}
	n := largest(g, most)
	n.Memory = cluster.PilotMemory(n.Threads, n.Memory)
	n.Time = cmp.Or(e.time, max(cluster.PilotTime, 2*n.Time))
	return &cluster.Pool{Kinds: dag.Lookup, Scheduler: s, Pilots: cmp.Or(e.pilots, 10), Needs: n, Large: large,
		Note: say}
}

// largest is what the largest of the tasks of a graph needs, of those that do with so many bytes of memory.
func largest(g *dag.Graph, memory int64) (n dag.Needs) {
	for _, s := range g.Stages() {
		if of := s.Needs(); of.Memory <= memory {
			n = dag.Needs{Threads: max(n.Threads, of.Threads), Memory: max(n.Memory, of.Memory),
				Time: max(n.Time, of.Time)}
		}
	}
	return n
}

// usualMemory are the bytes with which nine in ten tasks do.
func usualMemory(g *dag.Graph) int64 {
	var all []int64
	for _, s := range g.Stages() {
		all = append(all, slices.Repeat([]int64{s.Needs().Memory}, len(s.Tasks()))...)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)*9+9)/10-1]
}

// End lets the pilots end.
func (e *Executor) End(c *console.Console) {
	if p, ok := e.cluster.(*cluster.Pool); ok {
		if err := p.Cancel(); err != nil {
			c.Note("%v", err)
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

// Interrupted asks what shall become of the jobs in Slurm's hands.
func (e *Executor) Interrupted(c *console.Console) {
	if e.cluster == nil || !e.cluster.Begun() {
		return
	}
	yes := false
	if c.Term.IsTerminal() && term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprint(c.Stderr, "Jobs on the cluster continue, and the next run uses their results. Cancel them? [y/N] ")
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		yes = slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	if !yes {
		c.Note("jobs on the cluster continue, and the next run uses their results")
		return
	}
	if err := e.cluster.Cancel(); err != nil {
		c.Note("not cancelled: %v", err)
		return
	}
	c.Note("cancelled")
}
