package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
)

func (a *app) citeCommand() *cobra.Command {
	var sets []string
	var dir string
	cmd := &cobra.Command{
		Use:   "cite [FILE|RUN [STAGE]]",
		Short: "what to cite, as text and BibTeX",
		Long: `Without FILE, prints the references to this program and to the paper of PR-GNN. With FILE or the id
of a run, prints what to cite for the results of its report: the methods text of this run, with the
works that it used, and their BibTeX entries. STAGE selects one of several report stages.

-o writes both into a directory, as CITATION.md and CITATION.bib.`,
		Example: `  pipeline cite
  pipeline cite biopoint.yaml -o paper/`,
		Args:              flags.Between(0, 2),
		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				var need []string
				cmd.Flags().Visit(func(f *pflag.Flag) {
					if !slices.Contains([]string{"json", "quiet", "verbose"}, f.Name) {
						need = append(need, "--"+f.Name)
					}
				})
				if need != nil {
					return flags.Usage(cmd, "FILE or RUN is missing for %s", strings.Join(need, ", "))
				}
				page.CiteProgram(a.Console)
				return nil
			case dir == "-":
				return flags.Usage(cmd, "-o takes a directory; without -o, the text goes to stdout")
			}
			c, err := a.lookAtRun(args[0], sets, results.AsRun, args[1:]...)
			if err != nil {
				return err
			}
			defer c.Store.Close()
			stage := ""
			if len(args) == 2 {
				stage = args[1]
			}
			return page.Cite(a.Console, c, stage, dir)
		},
	}
	a.outputFlags(cmd, &dir, "", "write CITATION.md and CITATION.bib into the directory `PATH`")
	a.asRunFlags(cmd, &sets)
	return cmd
}
