package page

import (
	"testing"

	"prgnn/internal/need"
	"prgnn/pipelines"
	_ "prgnn/stages"
)

// Of the reports of a multiverse, the one with the headline is left beside the file, in any order of the options.
func TestPageOfHeadline(t *testing.T) {
	const file = `
connect: usual
cohort: { simulate: { asd: 6, hc: 6 } }
decisions: { trend: { linear: {}, quadratic: { clean.detrend: 2 } } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap, with: { draws: 0 } }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  folds: { use: split, with: { folds: 3 } }
  leakage: { use: leakage }
  baselines: { use: baseline, with: { model: ridge }, matrix: { fold: all } }
  evaluate: { use: evaluate }
  covariates: { use: covariates }
  report: { use: report`
	for more, want := range map[string]string{" }": "report[trend=linear]",
		", with: { headline: [trend=quadratic] } }": "report[trend=quadratic]"} {
		p, err := pipelines.LoadText("study.yaml", file+more, t.TempDir(), nil)
		need.NoError(t, err)
		need.Equal(t, Stage(p.Graph).ID(), want)
	}
}
