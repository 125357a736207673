// Package page makes the HTML page of a report from the results of a store, and leaves it beside the pipeline file.
package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts/disk"
	"prgnn/cmd/pipeline/console"
	"prgnn/cmd/pipeline/exit"
	"prgnn/cmd/pipeline/export"
	"prgnn/cmd/pipeline/results"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/internal/lists"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/differ"
	"prgnn/pipelines/layer"
	"prgnn/stages/fold"
	"prgnn/stages/role"
)

type event struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
	// Missing are tasks without a result, whose part is not in the report.
	Missing []string `json:"missing,omitempty"`
}

// What a page is of, in the record of what was written from a store.
const (
	Report     = "report"
	Validation = "validation"
	left       = "run" // a page that a run leaves
)

// ValidationOf is a validation of these models, which is no page of other ones.
func ValidationOf(models []string) string {
	return Validation + " of " + strings.Join(lists.Map(models, func(path string) string {
		if full, err := filepath.Abs(path); err == nil {
			return full
		}
		return path
	}), ", ")
}

// output is what a page of a pipeline file is in the record of a store: files of one study have one name wherever store
// and file are together.
func output(what string, p *pipelines.Pipeline, store *disk.Store) string {
	file := p.File
	if full, err := filepath.Abs(file); err == nil {
		file = full
	}
	if dir, err := filepath.Abs(store.Dir()); err == nil {
		if near, err := filepath.Rel(dir, file); err == nil {
			file = near
		}
	}
	return what + " " + filepath.ToSlash(file)
}

// MayWrite is why no page may be written to a path; nil where it may. A file that is there is replaced where it is an
// unedited page of the same file and kind.
func MayWrite(a *console.Console, p *pipelines.Pipeline, store *disk.Store, path, what string) error {
	ours := func(b []byte) bool {
		return export.Wrote(store, b, output(what, p, store)) ||
			what == Report && export.Wrote(store, b, output(left, p, store))
	}
	kind, models, _ := strings.Cut(what, " of ")
	if models != "" {
		models = " with " + models
	}
	if err := a.MayReplace(path, fmt.Sprintf("an unedited %s of %s%s", kind, p.File, models), console.Holds(ours)); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return exit.Wrongf("%s is a directory: PATH is a file, such as %s", path, filepath.Join(path, kind+".html"))
	}
	if dir := filepath.Dir(path); path != "-" {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return exit.Wrongf("%s: there is no directory %s: make it, or name another PATH", path, dir)
		}
	}
	return nil
}

// Write writes the page of a pipeline that has a report stage, and the pages of single scans beside it. It is the
// stored result of the stage, byte for byte; where there is none, the page is made from the results that are there.
// A path of - is stdout.
func Write(ctx context.Context, a *console.Console, c *results.Current, path, what string, pdf bool) error {
	task := Stage(c.Pipeline.Graph)
	var missing []string
	page, err := stored(c, task)
	if page == nil && err == nil {
		page, missing, err = partial(ctx, a, c, task, nil)
	}
	if err != nil {
		return err
	}
	scans := 0
	if path != "-" && !pdf {
		if scans, err = leaveScans(ctx, a, c, task, path); err != nil {
			return err
		}
	}
	return write(ctx, a, c, path, what, page, pdf, missing, scans)
}

// write writes a page, as PDF if asked for, and reports it; beside it are so many pages of scans.
func write(ctx context.Context, a *console.Console, c *results.Current, path, what string, page []byte, pdf bool,
	missing []string, scans int) (err error) {
	if pdf {
		if page, err = PDF(ctx, page); err != nil {
			return err
		}
	}
	if err = a.WriteTo(path, console.Content(page)); err != nil {
		return err
	}
	if path != "-" {
		export.Remember(c.Store, page, output(what, c.Pipeline, c.Store))
	}
	switch {
	case path == "-":
	case a.JSON:
		a.Object("report", event{path, len(page), missing})
	default:
		what := ", one file that opens anywhere"
		if pdf {
			what = ""
		}
		a.Note("wrote %s (%s)%s", path, console.ByteCount(int64(len(page))), what)
		if scans > 0 {
			a.Note("wrote %s", besides(scans, path))
		}
		if len(missing) > 0 {
			a.Note("%s without a result, not in the report: %s", words.Count(len(missing), "task"), words.Some(missing, 6))
		}
	}
	return nil
}

// Stage is a task of the last stage that reports (role.Reporter): the first that has no other settings than the
// headline, or the first one; nil when there is none.
func Stage(g *dag.Graph) (first *dag.Node) {
	for _, s := range slices.Backward(g.Stages()) {
		for n := range role.With[role.Reporter](s) {
			if agreesWithHeadline(n) {
				return n
			}
			first = cmp.Or(first, n)
		}
		if first != nil {
			return first
		}
	}
	return nil
}

