package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/audit"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/flags"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/pipelines/bundle"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/lock"
)

func (a *app) bundleCommand() *cobra.Command {
	var b bundling
	cmd := &cobra.Command{
		Use:   "bundle RUN|FILE",
		Short: "pack a run into one file that can be replayed without a network",
		Long: `Packs a run, or the present results of a pipeline file, into a tar file: its lock, the recipe of every
task, the input files, and the final results, which no other task reads (or those of --results).
pipeline replay repeats it elsewhere, with only the bundle and this program. Input files
are participants' scans: --without-inputs leaves them out, and replay --inputs names their directory.`,
		Example: `  pipeline bundle biopoint.yaml -o run.tar
  pipeline bundle 3f2a -o run.tar --without-inputs --results evaluate --results biomarkers.ranking
  pipeline replay run.tar`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if b.path == "" {
				return flags.Usage(cmd, "-o PATH is missing")
			}
			if ext := strings.ToLower(filepath.Ext(b.path)); slices.Contains(otherArchives, ext) {
				return flags.Usage(cmd, "-o %s: a bundle is a tar file, not %s: use the ending .tar", b.path, ext)
			}
			return a.bundle(args[0], b)
		},
	}
	f := cmd.Flags()
	a.outputFlags(cmd, &b.path, "", "write to `PATH`")
	f.BoolVar(&b.without, "without-inputs", false, "leave out the input files")
	f.StringArrayVar(&b.results, "results", nil, "include the results of `STAGE[.OUTPUT]`; all includes everything; may be repeated")
	a.asRunFlags(cmd)
	return cmd
}

