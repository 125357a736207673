package lock

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/content"
	"prgnn/dag/engine"
	"prgnn/dag/environment"
	"prgnn/dag/param"
	"prgnn/dag/recipe"
	"prgnn/internal/lists"
	"prgnn/internal/version"
	"prgnn/internal/words"
	"prgnn/pipelines"
	"prgnn/stages/column"
)

// Incomplete is the error where tasks have no result. It names no command that makes them: a package above knows its
// settings and its store.
type Incomplete struct {
	Tasks []string
	Why   string // of the first
}

func (e *Incomplete) Error() string {
	if len(e.Tasks) == 1 {
		return fmt.Sprintf("cannot lock: %s has no result (%s)", e.Tasks[0], e.Why)
	}
	return fmt.Sprintf("cannot lock: %d tasks have no result, as %s (%s)", len(e.Tasks), words.Some(e.Tasks, 5), e.Why)
}

// FileName is the name of a lock beside its pipeline file, and in what holds it.
const FileName = "run.lock"

// A Lock is what a run.lock says.
type Lock struct {
	Pipeline string
	Program  version.Program // that gave these results; for people
	File     string          // the name of the pipeline file, without its directory
	Text     string          // of the pipeline file
	Sets     []string        // what was set over it
	Codes    []Code          // of the kinds, by name
	Stages   []Stage         // in the order of the pipeline
}

// A Code is the identity of a kind's code, as recipes have it.
type Code struct{ Kind, Digest string }

// A Stage is one entry of the pipeline.
type Stage struct {
	Name, Kind string
	Parameters []string // "name = value", those that all its tasks share
	Machine    []string // what its commands have from the machine, as recipes have it; none in older locks
	Tasks      []Task
}

// A Task is one task with its results.
type Task struct {
	ID      string
	Key     artifacts.Key
	Files   []File // of the user's, in the order of the recipe
	Outputs artifacts.Refs
}

// A File is one file of the user's that a task read.
type File struct {
	Port string // with its coordinates, where it gathers
	Ref  artifacts.Ref
	Name string // without what is the machine's
}

// Of writes down what a store holds for a pipeline: all its results must be there. Where the
// data lie is left out; an error says where that is not possible.
func Of(p *pipelines.Pipeline, steps []engine.Step, file func(path string) (artifacts.Ref, error)) (*Lock, error) {
	l := &Lock{Pipeline: p.Name, Program: version.This(), File: filepath.Base(p.File),
		Text: p.Shared.Text, Sets: p.Shared.Sets}
	done := make(map[*dag.Node]*engine.Step, len(steps))
	for i := range steps {
		done[steps[i].Node] = &steps[i]
	}
	codes, lacks := map[string]string{}, &Incomplete{}
	for _, s := range p.Graph.Stages() {
		st := Stage{Name: s.Name(), Kind: s.Kind().Name, Parameters: shared(s)}
		if len(s.Tasks()) > 0 {
			code, err := s.Kind().CodeDigest()
			if err != nil {
				return nil, err
			}
			codes[s.Kind().Name] = code
		}
		for _, n := range s.Tasks() {
			step := done[n]
			if step == nil || step.State != engine.Cached {
				if lacks.Tasks == nil {
					lacks.Why = "it has not been run"
					if step != nil && step.Reason != "" {
						lacks.Why = step.Reason
					}
				}
				lacks.Tasks = append(lacks.Tasks, n.ID())
				continue
			}
			t := Task{ID: n.ID(), Key: step.Key, Outputs: step.Outputs}
			st.Machine = append(st.Machine, machine(n, step.Recipe)...)
			var err error
			if t.Files, err = filesOf(n, file); err != nil {
				return nil, err
			}
			st.Tasks = append(st.Tasks, t)
		}
		slices.Sort(st.Machine)
		st.Machine = slices.Compact(st.Machine)
		l.Stages = append(l.Stages, st)
	}
	if lacks.Tasks != nil {
		return nil, lacks
	}
	for kind, digest := range codes {
		l.Codes = append(l.Codes, Code{kind, digest})
	}
	slices.SortFunc(l.Codes, func(a, b Code) int { return strings.Compare(a.Kind, b.Kind) })
	text, err := l.Encode()
	if err != nil {
		return nil, err
	}
	return l, p.Shared.Check("the lock", string(text))
}

// machine are the lines of a recipe on what a command has from the machine; other tasks have no command.
func machine(n *dag.Node, text func() string) []string {
	_, environment := n.Instance().(environment.Reader)
	_, code := n.Instance().(content.CodeReader)
	if !environment && !code {
		return nil
	}
	return recipe.Machine(text())
}

// shared are the parameters that have one value in all tasks of a stage.
func shared(s *dag.StageNode) []string {
	var all []param.Value
	for i, n := range s.Tasks() {
		values := param.Values(n.Instance())
		if i == 0 {
			all = values
		}
		all = slices.DeleteFunc(all, func(v param.Value) bool { return !slices.Contains(values, v) })
	}
	return lists.Map(all, param.Value.String)
}

// filesOf lists the user's files that a task reads, in the order of its inputs.
func filesOf(n *dag.Node, file func(string) (artifacts.Ref, error)) ([]File, error) {
	var files []File
	for _, b := range n.Inputs() {
		for _, src := range b.Sources {
			if src.Node != nil {
				continue
			}
			ref, err := file(src.File)
			if err != nil {
				return nil, err
			}
			ref.Format = src.Format
			files = append(files, File{Port: portName(n, b.Port, src.Coords), Ref: ref, Name: src.Name})
		}
	}
	return files, nil
}

// portName is the port, and the member where it gathers.
func portName(n *dag.Node, port string, coords []dag.Coord) string {
	for _, p := range n.Instance().Ports().In {
		if p.Name == port && p.Gather {
			return dag.TaskID(port, coords, column.Subject)
		}
	}
	return port
}

// All yields the tasks of all stages, in the order of the lock.
func (l *Lock) All() iter.Seq[*Task] {
	return func(yield func(*Task) bool) {
		for i := range l.Stages {
			for j := range l.Stages[i].Tasks {
				if !yield(&l.Stages[i].Tasks[j]) {
					return
				}
			}
		}
	}
}

// Tasks are the tasks of all stages, by their names.
func (l *Lock) Tasks() map[string]*Task {
	all := map[string]*Task{}
	for t := range l.All() {
		all[t.ID] = t
	}
	return all
}

// code is what the lock states for the code of each kind.
func (l *Lock) code() map[string]string {
	of := map[string]string{}
	for _, c := range l.Codes {
		of[c.Kind] = c.Digest
	}
	return of
}

// Inputs are the user's files, each content once under each name, in the order of
// the lock. Their ports are left out: several tasks may read one.
func (l *Lock) Inputs() []File {
	var all []File
	seen := map[File]bool{}
	for t := range l.All() {
		for _, f := range t.Files {
			f.Port, f.Ref.Format = "", ""
			if !seen[f] {
				seen[f] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// Load makes the pipeline that the lock describes. dir is where relative paths
// begin; sets come over those of the lock: where the data are here.
func (l *Lock) Load(dir string, sets []string) (*pipelines.Pipeline, error) {
	return pipelines.LoadText(filepath.Join(dir, l.File), l.Text, dir, slices.Concat(l.Sets, sets))
}
