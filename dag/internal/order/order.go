// Package order sorts nodes after those that they need.
package order

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// An Index is a graph by numbers: nodes are counted in the order of the graph,
// and each knows the nodes it needs and those that use it.
type Index[N comparable] struct {
	Nodes []N
	Of    map[N]int32
	Needs Edges   // without repeats, in port order
	Users Edges   // ascending
	Order []int32 // every node after those it needs; the graph's own order where that is free
	Rank  []int32 // the place in order

	id     func(N) string
	needed func(N, func(N) bool) // some several times
}

// Edges lead from each node to others: two lists for all, since one a node takes 24 bytes more.
type Edges struct {
	from []int32 // by node, and one more: where its part of to begins
	to   []int32
}

// Of are the nodes that a node leads to.
func (e *Edges) Of(i int32) []int32 { return e.to[e.from[i]:e.from[i+1]] }

// New makes the index of nodes with these names; needed yields those that a node needs. The error lists the
// cycles of nodes.
func New[N comparable](nodes []N, id func(N) string, needed func(n N, yield func(N) bool)) (*Index[N], error) {
	n := len(nodes)
	x := &Index[N]{
		Nodes: nodes, Of: make(map[N]int32, n), Order: make([]int32, 0, n), Rank: make([]int32, n),
		id: id, needed: needed,
	}
	for i, n := range nodes {
		x.Of[n] = int32(i)
	}
	if len(x.Of) != len(x.Nodes) {
		return nil, fmt.Errorf("a task appears twice in the graph")
	}
	if err := x.connect(); err != nil {
		return nil, err
	}
	if err := x.sort(); err != nil {
		return nil, err
	}
	for at, i := range x.Order {
		x.Rank[i] = int32(at)
	}
	return x, nil
}

func (x *Index[N]) connect() error {
	mark := make([]int32, len(x.Nodes)) // mark[j] == i+1: i is known to need j
	needs, users := make([]int32, len(x.Nodes)+1), make([]int32, len(x.Nodes)+1)
	var to []int32
	for i, n := range x.Nodes {
		var lacks error
		x.needed(n, func(m N) bool {
			j, ok := x.Of[m]
			if !ok {
				lacks = fmt.Errorf("%s needs the task %s, which is not in the graph", x.id(n), x.id(m))
				return false
			}
			if mark[j] != int32(i+1) {
				mark[j] = int32(i + 1)
				to = append(to, j)
				users[j+1]++
			}
			return true
		})
		if lacks != nil {
			return lacks
		}
		needs[i+1] = int32(len(to))
	}
	x.Needs = Edges{needs, slices.Clone(to)}
	for i := range x.Nodes { // from how many each has to where they begin
		users[i+1] += users[i]
	}
	x.Users = Edges{users, make([]int32, len(to))}
	next := mark // where the next user of a node goes
	copy(next, users)
	for i := range x.Nodes {
		for _, j := range x.Needs.Of(int32(i)) {
			x.Users.to[next[j]] = int32(i)
			next[j]++
		}
	}
	return nil
}

// sort fills in the order, or lists the cycles.
func (x *Index[N]) sort() error {
	left := make([]int32, len(x.Nodes))
	ready := &Numbers{}
	for i := range x.Nodes {
		left[i] = int32(len(x.Needs.Of(int32(i))))
		if left[i] == 0 {
			*ready = append(*ready, int32(i)) // ascending, so a heap already
		}
	}
	for len(*ready) > 0 {
		i := heap.Pop(ready).(int32)
		x.Order = append(x.Order, i)
		for _, u := range x.Users.Of(i) {
			if left[u]--; left[u] == 0 {
				heap.Push(ready, u)
			}
		}
	}
	if len(x.Order) < len(x.Nodes) {
		return x.cycles(left)
	}
	return nil
}

// mostCycles are listed: each costs a walk along all its tasks.
const mostCycles = 20

// cycles walks upstream among the nodes that never became ready, depth first. Each step back to a node of the path is a
// cycle, and without these steps there is none. A message starts at the first task of its cycle in graph order.
func (x *Index[N]) cycles(left []int32) error {
	var all []error
	var path []int32
	visited, depth := make([]bool, len(x.Nodes)), make([]int,
		len(x.Nodes)) // depth: along the path, from 1; 0 beside it
	var visit func(i int32)
	visit = func(i int32) {
		visited[i], path = true, append(path, i)
		depth[i] = len(path)
		for _, j := range x.Needs.Of(i) {
			switch {
			case left[j] == 0 || len(all) > mostCycles:
			case !visited[j]:
				visit(j)
			case depth[j] > 0 && len(all) == mostCycles:
				all = append(all, fmt.Errorf("there are more than %d cycles of tasks: the rest is not listed", mostCycles))
			case depth[j] > 0:
				all = append(all, x.cycle(path[depth[j]-1:]))
			}
		}
		path, depth[i] = path[:len(path)-1], 0
	}
	for i := range left {
		if left[i] > 0 && !visited[i] {
			visit(int32(i))
		}
	}
	return errors.Join(all...)
}

func (x *Index[N]) cycle(path []int32) error {
	first := slices.Index(path, slices.Min(path))
	path = append(slices.Clone(path[first:]), path[:first]...)
	names := lists.Map(append(path, path[0]), func(i int32) string { return x.id(x.Nodes[i]) })
	return fmt.Errorf("the tasks form a cycle: %s", words.Needs(names))
}

// Upstream marks the nodes given and everything that they need.
func (x *Index[N]) Upstream(of []bool) []bool {
	all := slices.Clone(of)
	for at := len(x.Order) - 1; at >= 0; at-- {
		if i := x.Order[at]; all[i] {
			for _, j := range x.Needs.Of(i) {
				all[j] = true
			}
		}
	}
	return all
}

// Numbers is a heap of small numbers.
type Numbers []int32

func (q Numbers) Len() int           { return len(q) }
func (q Numbers) Less(i, j int) bool { return q[i] < q[j] }
func (q Numbers) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *Numbers) Push(v any)        { *q = append(*q, v.(int32)) }
func (q *Numbers) Pop() any {
	last := len(*q) - 1
	v := (*q)[last]
	*q = (*q)[:last]
	return v
}
