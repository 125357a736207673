package python_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// The two cohorts, with scanners, repetition times and numbers of volumes of their own.
var cohorts = map[string]string{
	"a": "seed: 7\ncohort: { simulate: { asd: 16, hc: 16, volumes: 60, tr: 2, grid: 12, sites: 2, site_effect: 0.5 } }\n",
	"b": "seed: 8\ncohort: { simulate: { asd: 22, hc: 22, volumes: 80, tr: 1.5, grid: 12, sites: 2, site_effect: 0.8 } }\n",
}

const series = `stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels, nodes: cohort.nodes }, with: { draws: 0 } }
  clean: { use: denoise, each: subject, in: { series: series, scan: series.scan, confounds: cohort.confounds }, with: { detrend: 1 } }
  connectivity: { use: connectivity, each: subject, in: { series: clean, quality: clean.quality } }
`

const trainings = `  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  combat: { use: combat, matrix: { fold: all }, in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants }, with: { tolerance: 1e-13 } }
  harmonize: { use: harmonize, each: subject, matrix: { fold: all }, in: { matrices: connectivity.pearson, fitted: combat.fitted, participants: cohort.participants, quality: connectivity.quality } }
  plain: { use: baseline, matrix: { fold: all }, in: { pearson: "connectivity[*].pearson", quality: "connectivity[*].quality", folds: folds, nodes: cohort.nodes }, with: { model: ridge } }
  harmonized: { use: baseline, matrix: { fold: all }, in: { pearson: "harmonize[*].matrices", quality: "harmonize[*].quality", harmonized: combat.fitted, folds: folds, nodes: cohort.nodes }, with: { model: ridge } }
`

// TestTwoCohorts validates the models of each cohort on the other one: without leave, harmonized matrices without their
// harmonization, and models without a fit of ComBat are refused, and the predictions are those of scikit-learn and of
// ComBat's equations on exported files.
func TestTwoCohorts(t *testing.T) {
	python := need.Python(t, "numpy", "sklearn")
	for _, direction := range [][2]string{{"a", "b"}, {"b", "a"}} {
		t.Run(fmt.Sprint(direction), func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PIPELINE_STORE", dir+"/store")
			write(t, dir, "study.yaml", []byte(cohorts[direction[0]]+series+trainings))
			write(t, dir, "other.yaml", []byte(cohorts[direction[1]]+series))
			pipeline := func(args ...string) { t.Helper(); output(t, dir, program, append(args, "-q")...) }
			refused := func(want string, args ...string) {
				t.Helper()
				cmd := exec.Command(program, append([]string{"validate"}, args...)...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				need.Error(t, err, "exit status")
				need.Equal(t, strings.Contains(string(out), want), true, want, string(out))
			}
			pipeline("run", "study.yaml")
			pipeline("export", "study.yaml", "model", "-o", ".")
			for name, of := range map[string]string{"pearson.npy": "connectivity.pearson", "folds.csv": "folds",
				"harmonized.npy": "harmonize.matrices"} {
				pipeline("export", "study.yaml", of, "-o", name)
			}
			refused("have the id of a training participant", "plain", "other.yaml")
			refused("have the id of a training participant", "harmonized", "other.yaml", "--harmonize", "inputs")
			refused("harmonize: inputs", "harmonized", "other.yaml", "--allow", "participants")
			refused("have no ComBat fit", "plain", "other.yaml", "--allow", "participants", "--harmonize", "inputs")
			pipeline("validate", "plain", "other.yaml", "--allow", "participants")
			pipeline("export", "other.yaml", "validation.participants", "-o", "plain.csv")
			pipeline("validate", "harmonized", "other.yaml", "--allow", "participants", "--harmonize", "inputs")
			pipeline("export", "other.yaml", "validation.participants", "-o", "harmonized.csv")
			pipeline("export", "other.yaml", "connectivity.pearson", "-o", "new.npy")
			pipeline("export", "other.yaml", "cohort.participants", "-o", "people.csv")
			t.Logf("%s", output(t, dir, python, script(t, "check_cohorts.py"), dir))
		})
	}
}
