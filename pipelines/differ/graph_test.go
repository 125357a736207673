package differ

import (
	"context"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/disk"
	"prgnn/dag"
	"prgnn/dag/engine"
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
	for _, s := range p.Graph.Stages() {
		for _, n := range s.Tasks() {
			of[n.ID()] = n
		}
	}
	return p.Graph, of
}

// results give each task the digest that begins with a byte.
func results(of map[string]byte) Results {
	r := Results{Tasks: map[string]Result{}}
	for id, b := range of {
		r.Tasks[id] = Result{Outputs: artifacts.Refs{{Name: "value", Ref: artifacts.Ref{Digest: artifacts.Digest{b}}}}}
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
		{map[string]byte{"b": 9, "z": 9}, "a identical, b different, c identical, z different from b"},
		{map[string]byte{"a": 9, "b": 9, "c": 9, "z": 9}, "a different, b different from a, c different from a, z different from a"},
		{map[string]byte{"b": 9, "c": 9, "z": 9}, "a identical, b different, c different, z different from b c"},
		{map[string]byte{"z": 9}, "a identical, b identical, c identical, z different"},
		{map[string]byte{"b": 0, "z": 9}, "a identical, b failed, c identical, z different"},
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
		for _, o := range need.Value(Compare(g, results(base), Pass{Again: results(now)}))(t) {
			text := o.Task + " " + string(o.State)
			if o.From != nil {
				text += " from " + strings.Join(o.From, " ")
			}
			got = append(got, text)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%v:\n got %s\nwant %s", c.change, s, c.want)
		}
	}
}

func TestFromAndConclusions(t *testing.T) {
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
	for from, want := range map[string]string{"a": "abcz", "b": "bz", "z": "z"} {
		need.Equal(t, names(From(g, map[*dag.Node]bool{of[from]: true})), want, "from", from)
	}
	ends := Conclusions(g)
	if len(ends) != 1 || len(ends[of["z"]]) != 1 {
		t.Errorf("the conclusions are %v", ends)
	}
}

// What is cut out of a graph keeps its keys: inputs enter them by content.
func TestCutKeepsKeys(t *testing.T) {
	g, of := load(t)
	s := need.Value(disk.Open(t.TempDir()))(t)
	defer s.Close()
	whole := need.Value(engine.Run(context.Background(), g, s, engine.Options{}))(t)
	stored := func(n *dag.Node, output string) (string, string) {
		ref := whole.Outputs[n.ID()].Of(output)
		file := need.Value(s.File(ref))(t)
		return file, ref.Format
	}
	for _, linked := range []bool{false, true} {
		part := need.Value(Cut(g, map[*dag.Node]bool{of["b"]: true, of["z"]: true}, linked, stored))(t)
		r, err := engine.Run(context.Background(), part, s, engine.Options{})
		if err != nil || r.Tasks != 2 || r.Cached != 2 {
			t.Errorf("linked %v: %+v, %v", linked, r, err)
		}
	}
}