// agreesWithHeadline reports whether a task has no other value than its headline on an axis of both.
func agreesWithHeadline(n *dag.Node) bool {
	page, is := n.Instance().(role.Referrer)
	return is && !slices.ContainsFunc(page.RefersTo().Coords, func(text string) bool {
		axis, value, _ := strings.Cut(text, "=")
		return slices.ContainsFunc(n.Coords(), func(c dag.Coord) bool { return c.Axis == axis && c.Value != value })
	})
}

// Settings are these settings of a graph without a report stage, and those that add one that shows the results it has.
// Where they select stages, as those of a validation do, the report is one more.
func Settings(g *dag.Graph, sets []string) []string {
	name := freeName(g, "report")
	with := append(slices.Clip(sets), "stages."+name+"="+connected(g, Kind()))
	if layer.Select(sets) {
		with = append(with, "stages=["+name+"]")
	}
	return with
}

func freeName(g *dag.Graph, name string) string {
	for results.HasStage(g, name) || g.LeftOut(name) != "" {
		name += "_"
	}
	return name
}

// Kind is the kind of the program that reports; nil where it has none.
func Kind() *dag.Kind {
	for _, k := range dag.Kinds() {
		if _, ok := k.New().(role.Reporter); ok {
			return k
		}
	}
	return nil
}

// connected writes a stage of a kind of page that shows what a graph has.
func connected(g *dag.Graph, kind *dag.Kind) string {
	in := []string{"settings: pipeline.settings", "notes: pipeline.notes", "excluded: pipeline.excluded", "overview: pipeline.graph"}
	has := kind.New().Ports().In
	in = slices.DeleteFunc(append(in, connections(g)...), func(of string) bool {
		port, _, _ := strings.Cut(of, ":")
		return !slices.ContainsFunc(has, func(p dag.Port) bool { return p.Name == port })
	})
	return "{ use: " + kind.Name + ", in: { " + strings.Join(in, ", ") + " } }"
}

// connections are the inputs that a stage that reports has from the stages of a graph.
func connections(g *dag.Graph) (in []string) {
	kind := Kind()
	reported, nested := kind.New().(role.Reporter).Shows(), ofChoices(g)
	for _, port := range kind.New().Ports().In {
		from, output, _ := strings.Cut(reported[port.Name], ".")
		var refs []string
		for _, s := range g.Stages() {
			if s.Kind().Name != from && (from != "cohort" || s.Name() != "cohort") || len(s.Tasks()) == 0 {
				continue
			}
			if !slices.ContainsFunc(s.Tasks()[0].Instance().Ports().Out,
				func(p dag.Port) bool { return p.Name == output }) ||
				from == "evaluate" && nested[s.Name()] != (port.Name == "nested") {
				continue
			}
			switch {
			case len(s.Axes()) == 0:
				refs = append(refs, s.Name()+"."+output)
			case port.Gather:
				refs = append(refs, `"`+s.Name()+"[*]."+output+`"`)
			}
		}
		switch {
		case len(refs) == 0:
		case port.Gather && len(refs) > 1:
			in = append(in, port.Name+": ["+strings.Join(refs, ", ")+"]")
		default:
			in = append(in, port.Name+": "+refs[len(refs)-1])
		}
	}
	return in
}

// ofChoices are the evaluations of settings chosen inside folds, by name, where there is one of all settings, too.
func ofChoices(g *dag.Graph) map[string]bool {
	of, plain := map[string]bool{}, false
	for _, s := range g.Stages() {
		if s.Kind().Name != "evaluate" || len(s.Tasks()) == 0 {
			continue
		}
		for _, b := range s.Tasks()[0].Inputs() {
			if b.Port == "predictions" {
				of[s.Name()] = slices.ContainsFunc(b.Sources, func(from dag.Source) bool {
					return from.Node != nil && role.Port(from.Node.Instance(), role.OuterFolds) != ""
				})
				plain = plain || !of[s.Name()]
			}
		}
	}
	if !plain {
		return nil
	}
	return of
}

// Stored is the page of a report's task as the store has it; nil when the task has no
// result.
func stored(c *results.Current, task *dag.Node) ([]byte, error) {
	there, _ := c.Split([]*dag.Node{task})
	if there == nil {
		return nil, nil
	}
	return differ.ReadBlob(c.Store, c.Ref(task, "page"))
}

// Partial makes a page from the results that are there, and names the tasks that have
// none. failures are those of the run that leaves the page.
func partial(ctx context.Context, a *console.Console, c *results.Current, task *dag.Node,
	failures []*engine.Error) (page []byte, missing []string, err error) {
	in, of, err := there(ctx, a, c, task, failures)
	if err != nil {
		return nil, nil, err
	}
	page, err = reporter(task).PageOf(dag.NewTask(in.ports), of)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", task.ID(), err)
	}
	return page, in.missing, nil
}

