package pipelines

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/testdir"

	"prgnn/dag"
	"prgnn/internal/peak"
	"prgnn/pipelines/layer"
	"prgnn/pipelines/tree"
	"prgnn/stages/builtin"
)

// base has what the files of these tests extend.
const base = `pipeline: base
seed: 7
vars: { word: w, other: o }
cohort: { t-made: { people: 4 }, limit: 3 }
stages:
  # The first.
  one: { use: echo, with: { value: "${word}" } }
  two:
    use: echo
    matrix: { value: [1..3] } # three
    in: { inputs: [one] }
  three: { use: echo, in: { input: one, inputs: "two[*]" } }
`

// writeFiles writes a=…, b=… of a text "--- a\n…--- b\n…" and returns the directory.
func writeFiles(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	testdir.Write(t, filepath.Join(dir, "base.yaml"), base)
	for part := range strings.SplitSeq(text, "--- ") {
		if name, body, ok := strings.Cut(part, "\n"); ok {
			testdir.Write(t, filepath.Join(dir, name), body)
		}
	}
	return dir
}

// TestExtends: what a file that extends another comes to, written by hand.
func TestExtends(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"nothing of its own", "--- x.yaml\nextends: base.yaml\n", base},
		{"one value", "--- x.yaml\nextends: base.yaml\nseed: 8\nstages: { two: { matrix: { value: [1, 2] } } }\n",
			strings.NewReplacer("seed: 7", "seed: 8", "[1..3]", "[1, 2]").Replace(base)},
		{"a stage more", "--- x.yaml\nextends: base.yaml\nstages: { four: { use: echo } }\n", base + "  four: { use: echo }\n"},
		{"a stage more behind another", "--- x.yaml\nextends: base.yaml\nstages: { one: {}, four: { use: echo } }\n",
			strings.Replace(base, "  two:", "  four: { use: echo }\n  two:", 1)},
		{"a stage more before another", "--- x.yaml\nextends: base.yaml\nstages: { four: { use: echo }, two: {} }\n",
			strings.Replace(base, "  two:", "  four: { use: echo }\n  two:", 1)},
		{"another order", "--- x.yaml\nextends: base.yaml\nstages: { three: {}, one: {} }\n",
			strings.Replace(base, "  one: { use: echo, with: { value: \"${word}\" } }\n", "", 1) + "  one: { use: echo, with: { value: \"${word}\" } }\n"},
		{"removed", "--- x.yaml\nextends: base.yaml\nstages: { three: null, two: { in: null } }\n",
			strings.NewReplacer("  three: { use: echo, in: { input: one, inputs: \"two[*]\" } }\n", "", "    in: { inputs: [one] }\n", "").Replace(base)},
		{"a variable", "--- x.yaml\nextends: base.yaml\nvars: { word: x, third: y }\n", strings.Replace(base, "word: w, other: o", "word: x, other: o, third: y", 1)},
		{"a parameter of the cohort", "--- x.yaml\nextends: base.yaml\ncohort: { t-made: { people: 5 } }\n", strings.Replace(base, "people: 4", "people: 5", 1)},
		{"the limit of the cohort", "--- x.yaml\nextends: base.yaml\ncohort: { limit: 2 }\n", strings.Replace(base, "limit: 3", "limit: 2", 1)},
		{"another cohort", "--- x.yaml\nextends: base.yaml\ncohort: { t-files: { people: 2 } }\n", strings.Replace(base, "{ t-made: { people: 4 }, limit: 3 }", "{ t-files: { people: 2 } }", 1)},
		{"another cohort, the one removed", "--- x.yaml\nextends: base.yaml\ncohort: { t-made: null, t-files: { people: 2 } }\n", strings.Replace(base, "{ t-made: { people: 4 }, limit: 3 }", "{ t-files: { people: 2 } }", 1)},
		{"a stage of another kind", "--- x.yaml\nextends: base.yaml\nstages: { three: { use: t-split, in: { participants: cohort.participants } } }\n",
			strings.Replace(base, "{ use: echo, in: { input: one, inputs: \"two[*]\" } }", "{ use: t-split, in: { participants: cohort.participants } }", 1)},
		{"a chain", "--- mid.yaml\nextends: base.yaml\nseed: 8\nstages: { four: { use: echo }, three: null }\n--- x.yaml\nextends: mid.yaml\nstages: { four: { with: { value: 9 } }, three: { use: echo } }\n",
			strings.NewReplacer("seed: 7", "seed: 8", "  three: { use: echo, in: { input: one, inputs: \"two[*]\" } }\n", "  four: { use: echo, with: { value: 9 } }\n  three: { use: echo }\n").Replace(base)},
		{"anchors of both", "--- mid.yaml\nextends: base.yaml\nvars: { word: &a { b: x } }\nstages: { one: { with: { value: 3 } }, five: { use: echo, with: { value: &b 4 } } }\n--- x.yaml\nextends: mid.yaml\nvars: { word: null, other: &a p }\nstages: { six: { use: echo, with: { value: *a } } }\n",
			strings.NewReplacer("word: w, other: o", "other: p", `"${word}"`,
				"3").Replace(strings.Replace(base, "  two:", "  five: { use: echo, with: { value: 4 } }\n  two:", 1)) + "  six: { use: echo, with: { value: p } }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, c.files)
			got, err := Load(filepath.Join(dir, "x.yaml"), nil)
			need.NoError(t, err)
			want, err := LoadText("want.yaml", c.want, dir, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, c.want)
			}
			if a, b := keysText(got), keysText(want); a != b || got.Name != want.Name {
				t.Errorf("%s\n%s", firstDifference(b, a), got.Graph.Source())
			}
			if a, b := stageOrder(got), stageOrder(want); !slices.Equal(a, b) {
				t.Errorf("the stages stand in the order %q, want %q", a, b)
			}
			// The text that is kept is all of it, and without any place.
			kept, err := LoadText("kept.yaml", got.Shared.Text, t.TempDir(), nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, got.Shared.Text)
			}
			if a, b := keysText(kept), keysText(want); a != b {
				t.Errorf("the text that is kept is another pipeline:\n%s", firstDifference(b, a))
			}
			if err := got.Shared.Check("the lock", got.Shared.Text); err != nil {
				t.Error(err)
			}
		})
	}
}

