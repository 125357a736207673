package pipelines

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/pipelines/tree"
	"prgnn/pipelines/wiring"
	"prgnn/stages/column"
)

const told = `
seed: 7
cohort: { simulate: { asd: 2, hc: 2 }, exclude: [sub-sim001] }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  wide: { use: echo, matrix: { value: [a, b] } }
  report: { use: report, in: { settings: pipeline.settings, notes: pipeline.notes, excluded: pipeline.excluded } }
`

// What the axis of each: fills in, the participant and the run, is no setting.
func TestSettingsWithoutAxes(t *testing.T) {
	p := need.Value(build("runs.yaml", []byte(`
cohort: { simulate: { asd: 2, hc: 2 } }
stages:
  voxels: { use: parcellate, each: run, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  draws: { use: bootstrap, each: run, in: { bold: cohort.bold, parcels: voxels, nodes: cohort.nodes } }
  report: { use: report, in: { settings: pipeline.settings } }
`), ".", nil, maxTasks))(t)
	parameter, _ := outputOf(t, p.Graph, "pipeline", "settings").Strings("parameter")
	need.Equal(t, slices.Contains(parameter, "session"), true)
	need.Equal(t, slices.Contains(parameter, "run") || slices.Contains(parameter, "subject"), false)
}

// A stage whose only parameter is the participant has a row that states its kind, and a summary of models of a residual
// has the settings, by which it states so, though the file does not connect them.
func TestSettingsOfResiduals(t *testing.T) {
	p := need.Value(build("r.yaml", []byte(`
cohort: { simulate: { asd: 4, hc: 0, grid: 9, target: score } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels.parcels, nodes: cohort.nodes }, with: { draws: 0 } }
  clean: { use: denoise, each: subject, in: { series: series.series, confounds: cohort.confounds } }
  connectivity: { use: connectivity, each: subject, in: { series: clean.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, label: target } }
  deconfound:
    use: deconfound
    matrix: { fold: all }
    in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants }
    with: { covariates: [age], what: both }
  residuals: { use: residualize, each: subject, matrix: { fold: all }, in: { matrices: connectivity.pearson, fitted: deconfound.fitted, design: deconfound.design } }
  models: { use: regression, matrix: { fold: all }, in: { pearson: "residuals[*]", folds: folds, targets: deconfound.targets } }
  evaluate: { use: evaluate-regression, in: { predictions: "models[*].predictions" } }
  summary: { use: summary, in: { participants: cohort.participants, regression: evaluate.summary } }
`), ".", nil, maxTasks))(t)
	settings := outputOf(t, p.Graph, "pipeline", "settings")
	kind := need.Value(settings.Strings("kind"))(t)
	need.Equal(t, slices.Contains(kind, "residualize"), true)
	at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == "summary" })
	need.Equal(t, slices.ContainsFunc(p.Graph.Stages()[at].Tasks()[0].Inputs(), func(b dag.Binding) bool {
		return b.Port == "settings"
	}), true)
}

// A matrix of covariates has a test for each, and is no decision of the analysis.
func TestCovariatesAreNoDecision(t *testing.T) {
	p := need.Value(build("g.yaml", []byte(`
cohort: { simulate: { asd: 12, hc: 12, grid: 9 } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, permutations: 19 } }
  given: { use: permute-given, matrix: { covariate: [age, sex] }, in: { participants: cohort.participants, permuted: folds.permuted, folds: folds } }
  summary: { use: summary, in: { participants: cohort.participants, settings: pipeline.settings } }
`), ".", nil, maxTasks))(t)
	need.Equal(t, outputOf(t, p.Graph, "pipeline", "settings").Meta[column.SettingDecisions], "")
}

