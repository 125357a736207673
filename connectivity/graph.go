package connectivity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// An Edge joins two nodes of the brain graph, counted from 0, Source < Target.
type Edge struct {
	Source, Target int
	Weight         float64
}

// A Rule says which pairs of a matrix of partial correlations become edges.
type Rule struct {
	Kind    RuleKind // "" is Largest
	Density float64  // share of the pairs; Largest only
	Of      Share    // of which pairs; "" is all; Largest only
	// Percentile of |p| over all N² entries, the diagonal among them, from which an
	// entry is an edge; AuthorsCode only.
	Percentile float64
	Repair     Repair // "" is RepairLargest; AuthorsCode repairs nothing
}

// A RuleKind is a way to choose edges. Largest keeps the ⌊density·pairs⌋ largest
// partial correlations that are positive (Li et al. 2020, "Graph definition": "top
// 10% positive partial correlations"). AuthorsCode is what the authors' program
// does instead: all |p| not below a percentile of all entries, with weight |p|.
type RuleKind string

// The rules.
const (
	Largest     RuleKind = "largest"
	AuthorsCode RuleKind = "authors-code"
)

// A Share is the whole that a density is a share of: all pairs of nodes that have a
// signal, or the pairs with a positive partial correlation.
type Share string

// The shares.
const (
	OfPairs    Share = "pairs"
	OfPositive Share = "positive"
)

// A Repair is what becomes of a node without an edge ("isolated"): it gets its
// largest entry, its entry of the largest magnitude, or nothing. The edge is symmetric
// like all others. An entry that is not positive is taken all the same, and counted;
// an entry that is exactly 0 is no edge.
type Repair string

// The repairs.
const (
	RepairLargest  Repair = "largest"
	RepairAbsolute Repair = "absolute"
	RepairNone     Repair = "none"
)

// A Graph is the brain graph of one draw.
type Graph struct {
	N       int
	Edges   []Edge // by Source, then Target
	Quality GraphQuality
}

// GraphQuality describes a graph.
type GraphQuality struct {
	Nodes       int
	Silent      int     // nodes without a signal; they have no edges
	Edges       int     // all, repairs among them
	Chosen      int     // edges that the rule chose
	Repaired    int     // nodes that were isolated and got an edge
	NotPositive int     // repairing edges whose weight is not positive
	Isolated    int     // nodes with a signal that are still without an edge
	Components  int     // connected components of the nodes with a signal
	Positive    float64 // share of the pairs whose partial correlation is positive
	Threshold   float64 // smallest weight that the rule chose; NaN when it chose none
	DegreeMin   int     // over the nodes with a signal
	DegreeMax   int
	DegreeMean  float64
}

// Build makes the graph of a symmetric matrix of partial correlations. Its diagonal
// is not looked at (except by AuthorsCode). A node whose row is 0 or NaN off the
// diagonal has no signal.
func Build(p Matrix, rule Rule) (*Graph, error) {
	silent, err := silentNodes(p)
	if err != nil {
		return nil, err
	}
	pairs, above := positives(p, silent)
	g := &Graph{N: p.Rows}
	want := 0
	switch rule.Kind {
	case Largest, "":
		if !(rule.Density >= 0 && rule.Density <= 1) {
			return nil, fmt.Errorf("the density is %g: it must lie between 0 and 1", rule.Density)
		}
		of := pairs
		if rule.Of == OfPositive {
			of = len(above)
		}
		// A small number keeps 0.1·30 from being rounded down to 2.
		want = min(int(math.Floor(float64(rule.Density*float64(of))+1e-9)), len(above))
		g.Edges = largest(p, silent, above, want)
	case AuthorsCode:
		g.Edges = aboveMagnitude(p, silent, rule.Percentile)
		want = len(g.Edges)
	default:
		return nil, fmt.Errorf("there is no rule %q", rule.Kind)
	}
	if len(g.Edges) != want {
		panic(fmt.Sprintf("connectivity: the rule gives %d edges, and %d were chosen", want, len(g.Edges)))
	}
	g.Quality = GraphQuality{Nodes: p.Rows, Chosen: want, Threshold: math.NaN()}
	for _, e := range g.Edges {
		if !(g.Quality.Threshold <= e.Weight) {
			g.Quality.Threshold = e.Weight
		}
	}
	if pairs > 0 {
		g.Quality.Positive = float64(len(above)) / float64(pairs)
	}
	if rule.Kind != AuthorsCode {
		g.repair(p, silent, rule.Repair)
	}
	g.describe(silent)
	return g, nil
}

