package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/dag/listing"
	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"github.com/rogpeppe/go-internal/txtar"
)

// embedsCodes is in a file of each package of kinds.
const embedsCodes = `//go:embed codes.txt
var codesText string

var codes = dag.Codes(codesText)
`

// unpack writes the module of testdata/lab.txtar to a directory.
func unpack(t *testing.T) string {
	t.Helper()
	a := need.Value(txtar.ParseFile("testdata/lab.txtar"))(t)
	dir := t.TempDir()
	need.NoError(t, txtar.Write(a, dir))
	return dir
}

// shared spares each test reading the standard library again.
var shared = newLoader()

func identities(t *testing.T, dir string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, k := range kindsIn(t, filepath.Join(dir, "stages")) {
		ids[k.name] = k.identity
	}
	return ids
}

func kindsIn(t *testing.T, dir string) []kind {
	t.Helper()
	p := need.Value(shared.load(dir))(t)
	kinds := need.Value(p.declarations().kinds(p.roots[0]))(t)
	return kinds
}

// TestWhatCounts edits the module and looks which kinds become others.
func TestWhatCounts(t *testing.T) {
	tests := []struct {
		name, file, old, new string
		changes              string
	}{
		{"a formula that both reach", "science/shared.go", "x * x", "x * x * 1", "mean median"},
		{"a comment in it", "science/shared.go", "// rounded", "// rounded once", ""},
		{"a comment on its own line", "science/shared.go", "\treturn math", "\t// The root.\n\n\treturn math", ""},
		{"the documentation", "science/shared.go", "// Norm is used by both kinds.\n", "", ""},
		{"the layout", "science/shared.go", "math.Sqrt(float64(x * x))", "math.Sqrt(\nfloat64(\nx*x,\n),\n)", ""},
		{"the name of an import", "science/shared.go", "import \"math\"", "import m \"math\"", ""},
		{"a method called through an interface", "science/mean.go", "scale * float64", "2 * scale * float64", "mean"},
		{"the method of an error", "science/alike.go", `return "wrong"`, `return "bad"`, "median"},
		{"a method that nobody can call", "science/mean.go", "m.n++", "m.n += 2", ""},
		{"a method that fmt may call", "science/mean.go", `"mean"`, `"the mean"`, "mean"},
		{"the initializer of a variable", "science/mean.go", "return 3", "return 5", "mean"},
		{"a function that nobody reaches", "science/mean.go", "return 4", "return 5", ""},
		{"the value of a constant", "science/shared.go", "none = iota", "none = iota * iota", ""},
		{"the value of a constant that is used", "science/shared.go", "none = iota", "none = iota + 1", "median"},
		{"assembly", "science/kernel_amd64.s", "AX, ret", "$0, ret", "median"},
		{"a comment in assembly", "science/kernel_amd64.s", "// It gives", "// Gives", ""},
		{"another variable like it", "science/alike.go", "float64(second)", "float64(first)", "median"},
		{"another type like it", "science/alike.go", "= yes{}", "= no{}", "median"},
		{"the name of a local variable", "science/alike.go", "total := 0.0\n\tfor i, r := range s.String() {\n\t\ttotal += float64(i) * float64(r)\n\t}\n\treturn total *", "t := 0.0\n\tfor at, letter := range s.String() {\n\t\tt += float64(at) * float64(letter)\n\t}\n\treturn t *", ""},
		{"another local variable", "science/alike.go", "float64(i) * float64(r)", "float64(r) * float64(i)", "median"},
		{"what another platform runs", "science/kernel_generic.go", "return x", "return 1 * x", "median"},
		{"a comment for another platform", "science/kernel_generic.go", "return x", "return /* as it is */ x", ""},
		{"an embedded file", "table/atlas.tsv", "left", "right", "median"},
		{"a file embedded for somebody else", "table/other.tsv", "right", "left", ""},
		{"an init function", "setup/setup.go", "Level = 2", "Level = 3", "mean"},
		{"a variable that is there for its effect", "setup/setup.go", "Level++", "Level--", "mean"},
		{"what a package hands to one that is reached", "foreign/foreign.go", "return 7", "return 6", "mean"},
		{"what an initializer hands to it", "foreign/foreign.go", "return 8", "return 6", "mean"},
		{"an initializer without effect on it", "foreign/foreign.go", "{9}", "{6}", ""},
		{"a method called through a constraint", "generic/generic.go", "return b.Low", "return 2 * b.Low", "mean"},
		{"a file in an embedded directory", "generic/pages/one.txt", "one", "two", "mean"},
		{"a directive", "science/shared.go", "// Norm is used by both kinds.", "// Norm is used by both kinds.\n//\n//go:noinline", "mean median"},
		{"a default", "stages/mean.go", "N: 1", "N: 2", "mean"},
		{"the documentation of a parameter", "stages/mean.go", `doc:"how many"`, `doc:"how many there are"`, ""},
		{"the documentation of a port", "stages/mean.go", `Doc: "what to take"`, `Doc: "what it takes"`, ""},
		{"the name of a port", "stages/mean.go", `Name: "in"`, `Name: "input"`, "mean"},
		{"the documentation of a kind", "stages/mean.go", `Doc: "the mean"`, `Doc: "a mean"`, ""},
		{"the variables of loops", "go.mod", "go 1.26", "go 1.21", "mean median"},
		{"a version with the same loops", "go.mod", "go 1.26", "go 1.22", ""},
		{"a blank import of what kinds reach", "science/shared.go", `import "math"`, "import \"math\"\nimport _ \"image/gif\"", "mean median"},
		{"a blank import of what their package imports", "foreign/foreign.go", "import ", "import _ \"image/gif\"\nimport ", "mean median"},
		{"a format for nobody who decodes", "science/shared.go", "func Norm", "func Clear() { gif.Decode(nil) }\n\nfunc Norm", ""},
		{"the registry", "stages/registry.go", "kinds[k.Name] = k", "kinds[k.Name+``] = k", ""},
	}
	dir := unpack(t)
	before := identities(t, dir)
	if len(before) != 2 {
		t.Fatalf("kinds: %v", before)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			was := need.Value(os.ReadFile(path))(t)
			defer os.WriteFile(path, was, 0o666)
			if strings.Count(string(was), tt.old) != 1 {
				t.Fatalf("%q stands %d times in %s", tt.old, strings.Count(string(was), tt.old), tt.file)
			}
			now := bytes.Replace(was, []byte(tt.old), []byte(tt.new), 1)
			if strings.Contains(tt.new, " gif.") {
				now = bytes.Replace(now, []byte("import \"math\""), []byte("import \"math\"\nimport \"image/gif\""), 1)
			}
			if tt.name == "the name of an import" {
				now = bytes.Replace(now, []byte("math.Sqrt"), []byte("m.Sqrt"), 1)
			}
			need.NoError(t, os.WriteFile(path, now, 0o666))
			var changed []string
			after := identities(t, dir)
			for _, kind := range []string{"mean", "median"} {
				if after[kind] != before[kind] {
					changed = append(changed, kind)
				}
			}
			need.Equal(t, strings.Join(changed, " "), tt.changes, "changed")
		})
	}
}

