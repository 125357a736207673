package dag

import (
	"container/heap"
	"fmt"
	"slices"

	"prgnn/internal/words"
)

// An index is a graph by numbers: nodes are counted in the order of the graph,
// and each knows the nodes it needs and those that use it.
type index struct {
	nodes []*Node
	of    map[*Node]int32
	needs edges   // without repeats, in port order
	users edges   // ascending
	order []int32 // every node after those it needs; the graph's own order where that is free
	rank  []int32 // the place in order
}

// Edges lead from each node to others: two lists for all, since one a node takes 24 bytes more.
type edges struct {
	from []int32 // by node, and one more: where its part of to begins
	to   []int32
}

// of are the nodes that a node leads to.
func (e *edges) of(i int32) []int32 { return e.to[e.from[i]:e.from[i+1]] }

func newIndex(g *Graph) (*index, error) {
	n := 0
	for _, s := range g.stages {
		n += len(s.tasks)
	}
	x := &index{
		nodes: make([]*Node, 0, n), of: make(map[*Node]int32, n),
		order: make([]int32, 0, n), rank: make([]int32, n),
	}
	for _, s := range g.stages {
		for _, t := range s.tasks {
			x.of[t] = int32(len(x.nodes))
			x.nodes = append(x.nodes, t)
		}
	}
	if len(x.of) != len(x.nodes) {
		return nil, fmt.Errorf("a task appears twice in the graph")
	}
	if err := x.connect(); err != nil {
		return nil, err
	}
	if err := x.sort(); err != nil {
		return nil, err
	}
	for at, i := range x.order {
		x.rank[i] = int32(at)
	}
	return x, nil
}

func (x *index) connect() error {
	mark := make([]int32, len(x.nodes)) // mark[j] == i+1: i is known to need j
	needs, users := make([]int32, len(x.nodes)+1), make([]int32, len(x.nodes)+1)
	var to []int32
	for i, n := range x.nodes {
		for b := range n.inputs {
			for _, src := range n.inputs[b].Sources {
				if src.Node == nil {
					continue
				}
				j, ok := x.of[src.Node]
				if !ok {
					return fmt.Errorf("%s needs the task %s, which is not in the graph", n.id, src.Node.id)
				}
				if mark[j] != int32(i+1) {
					mark[j] = int32(i + 1)
					to = append(to, j)
					users[j+1]++
				}
			}
		}
		needs[i+1] = int32(len(to))
	}
	x.needs = edges{needs, slices.Clone(to)}
	for i := range x.nodes { // from how many each has to where they begin
		users[i+1] += users[i]
	}
	x.users = edges{users, make([]int32, len(to))}
	next := mark // where the next user of a node goes
	copy(next, users)
	for i := range x.nodes {
		for _, j := range x.needs.of(int32(i)) {
			x.users.to[next[j]] = int32(i)
			next[j]++
		}
	}
	return nil
}

// sort fills in the order, or tells the tasks that wait for each other.
func (x *index) sort() error {
	left := make([]int32, len(x.nodes))
	ready := &numbers{}
	for i := range x.nodes {
		left[i] = int32(len(x.needs.of(int32(i))))
		if left[i] == 0 {
			*ready = append(*ready, int32(i)) // ascending, so a heap already
		}
	}
	for len(*ready) > 0 {
		i := heap.Pop(ready).(int32)
		x.order = append(x.order, i)
		for _, u := range x.users.of(i) {
			if left[u]--; left[u] == 0 {
				heap.Push(ready, u)
			}
		}
	}
	if len(x.order) < len(x.nodes) {
		return x.cycle(left)
	}
	return nil
}

// cycle walks upstream among the nodes that never became ready until one comes
// again. The message starts at the first task of the cycle in graph order.
func (x *index) cycle(left []int32) error {
	at := int32(slices.IndexFunc(left, func(n int32) bool { return n > 0 }))
	var path []int32
	seen := make([]bool, len(x.nodes))
	for !seen[at] {
		seen[at] = true
		path = append(path, at)
		next := slices.IndexFunc(x.needs.of(at), func(j int32) bool { return left[j] > 0 })
		at = x.needs.of(at)[next]
	}
	path = path[slices.Index(path, at):]
	first := slices.Index(path, slices.Min(path))
	path = append(slices.Clone(path[first:]), path[:first]...)
	names := make([]string, 0, len(path)+1)
	for _, i := range path {
		names = append(names, x.nodes[i].id)
	}
	names = append(names, names[0])
	return fmt.Errorf("the tasks form a cycle: %s", words.Needs(names))
}

// upstream marks the nodes given and everything that they need.
func (x *index) upstream(of []bool) []bool {
	all := slices.Clone(of)
	for at := len(x.order) - 1; at >= 0; at-- {
		if i := x.order[at]; all[i] {
			for _, j := range x.needs.of(i) {
				all[j] = true
			}
		}
	}
	return all
}

// numbers is a heap of small numbers.
type numbers []int32

func (q numbers) Len() int           { return len(q) }
func (q numbers) Less(i, j int) bool { return q[i] < q[j] }
func (q numbers) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *numbers) Push(v any)        { *q = append(*q, v.(int32)) }
func (q *numbers) Pop() any {
	last := len(*q) - 1
	v := (*q)[last]
	*q = (*q)[:last]
	return v
}
