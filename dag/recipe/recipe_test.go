package recipe

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/dag/internal/line"
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

func (*remade) Run(context.Context, *dag.Task) (dag.Outputs, error) { return nil, nil }

func (*remade) Ports() dag.Ports {
	return dag.Ports{In: []dag.Port{{Name: "one"}, {Name: "many", Gather: true}}, Out: []dag.Port{{Name: "out"}}}
}

// A recipe says all of a task: what is made from it has the same recipe.
func TestRecipeMakesItsTaskAgain(t *testing.T) {
	kind := &dag.Kind{Name: "everything", Code: "everything 1", New: func() dag.Stage { return &remade{} }}
	rapid.Check(t, func(t *rapid.T) {
		s := &remade{everything{
			Bool: rapid.Bool().Draw(t, "bool"), Int: rapid.Int().Draw(t, "int"), Long: rapid.Int64().Draw(t, "long"),
			Seed: rapid.Uint64().Draw(t, "seed"), Number: rapid.Float64().Draw(t, "number"),
			Text: rapid.String().Draw(t, "text"),
			Ints: rapid.SliceOf(rapid.Int()).Draw(t, "ints"), Floats: rapid.SliceOf(rapid.Float64()).Draw(t, "floats"),
			Texts: rapid.SliceOf(rapid.String()).Draw(t, "texts"),
		}}
		var many []dag.Source
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			if rapid.Bool().Draw(t, "no coordinates") { // as the tasks of gates have
				many = append(many, dag.Source{})
				continue
			}
			many = append(many, dag.Source{Coords: []dag.Coord{{Axis: "fold", Value: rapid.String().Draw(t, "fold")},
				{Axis: "subject", Value: rapid.StringMatching(`sub-[a-z0-9]+`).Draw(t, "subject")}}})
		}
		task := func(s dag.Stage, many []dag.Source) *dag.Node {
			b := dag.NewGraph("x")
			n := b.Task(b.Stage("x", kind), s)
			b.Connect(n, "one", dag.Source{File: "0"})
			b.Connect(n, "many", many...)
			return n
		}
		ref := func(*dag.Source) (artifacts.Ref, error) {
			return artifacts.Ref{Format: "npy", Digest: artifacts.Digest{1, 2}}, nil
		}
		text, err := Of(task(s, many), ref, nil)
		need.NoError(t, err)
		r, err := Read(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		made, err := r.Make(kind)
		if err != nil {
			t.Fatal(err)
		}
		many = nil
		for _, in := range r.Inputs {
			if in.Port == "many" {
				many = append(many, dag.Source{Coords: in.Coords})
			}
		}
		if got, err := Of(task(made, many), ref, nil); err != nil || got != text {
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
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	kind := &dag.Kind{Name: "everything", New: func() dag.Stage { return &remade{} }}
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
		if _, err := (&Recipe{Parameters: c.facts}).Make(kind); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.facts, err, c.want)
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

// FuzzRecipe: recipes lie in the store as text, and a store may come from somebody
// else. Whatever the text, reading it is an error or gives its facts; a stage that
// is made from them has the same parameters when it is written and read again.
func FuzzRecipe(f *testing.F) {
	whole := &remade{everything{Bool: true, Int: -3, Long: 1 << 40, Seed: 1 << 63, Number: 1e-300,
		Text: "a \"b\"\n, é]", Ints: []int{1, -2}, Floats: []float64{0.1, 1e21}, Texts: []string{"x, y", "]", ""}}}
	text := line.Format + "\nstage fuzzed\ncode c0de\n"
	for _, p := range param.Values(whole) {
		text += "parameter " + p.String() + "\n"
	}
	f.Add(text + "environment PATH = \"/bin\"\nenvironment HOME\nvalue nodes arrow 77fe\n")
	f.Add(mixedRecipe)
	f.Add(strings.ReplaceAll(mixedRecipe, "input", "input input"))
	f.Add("recipe 2\nstage x\n")
	kind := &dag.Kind{Name: "fuzzed", New: func() dag.Stage { return &remade{} }}
	f.Fuzz(func(t *testing.T, text string) {
		Compare(mixedRecipe, text) // whatever comes out, it comes out
		Compare(text, mixedRecipe)
		r, err := Read(text)
		if err != nil {
			return
		}
		made, err := r.Make(kind)
		if err != nil {
			return
		}
		lines := param.Values(made)
		again := string(param.Append([]byte(line.Format+"\nstage fuzzed\ncode c0de\n"), "parameter ", made))
		r2, err := Read(again)
		if err != nil {
			t.Fatalf("%q is written as %q, which is no recipe: %v", text, again, err)
		}
		second, err := r2.Make(kind)
		need.NoError(t, err, again)
		if now := param.Values(second); !reflect.DeepEqual(now, lines) {
			t.Fatalf("%q became %q", lines, now)
		}
	})
}