// TestRegistries has a kind that decodes images: each format that its package links in counts, also where that is
// imported for its functions, or is a function of ours in a package that the kind does not reach.
func TestRegistries(t *testing.T) {
	dir := unpack(t)
	replace(t, filepath.Join(dir, "science/median.go"), "{ return x", "{ image.Decode(nil); return x")
	replace(t, filepath.Join(dir, "science/median.go"), "package science", "package science\n\nimport \"image\"")
	foreign := filepath.Join(dir, "foreign/foreign.go")
	before := identities(t, dir)
	replace(t, foreign, "import ", "import \"image/png\"\nimport ")
	replace(t, foreign, "return 7", "png.Decode(nil); return 7")
	after := identities(t, dir)
	need.Equal(t, strings.Join(changed(before, after), " "), "mean median", "the format of another's functions")
	replace(t, foreign, "package foreign", "package foreign\n\nimport \"image\"")
	replace(t, foreign, "func read", "func init() { image.RegisterFormat(``, ``, nil, nil) }\n\nfunc read")
	need.Equal(t, strings.Join(changed(after, identities(t, dir)), " "), "mean median", "a format of ours")
}

// TestPrintedNames has a result depend on the name of a type, and an error, which
// is no result.
func TestPrintedNames(t *testing.T) {
	for _, tt := range []struct{ call, changes string }{
		{`fmt.Sprintf("%3d %T", 1, s)`, "median"},
		{`fmt.Sprintf("%#v", s)`, "median"},
		{`fmt.Sprintf("100%% T%v", s)`, ""},
		{`fmt.Errorf("a %T", s).Error()`, ""},
		{`reflect.TypeOf(s).Name()`, "median"},
		{`fmt.Sprint(1, reflect.TypeOf(s))`, "median"},
		{`fmt.Errorf("%s", fmt.Sprintf("%T", s)).Error()`, ""},
	} {
		dir := unpack(t)
		alike := filepath.Join(dir, "science/alike.go")
		replace(t, alike, "range s.String()", "range "+tt.call)
		replace(t, alike, `import "fmt"`, "import (\n\t\"fmt\"\n\t\"reflect\"\n)\n\nvar _ = reflect.Int")
		before := identities(t, dir)
		replace(t, alike, "type yes ", "type yea ")
		replace(t, alike, "func (yes)", "func (yea)")
		replace(t, alike, "= yes{}", "= yea{}")
		need.Equal(t, strings.Join(changed(before, identities(t, dir)), " "), tt.changes, tt.call)
	}
}

