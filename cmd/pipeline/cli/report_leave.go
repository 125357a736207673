package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/pipelines"
	"prgnn/stages/report"
)

// leaveReport leaves the page of a pipeline's report stage beside the file, named after
// it: the stored result of the stage, byte for byte. After a failure the page is made from
// the results that are there, and says what is missing. A page that somebody has edited is kept
// under another name; a file that is no report is not touched. A place that cannot be
// written fails no run.
func (a *app) leaveReport(p *pipelines.Pipeline, store *artifacts.Store, r *dag.Result, o dag.Options) {
	task := reportStage(p.Graph)
	if task == nil || r.Outputs[task.ID] == nil && !asksFor(p.Graph, task, o) {
		return
	}
	path := filepath.Join(p.Dir, pageName(p))
	var page []byte
	c, err := results.LookUp(p, store)
	if err == nil && r.Outputs[task.ID] != nil {
		page, err = storedPage(c, task)
	}
	if err == nil && page == nil {
		page, _, err = partialPage(c, task, r.Errors)
	}
	var kept string
	if err != nil {
		setAside(path)
	} else {
		kept, err = replacePage(path, page)
	}
	if err != nil {
		a.Warn("the report was not left in %s: %v\n  pipeline report %s -o PATH writes it elsewhere", path, err, p.File)
		return
	}
	if a.JSON {
		a.Object(reportEvent{"report", path, len(page), nil})
	}
	if kept != "" {
		a.Warn("%s had been edited: the edited page is now %s", path, kept)
	}
	if r.Outputs[task.ID] == nil {
		a.Note("report: %s (incomplete)", path)
		return
	}
	a.Note("report: %s", path)
}

// noteOldReport says after an interruption that the page beside the file is not of this run.
func (a *app) noteOldReport(p *pipelines.Pipeline) {
	path := filepath.Join(p.Dir, pageName(p))
	if page, err := regular.ReadFile(path); reportStage(p.Graph) != nil && err == nil && report.IsReport(page) {
		a.Note("%s is of an earlier run", path)
	}
}

// asksFor reports whether a run includes a task.
func asksFor(g *dag.Graph, task *dag.Node, o dag.Options) bool {
	if len(o.Only) == 0 && len(o.Until) == 0 {
		return true
	}
	chosen, err := g.Select(slices.Concat(o.Only, o.Until)...)
	return err == nil && slices.Contains(chosen, task)
}

// pageName is the name of the page that a run leaves: that of the file, and not of the
// pipeline, which two files of one directory may share. A page of x.yml is x.yml.html
// beside a file x.yaml.
func pageName(p *pipelines.Pipeline) string {
	base := filepath.Base(p.File)
	name, yml := strings.CutSuffix(base, ".yml")
	if yml {
		if _, err := os.Stat(filepath.Join(p.Dir, name+".yaml")); err == nil {
			return base + ".html"
		}
	}
	return strings.TrimSuffix(name, ".yaml") + ".html"
}

// replacePage puts a page in the place of the one that is there, unless they are equal.
// kept is the copy of a page that is not as it was written: no run makes that one again.
func replacePage(path string, page []byte) (kept string, err error) {
	old, err := regular.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case bytes.Equal(old, page):
		return "", nil
	case !report.IsReport(old):
		return "", errors.New("a file of that name is there, which is no report of ours")
	case !report.Intact(old):
		if kept, err = keepAside(path, old); err != nil {
			return "", err
		}
	}
	return kept, console.WriteFile(path, func(w io.Writer) error { _, err := w.Write(page); return err })
}

// setAside renames the page of an earlier run where no page of this run can be made, so
// that nobody takes one for the other.
func setAside(path string) {
	if page, err := regular.ReadFile(path); err == nil && report.IsReport(page) {
		if _, err := keepAside(path, page); err == nil {
			_ = os.Remove(path)
		}
	}
}

// keepAside copies a page to NAME.earlier.html. A page there that somebody has edited
// stays: the copy goes to NAME.earlier-2.html, and so on.
func keepAside(path string, page []byte) (string, error) {
	for i := 1; ; i++ {
		name := strings.TrimSuffix(path, ".html") + ".earlier.html"
		if i > 1 {
			name = fmt.Sprintf("%s.earlier-%d.html", strings.TrimSuffix(path, ".html"), i)
		}
		old, err := os.ReadFile(name)
		if err == nil && !report.Intact(old) && !bytes.Equal(old, page) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return name, console.WriteFile(name, func(w io.Writer) error { _, err := w.Write(page); return err })
	}
}
