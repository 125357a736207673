package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/exit"
	"prgnn/dag"
	"prgnn/dag/engine"
	"prgnn/dag/recipe"
	"prgnn/dag/record"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/lock"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// IsRun tells the id of a run from the name of a file.
func IsRun(name string) bool {
	if !runID.MatchString(name) {
		return false
	}
	_, err := os.Stat(name)
	return err != nil
}

var runID = pattern.New(`^[0-9a-f]{1,16}$`)

// LoadRun loads a run by the beginning of its id.
func LoadRun(store *disk.Store, id string) (*record.Record, error) {
	rr, err := store.LoadRun(id)
	if errors.Is(err, artifacts.ErrMiss) {
		return nil, exit.Wrongf("there is no run %s in %s; pipeline runs lists them", id, store.Dir())
	}
	if err != nil {
		return nil, err
	}
	return record.Read(store, rr)
}

// RecordedOutputs finds what a run made, by STAGE, TASK, or either with .OUTPUT;
// * stands for any text.
func RecordedOutputs(r *record.Record, what string) ([]Output, error) {
	name, port := what, ""
	if dot := strings.LastIndexByte(what, '.'); dot > strings.LastIndexByte(what, ']') {
		name, port = what[:dot], what[dot+1:]
	}
	pattern, err := regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, ".*") + "$")
	if err != nil {
		return nil, err
	}
	var outs []Output
	var stages, ports []string
	nodes, b := map[string]*dag.StageNode{}, dag.NewGraph(r.Pipeline)
	for _, t := range r.Tasks {
		stages = append(stages, dag.StageOf(t.ID))
		if !pattern.MatchString(t.ID) && !pattern.MatchString(dag.StageOf(t.ID)) {
			continue
		}
		stage := dag.StageOf(t.ID)
		if nodes[stage] == nil {
			nodes[stage] = b.Stage(stage, nil)
		}
		n := b.TaskNamed(nodes[stage], nil, t.ID)
		for _, out := range t.Outputs {
			ports = append(ports, out.Name)
			if port == "" || port == out.Name {
				outs = append(outs, Output{n, dag.Port{Name: out.Name}, out.Ref})
			}
		}
	}
	switch {
	case len(outs) > 0:
		return outs, nil
	case port != "" && len(ports) > 0:
		return nil, exit.Wrongf("%s made no output %q in run %s%s", name, port, r.ID, words.OrAll(port, slices.Compact(ports)))
	}
	return nil, exit.Wrongf("run %s has no result of %q%s%s", r.ID, name, leftOut(r, name), words.OrAll(name, slices.Compact(stages)))
}

// leftOut says that a stage of the file was no part of a run, if that is why the run has no result of it.
func leftOut(r *record.Record, name string) string {
	p, err := pipelineOf(r)
	if err != nil {
		return ""
	}
	stage := dag.StageOf(name)
	if why := p.Graph.LeftOut(stage); why != "" {
		return ": " + why
	}
	isOf := func(t record.Task) bool { return dag.StageOf(t.ID) == stage }
	if _, err := p.Graph.Select(name); err != nil || slices.ContainsFunc(r.Tasks, isOf) {
		return ""
	}
	switch {
	case r.Until != nil:
		return fmt.Sprintf(": the run was for --until %s, which left it out", strings.Join(r.Until, ", "))
	case r.Only != nil:
		return fmt.Sprintf(": the run was for --only %s, which left it out", strings.Join(r.Only, ", "))
	}
	return ""
}

// OfRun looks up the results of a run. It fails when the pipeline has other results now.
func OfRun(rec *record.Record, store *disk.Store) (*Current, error) {
	p, err := pipelineOf(rec)
	if err != nil {
		return nil, err
	}
	c, err := LookUp(context.Background(), p, store)
	if err != nil {
		return nil, err
	}
	keys := map[string]artifacts.Key{}
	for _, t := range rec.Tasks {
		keys[t.ID] = t.Key
	}
	for n := range p.Graph.Tasks() {
		if k, ran := keys[n.ID()]; c.Steps[n].Key != k || !ran {
			return nil, fmt.Errorf("%s has changed since this run, in its data or in the program, so what it did cannot be described from the data as they are\n  pipeline show %s STAGE and pipeline export %s STAGE give its results; after pipeline run, give the pipeline file for the present ones", n.ID(), rec.ID, rec.ID)
		}
	}
	return c, nil
}

