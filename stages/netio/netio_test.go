package netio

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func small() *Graph {
	nan := math.NaN()
	return &Graph{Name: `sub-01 & "more"`, Nodes: []Node{
		{ID: 10, Name: "Left-Thalamus", Abbreviation: "L.TH", Hemisphere: "L", Structure: "subcortex", Color: "#00760e",
			X: -10.5, Y: -19, Z: 6, Score: nan},
		{ID: 49, Name: "Right <Thalamus>", Abbreviation: "R TH", Hemisphere: "R", Structure: "subcortex", X: 11, Y: -18,
			Z: 6.25, Score: nan},
		{ID: 50, Name: "x", X: 1e-7, Y: 2, Z: 3, Score: nan},
	}, Edges: []Edge{{0, 1, .75}, {0, 2, -0.1}}}
}

func TestGraphMLIsWhatNetworkxReads(t *testing.T) {
	python := need.Python(t, "networkx")
	var b bytes.Buffer
	need.NoError(t, small().WriteGraphML(&b))
	path := filepath.Join(t.TempDir(), "g.graphml")
	need.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	out, err := exec.Command(python, "-c", `
import sys, json, networkx as nx
g = nx.read_graphml(sys.argv[1])
print(json.dumps([g.is_directed(), dict(g.nodes(data=True)), sorted((u, v, d["weight"]) for u, v, d in g.edges(data=True))]))`, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got, want any
	need.NoError(t, json.Unmarshal(out, &got))
	json.Unmarshal([]byte(`[false, {
		"n1": {"index": 1, "id": 10, "name": "Left-Thalamus", "abbreviation": "L.TH", "hemisphere": "L", "structure": "subcortex", "x": -10.5, "y": -19, "z": 6, "color": "#00760e", "degree": 2},
		"n2": {"index": 2, "id": 49, "name": "Right <Thalamus>", "abbreviation": "R TH", "hemisphere": "R", "structure": "subcortex", "x": 11, "y": -18, "z": 6.25, "degree": 1},
		"n3": {"index": 3, "id": 50, "name": "x", "x": 1e-7, "y": 2, "z": 3, "degree": 1}},
		[["n1", "n2", 0.75], ["n1", "n3", -0.1]]]`), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("networkx reads\n%v, want\n%v", got, want)
	}
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
		"edge 2 joins the nodes 1 and 4 of 3":                              beyond.WriteGraphML(&bytes.Buffer{}),
		"two edges join the nodes 2 and 1":                                 twice.WriteEdge(&bytes.Buffer{}),
	} {
		need.Error(t, err, want)
		// What is wrong with the graph itself is no loss of a format.
		if _, loss := err.(LossError); loss != !strings.HasPrefix(want, "edge ") {
			t.Errorf("%T of %q", err, want)
		}
	}
}
