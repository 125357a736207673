package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/prune"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/cmd/pipeline/space"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
)

func (a *app) storeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "store [FILE|RUN]",
		Short: "where results are kept, and what takes the space",
		Long: `Prints the directory of the store, its size, and for each run, newest first: the size of its results,
and how much of it no newer run has, which gc frees without that run. With FILE, the store is the
one beside it. With RUN, the same for each stage of that run. A deleted store loses nothing but
time: a run makes its results again.`,
		Example: `  pipeline store
  pipeline store 3f2a
  pipeline gc --dry-run --keep-runs 3`,
		RunE: func(_ *cobra.Command, args []string) error {
			run, beside := len(args) == 1 && results.IsRun(args[0]), ""
			if len(args) == 1 && !run {
				var err error
				if _, beside, err = layer.Source(args[0]); err != nil && !errors.As(err, new(tree.Errors)) {
					return a.mistaken(args[0], err)
				}
			}
			dir, err := a.dirBeside(beside)
			if err != nil {
				return err
			}
			store, err := a.openStore(dir)
			if err != nil {
				return err
			}
			defer store.Close()
			if run {
				return space.Stages(a.Console, store, args[0])
			}
			return space.Runs(a.Console, store)
		},
	}
}

func (a *app) gcCommand() *cobra.Command {
	var o disk.GCOptions
	var dry bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "free space, keeping everything a kept run needs",
		Long: `Removes results that no kept run needs, least recently used first. All recorded runs are kept unless
--keep-runs N limits them: to the N newest complete runs, of whatever pipelines, and all runs newer than
the oldest of these. A run is complete if it was of a whole file (without --until and --only) and nothing
failed. Of a kept run that was killed, everything stays that was made or used since it began. The runs
that lose results are listed, also with --dry-run. --max-size stops once the store has that size. The
small records stay, so why, diff and audit still work. It also removes working directories left by
killed runs, audits and commands. It is safe while runs are in progress: their files stay. pipeline
store lists the runs, and what each keeps.`,
		Example: `  pipeline store
  pipeline gc --dry-run --keep-runs 3
  pipeline gc --keep-runs 10 --max-size 200G`,
		RunE: func(*cobra.Command, []string) error {
			return a.here(func(s *disk.Store) error { return a.gc(s, o, dry) })
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&dry, "dry-run", "n", false, "list what would be removed, and remove nothing")
	f.Var(flags.Positive(&o.KeepRuns), "keep-runs", "keep results of the newest `N` complete runs, and of all newer runs (default: of all recorded runs)")
	f.Var(flags.Size(&o.MaxSize), "max-size", "stop removing once the store has `SIZE`, such as 500M or 200G")
	return cmd
}

func (a *app) remoteCommand() *cobra.Command {
	var o prune.Options
	var dry bool
	cmd := &cobra.Command{
		Use:   "remote gc",
		Short: "free space in a shared remote (a directory or a bucket)",
		Long: `Removes results from the remote that --remote or $PIPELINE_REMOTE names: those that nobody has
shared or fetched for the time of --older, and the least recently used ones until the rest fits into
--keep. Files that no result needs go too. What was used within the last hour stays. It is safe while runs
use the remote: a missing result is computed again. A run that finds a result in its own store
does not ask the remote, so it does not count as a use.`,
		Example: `  pipeline remote gc --dry-run --keep 500G --remote s3://lab-results/prgnn
  pipeline remote gc --keep 500G --older 90d --remote file:///mnt/lab/prgnn`,
		ValidArgs: []string{"gc"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case args[0] != "gc":
				return flags.Usage(cmd, "unexpected argument %q", args[0])
			case o.Keep == 0 && o.Older == 0:
				return flags.Usage(cmd, "what to remove is not given: add --keep SIZE, --older TIME or both")
			}
			place, err := a.openRemote()
			switch {
			case err != nil:
				return err
			case place == nil:
				return exit.Wrongf("the remote is missing: add --remote URL, or set PIPELINE_REMOTE")
			}
			return space.FreeRemote(cmd.Context(), a.Console, place, o, dry)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&dry, "dry-run", "n", false, "list what would be removed, and remove nothing")
	f.Var(flags.Size(&o.Keep), "keep", "remove the least recently used results until the rest takes `SIZE`, such as 500G")
	f.Var(flags.Time(&o.Older), "older", "remove results that nobody has shared or fetched for `TIME`, such as 90d")
	return cmd
}

func (a *app) gc(store *disk.Store, o disk.GCOptions, dry bool) error {
	err := space.Free(a.Console, store, o, dry)
	switch {
	case errors.Is(err, artifacts.ErrFull):
		return remedied{err, "gc itself needs some room. Delete or move other files on that file system (df -h, df -i and quota show what is used up), then repeat: " + a.Again()}
	case errors.Is(err, artifacts.ErrReadOnly):
		return remedied{err, "repeat it as a user who may write there: " + a.Again()}
	}
	return err
}