// AsRun returns the results of a run itself, whatever its pipeline has now.
func AsRun(rec *record.Record, store *disk.Store) (*Current, error) {
	p, err := pipelineOf(rec)
	if err != nil {
		return nil, err
	}
	return asRun(p, rec, store), nil
}

// AsRecorded is AsRun, also after the inputs of a run are gone (Current.Gone): then its records have its results.
func AsRecorded(rec *record.Record, store *disk.Store) (*Current, error) {
	c, gone := AsRun(rec, store)
	if gone == nil || !finished(rec) {
		return c, gone
	}
	p, err := ofRecords(rec, store)
	if err != nil {
		return nil, errors.Join(gone, err)
	}
	c = asRun(p, rec, store)
	c.Gone = gone
	return c, nil
}

// finished reports whether all tasks of a run have a result. Otherwise its records do not state which results a failed
// leakage check withholds.
func finished(rec *record.Record) bool {
	return len(rec.Tasks) > 0 && !slices.ContainsFunc(rec.Tasks, func(t record.Task) bool {
		return t.State != engine.Ran && t.State != engine.Cached
	})
}

func asRun(p *pipelines.Pipeline, rec *record.Record, store *disk.Store) *Current {
	tasks := map[string]*record.Task{}
	for i := range rec.Tasks {
		tasks[rec.Tasks[i].ID] = &rec.Tasks[i]
	}
	c := &Current{File: rec.ID, Pipeline: p, Store: store, Run: rec, Steps: map[*dag.Node]*engine.Step{}}
	for n := range p.Graph.Tasks() {
		s := &engine.Step{Node: n, State: engine.Unknown, Reason: "it did not run in run " + rec.ID}
		if t := tasks[n.ID()]; t != nil {
			s.Key = t.Key
			if t.State == engine.Ran || t.State == engine.Cached {
				s.State, s.Reason, s.Outputs = engine.Cached, "", t.Outputs
			}
		}
		c.Steps[n] = s
	}
	return c
}

// Earlier is the last run that has results of some tasks which are not those of now: their inputs, parameters or code
// were others. n is how many; nil is none.
func (c *Current) Earlier(tasks []*dag.Node) (run *record.Record, n int) {
	for past := range record.NewPast(c.Store, c.Pipeline.Graph.Name()).Back {
		for _, t := range tasks {
			old := past.Task(t.ID())
			if old != nil && old.Outputs != nil && c.Steps[t] != nil && old.Key != c.Steps[t].Key {
				n++
			}
		}
		if n > 0 {
			return past, n
		}
	}
	return nil, 0
}

// A Last is the last run of a pipeline file; without an ID, there is none.
type Last struct {
	ID, Pipeline string
	Started      time.Time
	Changed      bool     // the file is another one now
	Sets         []string // --set
}

// LastRun is the last run of a pipeline file whose text is now text (as layer.Source has it).
func LastRun(store *disk.Store, file, text string) (last Last) {
	for last = range runsOf(store, file, text) {
		break
	}
	return last
}

// runsOf are the runs of a pipeline file, newest first.
func runsOf(store *disk.Store, file, text string) iter.Seq[Last] {
	return func(yield func(Last) bool) {
		for r := range disk.LatestRuns(store) {
			ran, source, err := record.FileOf(r)
			if err != nil || filepath.Base(ran) != filepath.Base(file) {
				continue
			}
			then, sets := layer.SplitSource(source)
			if rest, same := strings.CutPrefix(source, text); same { // a comment at its end may look like settings
				then = text
				_, sets = layer.SplitSource(strings.TrimPrefix(rest, "\n"))
			}
			// Not of another file of that name, in a shared store.
			if (then == text || samePath(ran, file)) && !yield(Last{r.ID, r.Pipeline, r.Started, then != text, sets}) {
				return
			}
		}
	}
}

