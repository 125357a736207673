package cli

import (
	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/describe"
	"prgnn/cmd/pipeline/flags"
)

func (a *app) inspectCommand() *cobra.Command {
	var withStats bool
	var rows int
	var sheet string
	cmd := &cobra.Command{
		Use:   "inspect PATH",
		Short: "describe an image, an array, a table or a .mat file",
		Long: `Describes a file by its content, not by its name. For an image: shape, voxel size,
repetition time, orientation, affine, scaling, and every error or
warning about its header, with the rule that applies. With --stats the voxels are read too: minimum,
maximum and mean value (scaled), NaNs, and the SHA-256 of the scaled values as float64,
little-endian, x fastest, to compare with other programs. For a table (CSV, TSV,
.xlsx): its columns, with the range of numbers or the distinct values. For a .mat or npz file: its
variables, and the lines by which a pipeline file reads its time series or matrices.`,
		Example: `  pipeline inspect sub-01_bold.nii.gz --stats
  pipeline inspect aparc+aseg.mgz
  pipeline inspect participants.tsv
  pipeline inspect scores.arrow --rows 20
  pipeline inspect sub-01_bold.nii.gz --json | jq .affine`,
		RunE: func(_ *cobra.Command, args []string) error {
			return describe.File(a.Console, args[0], withStats, rows, sheet)
		},
	}
	cmd.Flags().BoolVar(&withStats, "stats", false, "read the voxels too, which also finds damage")
	cmd.Flags().Var(flags.Positive(&rows), "rows", "show the first `N` rows of a table (with --json also elements of an array; default 5)")
	cmd.Flags().Var(flags.Name(&sheet), "sheet", "the `SHEET` of a workbook (.xlsx) with several")
	return cmd
}
