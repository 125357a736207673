package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/provenance"
)

func (a *app) provenanceCommand() *cobra.Command {
	var path, format, license string
	cmd := &cobra.Command{
		Use:   "provenance RUN|FILE",
		Short: "describe a run as W3C PROV or as an RO-Crate",
		Long: `Describes a run, or the present results of a pipeline file, in a standard format:

ro-crate   a directory with the pipeline file, its lock, the final results and
           ro-crate-metadata.json (RO-Crate 1.1, Workflow Run profile), for WorkflowHub and Zenodo;
           input files are not copied, but named by their digests
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

type provenanceEvent struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Tasks  int    `json:"tasks"`
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
	if err := a.MayReplace(path, "a provenance record of this program", console.Holds(provenance.IsPROV)); err != nil {
		return err
	}
	l, err := c.Lock(a.Console)
	if err != nil {
		return err
	}
	texts, err := c.Recipes(l)
	if err != nil {
		return err
	}
	run := &provenance.Run{Lock: l, Recipes: map[string]recipe.Recipe{}, License: license}
	for id, text := range texts {
		if r, err := recipe.Read(text); err == nil {
			run.Recipes[id] = r
		}
	}
	for r := range record.NewPast(c.Store, l.Pipeline).Back {
		if !results.IsRun(what) || strings.HasPrefix(r.ID, what) {
			run.Started, run.Finished = r.Started, r.Finished
			break
		}
	}
	if format == "prov" {
		var text []byte
		if text, err = run.PROV(); err == nil {
			err = a.WriteFile(path, console.Content(append(text, '\n')))
		}
	} else {
		err = a.crate(c, run, path)
	}
	if err != nil {
		return err
	}
	if format == "ro-crate" && license == "" {
		a.Note("the crate states no license for your results: add one, such as --license CC-BY-4.0")
	}
	if e := (provenanceEvent{path, format, len(l.Tasks())}); !a.AsJSON("provenance", e) {
		a.Note("wrote %s (%s, %s)", path, format, words.Count(e.Tasks, "task"))
	}
	return nil
}

// crateFile is the file that makes a directory an RO-Crate.
const crateFile = "ro-crate-metadata.json"

// crate fills a directory: a new or empty one, or that of an earlier crate.
func (a *app) crate(c *results.Current, run *provenance.Run, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		meta, err := regular.ReadFile(filepath.Join(dir, crateFile))
		if err != nil || !provenance.IsCrate(meta) {
			return exit.Wrongf("%s is neither empty nor a crate of this program: name a new directory by -o", dir)
		}
	}
	out, err := a.Files(dir)
	if err != nil {
		return err
	}
	defer out.Discard()
	put := func(name string, b []byte) error {
		return out.Write(filepath.Join(dir, filepath.FromSlash(name)), console.Content(b))
	}
	text, err := run.Lock.Encode()
	if err != nil {
		return err
	}
	files := []provenance.File{{Path: lockFile, Label: "run.lock", Ref: artifacts.Ref{Digest: artifacts.DigestOf(text),
		Size: int64(len(text)), Format: "text"}}}
	workflow := export.PlainName(run.Lock.File)
	for name, b := range map[string][]byte{lockFile: text, workflow: []byte(run.Lock.Text)} {
		if err := put(name, b); err != nil {
			return err
		}
	}
	ends := differ.Conclusions(c.Pipeline.Graph)
	for n := range c.Pipeline.Graph.Tasks() {
		for _, port := range ends[n] {
			ref, err := c.Kept(a.Console, n, port)
			if err != nil {
				return err
			}
			name := "results/" + crateName(n.ID()+"."+port) + export.Extension(ref.Format)
			if err := out.Write(filepath.Join(dir, filepath.FromSlash(name)),
				func(w io.Writer) error { return c.Copy(w, ref) }); err != nil {
				return err
			}
			files = append(files, provenance.File{Path: name, Label: n.ID() + "." + port, Ref: ref, Result: true})
		}
	}
	meta, err := run.Crate(workflow, files)
	if err != nil {
		return err
	}
	if err := put(crateFile, append(meta, '\n')); err != nil {
		return err
	}
	return out.Publish()
}

// crateName keeps what a URI takes without being escaped.
func crateName(s string) string {
	b := []byte(export.PlainName(s))
	for i, c := range b {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.') {
			b[i] = '-'
		}
	}
	return string(b)
}
