package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/members"
)

func (a *app) cohortCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cohort FILE",
		Short: "participants, their files, and exclusions with the reason",
		Long: `Finds the participants of a pipeline file and prints a line for each: the group, for a BIDS
dataset the space of its scan, the size of its voxels, its volumes, repetition time and mean
framewise displacement, the files and any problems; then the rows
of the table that are excluded, with the reason; then the counts. Truncated scans and
confounds of a different length are unusable; only sizes are compared, and no voxels are read. Nothing
is run. -v lists the files. The exit code is 1 when no participant is usable.`,
		Example: `  pipeline cohort biopoint.yaml
  pipeline cohort study.yaml --set cohort.select='age >= 18'
  pipeline cohort biopoint.yaml --json | jq -r 'select(.state == "excluded") | .participant'`,
		RunE: func(_ *cobra.Command, args []string) error { return a.cohort(args[0]) },
	}
	setFlag(cmd, &a.sets)
	return cmd
}

func (a *app) cohort(file string) error {
	p, err := a.load(file, a.sets)
	if err != nil {
		return err
	}
	if p.Roster == nil {
		return exit.Wrongf("%s has no cohort: name one (pipeline stages lists the cohort kinds)", file)
	}
	all := members.Of(p)
	kind := "participant"
	if p.Roster.Axis != "" {
		kind = "row"
	}
	if a.JSON {
		for _, e := range all {
			a.Object(kind, e)
		}
	} else {
		members.Print(a.Console, p, all)
	}
	if !slices.ContainsFunc(all, func(e members.Event) bool { return e.State == "included" }) {
		return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("no %s is usable", p.Roster.Noun())}
	}
	return nil
}