// TestTemplates has a template call a method by its name.
func TestTemplates(t *testing.T) {
	dir := unpack(t)
	replace(t, filepath.Join(dir, "science/mean.go"), "package science", "package science\n\nimport \"text/template\"\n\nvar page template.Template")
	replace(t, filepath.Join(dir, "science/mean.go"), "return scale", "page.Execute(nil, m)\n\treturn scale")
	before := identities(t, dir)
	replace(t, filepath.Join(dir, "science/mean.go"), "m.n++", "m.n += 2")
	if after := identities(t, dir); after["mean"] == before["mean"] || after["median"] != before["median"] {
		t.Error("a method that a template may call does not count, or counts for too many")
	}
}

func TestModules(t *testing.T) {
	dir := unpack(t)
	for _, name := range []string{"go.mod", "go.sum"} {
		b := need.Value(os.ReadFile(filepath.Join("../..", name)))(t)
		need.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o666))
	}
	replace(t, filepath.Join(dir, "science/median.go"), "package science", "package science\n\nimport \"golang.org/x/sync/errgroup\"\n\nvar group errgroup.Group")
	need.Equal(t, modules(t, dir)["median"], "", "a module counts that is only used by what is not reached")
	replace(t, filepath.Join(dir, "science/median.go"), "return x / Half", "group.Wait(); return x / Half")
	if m := modules(t, dir); m["median"] != "golang.org/x/sync v0.24.0" || m["mean"] != "" {
		t.Errorf("modules %q, want x/sync for median only", m)
	}
}

func modules(t *testing.T, dir string) map[string]string {
	t.Helper()
	ms := map[string]string{}
	for _, k := range kindsIn(t, filepath.Join(dir, "stages")) {
		ms[k.name] = strings.Join(k.modules, " ")
	}
	return ms
}

