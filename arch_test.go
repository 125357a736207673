// Package prgnn_test holds the picture of ARCHITECTURE.md: who may import whom.
package prgnn_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// mayImport is the import table. A row holds for a package and for what lies inside it,
// unless that has a row of its own. Everyone may import the leaves under internal and numeric.
var mayImport = map[string][]string{
	// The store knows nothing of what its bytes mean.
	"artifacts":          nil,
	"artifacts/disk":     {"artifacts"},
	"artifacts/encoding": nil,
	"artifacts/parquet":  {"artifacts/encoding"},

	"dag":          {"artifacts", "artifacts/disk", "artifacts/encoding"},
	"nifti":        nil,
	"connectivity": nil,
	"gnn":          nil,
	"internal":     nil,
	"numeric":      nil,
	"docs":         nil,

	// The topics of the stages, from the top down.
	"stages": {"artifacts/parquet", "dag", "stages/role", "stages/builtin", "stages/command", "stages/present",
		"stages/present/tables", "stages/wording",
		"stages/figure",
		"stages/assess", "stages/assess/confounds", "stages/assess/curve", "stages/assess/edges",
		"stages/assess/external",
		"stages/assess/leakage", "stages/assess/subgroup", "stages/learn", "stages/learn/choose", "stages/learn/split",
		"stages/estimator",
		"stages/prepare", "stages/prepare/extract", "stages/prepare/windows",
		"stages/cohort", "stages/cohort/simulate"},
	"stages/command": {"stages/role", "artifacts", "artifacts/encoding", "dag", "nifti", "stages/column"},
	"stages/present": {"stages/role", "stages/finding", "stages/finding/claim", "stages/finding/quality", "stages/finding/ranking",
		"stages/wording", "artifacts", "artifacts/encoding", "dag",
		"stages/present/checklist", "stages/present/methods", "stages/present/participants",
		"stages/present/performance", "stages/present/section", "stages/present/tables", "stages/figure", "stages/column",
		"stages/fold", "stages/region", "stages/report", "stages/chart", "stages/inference"},
	"stages/present/checklist": {"stages/wording", "stages/present/section", "stages/column", "stages/report",
		"stages/literature"},
	"stages/present/methods": {"stages/finding", "stages/finding/quality",
		"stages/wording", "dag", "stages/present/participants", "stages/present/performance",
		"stages/present/section", "stages/figure", "stages/column", "stages/fold", "stages/report", "stages/literature",
		"stages/inference"},
	"stages/present/participants": {"stages/finding", "stages/finding/quality",
		"stages/wording", "artifacts/encoding", "dag", "stages/present/section", "stages/figure",
		"stages/column", "stages/report", "stages/inference"},
	"stages/present/performance": {"stages/finding", "stages/wording", "dag", "stages/present/tables", "stages/present/section", "stages/figure",
		"stages/column", "stages/fold", "stages/region", "stages/report", "stages/chart",
		"stages/inference"},
	"stages/present/tables": {"stages/wording", "artifacts", "artifacts/encoding", "dag", "stages/column", "stages/report", "stages/role"},
	"stages/present/section": {"stages/finding", "stages/wording", "artifacts/encoding", "dag", "stages/figure",
		"stages/column", "stages/report"},
	"stages/figure": {"stages/role", "stages/finding", "stages/finding/quality", "stages/finding/ranking",
		"stages/wording", "artifacts", "artifacts/encoding",
		"dag", "nifti",
		"connectivity",
		"stages/column", "stages/inference",
		"stages/fold", "stages/region", "stages/report", "stages/chart", "stages/draw"},
	"stages/assess": {"stages/role", "stages/finding", "stages/finding/quality",
		"artifacts", "artifacts/encoding", "dag", "nifti", "gnn",
		"stages/column", "stages/fold",
		"stages/region", "stages/learn", "stages/learn/choose", "stages/inference"},
	"stages/assess/confounds": {"stages/role", "dag", "stages/column", "stages/fold", "stages/region",
		"stages/inference"},
	"stages/assess/curve": {"stages/role", "dag", "stages/column", "stages/fold", "stages/inference"},
	"stages/assess/edges": {"stages/role", "stages/finding", "artifacts/encoding", "dag", "stages/column",
		"stages/fold", "stages/region", "stages/learn/family", "stages/inference"},
	"stages/assess/external": {"stages/role", "stages/finding", "artifacts/encoding", "dag", "stages/column",
		"stages/fold", "stages/learn", "stages/learn/modelfile", "stages/inference"},
	"stages/assess/leakage": {"stages/role", "stages/finding", "stages/finding/quality",
		"artifacts", "artifacts/encoding", "dag",
		"stages/column", "stages/fold", "stages/region",
		"stages/learn", "stages/inference"},
	"stages/assess/subgroup": {"stages/role", "dag", "stages/column", "stages/fold", "stages/inference"},
	"stages/estimator": {"stages/role", "artifacts", "artifacts/encoding", "dag", "gnn", "stages/command",
		"stages/column", "stages/finding", "stages/fold", "stages/region", "stages/learn"},
	"stages/learn/choose": {"stages/role", "artifacts/encoding", "dag", "stages/column", "stages/fold",
		"stages/inference"},
	"stages/learn": {"stages/role", "stages/finding", "artifacts", "artifacts/encoding", "dag", "gnn",
		"stages/column", "stages/fold",
		"stages/region", "stages/inference", "stages/learn/modelfile", "stages/learn/split"},
	"stages/learn/split": {"stages/role", "stages/finding", "artifacts/encoding", "dag", "stages/column",
		"stages/fold", "stages/inference", "stages/learn/family"},
	"stages/learn/modelfile": {"artifacts", "artifacts/encoding", "connectivity", "dag", "gnn", "stages/bids",
		"stages/column", "stages/fold", "stages/inference", "stages/region"},
	"stages/prepare": {"stages/role", "stages/finding", "artifacts", "artifacts/encoding", "dag", "nifti",
		"connectivity",
		"stages/column",
		"stages/fold", "stages/region", "stages/sheet", "stages/bids", "stages/inference"},
	"stages/prepare/extract": {"stages/role", "stages/finding", "artifacts", "artifacts/encoding", "dag",
		"nifti", "connectivity", "stages/column",
		"stages/region", "stages/bids"},
	"stages/prepare/windows": {"stages/role", "stages/finding", "artifacts/encoding", "dag", "connectivity",
		"stages/bids", "stages/column", "stages/fold", "stages/region"},
	"stages/cohort": {"stages/wording", "artifacts", "artifacts/encoding", "dag", "nifti", "stages/cohort/container",
		"stages/cohort/listed", "stages/cohort/located", "stages/cohort/motion", "stages/cohort/protocol", "stages/cohort/userfile", "stages/column",
		"stages/region", "stages/sheet", "stages/bids", "stages/atlas",
		"stages/inference"},
	"stages/cohort/container": {"connectivity", "stages/cohort/listed", "stages/cohort/located", "stages/cohort/userfile",
		"stages/column", "stages/region"},
	"stages/cohort/located": {"stages/bids", "stages/column", "stages/cohort/listed", "stages/cohort/userfile"},
	"stages/cohort/listed": {"stages/wording", "artifacts/encoding", "dag", "stages/cohort/userfile", "stages/column", "stages/sheet",
		"stages/bids"},
	"stages/cohort/motion":   {"connectivity", "stages/cohort/userfile", "stages/column", "stages/sheet"},
	"stages/cohort/protocol": {"dag", "stages/bids", "stages/column", "stages/inference"},
	"stages/cohort/userfile": nil,
	"stages/cohort/simulate": {"artifacts", "artifacts/encoding", "dag", "nifti", "stages/cohort", "stages/column",
		"stages/atlas", "stages/phantom"},
	"stages/region": {"artifacts/encoding", "stages/column", "dag", "nifti", "connectivity", "stages/bids",
		"stages/atlas", "stages/mat5", "stages/npz"},
	"stages/finding/claim":   {"stages/finding", "stages/column"},
	"stages/finding/locked":  {"artifacts/encoding", "stages/column"},
	"stages/finding/quality": {"stages/finding", "dag", "stages/column", "stages/inference"},
	"stages/finding/ranking": {"stages/finding", "dag", "stages/column", "stages/inference"},
	"stages/wording":         {"dag", "artifacts/encoding", "stages/finding", "stages/column", "stages/report"},
	"stages/fold": {"stages/role", "stages/finding", "artifacts", "artifacts/encoding", "dag", "gnn", "stages/column",
		"stages/inference"},
	"stages/column": {"artifacts/encoding", "dag"},
	"stages/role":   {"artifacts/encoding", "dag", "stages/column"},
	// Their leaves.
	"stages/atlas":        {"stages/bids"},
	"stages/bids":         {"dag"},
	"stages/builtin":      nil,
	"stages/chart":        {"stages/draw", "stages/wording"},
	"stages/draw":         nil,
	"stages/finding":      {"artifacts/encoding", "dag", "stages/column", "stages/finding/locked", "stages/inference"},
	"stages/inference":    nil,
	"stages/learn/family": nil,
	"stages/literature":   nil,
	"stages/mat5":         {"nifti"},
	"stages/netio":        nil,
	"stages/npz":          {"artifacts/encoding", "stages/mat5"},
	"stages/phantom":      {"stages/atlas"},
	"stages/report":       nil,
	"stages/sheet":        {"dag"},

	"pipelines": {"artifacts", "dag", "stages"},
	"cmd":       {"cmd/pipeline/cli", "cmd/pipeline/imaging", "stages"}, // main

	// The rooms of the command, from the top down.
	"cmd/pipeline/cli": {"artifacts", "dag", "stages", "pipelines", "cmd/pipeline/bidsapp",
		"cmd/pipeline/manual", "cmd/pipeline/validation", "cmd/pipeline/page", "cmd/pipeline/space", "cmd/pipeline/trace",
		"cmd/pipeline/flags", "cmd/pipeline/executor", "cmd/pipeline/export", "cmd/pipeline/audit", "cmd/pipeline/members",
		"cmd/pipeline/describe", "cmd/pipeline/reasons", "cmd/pipeline/results", "cmd/pipeline/progress", "cmd/pipeline/scaffold",
		"cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/validation": {"dag", "stages", "pipelines", "cmd/pipeline/page", "cmd/pipeline/export",
		"cmd/pipeline/results", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/duplicates": {"artifacts", "connectivity", "dag", "stages", "cmd/pipeline/console",
		"cmd/pipeline/flags", "cmd/pipeline/exit"},
	"cmd/pipeline/page": {"artifacts", "dag", "stages", "pipelines", "cmd/pipeline/export", "cmd/pipeline/results",
		"cmd/pipeline/console", "cmd/pipeline/exit",
		"cmd/pipeline/progress"},
	"cmd/pipeline/describe": {"artifacts", "dag", "docs", "stages", "pipelines", "cmd/pipeline/results",
		"cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/imaging": {"artifacts/encoding", "dag", "nifti", "stages", "pipelines", "cmd/pipeline/atlases", "cmd/pipeline/duplicates", "cmd/pipeline/flags",
		"cmd/pipeline/export", "cmd/pipeline/describe",
		"cmd/pipeline/results", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/space": {"artifacts", "dag", "cmd/pipeline/audit", "cmd/pipeline/results", "cmd/pipeline/console"},
	"cmd/pipeline/trace": {"artifacts", "dag", "pipelines", "cmd/pipeline/export", "cmd/pipeline/results",
		"cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/reasons":  {"dag", "pipelines", "stages", "cmd/pipeline/progress", "cmd/pipeline/console"},
	"cmd/pipeline/flags":    {"dag", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/executor": {"dag", "stages", "cmd/pipeline/flags", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/members":  {"pipelines", "stages", "cmd/pipeline/console"},
	"cmd/pipeline/bidsapp":  {"artifacts", "dag", "stages", "pipelines", "cmd/pipeline/export", "cmd/pipeline/results", "cmd/pipeline/console"},
	"cmd/pipeline/atlases":  {"stages", "cmd/pipeline/flags", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/manual":   {"stages"},
	"cmd/pipeline/export":   {"artifacts", "dag", "stages", "pipelines", "cmd/pipeline/results", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/audit":    {"artifacts", "dag", "pipelines", "cmd/pipeline/results", "cmd/pipeline/progress", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/results":  {"artifacts", "dag", "pipelines", "stages", "cmd/pipeline/progress", "cmd/pipeline/console", "cmd/pipeline/exit"},
	"cmd/pipeline/progress": {"artifacts", "dag", "cmd/pipeline/console"},
	"cmd/pipeline/scaffold": {"dag", "pipelines", "stages", "cmd/pipeline/exit"},
	"cmd/pipeline/console":  {"artifacts", "dag", "cmd/pipeline/exit"},
	"cmd/pipeline/exit":     nil,
}

// below are the packages that may import everything inside another one they may import.
var below = []string{"pipelines", "cmd"}

// free are the directories outside the product: tests, benchmarks and examples.
var free = []string{"bench", "release", "test", "examples", "stages/stagetest"}

func TestLayersOnlyPointDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	need.NoError(t, err, "go list")
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		path, ours := strings.CutPrefix(fields[0], "prgnn/")
		if !ours || slices.ContainsFunc(free, func(f string) bool { return inside(path, f) }) {
			continue
		}
		from := row(path)
		if from == "" {
			t.Errorf("%s: the import table does not know this package; ARCHITECTURE.md says where things live", path)
			continue
		}
		seen[from] = true
		for _, imported := range fields[1:] {
			to, ours := strings.CutPrefix(imported, "prgnn/")
			if to == "stages" && from != "cmd" { // a program of a lab lists the kinds that it imports alone
				t.Errorf("%s imports stages: only a main decides which kinds a program has", path)
			}
			if !ours || row(to) == from || inside(to, "internal") || inside(to, "numeric") || allowed(from, to) {
				continue
			}
			t.Errorf("%s imports %s: %s may import only %v", path, to, from, mayImport[from])
		}
	}
	for name := range mayImport {
		if !seen[name] {
			t.Errorf("the import table names %s, which is not there", name)
		}
	}
}

// allowed reports whether the row from has a package: itself, or, in the rooms above the
// stages, anything inside it.
func allowed(from, to string) bool {
	for _, name := range mayImport[from] {
		above := slices.ContainsFunc(below, func(b string) bool { return inside(from, b) })
		if row(to) == name || above && inside(to, name) {
			return true
		}
	}
	return false
}

// row is the innermost row of the table that a package lies in.
func row(path string) string {
	for ; path != ""; path = path[:max(strings.LastIndexByte(path, '/'), 0)] {
		if _, ok := mayImport[path]; ok {
			return path
		}
	}
	return ""
}

// inside reports whether path is a package or lies inside it.
func inside(path, of string) bool { return path == of || strings.HasPrefix(path, of+"/") }

// TestRoomsStaySmall: a package that one cannot survey is to be divided. Generated files and
// tests do not count.
func TestRoomsStaySmall(t *testing.T) {
	const files, lines = 40, 5000
	// cli has a file a command.
	larger := map[string]int{"cmd/pipeline/cli": 6000}
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}{{range .GoFiles}} {{.}}{{end}}", "./...").Output()
	need.NoError(t, err, "go list")
	root, err := os.Getwd()
	need.NoError(t, err)
	for row := range strings.Lines(string(out)) {
		fields := strings.Fields(row)
		n, count := 0, 0
		for _, name := range fields[1:] {
			if !strings.HasSuffix(name, "_gen.go") {
				n, count = n+1, count+strings.Count(read(t, filepath.Join(fields[0], name)), "\n")
			}
		}
		room, _ := filepath.Rel(root, fields[0])
		if most := max(lines, larger[filepath.ToSlash(room)]); n > files || count > most {
			t.Errorf("%s has %d files and %d lines; a room has at most %d and %d: divide it", room, n, count, files, most)
		}
	}
}

// TestOneLevel: no stage compares a p with a level of its own; inference.Significant decides.
func TestOneLevel(t *testing.T) {
	level := regexp.MustCompile(`(?i)(\bp|\bq|holm|partial|full|least|best|pany|corrected)(\[\w+\])?\)? ?` +
		`(<|>|<=|>=) ?(0\.05\b|\w*alpha)`)
	for _, root := range []string{"stages", "pipelines"} {
		need.NoError(t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for line := range strings.Lines(read(t, path)) {
				code, _, _ := strings.Cut(line, "//")
				if !strings.ContainsAny(code, "`\"") && level.MatchString(code) &&
					!strings.Contains(code, "func Significant") {
					t.Errorf("%s: %s: decide by inference.Significant", path, strings.TrimSpace(code))
				}
			}
			return nil
		}))
	}
}

// TestCommandsWriteThroughTheGuard: a command writes a file with Console.WriteFile, which writes over
// nothing that a run is made from. These make files of their own, where none was.
func TestCommandsWriteThroughTheGuard(t *testing.T) {
	others := []string{
		"cmd/pipeline/cli/platform_unix.go:Create",    // the log of a remote's process, in the store
		"cmd/pipeline/cli/platform_unix.go:WriteFile", // its number
		"cmd/pipeline/cli/sign.go:OpenFile",           // a new key, never over another
		"cmd/pipeline/duplicates/duplicates.go:Create",
		"cmd/pipeline/bidsapp/record.go:WriteFile",   // among the temporary files
		"cmd/pipeline/page/print.go:WriteFile",       // likewise, the page that a browser prints
		"cmd/pipeline/scaffold/scaffold.go:OpenFile", // a new pipeline file
		"cmd/pipeline/scaffold/scaffold.go:Rename",   // a new module
		"cmd/pipeline/scaffold/scaffold.go:WriteFile",
	}
	writes := regexp.MustCompile(`\bos\.(WriteFile|Create|CreateTemp|OpenFile|Rename|Link|Symlink)\(`)
	found := map[string]bool{}
	err := filepath.WalkDir("cmd/pipeline", func(path string, e os.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			path == "cmd/pipeline/console/write.go" {
			return err
		}
		for _, call := range writes.FindAllStringSubmatch(read(t, path), -1) {
			place := path + ":" + call[1]
			if found[place] = true; !slices.Contains(others, place) {
				t.Errorf("%s calls os.%s: a command writes with Console.WriteFile", path, call[1])
			}
		}
		return nil
	})
	need.NoError(t, err)
	for _, place := range others {
		if !found[place] {
			t.Errorf("%s is not there any more", place)
		}
	}
}
