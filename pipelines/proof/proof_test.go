package proof

import (
	"context"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/pipelines"
)

const diamond = `stages:
  a: { use: echo, with: { value: 1 } }
  z: { use: echo, in: { inputs: [b, c] }, with: { value: 4 } }
  b: { use: echo, in: { input: a }, with: { value: 2 } }
  c: { use: echo, in: { input: a }, with: { value: 3 } }
`

func load(t *testing.T) (*dag.Graph, map[string]*dag.Node) {
	p := need.Value(pipelines.LoadText("diamond.yaml", diamond, t.TempDir(), nil))(t)
	of := map[string]*dag.Node{}
	for _, s := range p.Graph.Stages {
		for _, n := range s.Tasks {
			of[n.ID] = n
		}
	}
	return p.Graph, of
}

// results give each task the digest that begins with a byte.
func results(of map[string]byte) Results {
	r := Results{Tasks: map[string]Result{}}
	for id, b := range of {
		r.Tasks[id] = Result{Key: artifacts.Key{b},
			Outputs: artifacts.Refs{{Name: "value", Ref: artifacts.Ref{Digest: artifacts.Digest{b}}}}}
	}
	return r
}

// A difference begins where all that a task took is the same.
func TestCompare(t *testing.T) {
	g, _ := load(t)
	base := map[string]byte{"a": 1, "b": 2, "c": 3, "z": 4}
	for _, c := range []struct {
		change map[string]byte
		want   string // in the order of the graph
	}{
		{nil, "a identical, b identical, c identical, z identical"},
		{map[string]byte{"a": 9}, "a different, b identical, c identical, z identical"},
		{map[string]byte{"b": 9, "z": 9}, "a identical, b different, c identical, z follows b"},
		{map[string]byte{"a": 9, "b": 9, "c": 9, "z": 9}, "a different, b follows a, c follows a, z follows a"},
		{map[string]byte{"b": 9, "c": 9, "z": 9}, "a identical, b different, c different, z follows b c"},
		{map[string]byte{"z": 9}, "a identical, b identical, c identical, z different"},
		{map[string]byte{"b": 0, "z": 9}, "a identical, b absent, c identical, z different"},
	} {
		now := map[string]byte{}
		for id, b := range base {
			if n, changed := c.change[id]; changed {
				b = n
			}
			if b != 0 {
				now[id] = b
			}
		}
		var got []string
		for _, v := range Compare(g, results(base), results(now)) {
			text := v.Node.ID + " " + string(v.State)
			for _, f := range v.From {
				text += " " + f.ID
			}
			got = append(got, text)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.change, s, c.want)
		}
	}
}

func TestDownstreamAndConclusions(t *testing.T) {
	g, of := load(t)
	names := func(m map[*dag.Node]bool) string {
		text := ""
		for _, id := range []string{"a", "b", "c", "z"} {
			if m[of[id]] {
				text += id
			}
		}
		return text
	}
	for from, want := range map[string]string{"a": "bcz", "b": "z", "z": ""} {
		need.Equal(t, names(Downstream(g, map[*dag.Node]bool{of[from]: true})), want, "downstream of", from)
	}
	ends := Conclusions(g)
	if len(ends) != 1 || len(ends[of["z"]]) != 1 {
		t.Errorf("the conclusions are %v", ends)
	}
}

// What is cut out of a graph keeps its keys: inputs enter them by content.
func TestCutKeepsKeys(t *testing.T) {
	g, of := load(t)
	s := need.Value(artifacts.Open(t.TempDir()))(t)
	defer s.Close()
	whole := need.Value(dag.Run(context.Background(), g, s, dag.Options{}))(t)
	stored := func(n *dag.Node, output string) (string, string) {
		ref := whole.Outputs[n.ID].Of(output)
		file := need.Value(s.File(ref))(t)
		return file, ref.Format
	}
	for _, linked := range []bool{false, true} {
		part := Cut(g, map[*dag.Node]bool{of["b"]: true, of["z"]: true}, linked, stored)
		r, err := dag.Run(context.Background(), part, s, dag.Options{})
		if err != nil || r.Tasks != 2 || r.Cached != 2 {
			t.Errorf("linked %v: %+v, %v", linked, r, err)
		}
	}
}