// TestGenerate writes the file where there is none, where there is a broken one,
// and does not write it when it is right.
func TestGenerate(t *testing.T) {
	dir := unpack(t)
	stages := filepath.Join(dir, "stages")
	path := filepath.Join(stages, listing.CodeFile)
	err := run(shared, io.Discard, []string{stages}, true, "")
	need.Error(t, err, "make generate", "a missing file passes the check, or the remedy is not told")
	for _, state := range []string{"", "kind mean 12\n<<<<<<< HEAD\n"} {
		if state != "" {
			need.NoError(t, os.WriteFile(path, []byte(state), 0o666))
		}
		need.NoError(t, run(shared, io.Discard, []string{stages}, false, ""))
		need.NoError(t, run(shared, io.Discard, []string{stages}, true, ""))
	}
	var reach bytes.Buffer
	if err := run(shared, &reach, []string{stages}, true, "median"); err != nil ||
		!strings.Contains(reach.String(), " prgnn/science.Median science/median.go:3\n") {
		t.Errorf("reach of median: %v\n%s", err, &reach)
	}
	replace(t, filepath.Join(dir, "science/median.go"), "x / Half", "x / Half / Half")
	if err := run(shared, io.Discard, []string{stages}, true, ""); err == nil {
		t.Error("a stale file passes the check")
	}
}

// TestTopics has kinds in two packages: both files are made in one go, and one error
// names all that are stale.
func TestTopics(t *testing.T) {
	dir := unpack(t)
	testdir.Write(t, filepath.Join(dir, "topic", "kinds.go"), "package topic\n\n"+generateLine+`

import (
	_ "embed"

	"prgnn/dag"
	"prgnn/science"
)

`+embedsCodes+`
var Kinds = []dag.Kind{
	{Name: "one", New: func() dag.Stage { return one{} }, Code: codes["one"]},
	{Name: "two", New: func() dag.Stage { return two{} }, Code: codes["two"]},
}

type one struct{}

func (one) Ports() []dag.Port { return nil }
func (one) Run() float64      { return science.Norm(1) }

type two struct{}

func (two) Ports() []dag.Port { return nil }
func (two) Run() float64      { return 2 }
`)
	replace(t, filepath.Join(dir, "stages/registry.go"), "package stages\n", "package stages\n\n"+generateLine+"\n")
	all := []string{dir + "/..."}
	need.NoError(t, run(shared, io.Discard, all, false, ""))
	need.NoError(t, run(shared, io.Discard, all, true, ""))
	replace(t, filepath.Join(dir, "topic/kinds.go"), "return 2", "return 3")
	err := run(shared, io.Discard, all, true, "")
	if err == nil || !strings.Contains(err.Error(), "topic/codes.txt") ||
		strings.Contains(err.Error(), "stages/codes.txt") {
		t.Errorf("an edit of one topic: %v", err)
	}
	replace(t, filepath.Join(dir, "science/shared.go"), "x * x", "x * x * x")
	err = run(shared, io.Discard, all, true, "")
	if err == nil || !strings.Contains(err.Error(), "topic/codes.txt") ||
		!strings.Contains(err.Error(), "stages/codes.txt") {
		t.Errorf("an edit of what both reach: %v", err)
	}
	if err := run(shared, io.Discard, []string{filepath.Join(dir, "science") + "/..."}, false, ""); err == nil {
		t.Error("no package with kinds is no error")
	}
}

// TestFixedPoint has kinds that reach an init function with more in it than calls of Register, and so the variable that
// embeds codes.txt: what is generated is no part of an identity. A file codes.txt of another package counts.
func TestFixedPoint(t *testing.T) {
	dir := unpack(t)
	topic := filepath.Join(dir, "topic")
	testdir.Write(t, filepath.Join(topic, "kinds.go"), "package topic\n\n"+`
import (
	"embed"

	"prgnn/dag"
	"prgnn/topic/table"
)

`+embedsCodes+`
//go:embed *.txt *.go
var all embed.FS

var kinds []*dag.Kind

var scale = 3.0

func init() {
	if scale > 2 {
		kinds = append(kinds, &dag.Kind{Name: "one", New: func() dag.Stage { return one{} }, Code: codes["one"]})
	}
	_, _ = all.ReadDir(".")
}

var Two = dag.Kind{Name: "two", New: func() dag.Stage { return two{} }, Code: codes["two"]}

type one struct{}

func (one) Ports() []dag.Port { return nil }
func (one) Run() float64      { return scale + float64(len(table.Text)) }

type two struct{}

func (two) Ports() []dag.Port { return nil }
func (two) Run() float64      { return 2 }
`)
	testdir.Write(t, filepath.Join(topic, "table", "table.go"), `package table

import _ "embed"

//go:embed codes.txt
var Text string
`)
	testdir.Write(t, filepath.Join(topic, "table", "codes.txt"), "A00 cholera\n")
	testdir.Write(t, filepath.Join(topic, "notes.txt"), "one\n")
	testdir.Write(t, filepath.Join(topic, listing.CodeFile), "")
	need.NoError(t, run(shared, io.Discard, []string{topic}, false, ""))
	need.NoError(t, run(shared, io.Discard, []string{topic}, true, ""))
	var reach bytes.Buffer
	need.NoError(t, run(shared, &reach, []string{topic}, true, "one"))
	for file, counts := range map[string]bool{"topic/codes.txt": false, "topic/sources_gen.go": false,
		"topic/notes.txt": true, "topic/kinds.go": true, "topic/table/codes.txt": true} {
		need.Equal(t, strings.Contains(reach.String(), "prgnn/"+file+" "), counts, file)
	}
}

