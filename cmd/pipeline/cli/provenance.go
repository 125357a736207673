package cli

import (
	"github.com/spf13/cobra"

	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/cmd/pipeline/trace"
)

func (a *app) provenanceCommand() *cobra.Command {
	var path, format, license string
	cmd := &cobra.Command{
		Use:   "provenance RUN|FILE",
		Short: "describe a run as W3C PROV or as an RO-Crate",
		Long: `Describes a run, or the present results of a pipeline file, in a standard format:

ro-crate   a directory with the pipeline file, its lock, the final results and
           ro-crate-metadata.json (RO-Crate 1.1, Provenance Run profile, an action for each
           stage), for WorkflowHub and Zenodo; input files are not copied: it has their digests
prov       one PROV-JSON file (W3C): every file, task and link, for tools that draw and query them`,
		Example: `  pipeline provenance biopoint.yaml -o crate/
  pipeline provenance biopoint.yaml -o crate/ --license CC-BY-4.0
  pipeline provenance 3f2a --format prov -o prov.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case path == "":
				return flags.Usage(cmd, "-o PATH is missing")
			case format == "prov" && license != "":
				return flags.Usage(cmd, "--license needs --format ro-crate: PROV has no field for it")
			case format != "prov" && format != "ro-crate":
				return flags.Usage(cmd, "there is no format %q (choose ro-crate or prov)", format)
			}
			return a.provenance(args[0], path, format, license)
		},
	}
	f := cmd.Flags()
	a.outputFlags(cmd, &path, "", "write to `PATH`")
	f.StringVar(&format, "format", "ro-crate", "`ro-crate` or prov")
	f.StringVar(&license, "license", "", "the `LICENSE` of your results, for a crate: an SPDX identifier, an address, or text")
	a.asRunFlags(cmd)
	return cmd
}

func (a *app) provenance(what, path, format, license string) error {
	if path == "-" {
		return exit.Wrongf("provenance writes no stdout: name a directory (ro-crate) or a file (prov) by -o")
	}
	c, err := a.lookAt(what)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if !results.IsRun(what) {
		what = ""
	}
	return trace.Write(a.Console, c, what, path, format, license)
}
