// Package examples_test builds and runs the examples as their readers would.
package examples_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/cli"
	_ "prgnn/cmd/pipeline/imaging"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	_ "prgnn/stages" // the kinds
)

// lab is a directory in which a lab's own program, a module of its own, has run its pipeline, and what the run said:
// several tests begin there.
var lab = sync.OnceValues(func() (said string, err error) {
	dir := labDir()
	text, err := os.ReadFile(filepath.Join("own-stage", "outliers.yaml"))
	if err == nil {
		err = errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "outliers.yaml"), text, 0o666))
	}
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "pipeline.exe")
	if said, err = run("own-stage", "", "go", "build", "-ldflags=-s -w", "-o", program, "."); err != nil {
		return said, err
	}
	return run(dir, "", program, "run", "-q", "outliers.yaml")
})

func labDir() string { return filepath.Join(made, "lab") }

// TestOwnStage runs the pipeline of a lab's own program: it has the lab's kind beside ours, with a code identity, and
// caches what it gives.
func TestOwnStage(t *testing.T) {
	said, err := lab()
	if want := ": 36 tasks: 36 ran, 0 cached, 0 failed"; err != nil || !strings.Contains(said, want) {
		t.Fatalf("run: %s, want %s: %v", said, want, err)
	}
	dir, program := labDir(), filepath.Join(labDir(), "pipeline.exe")
	output(t, "own-stage", "go", "test", "./outliers") // make generate makes it fresh
	if got, want := output(t, dir, program, "run", "-q", "outliers.yaml"), ": 36 tasks: 0 ran, 36 cached, 0 failed"; !strings.Contains(got, want) {
		t.Errorf("run: %s, want %s", got, want)
	}
	said, err = run(dir, "", program, "plan", "outliers.yaml", "--set", "outliers.within=scaner")
	if page := string(need.Value(os.ReadFile("README.md"))(t)); err == nil || !strings.Contains(page, said) {
		t.Errorf("README.md has another error: %s", said)
	}

	// What the engine stored: the squared distances of n participants in k components sum to
	// k·(n−1), and each component has length 1 over the connections.
	for k := 1.0; k <= 3; k++ {
		stored := func(port, file string) *os.File {
			output(t, dir, program, "export", "-q", "outliers.yaml", fmt.Sprintf("outliers[components=%v].%s", k, port), "-o", file)
			f, err := os.Open(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}
		table, err := encoding.ReadTable(stored("distances", fmt.Sprint(k, ".arrow")))
		if err != nil {
			t.Fatal(err)
		}
		distances, err := table.Floats("squared_distance")
		if err != nil || len(distances) != 8 {
			t.Fatalf("%v of 8 participants, %v", distances, err)
		}
		sum := 0.0
		for _, d := range distances {
			sum += d
		}
		if math.Abs(sum-7*k) > 1e-6 {
			t.Errorf("%v components: the squared distances sum to %v, want %v", k, sum, 7*k)
		}
		components, err := encoding.ReadArray(stored("components", fmt.Sprint(k, ".npy")))
		if err != nil || components.Len() != int(k)*84*84 {
			t.Fatalf("%v components: shape %v, %v", k, components.Shape, err)
		}
		sum = 0
		for _, x := range components.Float64s() {
			sum += x * x / 2 // both triangles
		}
		if math.Abs(sum-k) > 1e-6 {
			t.Errorf("%v components: the squared loadings sum to %v, want %v", k, sum, k)
		}
	}
}

// TestEditedStage edits the lab's stage as its author would, who has results of it: a comment, the layout,
// the formula. Each time the code identity and the program are made anew.
func TestEditedStage(t *testing.T) {
	if said, err := lab(); err != nil {
		t.Fatal(said, err)
	}
	dir := t.TempDir()
	need.NoError(t, errors.Join(os.CopyFS(dir, os.DirFS("own-stage")),
		os.CopyFS(filepath.Join(dir, ".pipeline"), os.DirFS(filepath.Join(labDir(), ".pipeline")))))
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(file, old, new string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(file))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q", file, old)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	edit("go.mod", "=> ../..", "=> "+filepath.ToSlash(here))
	// Built without codeid: each build counts as other code, which a line states.
	for _, step := range []struct{ old, new, ran string }{
		{"squared[i] = d * d", "squared[i] = d * d * d", "3 ran, 33 cached"},
		{"squared[i] = d * d * d", "squared[i] = d * d", "0 ran, 36 cached"},
	} {
		edit("outliers/outliers.go", step.old, step.new)
		output(t, dir, "go", "build", "-ldflags=-s -w", "-o", "pipeline.exe", ".")
		program := filepath.Join(dir, "pipeline.exe")
		got := output(t, dir, program, "run", "outliers.yaml")
		if !strings.Contains(got, ": 36 tasks: "+step.ran) || strings.Contains(got,
			"examples/own-stage/outliers/outliers.go differs from the listing of the sources") != (step.ran[0] != '0') {
			t.Errorf("%q edited, and nothing generated: %s, want %s", step.old, got, step.ran)
		}
	}
	for _, step := range []struct{ old, new, ran, why string }{
		{"// Run computes", "// Run decomposes the matrices, and\n// computes", "0 ran, 36 cached", ""},
		{"squared[i] = d * d", "squared[i] = d", "3 ran, 33 cached", "code: examples/own-stage/outliers.distances changed (outliers.go:186)"},
	} {
		edit("outliers/outliers.go", step.old, step.new)
		output(t, dir, "go", "run", "prgnn/dag/codeid", "./outliers")
		output(t, dir, "go", "build", "-ldflags=-s -w", "-o", "pipeline.exe", ".")
		program := filepath.Join(dir, "pipeline.exe")
		if plan := output(t, dir, program, "plan", "-q", "outliers.yaml"); step.why != "" &&
			!strings.Contains(plan, step.why) {
			t.Errorf("%q edited: the plan does not say %q:\n%s", step.old, step.why, plan)
		}
		if got := output(t, dir, program, "run", "-q", "outliers.yaml"); !strings.Contains(got,
			": 36 tasks: "+step.ran) {
			t.Errorf("%q edited: %s, want %s", step.old, got, step.ran)
		}
	}
}

// TestNewStage writes a module of a lab's own. Written under the name of the example it is the example;
// under another name it builds, passes its tests and has the kind.
func TestNewStage(t *testing.T) {
	dir := t.TempDir()
	clone, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	output(t, dir, program, "new-stage", "outliers", "same", "--clone", clone, "--module", "examples/own-stage")
	isExample(t, "own-stage", filepath.Join(dir, "same"), "../..", 6)
	output(t, dir, program, "new-stage", "--plain", "weather", "plain", "--clone", clone,
		"--module", "examples/weather")
	isExample(t, filepath.Join("weather", "go"), filepath.Join(dir, "plain"), "../../..", 12)

	lab := filepath.Join(dir, "my lab", "stages")
	if err := os.Mkdir(filepath.Dir(lab), 0o777); err != nil {
		t.Fatal(err)
	}
	output(t, dir, program, "new-stage", "closeness", filepath.Join("my lab", "stages"), "--clone", clone,
		"--module", "lab.example/stages")
	output(t, lab, "go", "generate", "./...")
	output(t, lab, "go", "test", "./...")
	output(t, lab, "go", "build", "-ldflags=-s -w", "-o", "pipeline.exe", ".")
	if got := output(t, lab, filepath.Join(lab, "pipeline.exe"), "stages",
		"closeness"); !strings.HasPrefix(got, "closeness\n") {
		t.Error(got)
	}
	if got, want := output(t, lab, filepath.Join(lab, "pipeline.exe"), "plan", "-q", "closeness.yaml"),
		"36 tasks: 0 cached"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHelperPackage: a kind begins to use another package of its module. The program and a program by hand reuse
// results after a new build, as before, and as after the kind uses it no more.
func TestHelperPackage(t *testing.T) {
	dir := t.TempDir()
	clone := need.Value(filepath.Abs(".."))(t)
	output(t, dir, program, "new-stage", "--plain", "tide", "lab", "--clone", clone, "--module", "lab.example")
	lab := filepath.Join(dir, "lab")
	twice := func(state, store string) {
		t.Helper()
		output(t, lab, "go", "generate", "./...")
		for _, build := range [][2]string{{"-s -w", "9 ran, 0 cached"}, {"-s", "0 ran, 9 cached"}} {
			if got := output(t, lab, "go", "run", "-ldflags="+build[0], "./byhand", "data",
				store); !strings.Contains(got,
				build[1]) || strings.Contains(got, "differs from the listing") {
				t.Errorf("%s: %s, want %s", state, got, build[1])
			}
		}
	}
	twice("without a helper", "first.store")
	file := filepath.Join(lab, "tide", "tide.go")
	plain := string(need.Value(os.ReadFile(file))(t))
	edited := strings.Replace(plain, "import (", "import (\n\t\"lab.example/half\"\n", 1)
	edited = strings.Replace(edited, "s.Hours", "half.Of(2*s.Hours)", 1)
	testdir.Write(t, filepath.Join(lab, "half", "half.go"), "package half\n\nfunc Of(n int) int { return n / 2 }\n")
	testdir.Write(t, file, edited)
	twice("with a helper", "second.store")
	output(t, lab, "go", "build", "-o", "pipeline.exe", ".")
	if got := output(t, lab, filepath.Join(lab, "pipeline.exe"), "plan", "tide.yaml"); strings.Contains(got,
		"differs from") {
		t.Error(got)
	}
	testdir.Write(t, file, plain)
	twice("without it again", "third.store")
}

// isExample checks that what new-stage wrote is the example, which has so many files that are not generated.
func isExample(t *testing.T, example, written, toClone string, want int) {
	t.Helper()
	clone := need.Value(filepath.Abs(".."))(t)
	files := 0
	err := filepath.WalkDir(example, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "_gen.go") || filepath.Base(path) == "codes.txt" ||
			filepath.Ext(path) == ".py" {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(written, strings.TrimPrefix(path, example)))
		if err != nil {
			return err
		}
		files++
		if strings.ReplaceAll(string(got), "=> "+filepath.ToSlash(clone), "=> "+toClone) != string(want) {
			t.Errorf("%s is not that of the example", path)
		}
		return nil
	})
	if err != nil || files != want {
		t.Errorf("%s: %d files, want %d: %v", example, files, want, err)
	}
}

