package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/stages/report"
)

func (a *app) reportCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "a self-contained HTML report",
		Long: `Writes one HTML file that opens anywhere, without a network: participants and exclusions,
the quality of each step, accuracies with their intervals, tables, figures, the salient regions on
the brain, methods, parameters, and the digests of its inputs.

The report of a pipeline with a stage of the kind report is the stored result of that stage, byte
for byte: audit repeats it, and show gives its digest. Without such a stage, or before it has run,
the report shows the existing results and names the missing ones. Nothing is run. The same
results give the same bytes.

The report of a study without participants shows the tables, figures and texts of each stage, all
parameters, and the digests of all results.`,
		Example: `  pipeline report biopoint.yaml -o report.html
  pipeline run quick.yaml && pipeline report quick.yaml -o supplement.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return flags.Usage(cmd, "-o PATH is missing")
			}
			return a.report(args[0], path)
		},
	}
	a.outputFlags(cmd, &path, "", "write to `PATH`; - is stdout")
	a.asRunFlags(cmd)
	return cmd
}

// mayReport is why no report may be written to a path.
func (a *app) mayReport(path string) error {
	if err := a.MayReplace(path, "an unedited report of this program", console.Holds(report.Unedited)); err != nil {
		return err
	}
	if ext := filepath.Ext(path); ext != "" && !strings.EqualFold(ext, ".html") && !strings.EqualFold(ext, ".htm") {
		return exit.Wrongf("a report is HTML, so PATH must end in .html, not in %s; a browser prints it as PDF", ext)
	}
	return nil
}

func (a *app) report(file, path string) error {
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if err := a.mayReport(path); err != nil {
		return err
	}
	g := c.Pipeline.Graph
	if !page.Fits(g) {
		return page.WritePlain(a.Console, c, path)
	}
	if page.Stage(g) == nil {
		if c, err = a.withReport(c); err != nil {
			return err
		}
	}
	return page.Write(context.Background(), a.Console, c, path)
}

// withReport are the results of a pipeline file, which is read with a report stage of its results.
func (a *app) withReport(c *results.Current) (with *results.Current, err error) {
	a.silently(func() {
		with, err = a.lookUp(c.File, append(slices.Clip(c.Sets), page.Setting(c.Pipeline.Graph)), c.Store)
	})
	if err == nil {
		with.Sets = c.Sets // those of a run
	}
	return with, err
}
