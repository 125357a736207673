package pipelines

import (
	"slices"
	"strings"
	"testing"
)

// A program that gathers participants may fit anything to them: a note says so where a test fold depends on it, and
// nowhere else. Fits whose fold is known are in testdata/mistakes.txt.
func TestUnknownFits(t *testing.T) {
	p := mustBuild(t, `
cohort: { simulate: { asd: 6, hc: 6 } }
stages:
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: cohort.labels, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  fit: { use: exec, in: { all: "connectivity[*].pearson" }, with: { command: [fit, "{all}", "{out}"], inputs: ["all*=npy"], outputs: [out=npy] } }
  less: { use: exec, each: subject, in: { one: connectivity.pearson, fit: fit.out }, with: { command: [less, "{one}", "{fit}", "{out}"], inputs: [one=npy, fit=npy], outputs: [out=npy] } }
  alone: { use: exec, each: subject, in: { one: connectivity.pearson }, with: { command: [alone, "{one}", "{out}"], inputs: [one=npy], outputs: [out=npy] } }
  noted: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "less[*].out", folds: folds } }
  plain: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "alone[*].out", folds: folds } }
`)
	noted := slices.DeleteFunc(slices.Clone(p.Notes), func(n string) bool { return !strings.Contains(n, "gathers participants") })
	if len(noted) != 1 || !strings.HasPrefix(noted[0], "stage noted: input pearson depends on fit, which gathers participants") {
		t.Errorf("%q", noted)
	}
}