// TestInner has a package inside that embeds a file of its own: it has the identities of its kinds, which are those
// that
// they have without that file.
func TestInner(t *testing.T) {
	dir := unpack(t)
	const inner = `

type inner struct{}

func (inner) Ports() []dag.Port { return nil }
func (inner) Run() float64      { return 2 }

var Kind = dag.Kind{Name: "inner", New: func() dag.Stage { return inner{} }}
`
	stages, path := filepath.Join(dir, "stages"), filepath.Join(dir, "stages", "inner", "inner.go")
	replace(t, filepath.Join(stages, "registry.go"), "import (", "import (\n\t_ \"prgnn/stages/inner\"\n")
	kind := func(dir string) string {
		text := string(need.Value(os.ReadFile(filepath.Join(dir, listing.CodeFile)))(t))
		at := strings.Index(text, "kind inner ")
		if at < 0 {
			return ""
		}
		line, _, _ := strings.Cut(text[at:], "\n")
		return line
	}
	testdir.Write(t, path, "package inner\n\nimport \"prgnn/dag\""+inner)
	need.NoError(t, run(shared, io.Discard, []string{stages}, false, ""))
	identity := kind(stages)
	testdir.Write(t, path, "package inner\n\nimport (\n\t_ \"embed\"\n\n\t\"prgnn/dag\"\n)\n\n"+embedsCodes+inner)
	need.NoError(t, run(shared, io.Discard, []string{stages}, false, ""))
	need.NoError(t, run(shared, io.Discard, []string{stages}, true, ""))
	if got := kind(filepath.Dir(path)); identity == "" || got != identity || kind(stages) != "" {
		t.Errorf("its own file has %q, the other one %q, and before that had %q", got, kind(stages), identity)
	}
}

// TestLists has a package whose list of kinds is generated: a kind is added and removed by its
// file alone, and a stale list fails the check.
func TestLists(t *testing.T) {
	dir := unpack(t)
	topic := filepath.Join(dir, "stages", "topic")
	kindFile := func(name string) string {
		return fmt.Sprintf("package topic\n\nimport \"prgnn/dag\"\n\nvar %[1]sKind = dag.Kind{Name: %[1]q, New: func() dag.Stage { return %[1]s{} }}\n\ntype %[1]s struct{}\n\n"+
			"func (%[1]s) Ports() []dag.Port { return nil }\nfunc (%[1]s) Run() float64      { return 2 }\n", name)
	}
	testdir.Write(t, filepath.Join(topic, listFile), "package topic\n\n<<<<<<< HEAD\n")
	testdir.Write(t, filepath.Join(topic, "two.go"), kindFile("two"))
	stages := filepath.Join(dir, "stages")
	listed := func() string {
		need.Error(t, run(shared, io.Discard, []string{stages}, true, ""), listFile, "a stale list passes the check")
		need.NoError(t, run(shared, io.Discard, []string{stages}, false, ""))
		b := need.Value(os.ReadFile(filepath.Join(topic, listFile)))(t)
		_, list, _ := strings.Cut(string(b), "[]dag.Kind{")
		return strings.Join(strings.Fields(list), " ")
	}
	need.Equal(t, listed(), "twoKind, }", "one kind")
	testdir.Write(t, filepath.Join(topic, "one.go"), kindFile("one"))
	need.Equal(t, listed(), "oneKind, twoKind, }", "a kind was added")
	need.NoError(t, os.Remove(filepath.Join(topic, "two.go")))
	need.Equal(t, listed(), "oneKind, }", "a kind was removed")
}

