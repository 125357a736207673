package cli

import (
	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/trace"
)

func (a *app) lineageCommand() *cobra.Command {
	var up, down bool
	cmd := &cobra.Command{
		Use:   "lineage FILE|DIGEST|TASK",
		Short: "the provenance of a result, upstream and downstream",
		Long: `Traces a result through the records of the store: up to the inputs, with kind, parameters and
code of every step, or down to every result derived from it. Name it by an exported file
(whose metadata state what it holds, or which is the stored bytes themselves), by the digest of
bytes, by a key, by the beginning of either, or by a task or stage of the newest run. Input files
can be named too: lineage scan.nii.gz --down.`,
		Example: `  pipeline lineage scores.arrow
  pipeline lineage 9f86d081 --down
  pipeline lineage data/sub-003_bold.nii.gz --down
  pipeline lineage evaluate --up -v`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), // FILE holds results
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.here(func(s *disk.Store) error { return trace.Print(a.Console, s, args[0], up || !down, down) })
		},
	}
	cmd.Flags().BoolVar(&up, "up", false, "upstream: what it was made from (default)")
	cmd.Flags().BoolVar(&down, "down", false, "downstream: what was made from it")
	return cmd
}