// silentNodes finds the nodes without a signal, and refuses a matrix that is not
// square and symmetric or has a NaN elsewhere.
func silentNodes(p Matrix) ([]bool, error) {
	if p.Rows != p.Cols {
		return nil, fmt.Errorf("a matrix of %d×%d is not one of connectivity", p.Rows, p.Cols)
	}
	silent := make([]bool, p.Rows)
	for i := range silent {
		silent[i] = true
	}
	even := true // symmetric and without NaN, as nearly all are
	for i := range p.Rows {
		row, down := p.Row(i)[i+1:], p.Data[i*p.Cols+i:]
		for j, v := range row {
			w := down[(j+1)*p.Cols]
			even = even && v == w
			if v != 0 || w != 0 {
				silent[i], silent[i+1+j] = false, false
			}
		}
	}
	if even {
		return silent, nil
	}
	return uneven(p)
}

// uneven does the same for a matrix with NaN, or says what is wrong with it.
func uneven(p Matrix) ([]bool, error) {
	silent := make([]bool, p.Rows)
	for i := range silent {
		silent[i] = true
		for j, v := range p.Row(i) {
			if i != j && v != 0 && !math.IsNaN(v) {
				silent[i] = false
			}
		}
	}
	for i := range silent {
		for j := range i {
			a, b := p.At(i, j), p.At(j, i)
			if silent[i] || silent[j] {
				continue
			}
			if !finite(a) || !finite(b) {
				return nil, fmt.Errorf("the partial correlation of nodes %d and %d is not a number", j+1, i+1)
			}
			if a != b {
				return nil, fmt.Errorf("the matrix is not symmetric: nodes %d and %d have %g one way and %g the other", j+1, i+1, b, a)
			}
		}
	}
	return silent, nil
}

// positives counts the pairs of nodes with a signal, and lists the weights of those
// that are positive.
func positives(p Matrix, silent []bool) (pairs int, above []float64) {
	above = make([]float64, 0, p.Rows*(p.Rows-1)/2)
	for i, s := range silent {
		if s {
			continue
		}
		for j, v := range p.Row(i)[i+1:] {
			if silent[i+1+j] {
				continue
			}
			pairs++
			if v > 0 {
				above = append(above, v)
			}
		}
	}
	return pairs, above
}

// largest chooses the k pairs of the largest weight, by nodes; of equal ones, those
// with the lower nodes. weights are those of the candidates; their order is lost.
func largest(p Matrix, silent []bool, weights []float64, k int) []Edge {
	if k == 0 {
		return nil
	}
	least := kthLargest(weights, k)
	ties := k
	for _, w := range weights {
		if w > least {
			ties--
		}
	}
	edges := make([]Edge, 0, k)
	for i, s := range silent {
		if s {
			continue
		}
		for j, v := range p.Row(i)[i+1:] {
			if v < least || silent[i+1+j] {
				continue
			}
			if v == least {
				if ties == 0 {
					continue
				}
				ties--
			}
			edges = append(edges, Edge{i, i + 1 + j, v})
		}
	}
	return edges
}

// kthLargest is the k-th largest of v (1 ≤ k ≤ len(v)), by Hoare's selection (1961,
// Algorithm 65) with the median of three as pivot. It changes the order of v.
func kthLargest(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for lo < hi {
		pivot := medianOfThree(v[lo], v[(lo+hi)/2], v[hi])
		i, j := lo, hi
		for i <= j {
			for v[i] > pivot {
				i++
			}
			for v[j] < pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return pivot
		}
	}
	return v[lo]
}

func medianOfThree(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// aboveMagnitude chooses the pairs with |p| at least the given percentile of |p|
// over all N² entries, the diagonal among them. A node without a signal counts with
// zeros and its diagonal, as it does in the authors' matrices.
func aboveMagnitude(p Matrix, silent []bool, percentile float64) []Edge {
	all := make([]float64, len(p.Data))
	for i, v := range p.Data {
		if all[i] = math.Abs(v); math.IsNaN(v) {
			all[i] = 0
		}
	}
	slices.Sort(all)
	// numpy's percentile: linear between the two nearest ranks.
	rank := float64(percentile / 100 * float64(len(all)-1))
	low := int(math.Floor(rank))
	threshold := all[low]
	if low+1 < len(all) {
		threshold += float64((all[low+1] - all[low]) * (rank - float64(low)))
	}
	var edges []Edge
	for i := range p.Rows {
		for j := i + 1; j < p.Cols; j++ {
			if w := math.Abs(p.At(i, j)); w >= threshold && w > 0 && !silent[i] && !silent[j] {
				edges = append(edges, Edge{i, j, w})
			}
		}
	}
	return edges
}

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
	set := upTo(g.N)
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
