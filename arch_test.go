// Package prgnn_test holds the picture of ARCHITECTURE.md: who may import whom.
package prgnn_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import table. A package stands for itself and what lies
// inside it; the leaves under internal may be imported by everyone.
var mayImport = map[string][]string{
	"artifacts":    nil,
	"dag":          {"artifacts"},
	"nifti":        nil,
	"connectivity": nil,
	"gnn":          nil,
	"stages":       {"artifacts", "dag", "nifti", "connectivity", "gnn"},
	"pipelines":    {"artifacts", "dag", "stages"},
	"cmd":          {"artifacts", "dag", "stages", "pipelines", "nifti"},
	"internal":     nil,
}

// free are the directories outside the product: tests, benchmarks and examples.
var free = []string{"bench", "test", "examples"}

func TestLayersOnlyPointDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		from := top(fields[0])
		if from == "" || slices.Contains(free, from) {
			continue
		}
		seen[from] = true
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("%s: the import table does not know this package; ARCHITECTURE.md §1 says where things live", fields[0])
		}
		for _, imported := range fields[1:] {
			to := top(imported)
			if to == "" || to == from || to == "internal" || slices.Contains(allowed, to) {
				continue
			}
			t.Errorf("%s imports %s: %s may import only %v", fields[0], imported, from, allowed)
		}
	}
	for name := range mayImport {
		if !seen[name] {
			t.Errorf("the import table names %s, which is not there", name)
		}
	}
}

// top is the first element of a path inside the module: "gnn" for
// prgnn/gnn/baseline, "" for other modules.
func top(path string) string {
	rest, ours := strings.CutPrefix(path, "prgnn/")
	if !ours {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}
