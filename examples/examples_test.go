// Package examples_test builds and runs the examples as their readers would.
package examples_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// TestOwnStage builds a lab's own program, a module of its own, and runs its
// pipeline: it has the lab's kind beside ours, with a code identity, and caches
// what it gives.
func TestOwnStage(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "pipeline")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	output(t, "own-stage", "go", "build", "-o", program, ".")
	output(t, "own-stage", "go", "test", "./strength") // make generate makes it fresh

	text, err := os.ReadFile(filepath.Join("own-stage", "strength.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "strength.yaml"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{": 22 tasks: 22 ran, 0 cached, 0 failed", ": 22 tasks: 0 ran, 22 cached, 0 failed"} {
		if got := output(t, dir, program, "run", "-q", "strength.yaml"); !strings.Contains(got, want) {
			t.Errorf("run: %s, want %s", got, want)
		}
	}

	// The kind is known by the source that it reaches, not by the build of the
	// program: another one, without the table of symbols, finds all results.
	other := filepath.Join(dir, "other.exe")
	output(t, "own-stage", "go", "build", "-ldflags=-s", "-o", other, ".")
	if got, want := output(t, dir, other, "run", "-q", "strength.yaml"), ": 22 tasks: 0 ran, 22 cached, 0 failed"; !strings.Contains(got, want) {
		t.Errorf("another build: %s, want %s", got, want)
	}

	// The slow definition, on what the engine stored.
	array := func(task, file string) *artifacts.Array {
		output(t, dir, program, "export", "-q", "strength.yaml", task, "-o", file)
		f, err := os.Open(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		a, err := artifacts.ReadArray(f)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	w := array("connectivity[sub-sim001].pearson", "pearson.npy")
	for sign, counts := range map[string]func(float64) float64{
		"absolute": func(x float64) float64 { return max(x, -x) },
		"positive": func(x float64) float64 { return max(x, 0) },
		"negative": func(x float64) float64 { return max(-x, 0) },
	} {
		s := array("strength[sub-sim001,sign="+sign+"]", sign+".npy")
		draws, n := len(s.Float64s())/84, 84
		if draws != 3 || w.Len() != draws*n*n {
			t.Fatalf("%s: %d draws, want 3; shapes %v and %v", sign, draws, s.Shape, w.Shape)
		}
		for i, got := range s.Float64s() {
			want := 0.0
			for j := range n {
				if j != i%n {
					want += counts(w.Float64s()[i*n+j])
				}
			}
			if got != want {
				t.Fatalf("%s: draw %d, region %d: %v, want %v", sign, i/n, i%n+1, got, want)
			}
		}
	}
}

// TestEditedStage edits the lab's stage as its author would: a comment, the layout,
// the formula. Each time the code identity and the program are made anew.
func TestEditedStage(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("own-stage")); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	edit("go.mod", "=> ../..", "=> "+filepath.ToSlash(here))
	for _, step := range []struct{ old, new, ran, why string }{
		{"", "", "22 ran, 0 cached", ""},
		{"// Run sums", "// Run adds up, slowly and surely,\n// in one order: it sums", "0 ran, 22 cached", ""},
		{"sums[row] += math.Abs(x)", "x = math.Abs(x)\n\t\t\t\tsums[row] += x * x", "9 ran, 13 cached", "code: examples/own-stage/strength.Strength.Run changed (strength/strength.go:43)"},
	} {
		if step.old != "" {
			edit("strength/strength.go", step.old, step.new)
		}
		output(t, dir, "go", "run", "prgnn/dag/codeid", "./strength")
		output(t, dir, "go", "build", "-ldflags=-s -w", "-o", "pipeline.exe", ".")
		program := filepath.Join(dir, "pipeline.exe")
		if plan := output(t, dir, program, "plan", "-q", "strength.yaml"); step.why != "" && !strings.Contains(plan, step.why) {
			t.Errorf("%q edited: the plan does not say %q:\n%s", step.old, step.why, plan)
		}
		if got := output(t, dir, program, "run", "-q", "strength.yaml"); !strings.Contains(got, ": 22 tasks: "+step.ran) {
			t.Errorf("%q edited: %s, want %s", step.old, got, step.ran)
		}
	}
}

// output runs a command, which must succeed, and gives what it printed. Nothing is
// fetched: the example's modules are those of the project.
func output(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// TestPythonExec runs the steps in Python and compares the lengths with the formula on what
// the engine stored.
func TestPythonExec(t *testing.T) {
	python := need.Python(t, "pyarrow")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("python-exec")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "pipeline.exe")
	output(t, ".", "go", "build", "-o", program, "prgnn/cmd/pipeline")
	pipeline := func(args ...string) string {
		return output(t, dir, append([]string{program, args[0], "-q", "--set", "python=" + python, "lengths.yaml"}, args[1:]...)...)
	}
	for _, want := range []string{" 20 ran, 0 cached, 0 failed", " 0 ran, 20 cached, 0 failed"} {
		if got := pipeline("run"); !strings.Contains(got, want) {
			t.Errorf("run: %s, want %s", got, want)
		}
	}

	table := func(output string) *artifacts.Table {
		pipeline("export", output, "-o", output+".arrow")
		f, err := os.Open(filepath.Join(dir, output+".arrow"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		table, err := artifacts.ReadTable(f)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	floats := func(table *artifacts.Table, column string) []float64 {
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
