package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/audit"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN_A RUN_B [STAGE]",
		Short: "what differs between two runs, first cause first",
		Long: `Compares two runs: first the causes, that is the parameters, files and declarations in the source
that differ; then the stages that differ as a consequence, with the number of tasks. Results are
compared by value: tables cell by cell, arrays element by element, with units in the last place and
relative error; for one task of each stage, or for every task of STAGE.`,
		Example: `  pipeline runs
  pipeline diff 3f2a 7c01
  pipeline diff 3f2a 7c01 evaluate`,
		RunE: func(_ *cobra.Command, args []string) error {
			stage := strings.Join(args[2:], "")
			return a.here(func(s *disk.Store) error { return audit.Runs(a.Console, s, args[0], args[1], stage) })
		},
	}
}
