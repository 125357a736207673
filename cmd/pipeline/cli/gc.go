package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/internal/words"
	"prgnn/internal/workdir"
	"prgnn/pipelines"
	"prgnn/stages/command"
)

func (a *app) gcCommand() *cobra.Command {
	var o artifacts.GCOptions
	var dry bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "free space, keeping everything a kept run needs",
		Long: `Removes results that no kept run needs, least recently used first. All recorded runs are kept unless
--keep-runs limits them to the newest. --max-size stops once the
store has that size. The small records stay, so why, diff and audit still work. It also removes working
directories left by killed runs, audits and commands. It is safe while runs
are in progress: their files stay.`,
		Example: `  pipeline gc --dry-run --keep-runs 3
  pipeline gc --keep-runs 10 --max-size 200G`,
		Args: exactly(0),
		RunE: func(*cobra.Command, []string) error { return a.gc(o, dry) },
	}
	f := cmd.Flags()
	f.BoolVarP(&dry, "dry-run", "n", false, "list what would be removed, and remove nothing")
	f.Var(positive{&o.KeepRuns}, "keep-runs", "keep results of the newest `N` runs (default: of all recorded runs)")
	f.Var(size{&o.MaxSize}, "max-size", "stop removing once the store has `SIZE`, such as 500M or 200G")
	return cmd
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
}

func (a *app) gc(o artifacts.GCOptions, dry bool) error {
	store, err := a.openHere()
	if err != nil {
		return err
	}
	defer store.Close()
	plan, err := store.PlanGC(o)
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
		len(plan.Kept), plan.InUse}
	if !dry {
		if e.Removed, e.Freed, err = plan.Execute(); err != nil {
			return err
		}
		e.Left = plan.Bytes - e.Freed
	}
	rooms := 0
	if !dry {
		rooms = workdir.Sweep(os.TempDir(), command.ExecRooms) +
			workdir.Sweep(filepath.Dir(store.Dir()), audit.RoomPrefix)
	}
	if a.JSON {
		a.Object(e)
		return nil
	}
	word := "removed"
	if dry {
		word = "would remove"
	}
	fmt.Fprintf(a.Out, "gc: %s %s (%s); %s stay, kept by %s\n", word, words.Count(e.Removed, "blob"),
		console.ByteCount(e.Freed), console.ByteCount(e.Left), words.Count(e.KeptRuns, "run"))
	if rooms > 0 {
		a.Note("and %s left by killed runs", words.Count(rooms, "directory"))
	}
	if e.Over > 0 {
		a.Note("that is %s more than --max-size; a smaller --keep-runs frees more", console.ByteCount(e.Over))
	}
	return nil
}

// size is a flag value in bytes: 500M, 1.5G, 2TB; powers of 1000.
type size struct{ n *int64 }

func (s size) String() string {
	if s.n == nil || *s.n == 0 {
		return ""
	}
	return console.ByteCount(*s.n)
}

func (s size) Type() string { return "SIZE" }

func (s size) Set(text string) (err error) {
	*s.n, err = pipelines.ParseSize(text)
	return err
}
