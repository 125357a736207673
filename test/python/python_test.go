// Package python_test opens what the program exports in Python, as its users do, and compares names and values with
// what the program says of them itself. It runs the tests of the Python package prgnn, which call the program.
package python_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// TestExportsOpenInPython runs the built-in quick pipeline and opens its exports
// with pyarrow, numpy and pandas; QC-FC is computed again there, by scipy.
func TestExportsOpenInPython(t *testing.T) {
	python := need.Python(t, "numpy", "pandas", "pyarrow", "scipy")
	dir := t.TempDir()
	pipeline := func(args ...string) []byte { return output(t, dir, program, append(args, "-q")...) }

	pipeline("run", "quick.yaml")
	for _, table := range []string{"evaluate.scores", "qcfc.typicality"} { // numbers and texts; lists
		of := t.TempDir()
		for _, format := range []string{"arrow", "parquet", "csv", "tsv"} {
			pipeline("export", "quick.yaml", table, "-o", filepath.Join(of, "table."+format))
		}
		write(t, of, "table.json", pipeline("show", "quick.yaml", table, "--json", "--rows", "1000000"))
		t.Logf("%s", output(t, dir, python, script(t, "check_table.py"), of, filepath.Join(of, "table.json")))
	}

	pipeline("export", "quick.yaml", "connectivity.pearson", "-o", "pearson.npy")
	pipeline("export", "quick.yaml", "connectivity[sub-sim007].pearson", "-o", "one.csv")
	write(t, dir, "pearson.jsonl", pipeline("show", "quick.yaml", "connectivity.pearson", "--json", "--rows", "1000000"))
	t.Logf("%s", output(t, dir, python, script(t, "check_array.py"), "pearson.npy", "pearson.json",
		"pearson.jsonl", "one.csv"))

	for what, path := range map[string]string{"clean.series": "clean.npy", "clean.quality": "quality.tsv",
		"cohort.nodes": "nodes.tsv",
		"qcfc.summary": "summary.tsv", "qcfc.edges": "edges.tsv", "qcfc.typicality": "typicality.tsv"} {
		pipeline("export", "quick.yaml", what, "-o", path)
	}
	t.Logf("%s", output(t, dir, python, script(t, "check_qcfc.py")))
}

// TestTaskRegressorsAreNilearns makes the numbers again that connectivity.TestTaskRegressorsOfNilearn holds the task
// regressors against.
func TestTaskRegressorsAreNilearns(t *testing.T) {
	python := need.Python(t, "nilearn", "pandas")
	dir, err := filepath.Abs(filepath.Join("..", "..", "connectivity", "testdata", "task"))
	need.NoError(t, err)
	type golden struct {
		Cases []struct {
			Name, Model string
			Of          []string
			Design      [][]float64
		}
	}
	var made, kept golden
	need.NoError(t, json.Unmarshal(output(t, t.TempDir(), python, filepath.Join(dir, "gen.py")), &made))
	b, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err == nil {
		err = json.Unmarshal(b, &kept)
	}
	if err != nil || len(made.Cases) != len(kept.Cases) || len(kept.Cases) == 0 {
		t.Fatalf("%d cases, want %d: %v", len(made.Cases), len(kept.Cases), err)
	}
	for i, want := range kept.Cases {
		got := made.Cases[i]
		if got.Name != want.Name || got.Model != want.Model || !slices.Equal(got.Of, want.Of) {
			t.Fatalf("case %d: %s %s %v, want %s %s %v", i, got.Name, got.Model, got.Of, want.Name, want.Model, want.Of)
		}
		for j, column := range want.Design {
			for v, x := range column {
				if far := math.Abs(got.Design[j][v] - x); !(far < 1e-11) {
					t.Fatalf("%s %s, regressor %d, volume %d: %g away", want.Name, want.Model, j+1, v, far)
				}
			}
		}
	}
}

// script is the path of a script beside this file.
func script(t *testing.T, name string) string {
	path := need.Value(filepath.Abs(name))(t)
	return path
}

// output runs a command in a directory of the test.
func output(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	if name != "go" { // which needs the module around it
		cmd.Dir = dir
	}
	out, err := cmd.Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			t.Fatalf("%v: %v\n%s%s", cmd, err, out, ended.Stderr)
		}
		t.Fatalf("%v: %v", cmd, err)
	}
	return out
}

func write(t *testing.T, dir, name string, b []byte) {
	t.Helper()
	need.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o666))
}