// What is fitted to one group stands at its connections; a fit to everybody does not.
func TestSettingsOfFitsToOneGroup(t *testing.T) {
	for reference, want := range map[string]string{"reference: euclidean": "", "reference: controls, controls: HC": "controls"} {
		p := need.Value(build("g.yaml", []byte(`
cohort: { simulate: { asd: 8, hc: 8, grid: 9 } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  tangent: { use: tangent, matrix: { fold: all }, in: { matrices: "c[*].pearson", folds: folds }, with: { `+reference+` } }
  summary: { use: summary, in: { participants: cohort.participants } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  s: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: p.parcels, nodes: cohort.nodes }, with: { draws: 0 } }
  p: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  project: { use: project, each: subject, matrix: { fold: all }, in: { matrices: c.pearson, fitted: tangent.fitted } }
`), ".", nil, maxTasks))(t)
		links := outputOf(t, p.Graph, "pipeline", "settings").Meta[column.SettingLinks]
		need.Equal(t, strings.Contains(links, `"fits":"controls"`), want != "", links)
	}
}

// So are those of a multiverse, of which one option of a decision fits to one group.
func TestPermutedUniversesOfFitsToOneGroup(t *testing.T) {
	for option, want := range map[string]string{"fit.degree: 2": "",
		"fit.controls: HC": "label permutations do not repeat the fit of fit to one group (controls)"} {
		_, err := build("g.yaml", []byte(`
cohort: { simulate: { asd: 12, hc: 12, grid: 9 } }
decisions: { who: { plain: {}, other: { `+option+` } } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, permutations: 99 } }
  p: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  s: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: p.parcels, nodes: cohort.nodes },
	with: { draws: 0 } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  fit: { use: deconfound, matrix: { fold: all }, in: { matrices: "c[*].pearson", folds: folds, participants: cohort.participants }, with: { covariates: [age] } }
  apply: { use: residualize, each: subject, matrix: { fold: all }, in: { matrices: c.pearson, fitted: fit.fitted } }
  models: { use: baseline, matrix: { model: [ridge], fold: all }, in: { pearson: "apply[*].matrices", folds: folds, permuted: folds.permuted } }
  multiverse: { use: multiverse, in: { predictions: "models[*].predictions", permuted: "models[*].permuted" } }
`), ".", nil, maxTasks)
		if want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, want)
		}
	}
}

// Label permutations of models whose data were fitted to one group are refused, with the remedy, and the summary
// withdraws every other p of them.
func TestPermutedLabelsOfFitsToOneGroup(t *testing.T) {
	for _, c := range []struct{ reference, models, want string }{
		{"reference: euclidean", "permuted: folds.permuted", ""},
		{"reference: controls, controls: HC", "permuted: null", ""},
		{"reference: controls, controls: HC", "permuted: folds.permuted",
			"label permutations do not repeat the fit of tangent to one group (controls), so p is not valid: leave out permuted"},
		{"reference: controls, controls: HC", `permuted: null, given: "given[*].permuted"`,
			"so p is not valid: leave out given (given: null)"},
	} {
		p, err := build("g.yaml", []byte(`
cohort: { simulate: { asd: 8, hc: 8, grid: 9 } }
stages:
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  given: { use: permute-given, matrix: { covariate: [age] }, in: { folds: folds, permuted: folds.permuted, participants: cohort.participants } }
  evaluate: { use: evaluate, in: { predictions: "models[*].predictions" } }
  summary: { use: summary, in: { participants: cohort.participants, evaluation: evaluate.summary } }
  p: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  s: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: p.parcels, nodes: cohort.nodes },
	with: { draws: 0 } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  g: { use: graph, each: subject, in: { pearson: c.pearson, partial: c.partial } }
  tangent: { use: tangent, matrix: { fold: all }, in: { matrices: "c[*].pearson", folds: folds }, with: { `+c.reference+` } }
  project: { use: project, each: subject, matrix: { fold: all }, in: { matrices: c.pearson, fitted: tangent.fitted } }
  models:
    use: baseline
    matrix: { model: [ridge], fold: all }
    in: { tangent: "project[*].matrices", fitted: tangent.fitted, folds: folds, `+c.models+` }
  plain: { use: baseline, matrix: { model: [ridge], fold: all }, in: { pearson: "c[*].pearson", folds: folds } }
  evaluate_graphs: { use: evaluate, in: { predictions: "plain[*].predictions" } }
`), ".", nil, maxTasks)
		if c.want != "" {
			need.Error(t, err, c.want)
			continue
		}
		need.NoError(t, err)
		for name, want := range map[string]bool{"summary": strings.Contains(c.reference, "HC"),
			"evaluate": strings.Contains(c.reference, "HC"), "evaluate_graphs": false} {
			at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == name })
			withdraws := slices.ContainsFunc(p.Graph.Stages()[at].Tasks()[0].Inputs(), func(b dag.Binding) bool {
				return b.Port == "settings"
			})
			need.Equal(t, withdraws, want, name+" has the settings to withdraw p")
		}
	}
}

