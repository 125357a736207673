package dag

import (
	"reflect"
	"strings"
	"testing"

	"prgnn/dag/param"
	"prgnn/internal/need"
)

// fuzzed has a parameter of every type.
type fuzzed struct {
	mixed
	On     bool      `param:"on"`
	Count  int       `param:"count"`
	Wide   int64     `param:"wide"`
	Seed   uint64    `param:"seed"`
	Level  float64   `param:"level"`
	Name   string    `param:"name"`
	Sizes  []int     `param:"sizes"`
	Rates  []float64 `param:"rates"`
	Labels []string  `param:"labels"`
}

// FuzzRecipe: recipes lie in the store as text, and a store may come from somebody
// else. Whatever the text, reading it is an error or gives its facts; a stage that
// is made from them has the same parameters when it is written and read again.
func FuzzRecipe(f *testing.F) {
	whole := &fuzzed{On: true, Count: -3, Wide: 1 << 40, Seed: 1 << 63, Level: 1e-300, Name: "a \"b\"\n, é]",
		Sizes: []int{1, -2}, Rates: []float64{0.1, 1e21}, Labels: []string{"x, y", "]", ""}}
	text := recipeFormat + "\nstage fuzzed\ncode c0de\n"
	for _, line := range param.Text(whole) {
		text += "parameter " + line + "\n"
	}
	f.Add(text + "environment PATH = \"/bin\"\nenvironment HOME\nvalue nodes arrow 77fe\n")
	f.Add(mixedRecipe)
	f.Add(strings.ReplaceAll(mixedRecipe, "input", "input input"))
	f.Add("recipe 2\nstage x\n")
	kind := &Kind{Name: "fuzzed", New: func() Stage { return &fuzzed{} }}
	f.Fuzz(func(t *testing.T, text string) {
		RecipeDifferences(mixedRecipe, text) // whatever comes out, it comes out
		RecipeDifferences(text, mixedRecipe)
		r, err := ReadRecipe(text)
		if err != nil {
			return
		}
		made, err := kind.Make(r)
		if err != nil {
			return
		}
		lines := param.Text(made)
		again := recipeFormat + "\nstage fuzzed\ncode c0de\nparameter " + strings.Join(lines, "\nparameter ") + "\n"
		r2, err := ReadRecipe(again)
		if err != nil {
			t.Fatalf("%q is written as %q, which is no recipe: %v", text, again, err)
		}
		second, err := kind.Make(r2)
		need.NoError(t, err, again)
		if now := param.Text(second); !reflect.DeepEqual(now, lines) {
			t.Fatalf("%q became %q", lines, now)
		}
	})
}
