package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/prune"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
)

func (a *app) gcCommand() *cobra.Command {
	var o disk.GCOptions
	var dry bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "free space, keeping everything a kept run needs",
		Long: `Removes results that no kept run needs, least recently used first. All recorded runs are kept unless
--keep-runs limits them to the newest. --max-size stops once the store has that size. The small
records stay, so why, diff and audit still work. It also removes working directories left by killed
runs, audits and commands. It is safe while runs are in progress: their files stay. pipeline store lists
the runs, and what each keeps.`,
		Example: `  pipeline store
  pipeline gc --dry-run --keep-runs 3
  pipeline gc --keep-runs 10 --max-size 200G`,
		Args: flags.Exactly(0),
		RunE: func(*cobra.Command, []string) error { return a.gc(o, dry) },
	}
	f := cmd.Flags()
	f.BoolVarP(&dry, "dry-run", "n", false, "list what would be removed, and remove nothing")
	f.Var(flags.Positive(&o.KeepRuns), "keep-runs", "keep results of the newest `N` runs (default: of all recorded runs)")
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
		Args:      flags.Exactly(1),
		ValidArgs: []string{"gc"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case args[0] != "gc":
				return flags.Usage(cmd, "unexpected argument %q", args[0])
			case o.Keep == 0 && o.Older == 0:
				return flags.Usage(cmd, "what to remove is not given: add --keep SIZE, --older TIME or both")
			}
			return a.remoteGC(cmd.Context(), o, dry)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&dry, "dry-run", "n", false, "say what would be removed, and remove nothing")
	f.Var(flags.Size(&o.Keep), "keep", "remove the least recently used results until the rest takes `SIZE`, such as 500G")
	f.Var(flags.Time(&o.Older), "older", "remove results that nobody has shared or fetched for `TIME`, such as 90d")
	return cmd
}

type remoteGCEvent struct {
	Event   string `json:"event"` // "remote gc"
	DryRun  bool   `json:"dry_run"`
	Removed int    `json:"removed"` // results
	Kept    int    `json:"kept"`    // results
	Freed   int64  `json:"freed"`   // bytes
	Left    int64  `json:"left"`    // bytes
	Over    int64  `json:"over"`    // bytes above --keep
}

func (a *app) remoteGC(ctx context.Context, o prune.Options, dry bool) error {
	place, err := a.openRemote()
	switch {
	case err != nil:
		return err
	case place == nil:
		return exit.Wrongf("the remote is missing: add --remote URL, or set PIPELINE_REMOTE")
	}
	plan, err := prune.Make(ctx, place, o, time.Now())
	if err == nil && !dry {
		err = plan.Execute(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if a.JSON {
		a.Object(remoteGCEvent{"remote gc", dry, plan.Results, plan.Kept, plan.Freed, plan.Left, plan.Over})
		return nil
	}
	fmt.Fprintf(a.Out, "%s: %s %s (%s), kept %s (%s)\n", place, removed(dry), words.Count(plan.Results, "result"),
		console.ByteCount(plan.Freed), words.Count(plan.Kept, "result"), console.ByteCount(plan.Left))
	if plan.Over > 0 {
		a.Note("that is %s more than --keep: results used within the last hour stay", console.ByteCount(plan.Over))
	}
	return nil
}

func removed(dry bool) string {
	if dry {
		return "would remove"
	}
	return "removed"
}

type gcEvent struct {
	Event     string `json:"event"` // "gc"
	DryRun    bool   `json:"dry_run"`
	Removed   int    `json:"removed"` // blobs
	Freed     int64  `json:"freed"`   // bytes
	Left      int64  `json:"left"`    // bytes
	Over      int64  `json:"over"`    // bytes above --max-size
	KeptRuns  int    `json:"kept_runs"`
	LeftInUse int    `json:"left_in_use"` // blobs kept for runs that are going on
	Abandoned int64  `json:"abandoned"`   // bytes of unfinished files of killed runs, which are removed, too
}

func (a *app) gc(o disk.GCOptions, dry bool) error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	plan, err := store.Health.PlanGC(o)
	if err != nil {
		return err
	}
	if a.Verbose && !a.JSON {
		for _, v := range plan.Remove {
			fmt.Fprintf(a.Out, "%s  %s, last used %s\n", console.Short(v.Digest.String()), console.ByteCount(v.Size),
				v.LastUse.Local().Format("2006-01-02 15:04"))
		}
	}
	e := gcEvent{"gc", dry, len(plan.Remove), plan.Freed, plan.Bytes - plan.Freed, plan.Over,
		len(plan.Kept), plan.InUse, plan.Left}
	if !dry {
		if e.Removed, e.Freed, err = plan.Execute(); err != nil {
			if e.Removed > 0 {
				a.Warn("gc removed only %s (%s)", words.Count(e.Removed, "blob"), console.ByteCount(e.Freed))
			}
			switch {
			case errors.Is(err, artifacts.ErrFull):
				return remedied{err, "gc itself needs some room. Delete or move other files on that file system (df -h, df -i and quota show what is used up), then repeat: " + a.Again()}
			case errors.Is(err, artifacts.ErrReadOnly):
				return remedied{err, "repeat it as a user who may write there: " + a.Again()}
			}
			return err
		}
		e.Left = plan.Bytes - e.Freed
	}
	rooms := 0
	if !dry {
		rooms = workdir.Sweep(os.TempDir(), workdir.ExecRooms) +
			workdir.Sweep(filepath.Dir(store.Dir()), audit.RoomPrefix)
	}
	if a.JSON {
		a.Object(e)
		return nil
	}
	fmt.Fprintf(a.Out, "gc: %s %s (%s); %s stay, kept by %s\n", removed(dry), words.Count(e.Removed, "blob"),
		console.ByteCount(e.Freed), console.ByteCount(e.Left), words.Count(e.KeptRuns, "run"))
	if plan.Left > 0 {
		a.Note("and %s of unfinished files left by killed runs", console.ByteCount(plan.Left))
	}
	if rooms > 0 {
		a.Note("and %s left by killed runs", words.Count(rooms, "directory"))
	}
	if len(plan.Ahead) > 0 {
		a.Note("%s %s dated in the future (a clock was wrong), and kept besides the newest: %s. To release results of such a run, delete its record in %s",
			words.Count(len(plan.Ahead), "run"), areIs(len(plan.Ahead)), words.Some(plan.Ahead, 5),
			filepath.Join(store.Dir(), "runs"))
	}
	if e.Over > 0 {
		a.Note("that is %s more than --max-size; a smaller --keep-runs frees more", console.ByteCount(e.Over))
	}
	return nil
}
