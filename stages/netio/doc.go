// Package netio writes brain graphs as the pair of node and edge files of BrainNet Viewer (Xia et al. 2013,
// PLoS ONE 8:e68910). Names and positions of the regions travel with the graph.
//
// Equal graphs give equal bytes.
package netio

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Graph is a weighted graph of regions.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a region. Unknown text is empty, an unknown number NaN.
type Node struct {
	Name         string
	Abbreviation string
	Hemisphere   string // "L", "R"
	Structure    string // "cortex" …
	X, Y, Z      float64
	Score        float64 // such as saliency
}

// An Edge joins two nodes by their places in Nodes, from 0.
type Edge struct {
	Source, Target int
	Weight         float64
}

// A LossError says why a format cannot hold a graph that other formats can hold.
type LossError string

func (e LossError) Error() string { return string(e) }

// degrees counts the edges of each node.
func (g *Graph) degrees() []int {
	d := make([]int, len(g.Nodes))
	for _, e := range g.Edges {
		d[e.Source]++
		d[e.Target]++
	}
	return d
}

// check looks for what no format can say.
func (g *Graph) check() error {
	for i, e := range g.Edges {
		if min(e.Source, e.Target) < 0 || max(e.Source, e.Target) >= len(g.Nodes) {
			return fmt.Errorf("edge %d joins the nodes %d and %d of %d", i+1, e.Source+1, e.Target+1, len(g.Nodes))
		}
	}
	return nil
}

// number is the shortest decimal that reads back as x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// word is a name without white space, for formats that end words there.
func word(s string) string {
	s = strings.Join(strings.Fields(s), "_")
	if s == "" {
		return "-"
	}
	return s
}

func placed(n Node) bool { return !math.IsNaN(n.X + n.Y + n.Z) }
