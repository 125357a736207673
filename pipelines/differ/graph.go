package differ

import (
	"maps"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
)

// Needed are tasks and everything upstream of them, every one after those that it reads.
func Needed(tasks ...*dag.Node) []*dag.Node {
	var order []*dag.Node
	seen := map[*dag.Node]bool{}
	var visit func(n *dag.Node)
	visit = func(n *dag.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for src := range n.Upstream() {
			visit(src.Node)
		}
		order = append(order, n)
	}
	for _, n := range tasks {
		visit(n)
	}
	return order
}

// inOrder are the tasks of a graph, every one after those that it reads.
func inOrder(g *dag.Graph) []*dag.Node { return Needed(slices.Collect(g.Tasks())...) }

// Conclusions are the final outputs, which no task reads.
func Conclusions(g *dag.Graph) map[*dag.Node][]string {
	type output struct {
		task *dag.Node
		name string
	}
	read := map[output]bool{}
	for n := range g.Tasks() {
		for src := range n.Upstream() {
			read[output{src.Node, src.Output}] = true
		}
	}
	ends := map[*dag.Node][]string{}
	for n := range g.Tasks() {
		for _, p := range n.Instance().Ports().Out {
			if !read[output{n, p.Name}] {
				ends[n] = append(ends[n], p.Name)
			}
		}
	}
	return ends
}

// From are these tasks and all tasks that read an output of one, directly or not.
func From(g *dag.Graph, these map[*dag.Node]bool) map[*dag.Node]bool {
	all := maps.Clone(these)
	for _, n := range inOrder(g) {
		for src := range n.Upstream() {
			all[n] = all[n] || all[src.Node]
		}
	}
	return all
}

// Cut is a graph of some tasks. If linked, what they read of each other is connected as it was; everything else is
// read from the files that stored names. Inputs enter a key by content, so the keys stay what they are.
func Cut(g *dag.Graph, tasks map[*dag.Node]bool, linked bool, stored func(n *dag.Node, output string) (path,
	format string)) (*dag.Graph, error) {
	b := dag.NewGraph(g.Name())
	b.Title(g.Name(), g.File(), g.Source())
	b.BareAxis(g.BareAxis())
	copies := map[*dag.Node]*dag.Node{}
	for _, s := range g.Stages() {
		if slices.ContainsFunc(s.Tasks(), func(n *dag.Node) bool { return tasks[n] }) {
			stage := b.Stage(s.Name(), s.Kind(), s.Axes()...)
			b.Locate(stage, s.Pos())
			b.Require(stage, s.Needs())
			b.Measure(stage, s.Sizes())
			for _, n := range s.Tasks() {
				if tasks[n] {
					copies[n] = like(b, stage, n)
				}
			}
		}
	}
	for n := range g.Tasks() {
		if copies[n] == nil {
			continue
		}
		for _, in := range n.Inputs() {
			from := slices.Clone(in.Sources)
			for i, src := range from {
				switch to := &from[i]; {
				case src.Node == nil:
				case linked && copies[src.Node] != nil:
					to.Node = copies[src.Node]
				default:
					path, format := stored(src.Node, src.Output)
					*to = dag.Source{Coords: src.Coords, File: path, Format: format}
				}
			}
			b.Connect(copies[n], in.Port, from...)
		}
	}
	return b.Build()
}

// like is a task as in another graph, without its inputs.
func like(b *dag.Builder, stage *dag.StageNode, n *dag.Node) *dag.Node {
	if len(n.Coords()) == 0 {
		copied := b.TaskNamed(stage, n.Instance(), n.ID())
		b.Refuse(copied, n.Problem())
		return copied
	}
	values := lists.Map(n.Coords(), func(c dag.Coord) string { return c.Value })
	copied := b.Task(stage, n.Instance(), values...)
	b.Refuse(copied, n.Problem())
	return copied
}
