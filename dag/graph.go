package dag

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"time"
)

// A Graph has all tasks. Runs share it: change none of its lists or instances.
type Graph struct {
	name, file, source, bare string
	stages                   []*StageNode
	absent                   map[string]string
	universe                 func(string) error // nil: each DECISION=OPTION is a coordinate of a task
}

// Name is the name of the pipeline.
func (g *Graph) Name() string { return g.name }

// File is the pipeline file, as the user gave it; "" for none.
func (g *Graph) File() string { return g.file }

// Source is the text of the pipeline file.
func (g *Graph) Source() string { return g.source }

// Stages are its stages, in order.
func (g *Graph) Stages() []*StageNode { return g.stages }

// BareAxis is the axis whose value stands alone in names; "" for none.
func (g *Graph) BareAxis() string { return g.bare }

// LeftOut is why a stage or a member of a fan-out has no tasks; "" if unknown.
func (g *Graph) LeftOut(name string) string { return g.absent[name] }

// WithLeftOut is the graph with more reasons of LeftOut.
func (g *Graph) WithLeftOut(why map[string]string) *Graph {
	with := *g
	with.absent = maps.Clone(g.absent)
	maps.Copy(with.absent, why)
	return &with
}

// A StageNode is one stage of a graph: tasks of one kind.
type StageNode struct {
	of    *Builder
	name  string
	kind  *Kind
	pos   Pos
	axes  []string
	tasks []*Node
	asked Needs
	sizes Sizes

	listed bool // by Outputs: no task is added
}

// Name is the name of the stage: "connectivity".
func (s *StageNode) Name() string { return s.self().name }

// Kind is the kind of its tasks.
func (s *StageNode) Kind() *Kind { return s.self().kind }

// Pos is its place in the pipeline file.
func (s *StageNode) Pos() Pos { return s.self().pos }

// Axes are those of its fan-out; nil for a single task.
func (s *StageNode) Axes() []string { return s.self().axes }

// Tasks are its tasks, in order.
func (s *StageNode) Tasks() []*Node { return s.self().tasks }

// Needs are what one task takes of a machine. They enter no key.
type Needs struct {
	Threads int           // 0: by the kind
	Memory  int64         // bytes; 0: by the kind
	Time    time.Duration // after which a cluster ends it; 0: not known
}

// Tasks yields the tasks of all stages, in order.
func (g *Graph) Tasks() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, s := range g.stages {
			for _, n := range s.tasks {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// Needs are those of a task: as asked, or else by the kind.
func (s *StageNode) Needs() Needs {
	n, k := s.self().asked, s.ofKind()
	n.Threads = cmp.Or(n.Threads, k.Threads, 1)
	n.Memory = cmp.Or(n.Memory, s.Memory())
	return n
}

// Sizes are those of Builder.Measure.
func (s *StageNode) Sizes() Sizes { return s.self().sizes }

// Memory is what a task needs by its kind, in bytes.
func (s *StageNode) Memory() int64 {
	k := s.ofKind()
	if k.MemoryFor != nil {
		return k.MemoryFor(s.sizes)
	}
	return k.Memory
}

// What a nil stage and a nil task are: a mistake of who connects them, which Build reports (Node.Output).
var (
	noStage = &StageNode{}
	noNode  = &Node{}
)

func (s *StageNode) self() *StageNode { return cmp.Or(s, noStage) }
func (s *StageNode) ofKind() *Kind    { return cmp.Or(s.self().kind, &Kind{}) }
func (n *Node) self() *Node           { return cmp.Or(n, noNode) }

// A Node is one task of a graph.
type Node struct {
	id       string
	stage    *StageNode
	coords   []Coord
	instance Stage
	inputs   []Binding
	problem  error
	named    bool // by Builder.TaskNamed
}

// ID is the name of the task: "train[pool=topk,fold=2]".
func (n *Node) ID() string { return n.self().id }

// Stage is the stage that the task belongs to.
func (n *Node) Stage() *StageNode { return n.self().stage }

// Coords are its coordinates, in the order of the stage's axes.
func (n *Node) Coords() []Coord { return n.self().coords }

// Instance is the stage of the task's kind, with the parameters of the task.
func (n *Node) Instance() Stage { return n.self().instance }

// Inputs are what its ports are connected to.
func (n *Node) Inputs() []Binding { return n.self().inputs }

// Problem is why the task cannot run (Builder.Refuse); nil for no reason.
func (n *Node) Problem() error { return n.self().problem }

// Upstream yields the outputs of other tasks that the task reads.
func (n *Node) Upstream() iter.Seq[Source] {
	return func(yield func(Source) bool) {
		for _, b := range n.self().inputs {
			for _, src := range b.Sources {
				if src.Node != nil && !yield(src) {
					return
				}
			}
		}
	}
}

// A Binding connects an input port to one source or to those it gathers.
type Binding struct {
	Port    string
	Sources []Source
}

// A Source is an output of another task, or a file of the user's.
type Source struct {
	Coords []Coord // of a gathered member
	Node   *Node   // nil for a file
	Output string  // a port of Node
	File   string  // absolute path
	Name   string  // of File, the same on every machine
	Format string  // of File
}

// A Pos is a place in a pipeline file.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}
