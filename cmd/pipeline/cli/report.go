package cli

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/page"
	"prgnn/cmd/pipeline/results"
	"prgnn/internal/words"
	"prgnn/pipelines"
)

func (a *app) reportCommand() *cobra.Command {
	var path, checklist, format string
	var serve bool
	cmd := &cobra.Command{
		Use:   "report FILE",
		Short: "a self-contained HTML report, or a filled reporting checklist",
		Long: `Writes one HTML file that opens anywhere, without a network: participants and exclusions,
the quality of each step, accuracies with their intervals, tables, figures, the salient regions on
the brain, methods, parameters, and the digests of its inputs.

The report of a pipeline with a stage of the kind report is the stored result of that stage, byte
for byte: audit repeats it, and show gives its digest. Without such a stage, or before it has run,
the report shows the existing results and lists the missing ones. Nothing is run. The same
results give the same bytes.

If PATH ends in .pdf, or with --format pdf, Chromium, Chrome or Edge prints the report; one of them
must be installed (the variable CHROMIUM sets the program). Supplementary tables and the pictures of
single scans are in the HTML only. A PDF contains the time at which it was printed, so its bytes
differ each time.

--serve serves the report at an address of this machine (127.0.0.1, with a random token in its path)
until Ctrl-C, also during a run: the page has the current results, shows how many tasks of each
stage are done and the time left on this machine, and reloads when there are more. It saves ratings
of scans in NAME_ratings.tsv beside FILE.

The report of a study without participants shows the tables, figures and texts of each stage, all
parameters, and the digests of all results.

--checklist fills a reporting checklist of a journal instead: TRIPOD+AI (tripod-ai), COBIDAS
(cobidas) or CLAIM 2024 (claim). For each item it lists the sections of the report that have it,
what the block study of FILE states, the key of that block that has no text, or why the item does
not apply. -o PATH ends in .md (Markdown, for pandoc and Word), .html or .csv; without -o, Markdown
goes to stdout.`,
		Example: `  pipeline report biopoint.yaml -o report.html
  pipeline run quick.yaml && pipeline report quick.yaml -o supplement.html
  pipeline report biopoint.yaml -o report.pdf
  pipeline report biopoint.yaml --serve
  pipeline report biopoint.yaml --checklist tripod-ai -o tripod.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if serve && (path != "" || format != "" || checklist != "") {
				return flags.Usage(cmd, "--serve writes no file: leave out -o, --format and --checklist")
			}
			if cmd.Flags().Changed("checklist") {
				if format != "" {
					return flags.Usage(cmd, "--format is for a report; a checklist has the format of the ending of PATH")
				}
				return a.checklist(cmd, args[0], checklist, path)
			}
			if serve {
				return a.serve(args[0])
			}
			if path == "" {
				return flags.Usage(cmd, "-o PATH is missing")
			}
			ending := reportFormat(path)
			switch {
			case format != "" && format != "html" && format != "pdf":
				return flags.Usage(cmd, "there is no format %q (choose html or pdf)", format)
			case format != "" && ending != "" && format != ending:
				return flags.Usage(cmd, "--format %s does not fit the ending of %s: leave out one of them", format, path)
			}
			return a.report(args[0], path, cmp.Or(format, ending))
		},
	}
	a.outputFlags(cmd, &path, "", "write to `PATH`; - is stdout")
	cmd.Flags().StringVar(&checklist, "checklist", "", "fill the reporting checklist `NAME`: tripod-ai, cobidas or claim")
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT`: html or pdf (default: by the ending of PATH, else html)")
	cmd.Flags().BoolVar(&serve, "serve", false, "serve the report to a browser on this machine until Ctrl-C, and save ratings of scans")
	a.asRunFlags(cmd)
	return cmd
}

// serve serves the report of a pipeline file until it is interrupted.
func (a *app) serve(file string) error {
	ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer done()
	first := true
	return page.Serve(ctx, a.Console, func() (c *results.Current, err error) {
		look := func() { c, err = a.look(file) }
		if first {
			first = false
			look()
		} else { // notes once
			a.silently(look)
		}
		if err != nil {
			return nil, err
		}
		if !page.Fits(c.Pipeline.Graph) {
			c.Store.Close()
			return nil, exit.Wrongf("%s: only reports of participants are served; -o PATH writes this one", file)
		}
		with, err := a.withReport(c)
		if err != nil {
			c.Store.Close()
		}
		return with, err
	})
}

// reportFormat is the format of a report by the ending of a path; "" for another ending.
func reportFormat(path string) string {
	return map[string]string{".html": "html", ".htm": "html", ".pdf": "pdf"}[strings.ToLower(filepath.Ext(path))]
}

// mayReport is why no report of a format, or a validation, may be written to a path.
func (a *app) mayReport(p *pipelines.Pipeline, store *disk.Store, path, format, what string) error {
	if err := page.MayWrite(a.Console, p, store, path, what); err != nil {
		return err
	}
	if ext := filepath.Ext(path); ext != "" && reportFormat(path) == "" {
		return exit.Wrongf("a report is HTML or PDF, so PATH must end in .html or .pdf, not in %s", ext)
	}
	if format == "pdf" {
		_, err := page.Browser()
		return err
	}
	return nil
}

func (a *app) report(file, path, format string) error {
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if err := a.mayReport(c.Pipeline, c.Store, path, format, page.Report); err != nil {
		return err
	}
	if !page.Fits(c.Pipeline.Graph) {
		return page.WritePlain(context.Background(), a.Console, c, path, format == "pdf")
	}
	if c, err = a.withReport(c); err != nil {
		return err
	}
	return page.Write(context.Background(), a.Console, c, path, page.Report, format == "pdf")
}

// checklist fills a reporting checklist.
func (a *app) checklist(cmd *cobra.Command, file, name, path string) error {
	if names := page.Checklists(); !slices.Contains(names, name) {
		return flags.Usage(cmd, "there is no checklist %q%s", name, words.OrAll(name, names))
	}
	path = cmp.Or(path, "-")
	if path == "-" && a.JSON {
		return flags.Usage(cmd, "a checklist goes to stdout, and so does --json: give a file by -o PATH, or leave out --json")
	}
	c, err := a.look(file)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if !page.Fits(c.Pipeline.Graph) {
		return exit.Wrongf("%s: no stage has results that a checklist asks for; the checklists are for studies of participants", file)
	}
	if c, err = a.withReport(c); err != nil {
		return err
	}
	return page.WriteChecklist(context.Background(), a.Console, c, name, path)
}

// withReport are the results of a pipeline file with a report stage; one without is read with a report stage of its
// results.
func (a *app) withReport(c *results.Current) (with *results.Current, err error) {
	if err := a.refuted(c.Pipeline, c.Store); err != nil {
		return nil, err
	}
	if page.Stage(c.Pipeline.Graph) != nil {
		return c, nil
	}
	a.silently(func() {
		with, err = a.lookUp(c.File, page.Settings(c.Pipeline.Graph, c.Sets), c.Store)
	})
	if err == nil {
		with.Sets = c.Sets // those of a run
	}
	return with, err
}
