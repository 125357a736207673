package listing

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

// The excerpt of some kinds is what their lines say, whatever else stands between them.
func TestExcerpt(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "ab", "b", "c", "p/q.A", "p/q.B", "p.A"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			words := strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "words"), " ")
			switch rapid.SampledFrom([]string{"kinds", "declaration"}).Draw(t, "line") {
			case "kinds":
				text.WriteString("\nreached by " + words + "\n")
			case "declaration":
				text.WriteString(words + " 01.02\n")
			}
		}
		var kinds []Kind
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "ab", "b"}), rapid.ID).Draw(t, "kinds")
		for _, name := range names {
			kinds = append(kinds, Kind{Name: name, Code: "kind " + name + " 00\n\n" + text.String()})
		}
		if got, want := Excerpt(kinds), excerptOf("\n\n"+text.String(), kinds); got != want {
			t.Fatalf("%q\ngot\n%s\nwant\n%s", text.String(), got, want)
		}
	})
}

// excerptOf is excerpt of one text, word by word.
func excerptOf(text string, kinds []Kind) string {
	if len(kinds) == 0 {
		return ""
	}
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
			in = false
		case words[0] == "reached" && words[1] == "by":
			by := slices.DeleteFunc(words[2:], func(w string) bool {
				return !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Name == w })
			})
			if in = len(by) > 0; in {
				b.WriteString("\nreached by " + strings.Join(by, " ") + "\n")
			}
		case in:
			b.WriteString(line)
		}
	}
	return b.String() + "\n"
}

// Sources as they are listed are no difference; an edited, a new and a removed file, and a module of another version,
// are one. Tests, generated files and packages without a listed file are none.
func TestDiffers(t *testing.T) {
	files := func(changes map[string]string) []Source {
		all := fstest.MapFS{"codes.txt": {}, "sources_gen.go": {}, "other/x.go": {Data: []byte("x")}}
		for name, text := range map[string]string{"gnn/pool.go": "pool", "gnn/vector.s": "vector"} {
			all[name] = &fstest.MapFile{Data: []byte(text)}
		}
		for name, text := range changes {
			all[name] = &fstest.MapFile{Data: []byte(text)}
			if text == "" {
				delete(all, name)
			}
		}
		built, err := Sources("prgnn", all)
		need.NoError(t, err)
		return built
	}
	code := "kind a 12\n\nsource prgnn/gnn/pool.go " + Digest([]byte("pool")) + "\nsource prgnn/gnn/vector.s " +
		Digest([]byte("vector")) + "\n\nreached by a\nmodule gonum.org/v1/plot v0.17.0\n"
	plot := map[string]string{"gonum.org/v1/plot": "v0.17.0"}
	for _, c := range []struct {
		changes, modules map[string]string
		want             string
	}{
		{nil, plot, ""},
		{nil, nil, ""},
		{map[string]string{"other/x.go": "y", "new/y.go": "y", "gnn/pool_test.go": "test"}, plot, ""},
		{map[string]string{"gnn/pool.go": "2*pool"}, plot, "prgnn/gnn/pool.go"},
		{map[string]string{"gnn/new.go": "new"}, plot, "prgnn/gnn/new.go"},
		{map[string]string{"gnn/vector.s": ""}, plot, "prgnn/gnn/vector.s"},
		{nil, map[string]string{"gonum.org/v1/plot": "v0.18.0"}, "module gonum.org/v1/plot"},
	} {
		built := files(c.changes)
		need.Equal(t, Differs(code, built, c.modules, nil), c.want, c.changes, c.modules)
		need.Equal(t, Differs(code, slices.Concat(built, built), c.modules, nil), c.want, "embedded twice")
	}
	need.Equal(t, Differs(code, nil, plot, nil), "prgnn/gnn/pool.go", "no sources")
	loops := SharedLoops("prgnn/gnn")
	shared := strings.Replace(code, "\n\nreached", "\nsource "+loops.Path+" "+loops.Digest+"\n\nreached", 1)
	need.Equal(t, Differs(shared, append(files(nil), loops), plot, nil), "", "a module before Go 1.22")
	need.Equal(t, Differs(shared, files(nil), plot, nil), "prgnn/gnn/go.mod:go", "its loops are others")
	need.Equal(t, Differs(code, append(files(nil), loops), plot, nil), "prgnn/gnn/go.mod:go", "its loops are others")

	// What a lab's kind reaches in a module beside has to be in the listing of that, as it is.
	lab := "kind b 34\n\nbeside prgnn\n\nreached by b\nprgnn/gnn.pool 4931.6c\nprgnn/gnn.other 60.48\n"
	other := "kind a 12\n\nreached by a\nprgnn/gnn.pool 4931.6c\nprgnn/gnn.other "
	need.Equal(t, Differs(lab, files(nil), plot, []string{other + "60.48\n"}), "")
	need.Equal(t, Differs(lab, files(nil), plot, []string{other + "61.48\n"}), "prgnn/gnn.other")
	need.Equal(t, Differs(lab, files(nil), plot, nil), "prgnn/gnn.pool")
	covered := strings.Replace(lab, "prgnn\n\n", "prgnn\nsource prgnn/gnn/pool.go "+Digest([]byte("pool"))+" pool\n\n", 1)
	need.Equal(t, Differs(covered, files(map[string]string{"gnn/vector.s": ""}), plot, nil), "prgnn/gnn.other", "its file is compared")
}

