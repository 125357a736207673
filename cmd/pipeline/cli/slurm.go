package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/slurm"
	"prgnn/stages"
)

// slurmWorkers is how many tasks are handed to a cluster at once: what it runs of
// them is its own affair. Each keeps a lock file open here.
const slurmWorkers = 1000

// An executor says where tasks run, as --executor and its companions do.
type executor struct {
	where  string
	args   []string // for sbatch
	detach bool

	slurm *slurm.Executor // nil for local
}

func (e *executor) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&e.where, "executor", "local", "run tasks `WHERE`: local, in this process, or slurm, on the cluster of this login node")
	f.StringArrayVar(&e.args, "slurm-args", nil, "further `ARGUMENTS` for sbatch, such as '--partition=long --account=brain'; may be repeated")
	f.BoolVar(&e.detach, "detach", false, "continue in the background; status FILE shows the progress")
}

// open fills in what the flags ask for.
func (e *executor) open(cmd *cobra.Command, o *dag.Options, say func(string)) error {
	switch e.where {
	case "local":
		if len(e.args) > 0 {
			return usage(cmd, "--slurm-args needs --executor slurm")
		}
		return nil
	case "slurm":
	default:
		return usage(cmd, "there is no executor %q (choose local or slurm)", e.where)
	}
	var words []string
	for _, a := range e.args {
		more, err := shellWords(a)
		if err != nil {
			return usage(cmd, "--slurm-args %q: %v", a, err)
		}
		words = append(words, more...)
	}
	x, err := slurm.New(stages.Lookup, words, say)
	if err != nil {
		return exit.Wrong(err)
	}
	e.slurm, o.Executor = x, x
	if o.Workers == 0 {
		o.Workers = slurmWorkers
	}
	return nil
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
	if e.slurm == nil || !e.slurm.Begun() {
		return
	}
	yes := false
	if a.Term.IsTerminal() && term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprint(a.Stderr, "Slurm jobs continue, and the next run uses their results. Cancel them? [y/N] ")
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		yes = slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	if !yes {
		a.Note("Slurm jobs continue, and the next run uses their results; scancel cancels them")
		return
	}
	if err := e.slurm.Cancel(); err != nil {
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
			if err := slurm.ExecTasks(ctx, store, stages.Lookup, keys, a.Out); err != nil {
				a.Out.Flush()
				fmt.Fprintln(a.Stderr, err)
				return &exit.Error{Code: exit.Failed}
			}
			return nil
		},
	}
}
