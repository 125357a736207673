package dag

import (
	"context"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag/param"
	"prgnn/internal/need"

	"pgregory.net/rapid"
)

// everything has a parameter of every type.
type everything struct {
	Bool   bool      `param:"bool" doc:"-"`
	Int    int       `param:"int" doc:"-"`
	Long   int64     `param:"long" doc:"-"`
	Seed   uint64    `param:"seed" doc:"-"`
	Number float64   `param:"number" doc:"-"`
	Text   string    `param:"text" doc:"-"`
	Ints   []int     `param:"ints" doc:"-"`
	Floats []float64 `param:"floats" doc:"-"`
	Texts  []string  `param:"texts" doc:"-"`
}

// remade is a stage of them.
type remade struct{ everything }

func (*remade) Run(context.Context, *Task) (Outputs, error) { return nil, nil }

func (*remade) Ports() Ports {
	return Ports{In: []Port{{Name: "one"}, {Name: "many", Gather: true}}, Out: []Port{{Name: "out"}}}
}

// A recipe says all of a task: what is made from it has the same recipe.
func TestRecipeMakesItsTaskAgain(t *testing.T) {
	kind := &Kind{Name: "everything", Code: "everything 1", New: func() Stage { return &remade{} }}
	rapid.Check(t, func(t *rapid.T) {
		s := &remade{everything{
			Bool: rapid.Bool().Draw(t, "bool"), Int: rapid.Int().Draw(t, "int"), Long: rapid.Int64().Draw(t, "long"),
			Seed: rapid.Uint64().Draw(t, "seed"), Number: rapid.Float64().Draw(t, "number"),
			Text: rapid.String().Draw(t, "text"),
			Ints: rapid.SliceOf(rapid.Int()).Draw(t, "ints"), Floats: rapid.SliceOf(rapid.Float64()).Draw(t, "floats"),
			Texts: rapid.SliceOf(rapid.String()).Draw(t, "texts"),
		}}
		n := &Node{id: "x", stage: &StageNode{kind: kind}, instance: s}
		n.inputs = []Binding{{Port: "one", Sources: []Source{{File: "0"}}}, {Port: "many"}}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			if rapid.Bool().Draw(t, "no coordinates") { // as the tasks of gates have
				n.inputs[1].Sources = append(n.inputs[1].Sources, Source{})
				continue
			}
			n.inputs[1].Sources = append(n.inputs[1].Sources,
				Source{Coords: []Coord{{"fold", rapid.String().Draw(t, "fold")},
					{"subject", rapid.StringMatching(`sub-[a-z0-9]+`).Draw(t, "subject")}}})
		}
		ref := func(*Source) (artifacts.Ref, error) {
			return artifacts.Ref{Format: "npy", Digest: artifacts.Digest{1, 2}}, nil
		}
		text, err := n.Recipe(ref)
		need.NoError(t, err)
		r, err := ReadRecipe(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again := &Node{stage: n.stage, inputs: []Binding{{Port: "one"}, {Port: "many"}}}
		if again.instance, err = kind.Make(r); err != nil {
			t.Fatal(err)
		}
		for _, in := range r.Inputs {
			b := &again.inputs[0]
			if in.Port == "many" {
				b = &again.inputs[1]
			}
			b.Sources = append(b.Sources, Source{Coords: in.Coords})
		}
		if got, err := again.Recipe(ref); err != nil || got != text {
			t.Fatalf("%v\n%s\nbecame\n%s", err, text, got)
		}
	})
}

func TestRecipesThatAreNone(t *testing.T) {
	head := "recipe 1\nstage everything\ncode 12\n"
	for text, want := range map[string]string{
		"":                             "begins with",
		"recipe 2\n":                   "begins with",
		head + "parameter bool = true": "ends with a newline",
		head + "parameter bool\n":      "has no value",
		head + "value x npy\ninput\n":  "needs a port",
		head + "wish x = 1\n":          "does not belong there",
		"recipe 1\ncode 12\n":          "does not belong there",
		head + "input one npy\n":       "needs a port",
		head + "input one npy 12\n":    "characters, want 64",
		head + "input many[a npy " + strings.Repeat("0", 64) + "\n":      "bracket",
		head + "input many[a] npy " + strings.Repeat("0", 64) + "\n":     "has no value",
		head + "input many[a=\"b] npy " + strings.Repeat("0", 64) + "\n": "not quoted",
		head + "input one npy 12\nxxx\n":                                 "characters",
	} {
		if _, err := ReadRecipe(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	kind := &Kind{Name: "everything", New: func() Stage { return &remade{} }}
	for _, c := range []struct {
		facts []Fact
		want  string
	}{
		{[]Fact{{"colour", "1"}}, `unknown parameter "colour"`},
		{[]Fact{{"bool", "2"}}, `"2" is not a valid bool`},
		{[]Fact{{"texts", `["a", b]`}}, "is not a valid string"},
		{[]Fact{{"ints", "1, 2"}}, "is not a list"},
		{[]Fact{{"bool", "true"}}, `has the parameter "int", which the recipe does not state`},
	} {
		if _, err := kind.Make(Recipe{Parameters: c.facts}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.facts, err, c.want)
		}
	}
}

func TestPromises(t *testing.T) {
	for text, want := range map[string]string{"": "the same bits", "bits": "the same bits", "nothing": "nothing",
		"1e-6": "a relative error of at most 1e-06"} {
		if p, err := ParsePromise(text); err != nil || p.String() != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"0", "-1", "1", "NaN", "Inf", "roughly"} {
		if _, err := ParsePromise(text); err == nil {
			t.Errorf("%q is taken for a promise", text)
		}
	}
}

// An empty list and none have one recipe, so a stage sees one and the same.
func TestEmptyListIsNone(t *testing.T) {
	s := &remade{}
	if err := param.Set(s, "texts", []any{}); err != nil || s.Texts != nil {
		t.Errorf("%v, %#v", err, s.Texts)
	}
}

// Inputs of one name are a set: only what is in one recipe and not in the other differs.
func TestDifferencesOfGates(t *testing.T) {
	const head = "pipeline recipe 1\n"
	a, b, c := "input leakage[] arrow aa\n", "input leakage[] arrow bb\n", "input leakage[] arrow cc\n"
	for _, tt := range []struct{ old, now, want string }{
		{a + b, a + b, ""},
		{a + b, b + a, ""},
		{a + b, a + c, "arrow bb > arrow cc;"},
		{a, a + b, " > arrow bb;"},
		{a + b, b, "arrow aa > ;"},
	} {
		got := ""
		for _, d := range RecipeDifferences(head+tt.old, head+tt.now) {
			got += d.Old + " > " + d.New + ";"
		}
		need.Equal(t, got, tt.want, tt.old, tt.now)
	}
}
