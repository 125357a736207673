package page

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/version"
	"prgnn/stages/present/methods"
)

// Cites reports whether a graph has a report that knows the parameters, and with them the works to cite.
func Cites(g *dag.Graph) bool {
	task := Stage(g)
	return task != nil && knowsSettings(task)
}

func knowsSettings(task *dag.Node) bool {
	return slices.ContainsFunc(task.Inputs(), func(b dag.Binding) bool {
		return b.Port == "settings" && len(b.Sources) > 0
	})
}

// Citation is CITATION.bib and CITATION.md of a report, from the inputs that are there, and the tasks that have no
// result. The report is connected to pipeline.settings.
func Citation(c *results.Current, task *dag.Node) (files map[string]string, missing []string, err error) {
	in, err := inputsOf(c, task)
	if err != nil {
		return nil, nil, err
	}
	cited, err := methods.Cite(dag.NewTask(in.ports))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", task.ID(), err)
	}
	files = map[string]string{"CITATION.bib": cited.BibTeX(version.Number),
		"CITATION.md": cited.Markdown()}
	return files, in.missing, nil
}

type citationEvent struct {
	Event string   `json:"event"` // "citations"
	Paths []string `json:"paths"`
}

// ExportCitation writes what to cite for the results of a report into a directory.
func ExportCitation(a *console.Console, c *results.Current, e export.Options) error {
	sel, err := results.Choose(c.Pipeline.Graph, e.What)
	if err != nil {
		return err
	}
	if sel.Stage.Kind().Name != "report" {
		return exit.Wrongf("--citations is for a stage of the kind report, but %s is %s", sel.Stage.Name(), sel.Stage.Kind().Name)
	}
	task := sel.Tasks[0]
	if !knowsSettings(task) {
		return exit.Wrongf("%s does not know the parameters, and so not what to cite: add settings: pipeline.settings to its inputs", task.ID())
	}
	if there, others := c.Shown(sel.Tasks); len(others) > 0 {
		return c.Missing(a, sel, there, others, "")
	}
	files, missing, err := Citation(c, task)
	if err != nil {
		return err
	}
	if missing != nil {
		return fmt.Errorf("results that %s was made from are no longer in the store: %s\n  %s makes them again", task.ID(),
			missing[0], c.RunAll(a))
	}
	done := citationEvent{Event: "citations"}
	names := []string{"CITATION.bib", "CITATION.md"}
	for _, name := range names {
		if err := a.MayReplace(filepath.Join(e.Path, name), "a citation that this program wrote",
			console.Holds(methods.IsCitation)); err != nil {
			return err
		}
	}
	out, err := a.Files(e.Path)
	if err != nil {
		return err
	}
	defer out.Discard()
	for _, name := range names {
		path := filepath.Join(e.Path, name)
		err := out.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, files[name]); return err })
		if err != nil {
			return err
		}
		done.Paths = append(done.Paths, path)
	}
	if err := out.Publish(); err != nil {
		return err
	}
	if a.JSON {
		a.Object(done)
		return nil
	}
	a.Note("wrote %s and %s", done.Paths[0], done.Paths[1])
	return nil
}