// Tried is the file with the settings of an earlier run, where those of the last run lack results of what a person
// names, and the earlier ones lack none: of the last 100 runs, at most ten different ones. It is nil where there is
// none.
func (c *Current) Tried(what string) *Current {
	if !c.OfLast {
		return nil
	}
	text, _, err := layer.Source(c.File)
	if err != nil {
		return nil
	}
	tried := [][]string{c.Sets}
	n := 0
	for run := range runsOf(c.Store, c.File, text) {
		if n++; n > 100 || len(tried) > 10 {
			return nil
		}
		if slices.ContainsFunc(tried, func(t []string) bool { return slices.Equal(t, run.Sets) }) {
			continue
		}
		tried = append(tried, run.Sets)
		p, err := pipelines.Load(c.File, run.Sets)
		if err != nil {
			continue
		}
		earlier, err := LookUp(context.Background(), p, c.Store)
		if err != nil {
			continue
		}
		earlier.File, earlier.Sets = c.File, run.Sets
		if _, tasks, err := Named(p.Graph, what); err == nil {
			if _, others := earlier.Shown(tasks); len(others) == 0 {
				return earlier
			}
		}
	}
	return nil
}

func samePath(a, b string) bool {
	one, err1 := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && one == other
}

// pipelineOf loads the pipeline file as it was in a run.
func pipelineOf(rec *record.Record) (*pipelines.Pipeline, error) {
	text, sets := layer.SplitSource(rec.Source)
	p, err := (&lock.Lock{File: filepath.Base(rec.File), Text: text, Sets: sets}).Load(filepath.Dir(rec.File), nil)
	if err != nil {
		remedy := "restore what is gone"
		if finished(rec) {
			remedy = fmt.Sprintf("pipeline show %s STAGE and pipeline export %[1]s STAGE give its results, which are in the store; for anything else, restore what is gone", rec.ID)
		}
		return nil, fmt.Errorf("its pipeline can no longer be loaded: %w\n  %s", err, remedy)
	}
	return p, nil
}

// ofRecords makes the tasks of a run from their recipes, and its participants and nodes from their recorded tables.
func ofRecords(rec *record.Record, store *disk.Store) (*pipelines.Pipeline, error) {
	p := &pipelines.Pipeline{Name: rec.Pipeline, File: rec.File, Dir: filepath.Dir(rec.File), Roster: &cohort.Roster{}}
	b := dag.NewGraph(rec.Pipeline)
	b.Title(rec.Pipeline, rec.File, rec.Source)
	b.BareAxis(column.Subject)
	stages := map[string]*dag.StageNode{}
	for _, t := range rec.Tasks {
		coords, err := dag.CoordsOf(t.ID, column.Subject)
		if err != nil {
			return nil, err
		}
		kind, work := madeBy(store, t)
		axes := lists.Map(coords, func(c dag.Coord) string { return c.Axis })
		name := dag.StageOf(t.ID)
		at := fmt.Sprint(name, axes) // the cohort has two of one name
		if stages[at] == nil {
			stages[at] = b.Stage(name, kind, axes...)
		}
		b.Task(stages[at], work, lists.Map(coords, func(c dag.Coord) string { return c.Value })...)
		if name != "cohort" || coords != nil {
			continue
		}
		for output, table := range map[string]**encoding.Table{"participants": &p.Roster.Participants,
			"nodes": &p.Roster.Nodes} {
			if ref := t.Outputs.Of(output); store.Has(ref) {
				got, err := Read(store, ref, dag.Type{})
				if err != nil {
					return nil, fmt.Errorf("%s.%s: %w", t.ID, output, err)
				}
				*table = got.Table
			}
		}
	}
	p.Graph = b.Draft()
	return p, nil
}

