package netio

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func small() *Graph {
	nan := math.NaN()
	return &Graph{Nodes: []Node{
		{Name: "Left-Thalamus", Abbreviation: "L.TH", Hemisphere: "L", Structure: "subcortex",
			X: -10.5, Y: -19, Z: 6, Score: nan},
		{Name: "Right <Thalamus>", Abbreviation: "R TH", Hemisphere: "R", Structure: "subcortex", X: 11, Y: -18,
			Z: 6.25, Score: nan},
		{Name: "x", X: 1e-7, Y: 2, Z: 3, Score: nan},
	}, Edges: []Edge{{0, 1, .75}, {0, 2, -0.1}}}
}

func TestBrainNet(t *testing.T) {
	var node, edge bytes.Buffer
	g := small()
	need.NoError(t, g.WriteNode(&node))
	need.NoError(t, g.WriteEdge(&edge))
	if want := "-10.5\t-19\t6\t1\t2\tL.TH\n11\t-18\t6.25\t2\t1\tR_TH\n1e-07\t2\t3\t3\t1\tx\n"; node.String() != want {
		t.Errorf("nodes\n%swant\n%s", node.String(), want)
	}
	if want := "0\t0.75\t-0.1\n0.75\t0\t0\n-0.1\t0\t0\n"; edge.String() != want {
		t.Errorf("edges\n%swant\n%s", edge.String(), want)
	}
	for i := range g.Nodes {
		g.Nodes[i].Score = 0.5
	}
	node.Reset()
	if g.WriteNode(&node); !strings.HasPrefix(node.String(), "-10.5\t-19\t6\t1\t0.5\t") {
		t.Errorf("nodes with scores\n%s", node.String())
	}
}

func TestRefuses(t *testing.T) {
	lost, beyond, twice := small(), small(), small()
	lost.Nodes[1].Y = math.NaN()
	beyond.Edges[1].Target = 3
	twice.Edges[1] = Edge{1, 0, 1}
	for want, err := range map[string]error{
		"the positions of 1 of 3 regions are unknown (Right <Thalamus> …)": lost.WriteNode(&bytes.Buffer{}),
		"edge 2 joins the nodes 1 and 4 of 3":                              beyond.WriteEdge(&bytes.Buffer{}),
		"two edges join the nodes 2 and 1":                                 twice.WriteEdge(&bytes.Buffer{}),
	} {
		need.Error(t, err, want)
		// What is wrong with the graph itself is no loss of a format.
		if _, loss := err.(LossError); loss != !strings.HasPrefix(want, "edge ") {
			t.Errorf("%T of %q", err, want)
		}
	}
}
