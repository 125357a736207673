package space

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"prgnn/artifacts/disk"
	"prgnn/artifacts/prune"
	"prgnn/artifacts/remote"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
)

type gcEvent struct {
	DryRun    bool  `json:"dry_run"`
	Removed   int   `json:"removed"` // blobs
	Freed     int64 `json:"freed"`   // bytes
	Left      int64 `json:"left"`    // bytes
	Over      int64 `json:"over"`    // bytes above --max-size
	KeptRuns  int   `json:"kept_runs"`
	Complete  int   `json:"complete_runs"` // of these
	LeftInUse int   `json:"left_in_use"`   // blobs kept for runs that are going on
	Abandoned int64 `json:"abandoned"`     // bytes of unfinished files of killed runs, which are removed, too

	Lose []lossEvent `json:"runs_that_lose_results"`
}

type lossEvent struct {
	Run     string `json:"run"`
	Removed int    `json:"removed"` // blobs
	Of      int    `json:"of"`      // blobs that it has before
	Freed   int64  `json:"freed"`   // bytes, also if a run that loses results shares them
}

// Free removes results that no kept run needs, or lists with dry what it would remove.
func Free(a *console.Console, store *disk.Store, o disk.GCOptions, dry bool) error {
	o.Complete = record.Complete
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
	e := gcEvent{dry, len(plan.Remove), plan.Freed, plan.Bytes - plan.Freed, plan.Over,
		len(plan.Kept), plan.Whole, plan.InUse, plan.Left, lossEvents(plan.Lose)}
	if !dry {
		if e.Removed, e.Freed, err = plan.Execute(); err != nil {
			if e.Removed > 0 {
				a.Warn("gc removed only %s (%s)", words.Count(e.Removed, "blob"), console.ByteCount(e.Freed))
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
	if a.AsJSON("gc", e) {
		return nil
	}
	printLosses(a, plan.Lose, dry)
	fmt.Fprintf(a.Out, "gc: %s %s (%s); %s stay, kept by %s (%d complete)\n", removed(dry),
		words.Count(e.Removed, "blob"), console.ByteCount(e.Freed), console.ByteCount(e.Left),
		words.Count(e.KeptRuns, "run"), e.Complete)
	if plan.Left > 0 {
		a.Note("and %s of unfinished files left by killed runs", console.ByteCount(plan.Left))
	}
	if rooms > 0 {
		a.Note("and %s left by killed runs", words.Count(rooms, "directory"))
	}
	if len(plan.Ahead) > 0 {
		a.Note("runs dated in the future (a clock was wrong) stay besides the newest: %s. To release results of such a run, delete its record in %s",
			words.Some(plan.Ahead, 5),
			filepath.Join(store.Dir(), "runs"))
	}
	if e.Over > 0 {
		a.Note("that is %s more than --max-size; a smaller --keep-runs frees more", console.ByteCount(e.Over))
	}
	return nil
}

func lossEvents(all []disk.Loss) []lossEvent {
	return lists.Map(all, func(l disk.Loss) lossEvent { return lossEvent{l.Run.ID, l.Blobs, l.Of, l.Bytes} })
}

// mostLosses is how many runs that lose results are listed, unless gc is verbose.
const mostLosses = 20

func printLosses(a *console.Console, all []disk.Loss, dry bool) {
	if len(all) == 0 {
		return
	}
	g := console.Grid{Right: map[int]bool{3: true}, Wide: a.Wide()}
	g.Add("run", "started", "pipeline", map[bool]string{true: "would lose", false: "lost"}[dry])
	for i, l := range all {
		if i == mostLosses && !a.Verbose {
			defer fmt.Fprintf(a.Out, "and %s, which -v lists\n", words.Count(len(all)-i, "older run"))
			break
		}
		g.Add(l.Run.ID, l.Run.Started.Local().Format("2006-01-02 15:04:05"), l.Run.Pipeline,
			fmt.Sprintf("%d of %s", l.Blobs, words.Count(l.Of, "result")))
	}
	g.Print(a.Out)
}

type remoteGCEvent struct {
	DryRun  bool  `json:"dry_run"`
	Removed int   `json:"removed"` // results
	Kept    int   `json:"kept"`    // results
	Freed   int64 `json:"freed"`   // bytes
	Left    int64 `json:"left"`    // bytes
	Over    int64 `json:"over"`    // bytes above --keep
}

// FreeRemote removes results from a remote, or lists with dry what it would remove.
func FreeRemote(ctx context.Context, a *console.Console, place remote.Pruner, o prune.Options, dry bool) error {
	plan, err := prune.Make(ctx, place, o, time.Now())
	if err == nil && !dry {
		err = plan.Execute(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if a.AsJSON("remote gc", remoteGCEvent{dry, plan.Results, plan.Kept, plan.Freed, plan.Left, plan.Over}) {
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