// Two outputs of one stage at one input differ in the axis output: the scores of a number and of its residual stand on
// one page.
func TestOutputsOfOneStage(t *testing.T) {
	p := need.Value(build("o.yaml", []byte(`
cohort: { simulate: { asd: 4, hc: 0, grid: 9, target: score } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels.parcels, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, label: target } }
  deconfound: { use: deconfound, matrix: { fold: all }, in: { folds: folds, participants: cohort.participants },
    with: { covariates: [age], what: target } }
  models: { use: regression, matrix: { fold: all }, in: { pearson: "connectivity[*].pearson", folds: folds,
    targets: deconfound.targets } }
  evaluate: { use: evaluate-regression, in: { predictions: ["models[*].predictions", "models[*].residuals"] } }
`), ".", nil, maxTasks))(t)
	at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == "evaluate" })
	got := ""
	for _, b := range p.Graph.Stages()[at].Tasks()[0].Inputs() {
		for _, from := range b.Sources {
			if b.Port == "predictions" {
				got += fmt.Sprint(from.Coords)
			}
		}
	}
	need.Equal(t, got, "[{fold 1} {output predictions} {stage models}][{fold 1} {output residuals} {stage models}]"+
		"[{fold 2} {output predictions} {stage models}][{fold 2} {output residuals} {stage models}]")
}

// An axis is refused whose column a table would have beside its own one of the same name.
func TestAxesNamedLikeColumns(t *testing.T) {
	for axis, refused := range map[string]bool{"accuracy": true, "level": true, "test_folds": true, "kernel": false} {
		_, err := build("a.yaml", []byte(strings.ReplaceAll(`
cohort: { simulate: { asd: 4, hc: 4, grid: 9 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels.parcels, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  models: { use: baseline, matrix: { AXIS: [svm, ridge], fold: all }, with: { model: "${AXIS}" },
    in: { pearson: "connectivity[*].pearson", folds: folds } }
  evaluate: { use: evaluate, in: { predictions: "models[*].predictions" } }
`, "AXIS", axis)), ".", nil, maxTasks)
		need.Equal(t, err != nil, refused, axis)
		if refused && !strings.Contains(err.Error(), "a.yaml:10:") {
			t.Error(err)
		}
	}
}

// A summary has the settings where no stage takes partial correlations: it leaves out what warns of them.
func TestSettingsWithoutPartial(t *testing.T) {
	for takes, taken := range map[string]bool{"": false,
		"  graphs: { use: graph, each: subject, in: { pearson: connectivity.pearson, partial: connectivity.partial } }\n": true} {
		p := need.Value(build("p.yaml", []byte(`
cohort: { simulate: { asd: 2, hc: 2, grid: 9 } }
stages:
  parcels: { use: parcellate, each: subject, in: { bold: cohort.bold, labels: cohort.labels, nodes: cohort.nodes } }
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: parcels.parcels, nodes: cohort.nodes },
	with: { draws: 0 } }
  connectivity: { use: connectivity, each: subject, in: { series: series.series } }
`+takes+`  summary: { use: summary, in: { participants: cohort.participants, connectivity: "connectivity[*].quality" } }
`), ".", nil, maxTasks))(t)
		at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == "summary" })
		need.Equal(t, slices.ContainsFunc(p.Graph.Stages()[at].Tasks()[0].Inputs(), func(b dag.Binding) bool {
			return b.Port == "settings"
		}), !taken, takes)
	}
}