// otherArchives are the endings of archives that a bundle is not.
var otherArchives = []string{".zip", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar"}

type bundling struct {
	path    string
	without bool
	results []string
}

type bundleEvent struct {
	Path    string `json:"path"`
	Tasks   int    `json:"tasks"`
	Inputs  int    `json:"inputs"`
	Results int    `json:"results"`
	Bytes   int64  `json:"bytes"`
}

func (a *app) bundle(what string, b bundling) error {
	c, err := a.lookAt(what)
	if err != nil {
		return err
	}
	defer c.Store.Close()
	if err := a.MayReplace(b.path, "a bundle", bundle.IsBundle); err != nil {
		return err
	}
	l, err := c.Lock(a.Console)
	if err != nil {
		return err
	}
	contents := bundle.Contents{Lock: l, Open: c.Store.OpenBlob}
	if contents.Recipes, err = c.Recipes(l); err != nil {
		return err
	}
	if !b.without {
		contents.Inputs = map[artifacts.Digest]string{}
	}
	for _, s := range c.Pipeline.Graph.Stages() {
		_, known := dag.Lookup(s.Kind().Name)
		for _, n := range s.Tasks() {
			if !known {
				contents.Given = append(contents.Given, c.Steps[n].Outputs.List()...)
			}
			for _, bind := range n.Inputs() {
				for _, src := range bind.Sources {
					if src.Node == nil && !b.without {
						ref, err := c.Store.HashFile(context.Background(), src.File, false)
						if err != nil {
							return err
						}
						contents.Inputs[ref.Digest] = src.File
					}
				}
			}
		}
	}
	if contents.Results, err = a.toBring(c, b.results); err != nil {
		return err
	}
	if err := a.WriteFile(b.path, func(w io.Writer) error { return bundle.Write(w, contents) }); err != nil {
		return err
	}
	e := bundleEvent{b.path, len(contents.Recipes), len(contents.Inputs), len(contents.Results), 0}
	if info, err := os.Stat(b.path); err == nil {
		e.Bytes = info.Size()
	}
	if a.AsJSON("bundle", e) {
		return nil
	}
	a.Note("wrote %s (%s): %s, %s, %s", b.path, console.ByteCount(e.Bytes), words.Count(e.Tasks, "task"),
		words.Count(e.Inputs, "input file"), words.Count(e.Results, "result"))
	if b.without {
		a.Note("without its inputs: pipeline replay %s --inputs DIR", console.Shell(b.path))
	}
	return nil
}

// toBring are the results that go along: those that were named, or those that no
// task takes further.
func (a *app) toBring(c *results.Current, names []string) ([]artifacts.Ref, error) {
	g := c.Pipeline.Graph
	wanted := map[*dag.Node][]string{}
	switch {
	case len(names) == 0:
		wanted = differ.Conclusions(g)
	case slices.Contains(names, "all"):
		for n := range g.Tasks() {
			for _, p := range n.Instance().Ports().Out {
				wanted[n] = append(wanted[n], p.Name)
			}
		}
	}
	for _, name := range names {
		if name == "all" {
			continue
		}
		sel, err := results.Choose(g, name)
		if err != nil {
			return nil, err
		}
		for _, n := range sel.Tasks {
			for _, p := range n.Instance().Ports().Out {
				if !sel.Named || p.Name == sel.Port.Name {
					wanted[n] = append(wanted[n], p.Name)
				}
			}
		}
	}
	var refs []artifacts.Ref
	for n, ports := range wanted {
		for _, p := range ports {
			ref, err := c.Kept(a.Console, n, p)
			if err != nil {
				return nil, err
			}
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

func (a *app) replayCommand() *cobra.Command {
	var r replay
	cmd := &cobra.Command{
		Use:   "replay BUNDLE",
		Short: "repeat a bundle, and compare every result",
		Long: `Runs everything in a bundle again, in an empty store, and compares every digest with those of
its lock. It needs no network, pipeline file or store. The bundle is checked before
use: damaged or forged entries, and entries that would write elsewhere, are refused. Stages that
run commands of the bundle's author (exec) are run only with --allow-commands.`,
		Example: `  pipeline replay run.tar
  pipeline replay run.tar --inputs /data/scans       for a bundle without inputs
  pipeline replay run.tar --keep results             keeps the results as a store`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkThreads(cmd, r.Options); err != nil {
				return err
			}
			return a.replay(args[0], r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.inputs, "inputs", "", "look in `DIR` for inputs that the bundle leaves out; they are identified by their digests")
	f.BoolVar(&r.allow, "allow-commands", false, "run the commands of exec stages; use it only with a bundle that you trust")
	againFlags(cmd, &r.Options)
	f.StringVar(&r.Keep, "keep", "", "keep the recomputed results as a store in `DIR`")
	return cmd
}

type replay struct {
	audit.Options
	inputs string
	allow  bool
}

func (a *app) replay(path string, r replay) error {
	room, err := audit.NewRoom(a.Console, os.TempDir(), r.Keep)
	if err != nil {
		return err
	}
	defer room.Close()
	unpacked, err := disk.Open(filepath.Join(room.Dir.Path, "unpacked"))
	if err != nil {
		return err
	}
	defer unpacked.Close()
	o, err := bundle.Open(path, unpacked, filepath.Join(room.Dir.Path, "inputs"))
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	if err := a.bring(o, unpacked, path, r.inputs); err != nil {
		return err
	}
	rep, err := o.Graph()
	if err != nil {
		return exit.Wrong(fmt.Errorf("%s: %w", path, err))
	}
	if names := rep.Runs(); len(names) > 0 && !r.allow {
		return exit.Wrongf("%s runs commands of its author (%s); if you trust the author, add --allow-commands", path, words.Some(names, 5))
	}
	return audit.Bundle(a.Console, o.Lock, room, rep, differ.OfLock(path, o.Lock, unpacked), r.Options)
}

// bring looks for the inputs that a bundle leaves out.
func (a *app) bring(o *bundle.Opened, store *disk.Store, path, dir string) error {
	if len(o.HasNo) == 0 && dir != "" {
		return exit.Wrongf("%s has its inputs: leave out --inputs", path)
	}
	if dir != "" {
		sizes := lists.SetOf(o.HasNo, func(f lock.File) int64 { return f.Ref.Size })
		err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || len(o.HasNo) == 0 {
				return err
			}
			if info, err := e.Info(); err != nil || !sizes[info.Size()] {
				return err
			}
			ref, err := store.HashFile(context.Background(), name, true)
			if err != nil {
				return err
			}
			return o.Bring(name, ref)
		})
		if err != nil {
			return err
		}
	}
	if len(o.HasNo) == 0 {
		return nil
	}
	names := lists.Map(o.HasNo, func(f lock.File) string { return f.Name })
	if dir != "" {
		return exit.Wrongf("%s has no file with the content of %s", dir, words.Some(names, 5))
	}
	return exit.Wrongf("%s leaves out its inputs (%s): name their directory by --inputs DIR", path, words.Some(names, 5))
}
