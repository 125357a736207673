package connectivity

import (
	"fmt"
	"math"
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
	silent, pairs, above, err := survey(p)
	if err != nil {
		return nil, err
	}
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
		g.Edges = largest(p, above, want)
	case AuthorsCode:
		g.Edges = aboveMagnitude(p, silent, rule.Percentile)
		want = len(g.Edges)
	default:
		return nil, fmt.Errorf("unknown rule %q", rule.Kind)
	}
	if len(g.Edges) != want {
		panic(fmt.Sprintf("connectivity: the rule selects %d edges, but %d were chosen", want, len(g.Edges)))
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
