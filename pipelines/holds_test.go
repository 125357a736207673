package pipelines

import (
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

const held = `
cohort: { simulate: { asd: 4, hc: 4, grid: 9, sites: 2 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels.parcels, nodes: cohort.nodes }, with: { draws: 0 } }
  clean: { use: denoise, each: subject, in: { series: series.series } }
  r: { use: connectivity, each: subject, in: { series: clean.series }, with: { covariance: true, fisher_z: partial } }
  undenoised: { use: connectivity, each: subject, in: { series: series.series }, with: { pearson: oas } }
  own: { use: exec, each: subject, in: { one: r.pearson }, with: { command: [own, "{one}", "{out}"], inputs: [one=npy], outputs: [out=npy] } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  combat: { use: combat, matrix: { fold: all }, with: { transform: none }, in: { matrices: "r[*].covariance", folds: folds, participants: cohort.participants } }
  harmonized: { use: harmonize, each: subject, matrix: { fold: all }, in: { matrices: r.covariance, fitted: combat, participants: cohort.participants } }
  space: { use: tangent, matrix: { fold: all }, in: { matrices: "r[*].covariance", folds: folds } }
  projected: { use: project, each: subject, matrix: { fold: all }, in: { matrices: r.covariance, fitted: space } }
  graphs: { use: graph, each: subject, in: { pearson: r.partial, partial: r.pearson } }
`

// Each model is informed of the output that is connected, whatever the names of ports and stages, and the settings of a
// page have the same of each connection.
func TestTasksKnowWhatTheirInputsHold(t *testing.T) {
	for from, want := range map[string]string{
		`pearson: "r[*].pearson"`:                                  "measure=pearson estimator=empirical series=denoised",
		`pearson: "r[*].partial"`:                                  "measure=partial estimator=ledoit-wolf fisher_z=true series=denoised",
		`pearson: "r[*].covariance"`:                               "measure=covariance estimator=ledoit-wolf series=denoised",
		`pearson: "r[*].precision"`:                                "measure=precision estimator=ledoit-wolf series=denoised",
		`pearson: "undenoised[*].pearson"`:                         "measure=pearson estimator=oas series=raw",
		`pearson: "harmonized[*].matrices"`:                        "measure=covariance estimator=ledoit-wolf series=denoised",
		`tangent: "projected[*].matrices", fitted: space`:          "measure=tangent of=covariance estimator=ledoit-wolf series=denoised",
		`pearson: "own[*]"`:                                        "",
		`edges: "graphs[*].edges", features: "graphs[*].features"`: "measure=partial estimator=ledoit-wolf fisher_z=true series=denoised",
	} {
		use := "baseline"
		if strings.Contains(from, "edges") {
			use = "train"
		}
		text := held + "  model: { use: " + use + ", matrix: { fold: all }, in: { " + from + ", folds: folds } }\n" +
			"  report: { use: report, in: { settings: pipeline.settings } }\n"
		p, err := build("held.yaml", []byte(text), ".", nil, maxTasks)
		need.NoError(t, err, from)
		model := taskNamed(p.Graph, "model[fold=1]").Instance().(role.DataUser)
		port, _, _ := strings.Cut(from, ":")
		if port == "edges" {
			need.Equal(t, model.Holds("edges"), column.ParseData("measure=pearson estimator=empirical series=denoised"))
			port = "features"
		}
		need.Equal(t, model.Holds(port).String(), want, from)
		links := need.Value(column.MetaOf[[]column.Link](outputOf(t, p.Graph, "pipeline", "settings").Meta,
			column.SettingLinks))(t)
		found := ""
		for _, l := range links {
			if l.Stage == "model" && l.Port == port {
				found = l.Data
			}
		}
		need.Equal(t, found, want, from)
	}
}

func taskNamed(g *dag.Graph, id string) *dag.Node {
	for n := range g.Tasks() {
		if n.ID() == id {
			return n
		}
	}
	return nil
}

// Nobody states it by hand.
func TestWhatInputsHoldIsNotSet(t *testing.T) {
	_, err := build("held.yaml", []byte(held+"  model: { use: baseline, matrix: { fold: all }, with: { holds: [pearson measure=partial] }, "+
		`in: { pearson: "r[*].pearson", folds: folds } }`+"\n"), ".", nil, maxTasks)
	need.Error(t, err, "holds is set from the connected outputs and cannot be changed: remove it")
}

// Fisher's z is for correlations: of what is known to be others, or z already, it is refused before the run.
func TestFisherOfOtherValues(t *testing.T) {
	for _, c := range []struct{ from, with, want string }{
		{"r[*].covariance", "model: ridge", "stage model: the transform is Fisher's z, which is for correlations, but the input pearson holds covariances: set transform: none"},
		{"r[*].partial", "model: ridge", "holds partial correlations as Fisher's z: set transform: none"},
		{"r[*].precision", "model: svm, transform: fisher", "holds precision matrices: set transform: none"},
		{"r[*].covariance", "model: svm", ""},
		{"r[*].covariance", "model: ridge, transform: none", ""},
		{"r[*].pearson", "model: ridge", ""},
		{"own[*]", "model: ridge", ""}, // unknown
	} {
		_, err := build("held.yaml", []byte(held+"  model: { use: baseline, matrix: { fold: all }, with: { "+c.with+
			" }, in: { pearson: \""+c.from+"\", folds: folds } }\n"), ".", nil, maxTasks)
		if c.want == "" {
			need.NoError(t, err, c.from)
		} else {
			need.Error(t, err, c.want)
		}
	}
}
