package trace

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/lock"
	"prgnn/pipelines/provenance"
)

type provenanceEvent struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Tasks  int    `json:"tasks"`
}

// Write writes the provenance of results, those of the run with the id or of now, as a crate or as PROV.
func Write(a *console.Console, c *results.Current, id, path, format, license string) error {
	if err := a.MayReplace(path, "a provenance record of this program", console.Holds(provenance.IsPROV)); err != nil {
		return err
	}
	l, err := c.Lock(a)
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
		if strings.HasPrefix(r.ID, id) {
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
		err = writeCrate(a, c, run, path)
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

// writeCrate fills a directory: a new or empty one, or that of an earlier crate.
func writeCrate(a *console.Console, c *results.Current, run *provenance.Run, dir string) error {
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
	ref := artifacts.Ref{Digest: artifacts.DigestOf(text), Size: int64(len(text)), Format: "text"}
	files := []provenance.File{{Path: lock.FileName, Label: lock.FileName, Ref: ref}}
	workflow := export.PlainName(run.Lock.File)
	for name, b := range map[string][]byte{lock.FileName: text, workflow: []byte(run.Lock.Text)} {
		if err := put(name, b); err != nil {
			return err
		}
	}
	ends := differ.Conclusions(c.Pipeline.Graph)
	for n := range c.Pipeline.Graph.Tasks() {
		for _, port := range ends[n] {
			ref, err := c.Kept(a, n, port)
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