// TestRefused has source that codeid cannot see through: it says so, where that is
// reached.
func TestRefused(t *testing.T) {
	tests := []struct{ name, file, old, new, want string }{
		{"linkname", "science/median.go", "package science\n", "package science\n\nimport _ \"unsafe\"\n\n//go:linkname runtime_now runtime.nanotime\nfunc runtime_now() int64\n", "median.go:5:1: codeid cannot see what go:linkname stands for"},
		{"offsets from Go", "science/kernel_amd64.s", "TEXT", "#include \"go_asm.h\"\nTEXT", "go_asm.h"},
		{"a header of another package", "science/kernel_amd64.s", "TEXT", "#include \"other.h\"\nTEXT", `"other.h", which is not in the package`},
		{"no assembly", "science/kernel_amd64.s", "kernel", "colonel", "kernel.go:5:1: function kernel has no body, and no assembly file"},
		{"cgo", "science/median.go", "package science\n\n", "package science\n\nimport \"C\"\n\n", "median.go:3:8: codeid cannot follow cgo: C code and its compiler are not in a code identity; write the function in Go, or run a program with the kind exec"},
		{"cgo in a package that is reached", "science/shared.go", "import \"math\"", "import \"C\"\nimport \"math\"", "shared.go:4:8: codeid cannot follow cgo"},
		{"a platform that is unknown", "science/kernel_generic.go", "!amd64", "z80", "kernel_generic.go: no platform that codeid reads satisfies its build constraint z80: a code identity is the same for every build, so a build tag cannot choose what a kind computes; make the choice a parameter of the kind, or declare two kinds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := unpack(t)
			replace(t, filepath.Join(dir, tt.file), tt.old, tt.new)
			err := run(shared, io.Discard, []string{filepath.Join(dir, "stages")}, false, "")
			need.Error(t, err, tt.want)
		})
	}
}

func TestMistakes(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"a name that is not constant", `Name: "median"`, `Name: string(codes["x"])`, "median.go:10:11: the name of a stage kind must be a constant: write a literal dag.Kind"},
		{"two of one name", `Name: "median"`, `Name: "mean"`, `median.go:10:11: a second stage kind "mean"`},
		{"no stage", `, New: newMedian`, ``, "median.go:10:11: a stage kind needs a Name and a New"},
		{"source that does not compile", `New: newMedian`, `New: newMode`, "median.go:10:41: undefined: newMode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := unpack(t)
			replace(t, filepath.Join(dir, "stages/median.go"), tt.old, tt.new)
			err := run(shared, io.Discard, []string{filepath.Join(dir, "stages")}, false, "")
			need.Error(t, err, tt.want)
		})
	}
}

// TestFresh holds the generated files of this program's own kinds fresh.
func TestFresh(t *testing.T) {
	need.NoError(t, run(shared, io.Discard, []string{"../../..."}, true, ""))
}

func replace(t *testing.T, path, old, new string) {
	t.Helper()
	b := need.Value(os.ReadFile(path))(t)
	if strings.Count(string(b), old) != 1 {
		t.Fatalf("%q stands %d times in %s", old, strings.Count(string(b), old), path)
	}
	need.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o666))
}

