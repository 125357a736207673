package manual

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/internal/pattern"
	"prgnn/stages/builtin"
)

// A program without built-in pipelines is one of a lab without the kinds for the brain (examples/weather). Its help
// has the same commands, and no participants, regions and scans.

// plainTexts are the short and the long help of commands in such a program; "" for that of all programs.
var plainTexts = map[string]struct{ short, long string }{
	"pipeline": {short: "Content-addressed pipelines"},
	"cohort": {"the rows of the table, their files, and exclusions with the reason",
		`Lists the rows of the cohort of a pipeline file, their files and any problems; then the rows that are excluded,
with the reason; then the counts. Nothing is run. -v lists the files. The exit code is 1 when no row is usable.`},
	"report": {"", `Writes one HTML file that opens anywhere, without a network: the tables, figures and texts of each stage,
all parameters, and the digests of all results. Nothing is run. The same results give the same bytes.`},
	"export": {"results as files for Python, R, MATLAB and Excel", `Writes one output of a stage to a file. The extension of PATH selects the format.

A table becomes arrow, parquet, csv or tsv. The tables of a stage that fans out are joined into one
table, with the coordinates (station, fold …) as columns in front. An array becomes npy; the
arrays of a fan-out are stacked along new axes in front, in sorted order, and a .json
file of the same name lists the axes. An array can also be written as a table with a row for each
element (every axis counts from 1), or with --format tensor as an Arrow table with a row for each
member, its array as a tensor. --format arrow-zstd is a compressed Arrow file. .mat (MATLAB, Octave)
holds fan-outs, too. --format all writes every output of a stage into the directory PATH, in every
format that can hold it. The metadata of each file list the results that it holds: pipeline lineage
reads them. Anything else (text, svg) is written unchanged. When PATH is a directory, or ends in /,
every member of a fan-out becomes a file of its own there.`},
	"inspect": {"describe an npy, Arrow or Parquet file", `Describes a file by its content, not by its name: an npy array, or a table of Arrow or Parquet with its
columns and first rows.`},
	"init": {"write a pipeline file for the rows of a table", `Writes a pipeline whose cohort is the rows of the table that --rows names, into DIR (default: the working
directory). Its name is that of the table, or NAME.yaml. An existing file is left alone.`},
}

// plainNames are other names in texts that all programs share.
var plainNames = strings.NewReplacer(
	"biopoint.", "study.", "connectivity[sub-003]", "clean[oslo]", "train[pool=topk,fold=2]", "fit[method=b,fold=2]",
	"train[fold=2]", "fit[fold=2]", "graphs.density=0.2", "clean.limit=0.2", "graphs[sub-003]", "clean[oslo]",
	"graphs,", "clean,", " graphs ", " clean ", "until graphs", "until clean", "connectivity,", "clean,",
	"stage connectivity", "stage clean", "results evaluate", "results clean", "sub-003", "oslo",
	", such as a summary,", ",", ", such as a summary", "", ", without participants", "", " --account=brain", "",
	"the whole analysis, on a simulated cohort", "everything that has no result yet",
	"participants' scans", "data of others", "/data/scans", "/data", "scan.nii.gz", "oslo.tsv", "MGH/MGZ, ", "",
	"STAGE may be findings: the cautions of the summary with their codes and numbers.\n", "",
	"names the regions", "lists the places", "tensor, pyg, mat, bids, model, all", "tensor, mat, all")

// ofTheBrain is what an example has that this program has not.
var ofTheBrain = pattern.New(`sub-\d|graphs|connectivity|evaluate|summary|saliency|biomarkers|findings|fidelity|train\b|` +
	`parcels|cohort\.|bids|citations|participant|scans|bold|aparc|sessions|biopoint|--full|--from|my-study|pyg`)

// brainFlags are flags that only results for the brain have a use for.
var brainFlags = map[string][]string{"export": {"atlas", "column", "draw", "draws", "labels", "names", "task", "tr"},
	"init": {"full", "from"}, "inspect": {"stats"}}

// Plain gives commands the help of a program without the kinds for the brain.
func Plain(cmd *cobra.Command) {
	if len(builtin.Names()) > 0 {
		return
	}
	texts := plainTexts[cmd.Name()]
	if texts.short != "" {
		cmd.Short = texts.short
	}
	if texts.long != "" {
		cmd.Long = texts.long
	}
	cmd.Long = plainNames.Replace(cmd.Long)
	var examples []string
	for line := range strings.Lines(plainNames.Replace(cmd.Example)) {
		if !ofTheBrain.MatchString(line) {
			examples = append(examples, line)
		}
	}
	cmd.Example = strings.Join(examples, "")
	for _, name := range brainFlags[cmd.Name()] {
		if f := cmd.Flags().Lookup(name); f != nil {
			f.Hidden = true
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = plainNames.Replace(f.Usage) })
	for _, sub := range cmd.Commands() {
		Plain(sub)
	}
}