// TestGrowth runs the study without participants, and compares its growth rates with the slope of
// a line by the textbook's sums. A changed row runs its own task again and no other.
func TestGrowth(t *testing.T) {
	python := need.Python(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("growth")); err != nil {
		t.Fatal(err)
	}
	pipeline := func(args ...string) string {
		return output(t, dir, append([]string{program, args[0], "-q", "--set", "python=" + python, "growth.yaml"},
			args[1:]...)...)
	}
	read := func(file string) [][]string {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]string
		for line := range strings.Lines(string(text)) {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
		return rows[1:]
	}
	if got := pipeline("run"); !strings.Contains(got, " 10 ran, 0 cached, 0 failed") {
		t.Error(got)
	}
	pipeline("export", "rates", "-o", "rates.tsv")
	rates := read("rates.tsv")
	if len(rates) != 4 {
		t.Fatalf("%d cultures, want 4: the blank is left out", len(rates))
	}
	for _, row := range rates { // culture, strain, medium, points, rate, doubling_time
		var n, x, y, xx, xy float64
		for _, point := range read(filepath.Join("curves", row[0]+".tsv")) {
			hours, od := number(t, point[0]), number(t, point[1])
			if hours <= 8 {
				n, x, y, xx, xy = n+1, x+hours, y+math.Log(od), xx+hours*hours, xy+hours*math.Log(od)
			}
		}
		want := (n*xy - x*y) / (n*xx - x*x)
		if got := number(t, row[4]); math.Abs(got-want) > 1e-6 || number(t, row[3]) != n ||
			math.Abs(number(t, row[5])-math.Ln2/want) > 1e-4 {
			t.Errorf("%s: %v, want a rate of %v from %v points", row[0], row, want, n)
		}
	}

	table, err := os.ReadFile(filepath.Join(dir, "cultures.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(table), "gal4\tgalactose", "gal4\traffinose", 1)
	if err := os.WriteFile(filepath.Join(dir, "cultures.tsv"), []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	// The whole table, the row, its fit, and the table of all fits.
	if got := pipeline("run"); !strings.Contains(got, " 4 ran, 6 cached, 0 failed") {
		t.Error(got)
	}
}

// TestWeather runs one job without participants in three forms: stage kinds in Go with a program that links no others,
// scripts in Python, and Go on dag and artifacts alone. Their correlations agree.
func TestWeather(t *testing.T) {
	dir := t.TempDir()
	need.NoError(t, os.CopyFS(dir, os.DirFS("weather")))
	lab := filepath.Join(made, "weather.exe")
	output(t, filepath.Join("weather", "go"), "go", "build", "-ldflags=-s -w", "-o", lab, ".")
	output(t, filepath.Join("weather", "go"), "go", "test", "./weather")
	read := func(text string) map[string]float64 {
		of := map[string]float64{}
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) == 4 && f[0] != "first" {
				of[f[0]+" "+f[1]+" "+f[2]] = number(t, f[3])
			}
		}
		if len(of) != 6 {
			t.Fatalf("%d pairs of 4 stations:\n%s", len(of), text)
		}
		return of
	}
	in := filepath.Join(dir, "go")
	for _, want := range []string{": 10 tasks: 10 ran, 0 cached, 0 failed", ": 10 tasks: 0 ran, 10 cached, 0 failed"} {
		if got := output(t, in, lab, "run", "-q", "weather.yaml"); !strings.Contains(got, want) ||
			strings.Contains(got, "differs from the listing") {
			t.Errorf("run: %s, want %s", got, want)
		}
	}
	kinds := output(t, in, lab, "stages")
	if !strings.Contains(kinds, "weather-daily") || strings.Contains(kinds, "parcellate") {
		t.Errorf("the program has other kinds than its own:\n%s", kinds)
	}
	if got := output(t, in, lab, "init", "--rows", filepath.Join("data", "stations.tsv")); !strings.Contains(got,
		"next: pipeline cohort stations.yaml") {
		t.Error(got)
	}
	if got := output(t, in, lab, "run", "-q", "stations.yaml"); !strings.Contains(got, " 0 failed") {
		t.Error(got)
	}
	for _, file := range []string{"weather.yaml", "stations.yaml"} { // no advice to add what the program lacks
		if got := output(t, in, lab, "cite", file); !strings.Contains(got, "@software{prgnn,") ||
			strings.Contains(got, "li2020") || strings.Contains(got, "report") {
			t.Errorf("cite %s: %s", file, got)
		}
	}
	help := output(t, in, lab, "--help")
	for line := range strings.Lines(help) {
		if f := strings.Fields(line); strings.HasPrefix(line, "  ") && len(f) > 1 && f[0] != "new-stage" &&
			f[0] != "pipeline" &&
			f[0][0] != '-' {
			help += output(t, in, lab, "help", f[0])
		}
	}
	for _, word := range []string{"biopoint", "NIfTI", "BIDS", "bids", "participant", "region", "voxel", "sub-", "fMRI",
		"Workbench", "connectivity", "imaging"} {
		if at := strings.Index(help, word); at >= 0 {
			t.Errorf("the help of a program without the brain: %q", help[max(0, at-60):min(len(help), at+40)])
		}
	}
	want := read(output(t, in, lab, "export", "-q", "weather.yaml", "correlations", "-o", "-", "--format", "tsv"))

	output(t, in, lab, "report", "-q", "weather.yaml", "-o", "weather.html")
	if page := string(need.Value(os.ReadFile(filepath.Join(in, "weather.html")))(t)); !strings.Contains(page, "turku") {
		t.Error("the report does not list the station turku")
	}

	// Of another build the second time: the identities of the kinds are those of their sources.
	for _, build := range [][2]string{{"-s -w", "9 ran, 0 cached, 0 failed"}, {"-s", "0 ran, 9 cached, 0 failed"}} {
		byHand := output(t, filepath.Join("weather", "go"), "go", "run", "-ldflags="+build[0], "./byhand", "data",
			filepath.Join(dir, "store"))
		if !maps.Equal(read(byHand), want) || !strings.Contains(byHand, build[1]) {
			t.Errorf("by hand: %s\nwant %v", byHand, want)
		}
	}

	python := need.Python(t)
	in = filepath.Join(dir, "python")
	set := "python=" + python
	if got := output(t, in, program, "run", "-q", "--set", set, "weather.yaml"); !strings.Contains(got,
		": 10 tasks: 10 ran, 0 cached, 0 failed") {
		t.Error(got)
	}
	for pair, r := range read(output(t, in, program, "export", "-q", "--set", set, "weather.yaml", "correlations",
		"-o", "-")) {
		if math.Abs(r-want[pair]) > 1e-12 {
			t.Errorf("%s: r is %v by Python and %v by Go", pair, r, want[pair])
		}
	}
}

// program is that of this repository, which the test program is by this name; made is a directory for all tests.
var program, made string

func TestMain(m *testing.M) {
	testscript.Main(prepared{m}, map[string]func(){"pipeline": func() { os.Exit(cli.Main()) }})
}

type prepared struct{ *testing.M }

func (p prepared) Run() int {
	var err error
	if made, err = os.MkdirTemp("", "prgnn-examples-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(made)
	if program, err = exec.LookPath("pipeline"); err != nil {
		panic(err)
	}
	return p.M.Run()
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// output runs a command, which must succeed, and gives what it printed.
func output(t *testing.T, dir string, command ...string) string {
	t.Helper()
	out, err := run(dir, "", command...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return out
}

// run runs a command, for which go has more flags. Nothing is fetched: the example's modules are those of the project.
// Vet, which reads all that is imported, is make lint's.
func run(dir, more string, command ...string) (string, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly -vet=off "+os.Getenv("GOFLAGS")+" "+more,
		"GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// otherwise has our packages compiled in another way: without optimization, which takes less time, and with gonum
// without its assembly, which rounds otherwise.
func otherwise(t *testing.T) {
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+
		` -tags=safe "-ldflags=-s -w" "-gcflags=prgnn/...=-N -l -dwarf=false" "-gcflags=prgnn/dag/codeid=-dwarf=false"`)
}

// copied is what new-kind/add.sh says, which adds a stage kind to a copy of the repository.
var copied = sync.OnceValues(func() (string, error) {
	flag, err := besideCopy("..")
	if err != nil {
		return "", err
	}
	return run(".", flag, "bash", "new-kind/add.sh", copyDir())
})

func copyDir() string { return filepath.Join(made, "copy") }

var replacement = regexp.MustCompile(`=> (\S+)`)

// besideCopy has go read another go.mod of a module: prgnn is the copy, and the modules that lie in directories of this
// repository are those here. What they compile to is there already, and so is all that imports them, such as Arrow.
func besideCopy(module string) (flag string, err error) {
	text, err := os.ReadFile(filepath.Join(module, "go.mod"))
	sums, err2 := os.ReadFile(filepath.Join(module, "go.sum"))
	root, err3 := filepath.Abs("..")
	at, err4 := filepath.Abs(module)
	text = replacement.ReplaceAllFunc(text, func(b []byte) []byte {
		dir := filepath.Join(at, string(b[len("=> "):]))
		if dir == root {
			dir = copyDir()
		}
		return strconv.AppendQuote([]byte("=> "), filepath.ToSlash(dir))
	})
	to := filepath.Join(made, filepath.Base(at))
	return `"-modfile=` + to + `.mod"`, errors.Join(err, err2, err3, err4,
		os.WriteFile(to+".mod", text, 0o666), os.WriteFile(to+".sum", sums, 0o666))
}

// TestNewKind adds a stage kind of one file and its example to a copy of the repository: one error
// says what it lacks, then it is listed, tested and run, and only generated files are changed.
func TestNewKind(t *testing.T) {
	need.Program(t, "bash", "bash")
	need.Program(t, "git", "git")
	if err := exec.Command("git", "rev-parse").Run(); err != nil {
		need.Missing(t, "git lists the files to copy: %v", err)
	}
	otherwise(t)
	said, err := copied()
	need.NoError(t, err, said)
	at := 0
	for _, want := range []string{
		"stage kinds are not complete:", "strength (stages/prepare/strength.go) lacks", "make generate:", "stages/testdata/battery/strength.txt:",
		"--- PASS: TestBattery/strength",
		"strength[sub-sim001].strength", "<f8 [draw 9, roi 84]",
		"\nFiles stages/codes.txt and ./stages/codes.txt differ\nFiles stages/prepare/kinds_gen.go and ./stages/prepare/kinds_gen.go differ\n" +
			"Only in ./stages/prepare: strength.go\nOnly in ./stages/testdata/battery: strength.txt\n",
	} {
		i := strings.Index(said[at:], want)
		if i < 0 {
			t.Fatalf("%q is not in what follows:\n%s", want, said[at:])
		}
		at += i
	}
	if n := strings.Count(said, "--- FAIL"); n != 1 {
		t.Errorf("%d errors say what a new kind lacks:\n%s", n, said)
	}
}

// TestAnotherBuild: a kind is known by the source that it reaches, not by the build of the program. Another one finds
// all results of the lab, and makes the same bytes. Where there is the copy of TestNewKind, whose packages are compiled
// so, it is built of that.
func TestAnotherBuild(t *testing.T) {
	if said, err := lab(); err != nil {
		t.Fatal(said, err)
	}
	otherwise(t)
	flag := ""
	if _, err := copied(); err == nil {
		flag = need.Value(besideCopy("own-stage"))(t)
	}
	other := filepath.Join(labDir(), "other.exe")
	if said, err := run("own-stage", flag, "go", "build", "-o", other, "."); err != nil {
		t.Fatal(said, err)
	}
	if got, want := output(t, labDir(), other, "run", "-q", "outliers.yaml"), ": 36 tasks: 0 ran, 36 cached, 0 failed"; !strings.Contains(got, want) {
		t.Errorf("another build: %s, want %s", got, want)
	}
	if got, want := output(t, labDir(), other, "audit", "-q", "outliers.yaml"), "36 tasks: 36 identical"; !strings.Contains(got, want) {
		t.Errorf("audit without assembly: %s, want %s", got, want)
	}
}

// TestPythonExec runs the steps in Python and compares the lengths with the formula on what
// the engine stored.
func TestPythonExec(t *testing.T) {
	python := need.Python(t, "pyarrow")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("python-exec")); err != nil {
		t.Fatal(err)
	}
	pipeline := func(args ...string) string {
		return output(t, dir, append([]string{program, args[0], "-q", "--set", "python=" + python, "lengths.yaml"},
			args[1:]...)...)
	}
	for _, want := range []string{" 20 ran, 0 cached, 0 failed", " 0 ran, 20 cached, 0 failed"} {
		if got := pipeline("run"); !strings.Contains(got, want) {
			t.Errorf("run: %s, want %s", got, want)
		}
	}

	table := func(output string) *encoding.Table {
		pipeline("export", output, "-o", output+".arrow")
		f, err := os.Open(filepath.Join(dir, output+".arrow"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		table, err := encoding.ReadTable(f)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	floats := func(table *encoding.Table, column string) []float64 {
		x, err := table.Floats(column)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	nodes := table("cohort.nodes")
	x, y, z := floats(nodes, "x"), floats(nodes, "y"), floats(nodes, "z")
	edges := table("graphs.edges") // of all participants, by draw
	source, target := floats(edges, "source"), floats(edges, "target")
	subjects, err := edges.Strings("subject")
	if err != nil {
		t.Fatal(err)
	}
	type graph struct {
		subject string
		draw    float64
	}
	sum, count := map[graph]float64{}, map[graph]float64{}
	for i, draw := range floats(edges, "draw") {
		a, b, g := int(source[i])-1, int(target[i])-1, graph{subjects[i], draw}
		sum[g] += math.Hypot(math.Hypot(x[a]-x[b], y[a]-y[b]), z[a]-z[b])
		count[g]++
	}
	all := table("all")
	if all.Rows() != 9 || len(sum) != 9 {
		t.Fatalf("%d rows for %d graphs, want 9: 3 participants with the mean and 2 draws", all.Rows(), len(sum))
	}
	of, err := all.Strings("subject")
	if err != nil {
		t.Fatal(err)
	}
	draws, n := floats(all, "draw"), floats(all, "edges")
	for i, got := range floats(all, "length") {
		g := graph{of[i], draws[i]}
		if want := sum[g] / count[g]; math.Abs(got-want) > 1e-9 || n[i] != count[g] {
			t.Errorf("%s, draw %v: %v edges of %v mm, want %v of %v", g.subject, g.draw, n[i], got, count[g], want)
		}
	}
}

// TestPythonClassifier runs the classifier in Python beside PR-GNN, and compares its predictions with the nearest group
// mean of what the engine stored.
func TestPythonClassifier(t *testing.T) {
	python := need.Python(t, "numpy", "pyarrow")
	dir := t.TempDir()
	need.NoError(t, os.CopyFS(dir, os.DirFS("python-exec")))
	pipeline := func(args ...string) string {
		return output(t, dir, append([]string{program, args[0], "-q", "--set", "python=" + python,
			"--set", "cohort.asd=7", "--set", "cohort.hc=5", "--set", "series.draws=2", "--set", "train.epochs=1",
			"classifier.yaml"}, args[1:]...)...)
	}
	pipeline("run", "--until", "evaluate")
	open := func(output, extension string) *os.File {
		pipeline("export", output, "-o", output+extension)
		return need.Value(os.Open(filepath.Join(dir, output+extension)))(t)
	}
	pearson := open("connectivity.pearson", ".npy")
	defer pearson.Close()
	array := need.Value(encoding.ReadArray(pearson))(t)
	r := array.Float64s() // participant, draw, roi, roi
	size := array.Shape[2] * array.Shape[3]
	x := func(person int) []float64 { return r[person*array.Shape[1]*size:][:size] }
	table := open("nearest.predictions", ".arrow")
	defer table.Close()
	rows := need.Value(encoding.ReadTable(table))(t)
	id, set := need.Value(rows.Strings("participant_id"))(t), need.Value(rows.Strings("set"))(t)
	label, predicted := need.Value(rows.Floats("label"))(t), need.Value(rows.Floats("predicted"))(t)
	const people = 12
	if len(id) != 3*people || array.Shape[0] != people {
		t.Fatalf("%d predictions and %d participants, want 36 and 12", len(id), array.Shape[0])
	}
	tested, correct := 0, 0
	for at := 0; at < len(id); at += people { // one fold after the other
		mean, n := [2][]float64{make([]float64, size), make([]float64, size)}, [2]float64{}
		person := map[string]int{}
		for i := at; i < at+people; i++ {
			person[id[i]] = i - at
		}
		if names := slices.Sorted(maps.Keys(person)); names[0] != "sub-sim001" || names[people-1] != "sub-sim012" {
			t.Fatalf("participants %v", names)
		}
		for i, name := range slices.Sorted(maps.Keys(person)) {
			row := at + person[name]
			if person[name] = i; set[row] == "test" { // now its place in the array
				continue
			}
			g := int(label[row])
			n[g]++
			for k, v := range x(i) {
				mean[g][k] += v
			}
		}
		for i := at; i < at+people; i++ {
			if set[i] != "test" {
				continue
			}
			var far [2]float64
			for g := range far {
				for k, v := range x(person[id[i]]) {
					d := v - mean[g][k]/n[g]
					far[g] += d * d
				}
			}
			want := 0.0
			if far[1] < far[0] {
				want = 1
			}
			if tested++; predicted[i] != want {
				t.Errorf("%s: predicted %v, want %v", id[i], predicted[i], want)
			}
			if want == label[i] {
				correct++
			}
		}
	}
	summary := open("evaluate.summary", ".arrow")
	defer summary.Close()
	scores := need.Value(encoding.ReadTable(summary))(t)
	stage, accuracy := need.Value(scores.Strings("stage"))(t), need.Value(scores.Floats("accuracy"))(t)
	at := slices.Index(stage, "nearest")
	if tested != people || at < 0 || math.Abs(accuracy[at]-float64(correct)/people) > 1e-12 {
		t.Errorf("%d tested, %d correct; scored as %v of %v", tested, correct, accuracy, stage)
	}
}

// TestNewModel trains the model that new-model writes, and again only after its code has changed.
func TestNewModel(t *testing.T) {
	python := need.Python(t, "numpy")
	dir := t.TempDir()
	output(t, dir, program, "new-model", "mine")
	model := filepath.Join(dir, "mine", "mine.py")
	ran := func(stages string, want string) {
		t.Helper()
		got := output(t, dir, ofModel(python, "mine", "run", "mine.yaml", "--until", stages)...)
		if !strings.Contains(got, want) {
			t.Errorf("run: %s, want %s", got, want)
		}
	}
	ran("evaluate", " 0 failed, 0 skipped")
	output(t, dir, ofModel(python, "mine", "export", "mine.yaml", "evaluate.summary", "-o", "summary.tsv")...)
	got := string(need.Value(os.ReadFile(filepath.Join(dir, "summary.tsv")))(t))
	if !strings.Contains(got, "\tmine\t") {
		t.Errorf("no accuracy of the model: %s", got)
	}
	output(t, dir, ofModel(python, "mine", "export", "mine.yaml", "mine", "--format", "model", "-o", "models")...)
	need.Value(os.Stat(filepath.Join(dir, "models", "mine", "fold-1.npz")))(t) // for validate
	text := need.Value(os.ReadFile(model))(t)
	ran("mine", ": 0 ran")
	need.NoError(t, os.WriteFile(model, append(text, "# another\n"...), 0o666))
	ran("mine", ": 3 ran")
	need.NoError(t, os.WriteFile(model, text, 0o666))
	ran("mine", ": 0 ran")
	testdir.Write(t, filepath.Join(dir, "mine", "more.py"), "x = 1\n")
	ran("mine", ": 3 ran")
	for name, why := range map[string]string{"mine": "exists already", "train": "has a stage train",
		"numpy": "of Python", "A-b": "cannot name a model"} {
		out, err := run(dir, "", program, "new-model", name)
		if err == nil || !strings.Contains(out, why) {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
}

// TestOwnModel trains the example in scikit-learn.
func TestOwnModel(t *testing.T) {
	python := need.Python(t, "sklearn")
	dir := t.TempDir()
	need.NoError(t, os.CopyFS(dir, os.DirFS("own-model")))
	out := output(t, dir, ofModel(python, "edges", "run", "own-model.yaml", "--until", "evaluate")...)
	if !strings.Contains(out, " 0 failed, 0 skipped") {
		t.Error(out)
	}
}

// ofModel is a command on a pipeline file of a model of a stage, with a few participants.
func ofModel(python, stage, command, file string, more ...string) []string {
	path, _ := exec.LookPath(python)
	return append([]string{program, command, "-q", "--set", "python=" + path, "--set", "cohort.asd=7",
		"--set", "cohort.hc=5", "--set", "series.draws=2", "--set", "train.epochs=1", "--set", stage + ".sandbox=none",
		file}, more...)
}
