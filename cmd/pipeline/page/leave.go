package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/report"
	"prgnn/stages/role"
)

// Leave leaves the page of a pipeline's report stage beside the file, named after
// it: the stored result of the stage, byte for byte. After a failure the page is made from
// the results that are there, and says what is missing. A page that somebody has edited is kept
// under another name, and so is the complete one of an earlier run after a failure; a file that is no report is
// not touched. The error says why there is no page; it has been printed.
//
// When ctx ends first, the page of an earlier run stays, and the error is that of ctx: nothing has been printed.
func Leave(ctx context.Context, a *console.Console, p *pipelines.Pipeline, store *disk.Store, r *engine.Result,
	o engine.Options) error {
	task := Stage(p.Graph)
	if task == nil || r.Outputs[task.ID()] == nil && !asksFor(p.Graph, task, o) {
		return nil
	}
	console.SweepUnfinished(p.Dir)
	path := filepath.Join(p.Dir, fileName(p))
	var page []byte
	err := MayLeave(p, store, o)
	other := err != nil // stays where it is
	var c *results.Current
	if err == nil {
		c, err = results.LookUp(ctx, p, store)
	}
	if err == nil && r.Outputs[task.ID()] != nil {
		page, err = stored(c, task)
	}
	if err == nil && page == nil {
		page, _, err = partial(ctx, a, c, task, r.Errors)
	}
	var kept string
	scans, whole, unedited := 0, false, false
	if err != nil && ctx.Err() == nil && !other {
		setAside(a, path)
	}
	if err == nil {
		scans, err = leaveScans(ctx, a, c, task, path)
	}
	if err == nil && ctx.Err() == nil {
		old, _ := regular.ReadFile(path)
		unedited = report.Unedited(old)
		whole = report.Incomplete(page) && report.Unedited(old) && !report.Incomplete(old)
		if whole {
			kept, err = keepAside(a, path, old, true)
		}
	}
	if err == nil && ctx.Err() == nil {
		edited, failed := replacePage(a, path, page, func(old []byte) bool {
			return export.Wrote(store, old, output(left, p, store))
		})
		kept, err = cmp.Or(edited, kept), failed
		if err == nil {
			export.Remember(store, page, output(left, p, store))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		a.Warn("the report was not written to %s: %v\n  pipeline report %s -o PATH writes it elsewhere", path, err, console.Shell(p.File))
		return err
	}
	if a.JSON {
		a.Object("report", event{path, len(page), nil})
	}
	more := ""
	if r.Outputs[task.ID()] == nil {
		more = " (incomplete)"
	}
	if kept != "" && whole {
		more += "; the complete report of an earlier run was renamed to " + kept
	} else if kept != "" {
		why := "had been edited: the edited page"
		if unedited {
			why = "is not of this file in this store: that page"
		}
		a.Warn("%s %s was renamed to %s", path, why, kept)
	}
	if scans > 0 {
		more += ", and " + besides(scans, path)
	}
	if of := task.Stage().Tasks(); len(of) > 1 {
		more += fmt.Sprintf("; it is the report of %s, one of %d; pipeline export %s %s -o DIR/ writes all", task.ID(), len(of),
			console.Shell(p.File), task.Stage().Name())
	}
	a.Note("report: %s%s", path, more)
	return nil
}

// MayLeave is why a run may not leave its page beside the file: another command wrote one there, which no run makes
// again; nil where it may, or makes none.
func MayLeave(p *pipelines.Pipeline, store *disk.Store, o engine.Options) error {
	task := Stage(p.Graph)
	if task == nil || !asksFor(p.Graph, task, o) {
		return nil
	}
	path := filepath.Join(p.Dir, fileName(p))
	old, err := regular.ReadFile(path)
	if err != nil || !report.Unedited(old) || export.Wrote(store, old, output(left, p, store)) {
		return nil // what is edited is kept under another name
	}
	for command, of := range map[string]string{"report": Report + " ", "validate": Validation + " of "} {
		if export.WroteAny(store, old, of) {
			return fmt.Errorf("%s was written by pipeline %s -o, and the page of the run has this name: rename that page", path, command)
		}
	}
	return nil
}

// NoteEarlier says after an interruption that the page beside the file is not of this run.
func NoteEarlier(a *console.Console, p *pipelines.Pipeline) {
	path := filepath.Join(p.Dir, fileName(p))
	if page, err := regular.ReadFile(path); Stage(p.Graph) != nil && err == nil && report.IsReport(page) {
		a.Note("%s belongs to an earlier run", path)
	}
}

// asksFor reports whether a run includes a task.
func asksFor(g *dag.Graph, task *dag.Node, o engine.Options) bool {
	if len(o.Only) == 0 && len(o.Until) == 0 {
		return true
	}
	chosen, err := g.Select(slices.Concat(o.Only, o.Until)...)
	return err == nil && slices.Contains(chosen, task)
}

// fileName is the name of the page that a run leaves: that of the file, and not of the
// pipeline, which two files of one directory may share. A page of x.yml is x.yml.html
// beside a file x.yaml.
func fileName(p *pipelines.Pipeline) string {
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
// kept is the copy of a page that is not as it was written, or not ours: no run makes that one again.
func replacePage(a *console.Console, path string, page []byte, ours func(old []byte) bool) (kept string, err error) {
	old, err := regular.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case bytes.Equal(old, page):
		return "", nil
	case !report.IsReport(old):
		return "", errors.New("a file of that name exists that is not a report of this program")
	case !report.Intact(old) || !ours(old):
		if kept, err = keepAside(a, path, old, !report.Intact(old)); err != nil {
			return "", err
		}
	}
	return kept, a.WriteFile(path, console.Content(page))
}

// setAside renames the page of an earlier run where no page of this run can be made, so
// that nobody takes one for the other.
func setAside(a *console.Console, path string) {
	if page, err := regular.ReadFile(path); err == nil && report.IsReport(page) {
		if _, err := keepAside(a, path, page, true); err == nil {
			_ = os.Remove(path)
		}
	}
}

// keepAside copies a page to NAME.earlier.html. A page there that somebody has edited
// stays: the copy goes to NAME.earlier-2.html, and so on. Without over, every page there stays.
func keepAside(a *console.Console, path string, page []byte, over bool) (string, error) {
	for i := 1; ; i++ {
		name := strings.TrimSuffix(path, ".html") + ".earlier.html"
		if i > 1 {
			name = fmt.Sprintf("%s.earlier-%d.html", strings.TrimSuffix(path, ".html"), i)
		}
		old, err := os.ReadFile(name)
		if err == nil && (!over || !report.Intact(old)) && !bytes.Equal(old, page) {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return name, a.WriteFile(name, console.Content(page))
	}
}

// leaveScans writes the pages of single scans that a report leads to, into the directory beside it. Pages there that
// are
// of an earlier run, and that nobody has edited, are removed; other files stay. n is how many pages there are.
func leaveScans(ctx context.Context, a *console.Console, c *results.Current, task *dag.Node, path string) (
	n int, err error) {
	dir := report.SheetDir(path)
	inputs := map[string][]dag.Input{}
	for _, b := range task.Inputs() {
		if b.Port != "scans" && b.Port != "participants" {
			continue
		}
		for _, src := range b.Sources {
			in, ok, err := inputOf(ctx, c, src)
			if err != nil {
				return 0, err
			}
			if ok {
				inputs[b.Port] = append(inputs[b.Port], in)
			}
		}
	}
	pages, err := reporter(task).Beside(dag.NewTask(inputs))
	if err != nil {
		return 0, err
	}
	if len(pages) > 0 {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return 0, err
		}
	}
	ours := map[string]bool{}
	var kept []string
	for _, p := range pages {
		ours[p.Name] = true
		html, err := p.Text()
		if err != nil {
			return 0, err
		}
		name, err := replacePage(a, filepath.Join(dir, p.Name), html, func([]byte) bool { return true })
		if err != nil {
			return 0, err
		}
		if name != "" {
			kept = append(kept, filepath.Base(name))
		}
	}
	if kept != nil {
		a.Warn("edited scan pages are kept: %s", words.Some(kept, 6))
	}
	return len(pages), removePages(dir, ours)
}

// removePages removes the pages of a directory that are reports as they were written, but for some, and the directory
// if nothing is left in it.
func removePages(dir string, but map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	left := len(entries)
	for _, e := range entries {
		if but[e.Name()] || !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".html") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if page, err := regular.ReadFile(path); err == nil && report.Unedited(page) {
			if err := os.Remove(path); err != nil {
				return err
			}
			left--
		}
	}
	if left == 0 {
		return os.Remove(dir)
	}
	return nil
}

// besides names the pages of scans beside a report.
func besides(n int, path string) string {
	return words.Count(n, "page") + " of scans in " + report.SheetDir(path) + string(filepath.Separator)
}

// ExportScans writes the pages of single scans beside a report that has been exported.
func ExportScans(ctx context.Context, a *console.Console, c *results.Current, e export.Options) error {
	sel, err := results.Choose(c.Pipeline.Graph, e.What)
	if err != nil || e.Path == "-" || len(sel.Tasks) == 0 {
		return err
	}
	if _, ok := sel.Tasks[0].Instance().(role.Reporter); !ok {
		return nil
	}
	path := e.Path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name := sel.Stage.Name()
		if e.Format == "all" {
			name = sel.Port.Name
		}
		path = filepath.Join(path, name+".html")
	}
	n, err := leaveScans(ctx, a, c, sel.Tasks[0], path)
	if n > 0 && !a.JSON {
		a.Note("wrote %s", besides(n, path))
	}
	return err
}
