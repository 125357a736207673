package netio

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteNode writes BrainNet Viewer's .node file: x, y, z (MNI mm), the number of the
// node's group (hemisphere and structure) as its color, its size, and its name. The size
// is the score where all have one, and the degree otherwise.
func (g *Graph) WriteNode(w io.Writer) error {
	if err := g.check(); err != nil {
		return err
	}
	var lost []string
	scored := true
	for _, n := range g.Nodes {
		if !placed(n) {
			lost = append(lost, n.Name)
		}
		scored = scored && !math.IsNaN(n.Score)
	}
	if lost != nil {
		return LossError(fmt.Sprintf("the positions of %d of %d regions are unknown (%s …): a node list with x, y and z is needed", len(lost), len(g.Nodes), lost[0]))
	}
	degree := g.degrees()
	var groups []string
	var b bytes.Buffer
	for i, n := range g.Nodes {
		group := n.Hemisphere + " " + n.Structure
		at := slices.Index(groups, group)
		if at < 0 {
			at, groups = len(groups), append(groups, group)
		}
		size := strconv.Itoa(degree[i])
		if scored {
			size = number(n.Score)
		}
		name := n.Abbreviation
		if name == "" {
			name = n.Name
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%s\t%s\n", number(n.X), number(n.Y), number(n.Z), at+1, size, word(name))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteEdge writes BrainNet Viewer's .edge file: the matrix of weights as text, 0 where
// there is no edge. Graphs with an edge twice are refused.
func (g *Graph) WriteEdge(w io.Writer) error {
	if err := g.check(); err != nil {
		return err
	}
	n := len(g.Nodes)
	m := make([]float64, n*n)
	seen := make([]bool, n*n)
	for _, e := range g.Edges {
		if seen[e.Source*n+e.Target] {
			return LossError("two edges join the nodes " + strconv.Itoa(e.Source+1) + " and " + strconv.Itoa(e.Target+1))
		}
		for _, at := range []int{e.Source*n + e.Target, e.Target*n + e.Source} {
			m[at], seen[at] = e.Weight, true
		}
	}
	return WriteMatrix(w, m, n)
}

// WriteMatrix writes a matrix of n columns as text without names: a line a row, tabs
// between numbers. BCT, MRtrix and BrainNet Viewer read it; a missing number is NaN.
func WriteMatrix(w io.Writer, m []float64, n int) error {
	var b bytes.Buffer
	row := make([]string, n)
	for ; len(m) >= n && n > 0; m = m[n:] {
		for j, v := range m[:n] {
			row[j] = number(v)
		}
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}
