package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/engine"
	"prgnn/pipelines/diagram"
)

func (a *app) graphCommand() *cobra.Command {
	var format, path string
	cmd := &cobra.Command{
		Use:   "graph FILE",
		Short: "a drawing of the stages, colored by state",
		Long: `Draws the stages of a pipeline file and their connections, colored by state: stages with a
result (cached), stages that would run (stale), and those downstream (unknown). A double arrow means
that all members of a fan-out are gathered. No other program is needed.`,
		Example: `  pipeline graph biopoint.yaml -o biopoint.svg
  pipeline graph biopoint.yaml --format mermaid      for a README
  pipeline graph biopoint.yaml -o biopoint.mmd
  pipeline graph biopoint.yaml --format dot | dot -Tpdf > biopoint.pdf`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ending, known := endings[strings.ToLower(filepath.Ext(path))]
			switch {
			case !known && format == "":
				return flags.Usage(cmd, "the ending of %s is none of svg, dot, gv and mmd: add --format svg, dot or mermaid", path)
			case known && ending != "" && format != "" && format != ending:
				return flags.Usage(cmd, "--format %s does not fit the ending of %s: leave out one of them", format, path)
			}
			format = cmp.Or(format, ending, "svg")
			write, ok := drawings[format]
			if !ok {
				return flags.Usage(cmd, "there is no format %q (choose svg, dot or mermaid)", format)
			}
			return a.graph(args[0], path, write)
		},
	}
	setFlag(cmd, &a.sets)
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT`: svg, dot or mermaid (default: by the ending of PATH, else svg)")
	a.outputFlags(cmd, &path, "", "write to `PATH` instead of stdout")
	return cmd
}

// endings are the formats by the ending of a path; "" is none.
var endings = map[string]string{"": "", ".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid",
	".mermaid": "mermaid"}

var drawings = map[string]func(diagram.Diagram, io.Writer){
	"svg":     diagram.Diagram.SVG,
	"dot":     diagram.Diagram.DOT,
	"mermaid": diagram.Diagram.Mermaid,
}

func (a *app) graph(file, path string, write func(diagram.Diagram, io.Writer)) error {
	p, err := a.loadToLook(file, a.sets)
	if err != nil {
		return err
	}
	if err := a.MayReplace(path, "a drawing of this command", console.Holds(diagram.IsDrawing)); err != nil {
		return err
	}
	var steps []engine.Step
	if results.IsStore(a.storeDir(p.Dir)) {
		store, err := a.open(p)
		if err != nil {
			return err
		}
		defer store.Close()
		if steps, err = engine.Plan(context.Background(), p.Graph, store, engine.Options{}); err != nil {
			return err
		}
	}
	picture := func(w io.Writer) error {
		write(diagram.Of(p.Graph, steps), w)
		return nil
	}
	if path == "" || path == "-" {
		return picture(a.Out)
	}
	return a.WriteFile(path, picture)
}
