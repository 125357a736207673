package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/internal/words"
	"prgnn/stages/cohort"
)

func (a *app) simulateCommand() *cobra.Command {
	layout := "bids"
	workers := runtime.GOMAXPROCS(0)
	cmd := &cobra.Command{
		Use:   "simulate FILE DIR",
		Short: "write simulated participants as files, laid out like fMRIPrep's output",
		Long: `Writes the participants of the cohort "simulate" of a pipeline file as files for other programs and the cohort
"bids": participants.tsv, and for each participant the scan with its sidecar, the label
image and the table of confounds. The scans are simulated, with a known difference between the
groups. pipeline stages simulate lists the parameters: size, length, sites, motion, noise,
missing regions, damaged files.

  --layout bids   fMRIPrep's derivatives (of version 23.1, with labels on the scan's grid)`,
		Example: `  pipeline simulate quick.yaml fmriprep
  pipeline simulate quick.yaml fmriprep --set cohort.asd=3 --set cohort.hc=3 --set cohort.sites=2
  pipeline simulate biopoint.yaml fmriprep --set 'cohort.corrupt=[sub-sim002]'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if layout != "bids" {
				return exit.Wrongf("--layout: there is no layout %q; the only one is bids", layout)
			}
			return a.simulate(args[0], args[1], workers)
		},
	}
	setFlag(cmd, &a.sets)
	f := cmd.Flags()
	f.StringVar(&layout, "layout", layout, "how the files are named and laid out: `bids`")
	f.VarP(flags.Positive(&workers), "jobs", "j", "simulate `N` participants at the same time")
	return cmd
}

type simulateEvent struct {
	Dir          string `json:"dir"`
	Participants int    `json:"participants"`
}

func (a *app) simulate(file, dir string, workers int) error {
	p, err := a.load(file, a.sets)
	if err != nil {
		return err
	}
	of := writer()
	if p.Roster == nil || p.Roster.MakeKind != of.Name {
		return exit.Wrongf("%s has no simulated cohort; it needs cohort: {simulate: {…}}", file)
	}
	if err := a.MayWrite(dir); err != nil {
		return err
	}
	ctx, done := console.Interruptible("the dataset stays incomplete", func(text string) { fmt.Fprintln(a.Stderr, text) })
	defer done()
	var n atomic.Int64
	err = of.Write(ctx, p.Roster, dir, workers, func() {
		if made := n.Add(1); made%10 == 0 {
			a.Note("%d of %s", made, words.Count(len(p.Roster.Subjects), "participant"))
		}
	})
	if errors.Is(err, context.Canceled) {
		a.Warn("interrupted; %s is incomplete: remove it", dir)
		return &exit.Error{Code: exit.Interrupted}
	}
	if err != nil {
		return err
	}
	if a.AsJSON("simulate", simulateEvent{dir, len(p.Roster.Subjects)}) {
		return nil
	}
	fmt.Fprintf(a.Out, "wrote %s to %s; in a pipeline file: cohort: { bids: { dir: %s } }\n", words.Count(len(p.Roster.Subjects), "simulated participant"), dir, dir)
	return nil
}

// writer is the kind of cohort whose members are written as files; nil where the program has none.
func writer() *cohort.Source {
	for _, c := range cohort.Kinds() {
		if c.Write != nil {
			return &c
		}
	}
	return nil
}