// stageOrder is the order of the stages in the text that is kept.
func stageOrder(p *Pipeline) []string {
	root := tree.Parse([]byte(p.Graph.Source()), func(line, col int) dag.Pos { return dag.Pos{Line: line, Col: col} },
		&tree.Mistakes{})
	return root.Get("stages").Names()
}

// TestExtendsMistakes: each mistake is reported at the file and line that made it.
func TestExtendsMistakes(t *testing.T) {
	for _, c := range []struct{ name, files, want string }{
		{"in the extending file", "--- x.yaml\nextends: base.yaml\nstages: { two: { with: { valu: 1 } } }\n",
			`$/x.yaml:2:26: stage two has no parameter "valu" (did you mean "value"?)`},
		{"in the extended file", "--- mid.yaml\nextends: base.yaml\nstages:\n  one: { with: { valu: 1 } }\n--- x.yaml\n\n\n\n\nextends: mid.yaml\nstages: { one: { with: { value: 2 } }, x: { use: ecko } }\n",
			"$/x.yaml:6:50: there is no stage kind \"ecko\" (did you mean \"echo\"?)\n$/mid.yaml:3:18: stage one has no parameter \"valu\" (did you mean \"value\"?)"},
		{"a syntax error in the extended file", "--- mid.yaml\nstages:\n\ta: 1\n--- x.yaml\nextends: mid.yaml\n",
			"$/mid.yaml:2: this is not YAML: the line is indented with a tab; use spaces"},
		{"a removed stage", "--- x.yaml\nextends: base.yaml\nstages:\n  one: null\n",
			"$/base.yaml:11:20: stage two: input inputs: there is no stage \"one\": $/x.yaml:3:3 removes it; remove the reference too (null), or replace it, or keep the stage in the file and run with --without one\n" +
				"$/base.yaml:12:36: stage three: input input: there is no stage \"one\": $/x.yaml:3:3 removes it; remove the reference too (null), or replace it, or keep the stage in the file and run with --without one"},
		{"a removed variable", "--- x.yaml\nextends: base.yaml\nvars:\n  word: null\n",
			"$/base.yaml:7:36: there is no variable \"word\": $/x.yaml:3:3 removes it; remove the reference too (null), or replace it"},
		{"a removed input", "--- x.yaml\nextends: base.yaml\nstages:\n  folds: { use: t-split, in: { participants: cohort.participants } }\n--- y.yaml\nextends: x.yaml\nstages:\n  folds:\n    in: { participants: null }\n",
			"$/y.yaml:4:11: stage folds: its input participants is not connected (in: { participants: cohort.participants } fits)"},
		{"a removed cohort", "--- x.yaml\nextends: base.yaml\ncohort: null\nstages: { four: { use: echo, each: subject } }\n",
			"$/x.yaml:3:36: stage four: each: subject needs a cohort, but the file has none: $/x.yaml:2:1 removes it; remove the reference too (null), or replace it"},
		{"nothing to remove", "--- x.yaml\nextends: base.yaml\nstages: { thre: null }\n",
			`$/x.yaml:2:11: null removes a key, but $/base.yaml has no stages.thre (did you mean "three"?)`},
		{"nothing said", "--- x.yaml\nextends: base.yaml\nstages:\n",
			"$/x.yaml:2:1: stages has no value: delete the line to keep the value of $/base.yaml, or write null to remove it"},
		{"a circle", "--- x.yaml\nextends: y.yaml\n--- y.yaml\nextends: z.yaml\n--- z.yaml\nextends: y.yaml\n",
			"$/z.yaml:1:10: a circle: $/x.yaml extends $/y.yaml extends $/z.yaml extends $/y.yaml"},
		{"itself", "--- x.yaml\nextends: x.yaml\n", "$/x.yaml:1:10: x.yaml extends itself, and no built-in pipeline has that name (available: " + strings.Join(builtin.Names(), ", ") + ")"},
		{"no such file", "--- x.yaml\nextends: bioponit.yaml\n", `$/x.yaml:1:10: there is no file or built-in pipeline $/bioponit.yaml (did you mean "biopoint.yaml"?)`},
		{"a path", "--- x.yaml\nextends: ../base.yaml\n", `$/x.yaml:1:10: extends must be the name of a file in the same directory, or of a built-in pipeline, not the path "../base.yaml"`},
		{"a list", "--- x.yaml\nextends: [base.yaml]\n", "$/x.yaml:1:10: extends must be the name of one pipeline file, not a list"},
		{"nothing", "--- x.yaml\nextends:\n", "$/x.yaml:1:9: extends must be the name of one pipeline file, not nothing"},
		{"a list is extended", "--- mid.yaml\n- a\n--- x.yaml\nextends: mid.yaml\n", "$/x.yaml:1:10: $/mid.yaml is no pipeline file: no line begins with one of the keys extends, pipeline, seed, vars, cohort, connect, decisions, study, stages"},
		{"a link to a secret", "--- mid.yaml\nroot:$6$secret\nab: [c\n--- x.yaml\nextends: mid.yaml\n", "$/x.yaml:1:10: $/mid.yaml is no pipeline file: no line begins with one of the keys extends, pipeline, seed, vars, cohort, connect, decisions, study, stages"},
		{"a cohort that the extended file has not", "--- mid.yaml\nextends: base.yaml\ncohort: { t-files: { people: 2 } }\n" +
			"--- x.yaml\nextends: mid.yaml\ncohort: { t-made: null, t-files: { people: 3 } }\n",
			"$/x.yaml:2:11: null removes a key, but $/mid.yaml has no cohort.t-made (the only one is t-files)"},
		{"two cohorts", "--- x.yaml\nextends: base.yaml\ncohort: { t-made: { people: 2 }, t-files: { people: 2 } }\n", "$/x.yaml:2:34: the cohort is t-made already: a cohort has exactly one kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, c.files)
			file := filepath.Join(dir, "x.yaml")
			if strings.Contains(c.files, "--- y.yaml\nextends: x.yaml") {
				file = filepath.Join(dir, "y.yaml")
			}
			_, err := Load(file, nil)
			var mistakes tree.Errors
			if !errors.As(err, &mistakes) {
				t.Fatalf("%v", err)
			}
			if got := strings.ReplaceAll(err.Error(), dir, "$"); got != c.want {
				t.Errorf("said\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A file beside it comes before a built-in one, and a file that names itself means the built-in.
// A built-in file extends built-in files only, whatever lies in the directory.
func TestExtendsBuiltin(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	before := need.Value(Load("quick.yaml", nil))(t)
	testdir.Write(t, "biopoint.yaml", "extends: biopoint.yaml\npipeline: mine\nstages: { series: { with: { draws: 3 } } }\n")
	testdir.Write(t, "x.yaml", "extends: biopoint.yaml\n")
	for _, c := range []struct {
		file, name string
		extends    []string
	}{
		{"biopoint.yaml", "mine", []string{"built-in biopoint.yaml"}},
		{"x.yaml", "mine", []string{"biopoint.yaml", "built-in biopoint.yaml"}},
		{"quick.yaml", "quick", []string{"built-in biopoint.yaml"}},
	} {
		p := need.Value(Load(c.file, nil))(t)
		if p.Name != c.name || !slices.Equal(p.Extends, c.extends) {
			t.Errorf("%s: the name %q, extends %q", c.file, p.Name, p.Extends)
		}
		if c.file == "quick.yaml" && keysText(p) != keysText(before) {
			t.Error("a file in the directory changes a built-in pipeline")
		}
	}
}

// TestExtendedPlaces: no text that is handed on says where data lie, whichever file said it.
func TestExtendedPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data", "x.txt")
	testdir.Write(t, file, "x")
	testdir.Write(t, filepath.Join(dir, "base.yaml"), "vars: { data: &d '"+filepath.Dir(file)+"' }\nstages:\n  a: { use: echo, in: { input: { file: &f "+file+" } } }\n  b: { use: echo, in: { input: { file: *f } } }\n  c: { use: echo, in: { input: { file: \"${data}/x.txt\" } } }\n  e: { use: echo, in: { input: { file: \"${whole}\" } } }\n")
	testdir.Write(t, filepath.Join(dir, "x.yaml"), "extends: base.yaml\nstages: { d: { use: echo, in: { input: { file: \""+file+"\" } } } }\nvars: { whole: "+file+" }\n")
	p := need.Value(Load(filepath.Join(dir, "x.yaml"), nil))(t)
	if err := p.Shared.Check("the lock", p.Shared.Text); err != nil || strings.Contains(p.Shared.Text, dir) ||
		strings.Count(p.Shared.Text, `file: ""`) != 3 {
		t.Errorf("%v\n%s", err, p.Shared.Text)
	}
}

// TestPrintOrigins: each line says the file and line that its value comes from.
func TestPrintOrigins(t *testing.T) {
	dir := writeFiles(t, "--- x.yaml\nextends: base.yaml\nstages:\n  two: { with: { value: 4 } }\n  four:\n    use: echo # new\n")
	t.Chdir(dir)
	got := need.Value(layer.Print("x.yaml", []string{"word=z", "stages.two.in=null"}, false))(t)
	var lines []string
	for line := range strings.Lines(got) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := strings.Split(`pipeline: base # base.yaml:1
seed: 7 # base.yaml:2

vars: # base.yaml:3
word: z # --set word=z
other: o # base.yaml:3

cohort: { t-made: { people: 4 }, limit: 3 } # base.yaml:4

stages: # x.yaml:2
# The first.
one: { use: echo, with: { value: "${word}" } } # base.yaml:7

two: # x.yaml:3
use: echo # base.yaml:9
matrix: { value: [1..3] } # base.yaml:10 three
in: null # --set stages.two.in=null
with: { value: 4 } # x.yaml:3

four: # x.yaml:4
use: echo # x.yaml:5 new

three: { use: echo, in: { input: one, inputs: "two[*]" } } # base.yaml:12
`, "\n")
	if !slices.Equal(lines, want[:len(want)-1]) {
		t.Errorf("printed\n%s", got)
	}
}

// TestExtendsIsBounded: the bound on what is written out holds for a chain as a whole.
func TestExtendsIsBounded(t *testing.T) {
	dir := t.TempDir()
	testdir.Write(t, filepath.Join(dir, "x0.yaml"), "stages: { a: { use: echo } }\n")
	for i := range 4 {
		testdir.Write(t, filepath.Join(dir, fmt.Sprintf("x%d.yaml", i+1)),
			fmt.Sprintf("extends: x%d.yaml\nvars:\n  a: &a %s\n  v%d: [%s]\n", i, strings.Repeat("x", 50_000), i, strings.TrimSuffix(strings.Repeat("*a, ", 100), ", ")))
	}
	peak.Below(t, 300, func(t *testing.T) {
		if _, err := Load(filepath.Join(dir, "x3.yaml"), nil); err != nil {
			t.Errorf("15 MB: %.300v", err)
		}
		_, err := Load(filepath.Join(dir, "x4.yaml"), nil)
		if err == nil || !strings.Contains(err.Error(), "larger than 16 MiB once its aliases and variables are written out") {
			t.Errorf("20 MB: %.300v", err)
		}
	})
}

// A file whose aliases come to too much is the one that is named, not the file that it extends.
func TestLargeFileIsNamed(t *testing.T) {
	text := "extends: biopoint.yaml\nvars:\n  a0: &a0 [x]\n"
	for i := range 6 {
		items := strings.Repeat(fmt.Sprintf("*a%d, ", i), 20)
		text += fmt.Sprintf("  a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(items, ", "))
	}
	file := filepath.Join(t.TempDir(), "x.yaml")
	testdir.Write(t, file, text)
	_, err := Load(file, nil)
	if err == nil || !strings.Contains(err.Error(), "x.yaml:4:7: the file is larger than 16 MiB once") ||
		strings.Contains(err.Error(), "biopoint.yaml:") {
		t.Errorf("%.500v", err)
	}
}

// YAML reads 1_0 as 10; here it is a text, which no number takes.
func TestUnderscoreIsNoDigit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	testdir.Write(t, file, "stages: { a: { use: echo }, b: { use: split } }\n")
	_, err := Load(file, []string{"b.folds=1_0"})
	if err == nil || !strings.Contains(err.Error(), `parameter "folds" must be an integer, not the text "1_0"`) {
		t.Errorf("%v", err)
	}
}

// sameTree reports where two trees differ in anything but their places.
func sameTree(a, b *tree.Node) string {
	if a.Kind != b.Kind || fmt.Sprintf("%T %[1]v", a.Value) != fmt.Sprintf("%T %[1]v", b.Value) ||
		a.Kind == tree.Scalar && a.Text != b.Text || strings.Contains(a.Text, "..${") && a.Plain != b.Plain ||
		len(a.Items) != len(b.Items) || len(a.Keys) != len(b.Keys) {
		return fmt.Sprintf("%v %s %q, %v %s %q", a.Pos, a, a.Text, b.Pos, b, b.Text)
	}
	for i := range a.Items {
		if d := sameTree(a.Items[i], b.Items[i]); d != "" {
			return d
		}
	}
	for i := range a.Keys {
		if a.Keys[i].Name != b.Keys[i].Name {
			return fmt.Sprintf("%v: the key %q is %q", a.Keys[i].Pos, a.Keys[i].Name, b.Keys[i].Name)
		}
		if d := sameTree(a.Keys[i].Value, b.Keys[i].Value); d != "" {
			return d
		}
	}
	return ""
}

// checkPrinted: what a printer writes is read as it was.
func checkPrinted(t *testing.T, text string) {
	t.Helper()
	at := func(line, col int) dag.Pos { return dag.Pos{File: "x", Line: line, Col: col} }
	bad := &tree.Mistakes{}
	was := tree.Parse([]byte(text), at, bad)
	if was == nil || len(bad.List) > 0 || was.Kind != tree.Mapping {
		return
	}
	printed := tree.Print(was, true)
	if len(printed) > 16<<20 {
		return
	}
	is := tree.Parse([]byte(printed), at, bad)
	if is == nil || len(bad.List) > 0 {
		t.Fatalf("%v\n%q\n%s", bad.List, text, printed)
	}
	if d := sameTree(was, is); d != "" {
		t.Errorf("%s\n%q\n%s", d, text, printed)
	}
}

// TestPrintedIsReadAlike: scalars, keys and comments that need care.
func TestPrintedIsReadAlike(t *testing.T) {
	for _, text := range []string{
		"a: 007\nb: '007'\nc: \"007\"\nd: !!str 007\ne: 0x1F\nf: 1_000\ng: ~\nh:\ni: null\nj: 'null'\nk: yes\nl: 'yes'\nm: .inf\nn: !!float 1\no: !!int \"5\"\np: 2001-01-01\n",
		"a: x # y\nb: 'x # y'\nc: \"# x\"\nd: a:b\ne: 'a: b'\nf: |\n  one\n  two\ng: >-\n  three\n  four\n\n  five\nh: one\n  two\n",
		"'a: b': 1\n\"#\": 2\n\"\": 3\ntrue: 4\n7: 5\n? " + strings.Repeat("k", 1100) + "\n: { ? " + strings.Repeat("l", 1100) + "\n : 1 }\n",
		"a: { b: -x, c: [ '*', \"&\", ${x}, -1 ] }\n", "a: &x a, b\nb: [*x, {c: *x}]\n", "a: [[[], {}], [{ b: { c: [1, {d: ~}] } }]]\n",
		"a: \"\\x01\\t\\n\\\"\\\\ \\u2028 \\U0001F9E0 \\uFEFF é\"\nb: ' lead'\nc: \"trail \"\nd: ''\n", "- a\n", "{}\n",
		"a:\n  - b: 1\n    c: 2\n  - - d\n    - e\n", "a: # one\n  # two\n  b: 1 # three\n  # four\n# five\nc: 2\n",
		strings.Repeat("{a: ", 30) + "1" + strings.Repeat("}", 30), "a: C:\\x\nb: ? x\nc: \"? x\"\nd: a]b\ne: \"- x\"\nf: \"--- x\"\n",
		"a: &x\n  - 1..${n}\n  - a]b, c\nb: { c: { d: *x, e: [2] }, f: &y { g: *x } }\nh: { i: [{ j: 1 }], k: 1, l: *y }\n",
		"a: &x 1..${n}\nb: { c: *x, d: [1, *x] }\ne: [*x]\nf: \"1..${n}\"\n",
	} {
		checkPrinted(t, text)
	}
	for _, name := range builtin.Names() {
		text, _ := builtin.Text(name)
		if checkPrinted(t, string(text)); len(text) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}