// outputOf runs the task of that name, which needs nothing.
func outputOf(t *testing.T, g *dag.Graph, name, output string) *encoding.Table {
	t.Helper()
	for _, s := range g.Stages() {
		if s.Name() == name && len(s.Tasks()) == 1 {
			out := need.Value(s.Tasks()[0].Instance().Run(t.Context(), dag.NewTask(nil)))(t)
			return out[output].(*encoding.Table)
		}
	}
	t.Fatalf("there is no task %s", name)
	return nil
}

// A reference to the pipeline gives what every parameter is, with the defaults and
// the values of an axis, and what was said of the cohort.
func TestSettings(t *testing.T) {
	p := need.Value(build("told.yaml", []byte(told), ".", nil, maxTasks))(t)
	settings := outputOf(t, p.Graph, "pipeline", "settings")
	stage, _ := settings.Strings("stage")
	parameter, _ := settings.Strings("parameter")
	value := need.Value(encoding.ListsOf[string](settings, "value"))(t)
	standard := need.Value(encoding.ListsOf[string](settings, "default"))(t)
	got := map[string]string{}
	for i := range stage {
		got[stage[i]+"."+parameter[i]] += fmt.Sprintf("%q %q;", value[i], standard[i])
	}
	for name, want := range map[string]string{
		"folds.folds": `["2"] ["5"];`, "folds.seed": `["7"] ["0"];`, "wide.value": `["a"] [""];["b"] [""];`,
		"cohort.asd": `["2"] ["75"];`, "report.title": `[""] [""];`, "folds.stratify_by": `[] [];`,
		"cohort.exclude": `["sub-sim001"] [];`,
	} {
		need.Equal(t, got[name], want, name)
	}
	at := slices.IndexFunc(p.Graph.Stages(), func(s *dag.StageNode) bool { return s.Name() == "pipeline" })
	docs := map[string]bool{}
	outs := p.Graph.Stages()[at].Tasks()[0].Instance().Ports().Out
	for _, port := range outs {
		docs[port.Doc] = true
	}
	if len(docs) != len(outs) || !docs["every parameter of every stage"] {
		t.Errorf("the outputs of pipeline are described as %v", docs)
	}
	notes, _ := outputOf(t, p.Graph, "pipeline", "notes").Strings("note")
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "excluded by name: sub-sim001") }) {
		t.Errorf("the notes are %q", notes)
	}
	excluded := outputOf(t, p.Graph, "pipeline", "excluded")
	who, _ := excluded.Strings("participant_id")
	why, _ := excluded.Strings("reason")
	if !slices.Equal(who, []string{"sub-sim001"}) || !slices.Equal(why, []string{"excluded by name"}) {
		t.Errorf("left out are %q: %q", who, why)
	}
	if counted, _ := excluded.Strings("category"); !slices.Equal(counted, []string{"excluded by name"}) {
		t.Errorf("they are counted as %q", counted)
	}
	need.Equal(t, settings.Meta["pipeline"], p.Name, "it is called")
}

// Nobody asks, and the graph has no such task. A stage cannot take its name.
func TestNoSettings(t *testing.T) {
	p, err := build("x.yaml", []byte("stages: { a: { use: echo } }"), ".", nil, maxTasks)
	need.NoError(t, err)
	need.Equal(t, len(p.Graph.Stages()), 1, "stages")
	if _, err := build("x.yaml", []byte("stages: { pipeline: { use: echo } }"), ".", nil, maxTasks); err == nil || !strings.Contains(err.Error(), "a stage cannot be named pipeline") {
		t.Error(err)
	}
}

