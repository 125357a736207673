// Package proof compares what the tasks of a pipeline gave at two times, in two
// places or on two machines, and finds where in the graph a difference begins.
//
// It works on digests alone: a lock or a signed statement of another machine is
// enough. How far two values are apart is for those to say who have both.
package proof

import (
	"maps"
	"slices"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines/lock"
)

// Results are the results of a pipeline's tasks in one place.
type Results struct {
	Name     string // "run.lock", a directory
	Platform string // "linux/amd64"; "" when it is not known
	Program  string
	Tasks    map[string]Result // by the name of the task
	Store    *artifacts.Store  // nil where only digests are known
}

// A Result is the result of one task.
type Result struct {
	Key     artifacts.Key // zero when it is not known
	Outputs artifacts.Refs
}

// OfLock are the results that a lock names.
func OfLock(name string, l *lock.Lock) Results {
	r := Results{Name: name, Platform: l.Program.Platform, Program: l.Program.Version, Tasks: map[string]Result{}}
	for id, t := range l.Tasks() {
		r.Tasks[id] = Result{t.Key, t.Outputs}
	}
	return r
}

// OfRecord are the results of a recorded run.
func OfRecord(s *artifacts.Store, rec *dag.Record) Results {
	r := Results{Name: s.Dir(), Platform: rec.Program.Platform, Program: rec.Program.Version,
		Tasks: map[string]Result{}, Store: s}
	for _, t := range rec.Tasks {
		if t.Outputs != nil {
			r.Tasks[t.ID] = Result{t.Key, t.Outputs}
		}
	}
	return r
}

// A State says how a task compares.
type State string

// A difference begins in a task when all that it took from other tasks is the
// same; else it follows from theirs.
const (
	Identical State = "identical"
	Begins    State = "different"
	Follows   State = "follows"
	Absent    State = "absent" // one side has no result of it
)

// A Verdict is how one task compares.
type Verdict struct {
	Node  *dag.Node
	State State
	Ports []string // the outputs that differ, in the order of the ports
	// OtherRecipe: the keys differ, so what was asked for was not the same.
	OtherRecipe bool
	// From are the tasks in which the difference of one that follows begins.
	From []*dag.Node
}

// Compare compares b with a, task by task, in the order of the graph.
func Compare(g *dag.Graph, a, b Results) []Verdict {
	verdicts := map[*dag.Node]*Verdict{}
	for _, n := range inOrder(g) {
		x, inA := a.Tasks[n.ID]
		y, inB := b.Tasks[n.ID]
		v := &Verdict{Node: n, State: Identical}
		verdicts[n] = v
		if !inA || !inB {
			v.State = Absent
			continue
		}
		none := artifacts.Key{}
		v.OtherRecipe = x.Key != y.Key && x.Key != none && y.Key != none
		for _, p := range n.Work.Ports().Out {
			if x.Outputs.Of(p.Name).Digest != y.Outputs.Of(p.Name).Digest {
				v.Ports = append(v.Ports, p.Name)
			}
		}
		if v.Ports == nil {
			continue
		}
		v.State = Begins
		from := map[*dag.Node]bool{}
		for _, bind := range n.Inputs {
			for _, src := range bind.Sources {
				up := verdicts[src.Node]
				if up == nil || !slices.Contains(up.Ports, src.Output) {
					continue
				}
				v.State = Follows
				if up.State == Begins {
					from[up.Node] = true
				}
				for _, f := range up.From {
					from[f] = true
				}
			}
		}
		for f := range from {
			v.From = append(v.From, f)
		}
		slices.SortFunc(v.From, func(x, y *dag.Node) int { return slices.Compare([]byte(x.ID), []byte(y.ID)) })
	}
	var all []Verdict
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			all = append(all, *verdicts[n])
		}
	}
	return all
}

// inOrder are the tasks of a graph, every one after those that it needs.
func inOrder(g *dag.Graph) []*dag.Node {
	var all []*dag.Node
	for _, s := range g.Stages {
		all = append(all, s.Tasks...)
	}
	return Needed(all)
}

// Needed are tasks and all that they need, every one after those that it needs.
func Needed(tasks []*dag.Node) []*dag.Node {
	var order []*dag.Node
	seen := map[*dag.Node]bool{}
	var visit func(n *dag.Node)
	visit = func(n *dag.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, b := range n.Inputs {
			for _, src := range b.Sources {
				if src.Node != nil {
					visit(src.Node)
				}
			}
		}
		order = append(order, n)
	}
	for _, n := range tasks {
		visit(n)
	}
	return order
}

// Conclusions are the final outputs, which no task reads: the ones that people look at.
func Conclusions(g *dag.Graph) map[*dag.Node][]string {
	read := map[*dag.Node]map[string]bool{}
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			for _, b := range n.Inputs {
				for _, src := range b.Sources {
					if src.Node != nil {
						if read[src.Node] == nil {
							read[src.Node] = map[string]bool{}
						}
						read[src.Node][src.Output] = true
					}
				}
			}
		}
	}
	ends := map[*dag.Node][]string{}
	for _, s := range g.Stages {
		for _, n := range s.Tasks {
			for _, p := range n.Work.Ports().Out {
				if !read[n][p.Name] {
					ends[n] = append(ends[n], p.Name)
				}
			}
		}
	}
	return ends
}

// Downstream are the tasks that need one of these, directly or not.
func Downstream(g *dag.Graph, of map[*dag.Node]bool) map[*dag.Node]bool {
	all := maps.Clone(of)
	for _, n := range inOrder(g) {
		for _, b := range n.Inputs {
			for _, src := range b.Sources {
				if all[src.Node] {
					all[n] = true
				}
			}
		}
	}
	for n := range of {
		delete(all, n)
	}
	return all
}

// Cut is a graph of some tasks. What they need of each other is connected as it
// was, if linked; everything else is read from the files that stored names.
// Inputs enter a key by content, so the keys stay what they are.
func Cut(g *dag.Graph, tasks map[*dag.Node]bool, linked bool, stored func(n *dag.Node, output string) (path,
	format string)) *dag.Graph {
	out := &dag.Graph{}
	*out = *g
	out.Stages = nil
	copies := map[*dag.Node]*dag.Node{}
	for _, s := range g.Stages {
		stage := *s
		stage.Tasks = nil
		for _, n := range s.Tasks {
			if tasks[n] {
				alone := *n
				alone.Stage = &stage
				copies[n] = &alone
				stage.Tasks = append(stage.Tasks, &alone)
			}
		}
		if len(stage.Tasks) > 0 {
			out.Stages = append(out.Stages, &stage)
		}
	}
	for n, alone := range copies {
		alone.Inputs = nil
		for _, b := range n.Inputs {
			b.Sources = slices.Clone(b.Sources)
			for i := range b.Sources {
				src := &b.Sources[i]
				switch {
				case src.Node == nil:
				case linked && copies[src.Node] != nil:
					src.Node = copies[src.Node]
				default:
					path, format := stored(src.Node, src.Output)
					*src = dag.Source{Coords: src.Coords, File: path, Format: format}
				}
			}
			alone.Inputs = append(alone.Inputs, b)
		}
	}
	return out
}
