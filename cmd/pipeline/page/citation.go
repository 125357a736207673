package page

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/stages/literature"
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

// A citedFile is one of the files of a citation.
type citedFile struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	Path string `json:"path,omitempty"`
}

// Cite writes what to cite for the results of a report stage: to the directory dir or, where that is empty, to stdout.
// Of several report stages, stage selects one; by default it is the last. added reports that the file lacks it.
func Cite(a *console.Console, c *results.Current, stage, dir string, added bool) error {
	task := Stage(c.Pipeline.Graph)
	if stage != "" {
		sel, err := results.Choose(c.Pipeline.Graph, stage)
		if err != nil {
			return err
		}
		task = sel.Tasks[0]
	}
	switch {
	case task == nil && dir != "":
		return exit.Wrongf("nothing lists the works that the results used; pipeline cite without FILE prints what to cite for " +
			"the program")
	case task == nil:
		CiteProgram(a, false)
		if c.Run != nil && Fits(c.Pipeline.Graph) {
			a.Note("run %s has no stage of the kind report; cite with the pipeline file prints the works that it used", c.Run.ID)
		}
		return nil
	}
	by, ok := task.Instance().(role.Reporter)
	if !ok {
		return exit.Wrongf("cite takes a stage of the kind report, but %s is %s", task.Stage().Name(), task.Stage().Kind().Name)
	}
	if !knowsSettings(task) {
		return exit.Wrongf("%s lacks the parameters that determine what to cite; add settings: pipeline.settings to its inputs", task.ID())
	}
	if !added {
		sel, err := results.Choose(c.Pipeline.Graph, task.ID())
		if err != nil {
			return err
		}
		if there, others := c.Shown(sel.Tasks); len(others) > 0 {
			return c.Missing(a, sel, there, others, "")
		}
	}
	files, missing, err := Citation(c, task)
	switch {
	case err != nil:
		return err
	case missing != nil && added:
		return fmt.Errorf("%s without a result, so that what they used is unknown: %s\n  %s makes them",
			words.Count(len(missing), "task"), words.Some(missing, 6), c.RunAll(a))
	case missing != nil:
		return fmt.Errorf("results that %s was made from are no longer in the store: %s\n  %s makes them again", task.ID(),
			missing[0], c.RunAll(a))
	}
	return writeCitation(a, files, dir, by.Cited)
}

func writeCitation(a *console.Console, files []role.File, dir string, ours func([]byte) bool) error {
	texts := map[string][]byte{}
	for _, f := range files {
		text, err := f.Text()
		if err != nil {
			return err
		}
		texts[f.Name] = text
	}
	if dir == "" {
		between := ""
		for _, f := range files {
			if !a.AsJSON("citation", citedFile{Name: f.Name, Text: string(texts[f.Name])}) {
				fmt.Fprintf(a.Out, "%s%s", between, texts[f.Name])
				between = "\n"
			}
		}
		return nil
	}
	if err := a.MayWrite(dir); err != nil {
		return err
	}
	out, err := a.Files(dir)
	if err != nil {
		return err
	}
	defer out.Discard()
	paths := lists.Map(files, func(f role.File) string { return filepath.Join(dir, f.Name) })
	for i, path := range paths {
		err := a.MayReplace(path, "a citation that this program wrote", console.Holds(ours))
		if err == nil {
			err = out.Write(path, console.Content(texts[files[i].Name]))
		}
		if err != nil {
			return err
		}
	}
	if err := out.Publish(); err != nil {
		return err
	}
	for i, f := range files {
		if a.JSON {
			a.Object("citation", citedFile{Name: f.Name, Path: paths[i]})
		}
	}
	a.Note("wrote %s", strings.Join(paths, " and "))
	return nil
}

// CiteProgram prints the references to the program and, with its model and where a kind trains that, to the paper of
// PR-GNN, as text and BibTeX.
func CiteProgram(a *console.Console, model bool) {
	works := []string{"prgnn"}
	if _, trains := dag.Lookup("train"); trains && model {
		works = append(works, "li2020")
	}
	var text, bib strings.Builder
	for _, key := range works {
		fmt.Fprintln(&text, literature.Works[key])
		fmt.Fprintf(&bib, "\n%s", literature.Works[key].BibTeX(key, version.Number))
	}
	if a.JSON {
		a.Object("citation", citedFile{Name: "CITATION.md", Text: text.String()})
		a.Object("citation", citedFile{Name: "CITATION.bib", Text: strings.TrimPrefix(bib.String(), "\n")})
		return
	}
	fmt.Fprint(a.Out, text.String(), bib.String())
}
