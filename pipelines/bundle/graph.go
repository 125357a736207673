package bundle

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/recipe"
	"prgnn/internal/words"
	"prgnn/pipelines/lock"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// A Replay is what a bundle asks this program to do.
type Replay struct {
	Graph *dag.Graph
	Given []string // tasks that are not run: their results come with the bundle
	Other []string // kinds whose code here is not that which made the bundle
}

// Runs are the stages whose tasks would run commands of the bundle's maker.
func (r *Replay) Runs() []string {
	var names []string
	for _, s := range r.Graph.Stages() {
		if role.Ports(s.Kind().New(), role.Program) != nil {
			names = append(names, s.Name())
		}
	}
	return names
}

// Graph makes the tasks from their recipes. What a task took from another is
// found by its digest; the pipeline file, the cohort and the paths of the machine
// where it ran are not needed.
func (o *Opened) Graph() (*Replay, error) {
	r := &Replay{}
	b := &builder{o: o, graph: dag.NewGraph(o.Lock.Pipeline), made: map[artifacts.Digest][]dag.Source{},
		ports: map[*dag.Node]dag.Ports{}}
	b.graph.Title(o.Lock.Pipeline, o.Lock.File, o.Lock.Text)
	b.graph.BareAxis(column.Subject)
	stageNodes := map[string]*dag.StageNode{}
	var wrong []error
	for _, s := range o.Lock.Stages {
		kind, known := dag.Lookup(s.Kind)
		for _, t := range s.Tasks {
			if b.give(t.Outputs, !known) {
				r.Given = append(r.Given, t.ID)
				continue
			}
			if !known {
				wrong = append(wrong, fmt.Errorf("%s: this program has no stage kind %q, and the bundle does not contain its results", t.ID, s.Kind))
				continue
			}
			done, err := recipe.Read(o.recipes[t.ID])
			if err == nil && done.Kind != s.Kind {
				err = fmt.Errorf("its recipe has the kind %s, but the lock has %s", done.Kind, s.Kind)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.ID, err)
			}
			work, err := done.Make(kind)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w (the bundle is of version %s of the program)", t.ID, err, o.Lock.Program.Version))
				continue
			}
			if code, err := kind.CodeDigest(); err == nil && code != done.Code && !slices.Contains(r.Other, s.Kind) {
				r.Other = append(r.Other, s.Kind)
			}
			at := s.Name + " " + s.Kind
			if stageNodes[at] == nil {
				stageNodes[at] = b.graph.Stage(s.Name, kind)
				b.graph.Locate(stageNodes[at], dag.Pos{File: o.Lock.File})
			}
			b.waiting = append(b.waiting, waiting{b.graph.TaskNamed(stageNodes[at], work, t.ID), done})
		}
	}
	if len(wrong) > 3 {
		wrong = append(wrong[:3], fmt.Errorf("… and %s", words.Count(len(wrong)-3, "more task")))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	if err := b.connect(); err != nil {
		return nil, err
	}
	var err error
	r.Graph, err = b.graph.Build()
	return r, err
}

type waiting struct {
	node   *dag.Node
	recipe recipe.Recipe
}

// A builder connects tasks as soon as what they need has been made by others.
type builder struct {
	o       *Opened
	graph   *dag.Builder
	made    map[artifacts.Digest][]dag.Source // two outputs may have the same bytes
	ports   map[*dag.Node]dag.Ports
	waiting []waiting
}

// give takes the outputs of a task from the bundle, when no kind can make them.
func (b *builder) give(outputs artifacts.Refs, mustBe bool) bool {
	if !mustBe || len(outputs) == 0 {
		return false
	}
	for _, ref := range outputs {
		if _, ok := b.o.given[ref.Digest]; !ok {
			return false
		}
	}
	for _, ref := range outputs {
		file, err := b.o.store.File(ref.Ref)
		if err != nil {
			return false
		}
		b.made[ref.Digest] = []dag.Source{{File: file, Format: ref.Format}}
	}
	return true
}

func (b *builder) connect() error {
	tasks := b.o.Lock.Tasks()
	for len(b.waiting) > 0 {
		before := len(b.waiting)
		var stuck error
		b.waiting = slices.DeleteFunc(b.waiting, func(w waiting) bool {
			if err := b.bind(w, tasks[w.node.ID()].Files); err != nil {
				if stuck == nil {
					stuck = fmt.Errorf("%s: %w", w.node.ID(), err)
				}
				return false
			}
			for _, ref := range tasks[w.node.ID()].Outputs {
				b.made[ref.Digest] = append(b.made[ref.Digest], w.node.Output(ref.Name))
			}
			return true
		})
		if len(b.waiting) == before {
			return stuck
		}
	}
	return nil
}

// sourceOf is the first of the sources with these bytes that fits a port of a task.
func (b *builder) sourceOf(d artifacts.Digest, n *dag.Node, port string) (dag.Source, bool) {
	takes := typeOf(b.portsOf(n).In, port)
	for _, src := range b.made[d] {
		if src.Node == nil || dag.Fits(typeOf(b.portsOf(src.Node).Out, src.Output), takes) == nil {
			return src, true
		}
	}
	return dag.Source{}, false
}

func (b *builder) portsOf(n *dag.Node) dag.Ports {
	ports, known := b.ports[n]
	if !known {
		ports = n.Instance().Ports()
		b.ports[n] = ports
	}
	return ports
}

func typeOf(ports []dag.Port, name string) dag.Type {
	for _, p := range ports {
		if p.Name == name {
			return p.Type
		}
	}
	return dag.Type{}
}

// bind finds the inputs of a task.
func (b *builder) bind(w waiting, read []lock.File) error {
	files := map[string]string{}
	for _, f := range read {
		files[f.Port+" "+f.Ref.Digest.String()] = f.Name
	}
	var inputs []dag.Binding
	for _, in := range w.recipe.Inputs {
		src, ok := b.sourceOf(in.Ref.Digest, w.node, in.Port)
		if name, isFile := files[dag.TaskID(in.Port, in.Coords, column.Subject)+" "+in.Ref.Digest.String()]; isFile {
			name = path.Base(name)
			if !b.o.inputs[inputKey(in.Ref.Digest, name)] {
				return fmt.Errorf("its input %s (%s) is not in the bundle", in.Port, name)
			}
			src, ok = dag.Source{File: b.o.inputPath(in.Ref.Digest, name), Format: in.Ref.Format}, true
		}
		if !ok {
			return fmt.Errorf("its input %s has the digest %.12s…, which no file and no fitting output of the bundle has", in.Port, in.Ref.Digest)
		}
		src.Coords = in.Coords
		if n := len(inputs); n == 0 || inputs[n-1].Port != in.Port {
			inputs = append(inputs, dag.Binding{Port: in.Port})
		}
		last := &inputs[len(inputs)-1]
		last.Sources = append(last.Sources, src)
	}
	for _, in := range inputs {
		b.graph.Connect(w.node, in.Port, in.Sources...)
	}
	return nil
}