// TestLabModule has kinds in a module of somebody else's that stands on this
// one: where this one is a directory, its source counts.
func TestLabModule(t *testing.T) {
	dir := t.TempDir()
	a, err := txtar.ParseFile("testdata/lab.txtar")
	need.NoError(t, err)
	need.NoError(t, txtar.Write(a, filepath.Join(dir, "prgnn")))
	lab := txtar.Parse([]byte(`
-- go.mod --
module lab

go 1.26

require prgnn v0.0.0

replace prgnn => ../prgnn
-- mystages/mine.go --
package mystages

import (
	_ "embed"

	"lab/half"
	"prgnn/dag"
	"prgnn/science"
)

` + embedsCodes + `
var Mine = dag.Kind{Name: "mine", Code: codes["mine"], New: func() dag.Stage { return &mine{} }}

type mine struct{}

func (mine) Ports() []dag.Port { return nil }
func (mine) Run() float64      { return science.Norm(half.Half + float64(len(half.Table))) }
-- half/t.go --
package half

import _ "embed"

//go:embed table.tsv
var Table string

const Half = 0.5
-- half/table.tsv --
left
-- half/t_test.go --
package half
-- main.go --
package main

import _ "lab/mystages"

func main() {}
-- sources_gen.go --
package main

//go:embed half/*[^t].go
`))
	need.NoError(t, txtar.Write(lab, filepath.Join(dir, "lab")))
	mystages := filepath.Join(dir, "lab", "mystages")
	// This module has its sources in sources_gen.go, but for mean.go.
	testdir.Write(t, filepath.Join(dir, "prgnn", listing.SourcesFile), "package prgnn\n\n//go:embed science/s*.go\n")
	var b []byte
	former := filepath.Join(dir, "lab", listing.SourcesFile)
	need.Error(t, run(shared, io.Discard, []string{mystages}, true, ""), former, "a file that is no longer generated")
	for range 2 { // the generated files are sources, too
		need.NoError(t, run(shared, io.Discard, []string{mystages}, false, ""))
		need.NoError(t, run(shared, io.Discard, []string{mystages}, true, ""))
		b, err = os.ReadFile(filepath.Join(mystages, listing.CodeFile))
	}
	if bytes.Contains(b, []byte("source prgnn/science/mean.go")) ||
		!bytes.Contains(b, []byte("\nsource prgnn/science/shared.go ")) {
		t.Errorf("the sources of the other module are not those that it embeds:\n%s", b)
	}
	// They lie in each package that the kinds reach, so that every program with these has them. The package of the
	// kinds
	// links those of the other module.
	if _, err := os.Stat(former); err == nil {
		t.Error("a file that is no longer generated stays")
	}
	helper := string(need.Value(os.ReadFile(filepath.Join(dir, "lab", "half", listing.SourcesFile)))(t))
	if !strings.Contains(helper, "package half\n") || strings.Contains(helper, "\"prgnn\"") {
		t.Error(helper)
	}
	text := string(need.Value(os.ReadFile(filepath.Join(mystages, listing.SourcesFile)))(t))
	for _, want := range []string{"package mystages\n", "\t_ \"prgnn\" ", "dag.Sources(\"lab/mystages\", sources)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if err != nil || !bytes.HasPrefix(b, []byte("kind mine ")) || !bytes.Contains(b, []byte("\nprgnn/science.Norm ")) {
		t.Errorf("%v\n%s", err, b)
	}
	// A file of any name is a source, and so is each new one; a test is not. What is generated does not depend on what
	// was: not where that does not build, either.
	if !strings.Contains(helper, "\n//go:embed *.go\n//go:embed table.tsv\n") {
		t.Error(helper)
	}
	for file, counts := range map[string]bool{"t.go": true, "table.tsv": true, "t_test.go": false} {
		need.Equal(t, bytes.Contains(b, []byte("\nsource lab/half/"+file+" ")), counts, file)
	}
	for file, former := range map[string]string{
		"half/sources_gen.go":     "package half\n\nimport _ \"embed\"\n\n//go:embed gone.txt\nvar sources string\n",
		"half/./sources_gen.go":   "package half\n\n<<<<<<< HEAD\n",
		"mystages/sources_gen.go": "package other\n\nimport _ \"gone\"\n",
		"mystages/codes.txt":      "",
	} {
		path := filepath.Join(dir, "lab", file)
		want := need.Value(os.ReadFile(path))(t)
		need.NoError(t, os.Remove(path))
		if former != "" {
			testdir.Write(t, path, former)
		}
		need.NoError(t, run(newLoader(), io.Discard, []string{mystages}, false, ""))
		need.Equal(t, string(need.Value(os.ReadFile(path))(t)), string(want), file)
		need.Equal(t, string(need.Value(os.ReadFile(filepath.Join(mystages, listing.CodeFile)))(t)), string(b), file)
	}
	replace(t, filepath.Join(dir, "prgnn/science/shared.go"), "x * x", "x * x * x")
	if err := run(shared, io.Discard, []string{mystages}, true, ""); err == nil {
		t.Error("an edited formula passes the check")
	}
}

