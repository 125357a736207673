package page

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/stages/role"
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

// Citation are the files that list what to cite for a report, from the inputs that are there, and the tasks that have
// no result. The report is connected to pipeline.settings.
func Citation(c *results.Current, task *dag.Node) (files []role.File, missing []string, err error) {
	in, err := inputsOf(context.Background(), c, task)
	if err != nil {
		return nil, nil, err
	}
	if files, err = reporter(task).Cites(dag.NewTask(in.ports)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", task.ID(), err)
	}
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
	task := sel.Tasks[0]
	by, ok := task.Instance().(role.Reporter)
	if !ok {
		return exit.Wrongf("--citations is for a stage of the kind report, but %s is %s", sel.Stage.Name(), sel.Stage.Kind().Name)
	}
	if !knowsSettings(task) {
		return exit.Wrongf("%s lacks the parameters that determine what to cite; add settings: pipeline.settings to its inputs", task.ID())
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
	for _, f := range files {
		if err := a.MayReplace(filepath.Join(e.Path, f.Name), "a citation that this program wrote",
			console.Holds(by.Cited)); err != nil {
			return err
		}
	}
	out, err := a.Files(e.Path)
	if err != nil {
		return err
	}
	defer out.Discard()
	for _, f := range files {
		path := filepath.Join(e.Path, f.Name)
		text, err := f.Text()
		if err != nil {
			return err
		}
		err = out.Write(path, func(w io.Writer) error { _, err := w.Write(text); return err })
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
	a.Note("wrote %s", strings.Join(done.Paths, " and "))
	return nil
}