// A variable that the linker sets is a difference where a kind reaches it: no source has its value.
func TestLinked(t *testing.T) {
	for flags, want := range map[string]string{
		"-s -w":                            "",
		"-X lab/helper.Build=5":            "lab/helper.Build",
		"-s -X=lab/helper.Build=5 -w":      "lab/helper.Build",
		"-X 'lab/helper.Build=a b' -s":     "lab/helper.Build",
		`"-X=lab/helper.Build=a b"`:        "lab/helper.Build",
		"lab/...=-X lab/helper.Build=5":    "lab/helper.Build",
		"-X main.Build=5 -X a.b/c.D=-s=-w": "lab/prog.Build a.b/c.D",
		"-extldflags=-Xlinker -o=x":        "",
	} {
		info := &debug.BuildInfo{Path: "lab/prog", Settings: []debug.BuildSetting{{Key: "-ldflags", Value: flags}}}
		need.Equal(t, strings.Join(linkedIn(info), " "), want, flags)
	}
}

// Declarations are found in the sources of the program.
func TestPlace(t *testing.T) {
	Built("lab.example", fstest.MapFS{
		"lab.go":           {Data: []byte("package lab\n\nfunc Root() {}\n")},
		"fit/broken.go":    {Data: []byte("package fit\n\nfunc Fit( {\n")},
		"fit/fit.go":       {Data: []byte("package fit\n\nfunc Fit() {}\n\ntype Model[T any] struct{}\n\nfunc (m *Model[T]) Fit() {\n\tvar local int\n}\n")},
		"fit/values.go":    {Data: []byte("package fit\n\nvar (\n\ta    = 1\n\tb, c = two()\n)\n\nconst local = 1\n")},
		"fit/kinds.go":     {Data: []byte("package fit\n\nvar source = cohort.Source{Name: \"mine\", New: 1}\n\nfunc init() {\n\tRegister(dag.Kind{Name: \"mine\",\n\t\tNew: 2})\n}\n\nvar port = []dag.Port{{Name: \"mine\"}}\n")},
		"fit/fit_test.go":  {Data: []byte("package fit_test\n\nfunc Fit() {}\n")},
		"fit/fit_other.go": {Data: []byte("package fit\n\n\nfunc Fit() {}\n")},
		"fit/deep/in.go":   {Data: []byte("package deep\n\nfunc In() {}\n")},
	})
	defer delete(sources, "lab.example")
	for declaration, want := range map[string]string{
		"lab.example.Root":           "lab.go:3",
		"lab.example/fit.Fit":        "fit/fit.go:3, fit/fit_other.go:4",
		"lab.example/fit.Model":      "fit/fit.go:5",
		"lab.example/fit.Model.Fit":  "fit/fit.go:7",
		"lab.example/fit.a":          "fit/values.go:4",
		"lab.example/fit.b,c":        "fit/values.go:5",
		"lab.example/fit.local":      "fit/values.go:8",
		"lab.example/fit.mine.New":   "fit/kinds.go:6",
		"lab.example/fit/deep.In":    "fit/deep/in.go:3",
		"lab.example/fit.gone":       "",
		"lab.example/fit.gone.New":   "",
		"lab.example/fit/kernel.s":   "",
		"lab.examples/fit.Fit":       "",
		"lab.example":                "",
		"":                           "",
		"module lab.example/fit.Fit": "",
	} {
		need.Equal(t, Place(declaration), want, declaration)
	}
}
