package connectivity

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
)

// repair gives each isolated node one edge, to the lower node among equals. Whether
// a node is isolated is settled before any repair, so that the order of the nodes
// does not matter; two nodes that choose each other share one edge.
func (g *Graph) repair(p Matrix, silent []bool, how Repair) {
	if how == RepairNone {
		return
	}
	degree := g.degrees()
	var added []Edge
	for i, d := range degree {
		if d > 0 || silent[i] {
			continue
		}
		best, value := -1, math.Inf(-1)
		for j, v := range p.Row(i) {
			if j == i || silent[j] {
				continue
			}
			rank := v
			if how == RepairAbsolute {
				rank = math.Abs(v)
			}
			if rank > value {
				best, value = j, rank
			}
		}
		if best < 0 || p.At(i, best) == 0 {
			continue
		}
		g.Quality.Repaired++
		e := Edge{min(i, best), max(i, best), p.At(i, best)}
		if !slices.Contains(added, e) {
			added = append(added, e)
			if e.Weight <= 0 {
				g.Quality.NotPositive++
			}
		}
	}
	if added != nil {
		g.Edges = append(g.Edges, added...)
		slices.SortFunc(g.Edges, func(a, b Edge) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
		})
	}
}

// degrees of the nodes.
func (g *Graph) degrees() []int {
	d := make([]int, g.N)
	for _, e := range g.Edges {
		d[e.Source]++
		d[e.Target]++
	}
	return d
}

// describe fills in the rest of the quality.
func (g *Graph) describe(silent []bool) {
	q := &g.Quality
	q.Edges = len(g.Edges)
	q.DegreeMin = math.MaxInt
	total, active := 0, 0
	for i, d := range g.degrees() {
		if silent[i] {
			q.Silent++
			continue
		}
		active++
		total += d
		q.DegreeMin, q.DegreeMax = min(q.DegreeMin, d), max(q.DegreeMax, d)
		if d == 0 {
			q.Isolated++
		}
	}
	if active == 0 {
		q.DegreeMin = 0
		return
	}
	q.DegreeMean = float64(total) / float64(active)
	// Components: every edge joins two sets of nodes, or closes a circle.
	set := lists.UpTo(g.N)
	find := func(i int) int {
		for set[i] != i {
			set[i] = set[set[i]]
			i = set[i]
		}
		return i
	}
	q.Components = active
	for _, e := range g.Edges {
		if a, b := find(e.Source), find(e.Target); a != b {
			set[a] = b
			q.Components--
		}
	}
}
