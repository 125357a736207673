package cli

import (
	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/describe"
)

func (a *app) stagesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stages [NAME]",
		Short: "the stage kinds; one kind's parameters and ports",
		Long: `Lists the stage kinds that a pipeline file may use, and the cohort kinds. With a NAME: what
it does, its parameters with defaults, types, units and allowed values, and its ports.`,
		Example: `  pipeline stages
  pipeline stages graph`,
		Args:              between(0, 1),
		ValidArgsFunction: completeKind,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				describe.Kinds(a.Console)
				return nil
			}
			return describe.Kind(a.Console, args[0])
		},
	}
}
