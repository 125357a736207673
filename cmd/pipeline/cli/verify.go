package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/progress"
	"prgnn/internal/words"
)

func (a *app) verifyCommand() *cobra.Command {
	var repair bool
	var signedBy, lockPath string
	cmd := &cobra.Command{
		Use:   "verify [STATEMENT]",
		Short: "check every blob and every key of the store, or a signed statement",
		Long: `Reads everything in the store and checks it: every blob against the digest that names it, every
record against its seal and its key, and that what records promise and what runs list is there.
Each damaged object is named with its remedy; a pack that was cut off, with the records that it
had of runs. Exit code 3 when there is any, or
something that your permissions forbid to read. Nothing is changed without --repair, which leaves
files that the store did not put there: it names them, and the exit code stays 3.
A run recomputes damaged results of its pipeline, and missing ones when a task needs them.

verify STATEMENT --signed-by KEY checks who signed a statement of pipeline sign, and that the
lock beside it and the results in the store match it. Exit code 1 when not. A lock
or a store that does not exist is reported as not checked.`,
		Example: `  pipeline verify
  pipeline verify --repair && pipeline run biopoint.yaml
  pipeline verify run.intoto.json --signed-by me.pub.pem`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && signedBy == "":
				return flags.Usage(cmd, "verify without an argument checks the whole store, for all pipeline files; for a signed statement, add --signed-by KEY.pub.pem")
			case len(args) == 1:
				if err := flags.Only(cmd, "a statement is only checked", "signed-by", "lock", "store"); err != nil {
					return err
				}
				return a.verifySigned(args[0], signedBy, lockPath)
			case signedBy != "" || lockPath != "":
				return flags.Usage(cmd, "STATEMENT is missing")
			}
			return a.here(func(s *disk.Store) error { return a.verify(s, repair) })
		},
	}
	cmd.Flags().StringVar(&signedBy, "signed-by", "", "the public key in `FILE` must have signed the statement")
	cmd.Flags().StringVar(&lockPath, "lock", "", "the lock in `PATH` must be the one of the statement (default: run.lock beside it, if there is one)")
	cmd.Flags().BoolVar(&repair, "repair", false, "remove damaged objects; a run recomputes those that it needs")
	return cmd
}

type findingEvent struct {
	Problem string   `json:"problem"`
	Path    string   `json:"path"`
	Detail  string   `json:"detail"`
	Remedy  string   `json:"remedy"`
	Tasks   []string `json:"tasks,omitempty"`
}

type verifyEvent struct {
	Blobs   int `json:"blobs"`
	Actions int `json:"actions"`
	Damaged int `json:"damaged"`
	// Unreadable may be whole: permissions forbid to read it.
	Unreadable int   `json:"unreadable"`
	Runs       int   `json:"runs"`
	Bytes      int64 `json:"bytes"`
	Collected  int   `json:"collected"` // blobs that gc has removed
	Repaired   bool  `json:"repaired,omitempty"`
	// Left is what --repair leaves to a person.
	Left []string `json:"left,omitempty"`
}

func (a *app) verify(store *disk.Store, repair bool) error {
	ctx, done := console.Interruptible("the check ends unfinished, and the store stays as it is", progress.Silent{Console: a.Console}.Say)
	defer done()
	meter := a.NewMeter()
	report, err := store.Health.Verify(ctx, meter.At)
	meter.Close()
	if err != nil {
		return err
	}
	damaged, left := report.Damaged(), store.Health.Left(report)
	for _, f := range report.Findings {
		if a.JSON {
			event := "damage"
			if f.Problem == disk.Stray { // what a killed process left
				event = "stray"
			}
			a.Object(event, findingEvent{string(f.Problem), f.Path, f.Detail, f.Remedy(), f.Tasks})
		} else if f.Problem != disk.Stray || a.Verbose {
			fmt.Fprintln(a.Out, f)
		}
	}
	others := damaged - len(left)
	if repair && damaged > 0 {
		if err := store.Health.Repair(report); err != nil {
			return err
		}
		left = store.Health.Left(report)
	}
	e := verifyEvent{report.Blobs, report.Actions, damaged, report.Unreadable(), report.Runs, report.Bytes,
		report.Collected, repair && others > 0, left}
	if !a.AsJSON("verify", e) {
		unreadable := ""
		if e.Unreadable > 0 {
			unreadable = fmt.Sprintf(", %d unreadable", e.Unreadable)
		}
		fmt.Fprintf(a.Out, "verify: %s (%s), %s, %s: %d damaged%s\n", words.Count(e.Blobs, "blob"),
			console.ByteCount(e.Bytes), words.Count(e.Actions, "action"), words.Count(e.Runs, "run"), e.Damaged,
			unreadable)
		if e.Repaired {
			a.Note("damaged objects were removed; a run recomputes those that it needs")
		}
		switch {
		case repair && len(left) > 0:
			a.Note("not repaired: the store did not put it there; move it or delete it: %s", words.Some(left, 5))
		case others > 0 && !repair:
			a.Note("pipeline verify --repair removes damaged objects; a run recomputes those that it needs")
			missing := []disk.Problem{disk.MissingBlob, disk.LostRecord, disk.CutPack}
			if slices.ContainsFunc(report.Findings, func(f disk.Finding) bool {
				return slices.Contains(missing, f.Problem)
			}) {
				a.Note("a store that was copied may lack what was not copied to the end: copy it again first")
			}
		}
	}
	unfinished := int64(0)
	for _, f := range report.Findings {
		unfinished += f.Left
	}
	if unfinished > 0 && !a.JSON {
		a.Note("killed runs left %s of unfinished files: the next run or pipeline gc removes them",
			console.ByteCount(unfinished))
	}
	// A store that cannot be written is not tried.
	if able, err := store.Health.Probe(); err == nil {
		if problems := able.Problems(); problems != nil {
			a.Note("store %s: %v", store.Dir(), problems)
		}
	}
	if damaged > 0 && !repair || len(left) > 0 || e.Unreadable > 0 {
		return &exit.Error{Code: exit.Damaged}
	}
	return nil
}
