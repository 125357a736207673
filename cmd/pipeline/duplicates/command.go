package duplicates

import (
	"runtime"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/flags"
	"prgnn/stages/assess/leakage"
)

// Command is check-duplicates.
func Command(a *console.Console) (cmd *cobra.Command, output *string, usage string) {
	o := Options{Stage: leakage.Leakage{Correlation: 0.8, Filtered: 0.65}}
	cmd = &cobra.Command{
		Use:   "check-duplicates TABLE",
		Short: "pairs of scans in a table that are one scan under two ids",
		Long: `Compares the scans of a table (CSV, TSV, .xlsx), one row per scan, without a pipeline file: time series of
regions (TSV, CSV, 1D, npy, ptseries.nii; gzipped or not) or connectivity matrices (npy, TSV, CSV,
.mat). It prints each pair that is more similar than different people of this cohort, with a verdict:
violation, one scan under two ids, or in two rows of one participant; caution, one person twice, or a
changed copy; relatives, by a column of families; sessions, rows of one participant.
docs/audit-your-data.md explains them.

The exit code is 1 when there is a violation, or when a scan cannot be read; the others are compared.`,
		Example: `  pipeline check-duplicates participants.tsv --series 'series/{participant_id}.tsv'
  pipeline check-duplicates participants.csv --id FILE_ID --series 'cpac/{FILE_ID}_rois_ho.1D.gz'
  pipeline check-duplicates participants.tsv --matrices matrix_file --family Family_ID -o pairs.tsv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (o.Series == "") == (o.Matrices == "") {
				return flags.Usage(cmd, "either --series or --matrices is needed: a column of TABLE that holds paths, or a path with {columns}")
			}
			if !(o.Stage.Unrelated >= 0 && o.Stage.Unrelated <= 1) {
				return flags.Usage(cmd, "--unrelated is %v: it takes a number from 0 (no comparison of similarities) to 1", o.Stage.Unrelated)
			}
			if o.Stage.Unrelated == 0 && o.Figure != "" {
				return flags.Usage(cmd, "--figure draws similarities, and --unrelated 0 compares none: leave one of them out")
			}
			o.Table, o.Threads = args[0], runtime.GOMAXPROCS(0)
			return Check(a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Series, "series", "",
		"time series: a column of paths, or a `PATH` with {columns}, from the directory of TABLE on")
	f.StringVar(&o.Matrices, "matrices", "", "connectivity matrices, likewise (`PATH`)")
	f.StringVar(&o.ID, "id", "", "the `COLUMN` of participants (default: participant_id, or else the first)")
	f.StringVar(&o.Family, "family", "",
		"the `COLUMN` of families, whose members are relatives (default: one with such a name, as Family_ID)")
	f.Float64Var(&o.Stage.Unrelated, "unrelated", 0.001,
		"how many pairs of different people may be cautions, in the whole cohort (`N`; 0: similarities are not compared)")
	f.Var(flags.Name(&o.Sheet), "sheet", "the `SHEET` of TABLE, where it is a workbook (.xlsx) with several")
	f.StringVar(&o.Figure, "figure", "", "draw the similarities as SVG to `PATH`")
	return cmd, &o.Path, "write the pairs as TSV to `PATH`; - is stdout"
}