// there are the inputs of a report that are there, and what is missing; without any there is nothing to report.
func there(ctx context.Context, a *console.Console, c *results.Current, task *dag.Node, failures []*engine.Error) (
	in *reportInputs, of role.Partial, err error) {
	if in, err = inputsOf(ctx, c, task); err != nil {
		return nil, of, err
	}
	if in.results == 0 {
		return nil, of, errors.New("there is no result to report yet\n  " + c.RunAll(a) + " makes them")
	}
	return in, role.Partial{Duplicates: in.twins, Lacking: slices.Sorted(maps.Keys(in.lacking)),
		Missing: c.Lacks(in.missing, in.unchecked, failures)}, nil
}

func reporter(task *dag.Node) role.Reporter { return task.Instance().(role.Reporter) }

// reportInputs are the inputs of a report that are there.
type reportInputs struct {
	ports     map[string][]dag.Input
	results   int             // how many are results of stages
	missing   []string        // tasks without a result
	unchecked []string        // leakage checks without a result
	twins     []string        // participants whose scan has another id, by these checks
	lacking   map[string]bool // participants with a task without a result
}

// inputsOf opens the inputs of a report that are there. Where a leakage check has no result, those that need a trained
// model are left out.
func inputsOf(ctx context.Context, c *results.Current, task *dag.Node) (*reportInputs, error) {
	all := &reportInputs{ports: map[string][]dag.Input{}, lacking: map[string]bool{}}
	gathers, checks := map[string]bool{}, role.Port(task.Instance(), role.Checks)
	others := otherOptions(c)
	there := map[string]bool{} // results of participants, by others
	lacks := map[string]string{}
	for _, p := range task.Instance().Ports().In {
		gathers[p.Name] = p.Gather
	}
	for _, b := range task.Inputs() {
		for _, src := range b.Sources {
			in, ok, err := inputOf(ctx, c, src)
			if err != nil {
				return nil, err
			}
			if !ok {
				if id := src.Node.ID(); !slices.Contains(all.missing, id) {
					all.missing = append(all.missing, id)
				}
				if who := in.Coord("subject"); who != "" {
					lacks[others(src)] = who
				}
				if b.Port == checks {
					all.unchecked = append(all.unchecked, src.Node.ID())
					all.twins = append(all.twins, fold.LoggedDuplicates(c.Log(src.Node))...)
				}
				continue
			}
			if src.Node != nil && src.Node.Stage().Kind().Name != "pipeline" {
				all.results++
			}
			if src.Node != nil {
				there[others(src)] = true
			}
			if !gathers[b.Port] {
				in.Coords = nil
			}
			all.ports[b.Port] = append(all.ports[b.Port], in)
		}
	}
	for of, who := range lacks {
		if !there[of] {
			all.lacking[who] = true
		}
	}
	if _, reports := task.Instance().(role.Reporter); reports && all.unchecked != nil {
		maps.DeleteFunc(all.ports, func(port string, _ []dag.Input) bool {
			return reporter(task).NeedsModels(port)
		})
	}
	return all, nil
}

// otherOptions gives results that only differ in options of the file's decisions one text: a participant whose result
// of
// one option is missing, and of another is there, is in the numbers of the page.
func otherOptions(c *results.Current) func(dag.Source) string {
	decisions := map[string]bool{}
	if u := c.Pipeline.Universes; u != nil {
		for _, d := range u.Decisions {
			decisions[d.Name] = true
		}
	}
	return func(src dag.Source) string {
		coords := slices.DeleteFunc(slices.Clone(src.Node.Coords()),
			func(c dag.Coord) bool { return decisions[c.Axis] })
		return dag.TaskID(src.Node.Stage().Name(), coords, "subject") + "." + src.Output
	}
}

// inputOf opens one source of a task, which is read until ctx ends; not ok when it has no result.
func inputOf(ctx context.Context, c *results.Current, src dag.Source) (in dag.Input, ok bool, err error) {
	in = dag.Input{Coords: src.Coords}
	if src.Node == nil {
		in.Name, in.Path = src.File, src.File
		in.Ref, err = c.Store.HashFile(ctx, src.File, false)
		in.Ref.Format = src.Format
		in.Reader = until(ctx, func() (io.ReadCloser, error) { return regular.Open(src.File) })
		return in, err == nil, err
	}
	step := c.Steps[src.Node]
	if src.Node.Stage().Kind().Name == "pipeline" {
		// What the pipeline itself is needs no run.
		out, err := src.Node.Instance().Run(ctx, dag.NewTask(nil))
		if err != nil {
			return in, false, err
		}
		in = dag.InputOf(out[src.Output])
		return in, true, nil
	}
	if step == nil || step.State != engine.Cached {
		return in, false, nil
	}
	in.Name, in.Ref = src.Node.ID()+"."+src.Output, step.Outputs.Of(src.Output)
	in.Reader = until(ctx, func() (io.ReadCloser, error) { return c.Store.OpenBlob(in.Ref) })
	if !c.Store.Has(in.Ref) {
		return in, false, nil
	}
	return in, true, nil
}

// until opens what is read until ctx ends.
func until(ctx context.Context, open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{regular.Until(ctx, r), r}, nil
	}
}