// madeBy is the stage that made a recorded task; one with the outputs alone where this program has no such kind.
func madeBy(store *disk.Store, t record.Task) (*dag.Kind, dag.Stage) {
	var done recipe.Recipe
	if act, err := store.Lookup(t.Key); err == nil {
		done, _ = recipe.Read(act.Recipe)
	}
	if kind, known := dag.Lookup(done.Kind); known {
		work, err := done.Make(kind)
		has := func(out artifacts.NamedRef) bool {
			return slices.ContainsFunc(work.Ports().Out, func(p dag.Port) bool { return p.Name == out.Name })
		}
		if err == nil && !slices.ContainsFunc(t.Outputs, func(out artifacts.NamedRef) bool { return !has(out) }) {
			return kind, work
		}
	}
	return &dag.Kind{Name: done.Kind, New: func() dag.Stage { return made(t.Outputs) }}, made(t.Outputs)
}

// Trained counts the models that recorded runs of a store trained before a time on scans of the participants of a plan,
// with whichever labels: which are true is not recorded.
func Trained(store *disk.Store, steps []engine.Step, axis string, before time.Time) (models map[artifacts.Key]bool) {
	type scan struct{ id, digest string }
	scans := func(text, own, key string) (all []scan) {
		r, _ := recipe.Read(text) // up to the first input that has yet to be made
		if len(r.Inputs) == 0 && own != "" && text != "" {
			return []scan{{own, key}} // simulated
		}
		for _, in := range r.Inputs {
			if in.Ref.Format != "arrow" { // small tables are the same for many participants
				all = append(all, scan{cmp.Or(column.ValueOn(in.Coords, axis), own), in.Ref.Digest.String()})
			}
		}
		return all
	}
	ids := map[string]string{} // of the participant with a scan; "" where several have it
	for i := range steps {
		part := column.ValueOn(steps[i].Node.Coords(), axis)
		for _, s := range scans(steps[i].Recipe(), part, steps[i].Key.String()) {
			if id, known := ids[s.digest]; known && id != s.id {
				s.id = ""
			}
			ids[s.digest] = s.id
		}
	}
	models = map[artifacts.Key]bool{}
	runs, _ := store.Runs() // damaged records are as good as none here
	for _, rr := range runs {
		if !rr.Started.Before(before) {
			continue
		}
		full, err := store.LoadRun(rr.ID)
		if err != nil {
			continue
		}
		rec, err := record.Read(store, full)
		if err != nil {
			continue
		}
		same, trains := false, map[string]bool{} // by stage
		for _, t := range append(rec.Tasks, rec.SoFar...) {
			ended := rec.Started.Add(time.Duration((t.Start + t.Seconds) * float64(time.Second)))
			if t.State != engine.Ran && t.State != engine.Cached || ended.After(before) {
				continue
			}
			stage := dag.StageOf(t.ID)
			is, known := trains[stage]
			if !known || !is && !same {
				done, err := store.Work.LookupHere(t.Key)
				if err != nil {
					continue
				}
				r, _ := recipe.Read(done.Recipe)
				if kind, there := dag.Lookup(r.Kind); there {
					_, is = kind.New().(role.Trainer)
				}
				trains[stage] = is
				same = same || slices.ContainsFunc(scans(done.Recipe, t.ID, t.Key.String()),
					func(s scan) bool { return ids[s.digest] != "" })
			}
			if is && !same {
				break // whose scans are before a training
			}
			if is {
				models[t.Key] = true
			}
		}
	}
	return models
}

// made is a stage that a program once had, with its outputs.
type made artifacts.Refs

func (m made) Ports() (p dag.Ports) {
	for _, out := range m {
		p.Out = append(p.Out, dag.Port{Name: out.Name, Type: dag.Format(out.Format)})
	}
	return p
}

func (m made) Run(context.Context, *dag.Task) (dag.Outputs, error) {
	return nil, errors.New("a recorded task does not run")
}
