package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
)

func (a *app) citeCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "cite [FILE|RUN [STAGE]]",
		Short: "what to cite, as text and BibTeX",
		Long: `Without FILE, prints the references to this program and to the paper of PR-GNN. With FILE or the id
of a run, prints what to cite for the results of its report: the methods text of this run, with the
works that it used, and their BibTeX entries. STAGE selects one of several report stages; a file
without one is read as by pipeline report. If the stages use no other work, prints the reference to
this program alone.

-o writes both into a directory, as CITATION.md and CITATION.bib.`,
		Example: `  pipeline cite
  pipeline cite biopoint.yaml -o paper/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				if need := flags.Given(cmd); need != nil {
					return flags.Usage(cmd, "FILE or RUN is missing for %s", strings.Join(need, ", "))
				}
				page.CiteProgram(a.Console, true)
				return nil
			case dir == "-":
				return flags.Usage(cmd, "-o takes a directory; without -o, the text goes to stdout")
			}
			c, err := a.lookAtRun(args[0], results.AsRun, args[1:]...)
			if err != nil {
				return err
			}
			defer c.Store.Close()
			stage, added := strings.Join(args[1:], ""), false
			if g := c.Pipeline.Graph; stage == "" && c.Run == nil && !page.Cites(g) && page.Fits(g) {
				if c, err = a.withReport(c); err != nil {
					return err
				}
				added = true
			}
			return page.Cite(a.Console, c, stage, dir, added)
		},
	}
	a.outputFlags(cmd, &dir, "", "write CITATION.md and CITATION.bib into the directory `PATH`")
	a.asRunFlags(cmd)
	return cmd
}
