package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/stages/bids"
)

func (a *app) exportCommand() *cobra.Command {
	var e export.Options
	cmd := &cobra.Command{
		Use:   "export FILE|RUN [STAGE[.OUTPUT]]",
		Short: "results as files for Python, R, MATLAB, Excel, Workbench, or as a BIDS dataset",
		Long: `Writes one output of a stage to a file. The extension of PATH selects the format.

A table becomes arrow, parquet, csv or tsv. The tables of a stage that fans out are joined into one
table, with the coordinates (subject, fold …) as columns in front. An array becomes npy; the
arrays of a fan-out are stacked along new axes in front, in sorted order, and a .json
file of the same name lists the axes, the participants and the regions. An array can also be written as a
table with a row for each element (draw counts from 0, every other axis from 1), or with
--format tensor as an Arrow table with a row for each member, its array as a tensor.
--format arrow-zstd is a compressed Arrow file. --format pyg writes the graphs of all participants
into the directory PATH as plain arrays, for PyTorch Geometric; docs/python.md has the loader.
The word model in place of STAGE, or --format model, writes the trained models of all stages (or of
one STAGE) as files that travel: a directory for each setting, with a model card; docs/models.md.
--format all writes every output of a stage into the directory PATH, in every format that can hold it.
The metadata of each file name the results that it holds: pipeline lineage reads them.
Anything else (text, svg, nifti) is written unchanged, to .nii uncompressed. When PATH is a directory, or ends in /, every
member of a fan-out becomes a file of its own there.

Formats of other programs, by the extension of PATH or by --format; --draw selects one of several draws:
` + export.FormsText() + `
.mat holds fan-outs too: regions × regions × draws × participants, the names beside them. CIFTI
files need the positions of the regions: --labels names their label image; without it, each region is a
ball of 4 mm around its centroid in the node list (MNI).

--format bids writes series, matrices and graphs of all participants (or those of one STAGE) as a
derivative dataset in the directory PATH: named as in XCP-D 26, with sidecars that state
estimator, parameters and quality. --draws adds the bootstrap draws.

Results of a RUN without failed tasks are exported also after its inputs are gone, except as bids, model
or pyg.`,
		Example: `  pipeline export biopoint.yaml evaluate -o scores.arrow        pyarrow.feather.read_table("scores.arrow")
  pipeline export biopoint.yaml connectivity.pearson -o pearson.npy
  pipeline export biopoint.yaml 'connectivity[sub-003].quality' -o quality.csv
  pipeline export biopoint.yaml parcels -o parcels/             sub-001.nii.gz, sub-002.nii.gz …
  pipeline export biopoint.yaml graphs.edges -o edges.tsv --names
  pipeline export biopoint.yaml 'graphs[sub-003].edges' -o sub-003.node
  pipeline export biopoint.yaml connectivity.partial -o pconn/ --format pconn
  pipeline export biopoint.yaml saliency -o saliency/ --format all       NIfTI, TSV, CIFTI, BrainNet Viewer, NiiVue
  pipeline export biopoint.yaml connectivity.pearson -o pearson.mat
  pipeline export biopoint.yaml connectivity.pearson -o pearson.arrow --format tensor
  pipeline export biopoint.yaml graphs -o graphs/ --format pyg
  pipeline export biopoint.yaml --format bids -o derivatives/prgnn
  pipeline export biopoint.yaml model -o models/                trained models with their cards
  pipeline export biopoint.yaml --format all -o results/        every stage, a directory each
  pipeline export 3f2a evaluate -o scores.csv                   of an earlier run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd, args, e)
		},
	}
	f := cmd.Flags()
	a.outputFlags(cmd, &e.Path, "", "write to `PATH`; - is stdout")
	f.StringVar(&e.Format, "format", "", "`FORMAT`: arrow, arrow-zstd, parquet, csv, tsv, npy, tensor, pyg, mat, bids, model, all or one of those above (default: by the ending of PATH)")
	f.IntVar(&e.Draw, "draw", 0, "export draw `N`, for formats that hold one; 0 is the plain mean")
	f.BoolVar(&e.Names, "names", false, "in tables: add the names of regions to their numbers, and the positions of both ends of an edge")
	f.StringVar(&e.Column, "column", "", "use `COLUMN` of a table of regions as their value (default: score)")
	f.StringVar(&e.Labels, "labels", "", "label image `PATH` of the regions, for CIFTI")
	f.Float64Var(&e.TR, "tr", 0, "repetition time `SECONDS`, for CIFTI series (default: that of the scan)")
	f.BoolVar(&e.Partial, "partial", false, "export the existing members when others are missing")
	f.BoolVar(&e.Draws, "draws", false, "bids: also the bootstrap draws, as desc-boot01 …; pyg: also draws that no training uses")
	f.StringVar(&e.Task, "task", "", "bids: the task `NAME`, where neither the names nor the sidecars of the cohort's files give it")
	f.StringVar(&e.Atlas, "atlas", "", "bids, model: `NAME` of the atlas (default: DesikanKilliany for the built-in list, else custom)")
	f.BoolVar(&e.CSVSafe, "csv-safe", false, "csv, tsv: put an apostrophe before text that a spreadsheet would run as a formula (=, +, -, @)")
	a.asRunFlags(cmd)
	return cmd
}

// export writes what the options name, of the run args[0].
func (a *app) export(cmd *cobra.Command, args []string, e export.Options) error {
	if len(args) == 2 {
		e.What = args[1]
	}
	e.TakeModels()
	switch {
	case e.What == "" && e.Format != "bids" && e.Format != "model" && e.Format != "all":
		return flags.Usage(cmd, "STAGE[.OUTPUT] is missing; for every stage: --format all -o DIR")
	case e.Path == "":
		return flags.Usage(cmd, "-o PATH is missing")
	}
	var refused []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if formats := e.Refuses(f.Name); formats != nil {
			refused = append(refused, fmt.Sprintf("--%s is for %s", f.Name, strings.Join(formats, ", ")))
		}
	})
	if refused != nil {
		return flags.Usage(cmd, "%s; the format is that of --format, or of the end of -o PATH", strings.Join(refused, "; "))
	}
	if cmd.Flags().Changed("tr") && !bids.IsTime(e.TR) {
		return flags.Usage(cmd, "--tr %g is no repetition time of a scan (%g to %d s): give it in s, not in ms", e.TR, bids.ShortestTime, bids.LongestTime)
	}
	c, err := a.lookAtRun(args[0], results.AsRecorded, e.Named()...)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if c.Gone != nil {
		a.Note("the pipeline of run %s can no longer be loaded, so the results are exported from its records; a report has no scans beside it", c.File)
	}
	if err := a.MayWrite(e.Path); err != nil {
		return err
	}
	if one, err := export.Run(a.Console, c, e); err != nil || !one {
		return err
	}
	return page.ExportScans(context.Background(), a.Console, c, e)
}
