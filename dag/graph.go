package dag

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"prgnn/artifacts"
)

// A Graph is a pipeline whose fan-outs have been written out: every task, what
// it is connected to, and where in the file it was asked for. It is made by
// package pipelines and changed by nobody.
type Graph struct {
	Name   string // the pipeline's name
	File   string // the pipeline file as the user gave it
	Source string // its text, kept with the run
	Stages []*StageNode
	Absent map[string]string // the participants and stages without tasks, and why they take no part
}

// A StageNode is one entry of the pipeline file. No two have one name, but for the
// cohort's: the task cohort gives its tables, tasks cohort[sub-001] … the files of
// the participants, where they have to be made.
type StageNode struct {
	Name  string // "connectivity"
	Kind  *Kind
	Pos   Pos
	Axes  []string // of its fan-out, in order; nil for a single task
	Tasks []*Node  // in the order of the axes' values
	Needs Needs    // of each of its tasks, where the file says so
	// Participants whose data come together in one of its tasks, at most; counted where the kind has Each.
	Participants int
	Graphs       int // of each of them, where the memory grows with these; 0: it does not
	Regions      int // of each graph, where the memory grows with their square; 0: it does not
}

// Needs are what one task takes of a machine. They are not part of the key: no
// result depends on them.
type Needs struct {
	Threads int           // 0: what the kind says
	Memory  int64         // bytes; 0: what the kind says
	Time    time.Duration // after which a cluster ends it; 0: not known
}

// Tasks yields the tasks of all stages, in the order of the pipeline file.
func (g *Graph) Tasks() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, s := range g.Stages {
			for _, n := range s.Tasks {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// Largest is what the largest of the tasks of a graph needs, of those that do with so many bytes of memory.
func (g *Graph) Largest(memory int64) (n Needs) {
	for _, s := range g.Stages {
		if of := s.needs(); of.Memory <= memory {
			n = Needs{max(n.Threads, of.Threads), max(n.Memory, of.Memory), max(n.Time, of.Time)}
		}
	}
	return n
}

// UsualMemory are the bytes with which nine in ten tasks do.
func (g *Graph) UsualMemory() int64 {
	var all []int64
	for _, s := range g.Stages {
		all = append(all, slices.Repeat([]int64{s.needs().Memory}, len(s.Tasks))...)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)*9+9)/10-1]
}

// needs are those of the file, or else of the kind.
func (s *StageNode) needs() Needs {
	n := s.Needs
	n.Threads = cmp.Or(n.Threads, s.Kind.Threads, 1)
	n.Memory = cmp.Or(n.Memory, s.Memory())
	return n
}

// Memory is what one of its tasks takes by what its kind says, in bytes.
func (s *StageNode) Memory() int64 {
	// What a kind says of a participant is that of eleven graphs, of 84 regions.
	graphs, regions := float64(max(11, s.Graphs))/11, float64(max(84, s.Regions))/84
	needs := s.Kind.Memory + int64(float64(s.Participants)*float64(s.Kind.Each)*graphs*regions*regions)
	if k := s.Kind; k.Ceiling > 0 && needs > k.Ceiling {
		needs = k.Ceiling + int64(float64(needs-k.Ceiling)*float64(k.Packed)/float64(k.Each))
	}
	return needs
}

// A Node is one task.
type Node struct {
	ID      string // "connectivity[sub-003]", "train[pool=topk,fold=2]"
	Stage   *StageNode
	Coords  []Coord
	Work    Stage // with its parameters
	Inputs  []Binding
	Problem error // why it cannot run, when that is known already (a participant without a group …)
}

// Upstream yields the outputs of other tasks that a task reads, in the order of its ports.
func (n *Node) Upstream() iter.Seq[Source] {
	return func(yield func(Source) bool) {
		for _, b := range n.Inputs {
			for _, src := range b.Sources {
				if src.Node != nil && !yield(src) {
					return
				}
			}
		}
	}
}

// A Binding connects one input port to its sources: one, or all members of a
// fan-out in sorted order.
type Binding struct {
	Port    string
	Sources []Source
}

// A Source is an output of another task, or a file of the user's.
type Source struct {
	Coords []Coord // of the member, for gathers
	Node   *Node   // nil for a file
	Output string  // a port of Node
	File   string  // absolute path
	Name   string  // of File, wherever the data lie: for locks and others
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

// An Error is what went wrong in one task.
type Error struct {
	Task string
	Pos  Pos
	Err  error
	Key  artifacts.Key // of the task's log, if it came so far
	Said string        // the last lines of the log before the error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Pos, e.Task, e.Err) }
func (e *Error) Unwrap() error { return e.Err }