// The variant gives the parameters that nobody sets; what is set stays, also at the default.
func TestVariant(t *testing.T) {
	for _, matrix := range []string{"{ fold: [1..3] }", "{ fold: [1..3], variant: [paper, authors-code] }"} {
		text := "extends: quick.yaml\nstages:\n  train:\n    matrix: " + matrix + "\n    with: { select: last, epochs: 100 }\n"
		if !strings.Contains(matrix, "variant") {
			text = strings.Replace(text, "with: {", "with: { variant: authors-code,", 1)
		}
		p := need.Value(build("study.yaml", []byte(text), ".", nil, maxTasks))(t)
		for _, s := range p.Graph.Stages() {
			for _, n := range s.Tasks() {
				if s.Name() != "train" {
					continue
				}
				got := lists.Map(param.Values(n.Instance()), param.Value.String)
				want := []string{`select = "last"`, `epochs = 100`, `standardize = "none"`, `readout = "mean"`, `seed = 2020`}
				if slices.Contains(got, `variant = "authors-code"`) {
					want = []string{`select = "last"`, `epochs = 100`, `standardize = "all"`, `readout = "maxmean_all"`, `seed = 2020`}
				}
				for _, w := range want {
					if !slices.Contains(got, w) {
						t.Errorf("%s: %s is missing in %q", n.ID(), w, got)
					}
				}
			}
		}
	}
}

// Values are the same in whatever form their numbers are written, also in lists, mappings and the list of one of a
// matrix; text that looks like a number is no number.
func TestSameValue(t *testing.T) {
	value := func(text string) *tree.Node {
		var bad tree.Mistakes
		v := tree.Parse([]byte(text), func(int, int) dag.Pos { return dag.Pos{} }, &bad)
		need.Equal(t, len(bad.List), 0, text)
		return v
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"1", "1.0", true}, {"1.0", "1", true}, {"1e3", "1000", true}, {"0.10", "0.1", true}, {"1", "1.5", false},
		{"[0, 1.0]", "[0.0, 1]", true}, {"[0, 1]", "[1, 0]", false}, {"[2.0]", "2", true}, {"[2, 3]", "2", false},
		{"{ a: 1.0, b: x }", "{ b: x, a: 1 }", true}, {"{ a: 1 }", "{ a: 1, b: 2 }", false}, {"'1.0'", "1", false},
		{"true", "1", false}, {"ridge", "ridge", true}, {"18446744073709551615", "18446744073709551614", false}} {
		need.Equal(t, wiring.SameValue(value(c.a), value(c.b)), c.same, c.a, c.b)
	}
}

// What the authors state reaches the report alone, in the order of the keys, as it is written; an empty text is none.
func TestStudy(t *testing.T) {
	without := need.Value(build("told.yaml", []byte(told), ".", nil, maxTasks))(t)
	p := need.Value(build("told.yaml", []byte(told+`  brief: { use: summary, in: { settings: pipeline.settings } }
study:
  consent: |
    <b>Written</b> consent, ${none} \n |
  funding: 01
  protocol:
  registration: ""
  ethics: true
`), ".", []string{"study.dates=2015-01-01"}, maxTasks))(t)
	stated := outputOf(t, p.Graph, "pipeline", column.StudyPort)
	need.Equal(t, fmt.Sprintf("%q", need.Value(stated.Strings("key"))(t)), `["dates" "ethics" "consent" "funding"]`)
	need.Equal(t, fmt.Sprintf("%q", need.Value(stated.Strings("text"))(t)),
		`["2015-01-01" "true" "<b>Written</b> consent, ${none} \\n |" "01"]`)
	for stated, g := range map[bool]*dag.Graph{true: p.Graph, false: without.Graph} {
		for _, s := range g.Stages() {
			for _, n := range s.Tasks() {
				is := func(b dag.Binding) bool { return b.Port == column.StudyPort }
				need.Equal(t, slices.ContainsFunc(n.Inputs(), is), stated && s.Name() == "report", s.Name())
			}
		}
	}
	for _, output := range []string{"notes", "excluded"} {
		need.Equal(t, fmt.Sprint(outputOf(t, p.Graph, "pipeline", output)),
			fmt.Sprint(outputOf(t, without.Graph, "pipeline", output)))
	}
}
