package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/dag"
	"prgnn/dag/cluster"
)

func (a *app) execTaskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "exec-task KEY…",
		Short:  "run tasks prepared by run --executor slurm",
		Hidden: true,
		Long: `Runs tasks by their keys, in a store where run --executor slurm has prepared them. Slurm's
jobs call it; called by hand on a node of the cluster, it shows what such a job sees.`,
		Example: `  pipeline exec-task --store /shared/study/.pipeline 1f0c…`,
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
			if err := cluster.ExecTasks(ctx, store, dag.Lookup, keys, a.Out); err != nil {
				a.Out.Flush()
				fmt.Fprintln(a.Stderr, err)
				return &exit.Error{Code: exit.Failed}
			}
			return nil
		},
	}
}

func (a *app) execPilotCommand() *cobra.Command {
	p := cluster.Pilot{Kinds: dag.Lookup, Out: a.Stderr}
	cmd := &cobra.Command{
		Use:   "exec-pilot POOL",
		Short: "run the tasks of run --pilots",
		Long: `Takes tasks that run --pilots has prepared in a store, and runs them, until the run has ended or
the time is over. The jobs of the cluster call it.`,
		Hidden:  true,
		Example: `  pipeline exec-pilot --store /shared/study/.pipeline --cpus 2 --memory 1G --time 4h prgnn-1f0c…`,
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
