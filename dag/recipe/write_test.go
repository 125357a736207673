package recipe

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/internal/line"
	"prgnn/dag/param"
)

// mixed has ports of every sort, not in the order of their names.
type mixed struct {
	Density float64 `param:"density"`
	Repair  bool    `param:"repair"`
	Subject string  `param:"subject"`
}

func (*mixed) Ports() dag.Ports {
	return dag.Ports{
		In:  []dag.Port{{Name: "pearson"}, {Name: "edges", Gather: true}, {Name: "confounds", Optional: true}},
		Out: []dag.Port{{Name: "out"}},
	}
}
func (*mixed) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }

func refOf(text, format string) artifacts.Ref {
	return artifacts.Ref{Digest: artifacts.DigestOf([]byte(text)), Size: int64(len(text)), Format: format}
}

func mixedTask() (*Task, [][]artifacts.Ref) {
	t := &Task{
		Kind: "graph", Code: "c0de",
		Stage: &mixed{Density: 0.1, Repair: true, Subject: "sub-003"},
		Inputs: []dag.Binding{
			{Port: "edges", Sources: []dag.Source{
				{Coords: []dag.Coord{{Axis: "fold", Value: "1"}, {Axis: "subject", Value: "sub-001"}}},
				{Coords: []dag.Coord{{Axis: "fold", Value: "1"}, {Axis: "subject", Value: "a,b=c]"}}},
			}},
			{Port: "pearson", Sources: []dag.Source{{Coords: []dag.Coord{{Axis: "subject", Value: "sub-003"}}}}},
		},
	}
	return t, [][]artifacts.Ref{{refOf("e1", "arrow"), refOf("e2", "arrow")}, {refOf("p", "npy")}}
}

// The digests are those that sha256sum gives for the texts p, e1 and e2.
const mixedRecipe = `recipe 1
stage graph
code c0de
parameter density = 0.1
parameter repair = true
parameter subject = "sub-003"
input pearson npy 148de9c5a7a44d19e56cd9ae1a554bf67847afb0c58f6e12fa29ac7ddfca9940
input edges[fold=1,subject=sub-001] arrow 8b5cc4df7eec7d32a7814eca4af047ae33b2d52342667715682e19c25b0b9faa
input edges[fold=1,subject="a,b=c]"] arrow ac0f09c0f8bf5e7a4b063d863255f16d8ce9abe600e288d934cf313bcbff63eb
`

// TestRecipe writes a recipe out, and then changes what may not change it and
// what must.
func TestRecipe(t *testing.T) {
	ports := (*mixed)(nil).Ports().In
	write := func(change func(n *Task, refs *[][]artifacts.Ref)) string {
		n, refs := mixedTask()
		change(n, &refs)
		return string(Append(nil, n, ports, refs))
	}
	base := write(func(*Task, *[][]artifacts.Ref) {})
	if base != mixedRecipe {
		t.Errorf("recipe:\n%s\nwant:\n%s", base, mixedRecipe)
	}
	for _, tt := range []struct {
		name   string
		change func(n *Task, refs *[][]artifacts.Ref)
		same   bool
	}{
		{"a default spelled out", func(n *Task, _ *[][]artifacts.Ref) { param.Set(n.Stage, "density", 0.10) }, true},
		{"the order of the inputs in the file", func(n *Task, refs *[][]artifacts.Ref) {
			slices.Reverse(n.Inputs)
			slices.Reverse(*refs)
		}, true},
		{"coordinates of an input that does not gather", func(n *Task, _ *[][]artifacts.Ref) { n.Inputs[1].Sources[0].Coords = nil }, true},
		{"the name of an input file", func(n *Task, _ *[][]artifacts.Ref) { n.Inputs[1].Sources[0].File = "/x" }, true},
		{"the size of an input", func(_ *Task, refs *[][]artifacts.Ref) { (*refs)[1][0].Size++ }, true}, // the digest says it
		{"a parameter", func(n *Task, _ *[][]artifacts.Ref) { param.Set(n.Stage, "density", 0.11) }, false},
		{"a parameter that an axis fills", func(n *Task, _ *[][]artifacts.Ref) { param.Set(n.Stage, "subject", "sub-004") }, false},
		{"the kind", func(n *Task, _ *[][]artifacts.Ref) { n.Kind = "graph2" }, false},
		{"the content of an input", func(_ *Task, refs *[][]artifacts.Ref) { (*refs)[1][0] = refOf("q", "npy") }, false},
		{"the format of an input", func(_ *Task, refs *[][]artifacts.Ref) { (*refs)[1][0].Format = "text" }, false},
		{"a coordinate of a member", func(n *Task, _ *[][]artifacts.Ref) { n.Inputs[0].Sources[0].Coords[0].Value = "2" }, false},
		{"members that change places", func(_ *Task, refs *[][]artifacts.Ref) { slices.Reverse((*refs)[0]) }, false},
		{"a member less", func(n *Task, refs *[][]artifacts.Ref) {
			n.Inputs[0].Sources, (*refs)[0] = n.Inputs[0].Sources[:1], (*refs)[0][:1]
		}, false},
		{"an input at another port", func(n *Task, _ *[][]artifacts.Ref) { n.Inputs[1].Port = "confounds" }, false},
	} {
		if got := write(tt.change); (got == base) != tt.same {
			t.Errorf("%s: the recipe is\n%s", tt.name, got)
		}
	}
}

// TestRecipesDoNotCollide writes recipes of tasks whose texts try to look like
// other lines: two recipes are equal only if their tasks are.
func TestRecipesDoNotCollide(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "a,b", "b\ninput pearson npy", "]", "x]", `"`, "=", "a=b", "[", "\n", "a,fold=1"})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (string, []string) {
			n, refs := mixedTask()
			var what []string
			for i := range n.Inputs[0].Sources {
				for c := range n.Inputs[0].Sources[i].Coords {
					v := text.Draw(t, label)
					n.Inputs[0].Sources[i].Coords[c].Value = v
					what = append(what, v)
				}
			}
			v := text.Draw(t, label)
			n.Stage.(*mixed).Subject = v
			return string(Append(nil, n, (*mixed)(nil).Ports().In, refs)), append(what, v)
		}
		r1, w1 := draw("one")
		r2, w2 := draw("two")
		if (r1 == r2) != slices.Equal(w1, w2) {
			t.Fatalf("%q and %q give\n%s\n%s", w1, w2, r1, r2)
		}
		if got, want := strings.Count(r1, "\n"), strings.Count(mixedRecipe, "\n"); got != want {
			t.Fatalf("%d lines, want %d:\n%s", got, want, r1)
		}
		for text := range strings.Lines(r1) {
			f := line.Read(strings.TrimSuffix(text, "\n"))
			if f.What == "input" && (f.Value == "" || !strings.Contains(f.Value, " ")) {
				t.Fatalf("a line cannot be read back: %+v\n%s", f, r1)
			}
		}
	})
}