// A module in a directory whose sources no program holds is listed, in its root and below: they cannot be compared.
// Where its packages have their sources, they are.
func TestUnseen(t *testing.T) {
	dir := t.TempDir()
	a, err := txtar.ParseFile("testdata/lab.txtar")
	need.NoError(t, err)
	need.NoError(t, txtar.Write(a, filepath.Join(dir, "prgnn")))
	testdir.Write(t, filepath.Join(dir, "prgnn", listing.SourcesFile), "package prgnn\n\n//go:embed science/s*.go\n")
	need.NoError(t, txtar.Write(txtar.Parse([]byte(`
-- dep/go.mod --
module dep

go 1.26
-- dep/dep.go --
package dep

const Half = 0.5
-- dep/deep/deep.go --
package deep

const Two = 2.0
-- lab/go.mod --
module lab

go 1.26

require (
	dep v0.0.0
	prgnn v0.0.0
)

replace prgnn => ../prgnn

replace dep => ../dep
-- lab/mine.go --
package mystages

import (
	_ "embed"

	"dep"
	"dep/deep"
	"prgnn/dag"
)

`+embedsCodes+`
var Mine = dag.Kind{Name: "mine", Code: codes["mine"], New: func() dag.Stage { return &mine{} }}

type mine struct{}

func (mine) Ports() []dag.Port { return nil }
func (mine) Run() float64      { return dep.Half * deep.Two }
`)), dir))
	lab := filepath.Join(dir, "lab")
	code := func() string {
		need.NoError(t, run(newLoader(), io.Discard, []string{lab}, false, ""))
		return string(need.Value(os.ReadFile(filepath.Join(lab, listing.CodeFile)))(t))
	}
	if text := code(); strings.Count(text, "\n"+listing.Unseen+"dep\n") != 1 || strings.Contains(text, "source dep/") ||
		listing.Differs(text, nil, nil, nil) != listing.Unseen+"dep" {
		t.Error(text)
	}
	for _, of := range []string{"dep", "dep/deep"} {
		testdir.Write(t, filepath.Join(dir, of, listing.SourcesFile),
			"package "+filepath.Base(of)+"\n\n//go:embed *[^t].go\n")
	}
	if text := code(); strings.Contains(text, listing.Unseen) || !strings.Contains(text, "\nsource dep/dep.go ") ||
		!strings.Contains(text, "\nsource dep/deep/deep.go ") {
		t.Error(text)
	}

	// The go line is in no source: where it is below 1.22, packages whose file reports what loops do are listed.
	replace(t, filepath.Join(dir, "dep", "go.mod"), "go 1.26", "go 1.21")
	replace(t, filepath.Join(dir, "dep/deep", listing.SourcesFile), ".go\n",
		".go\n\n"+string(embedding("deep", "dep/deep", nil, nil)))
	text := code()
	if strings.Contains(text, "source dep/go.mod:go") || !strings.Contains(text, "\nsource dep/deep/go.mod:go shared\n") {
		t.Error(text)
	}
	replace(t, filepath.Join(dir, "dep", "go.mod"), "go 1.21", "go 1.22")
	if text := code(); strings.Contains(text, "go.mod:go") {
		t.Error(text)
	}
}
