package pipelines

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/pipelines/layer"
	"prgnn/stages/column"
	"prgnn/stages/role"
)

// TestUsualFits: what a port usually takes is there, and fits it.
func TestUsualFits(t *testing.T) {
	seen := 0
	for _, kind := range dag.Kinds() {
		for _, in := range kind.New().Ports().In {
			for _, from := range role.UsualOf(kind.Name, in.Name).From {
				seen++
				of, output, _ := strings.Cut(from, ".")
				if of = strings.TrimSuffix(of, "[*]"); of == "cohort" || of == settingsName {
					continue
				}
				other, ok := dag.Lookup(of)
				if !ok {
					t.Errorf("%s.%s: there is no kind %s", kind.Name, in.Name, of)
					continue
				}
				outs := other.New().Ports().Out
				at := slices.IndexFunc(outs, func(p dag.Port) bool { return p.Name == output })
				if at < 0 {
					t.Errorf("%s.%s: %s has no output %q", kind.Name, in.Name, of, output)
				} else if err := dag.Fits(outs[at].Type, in.Type); err != nil &&
					!slices.Contains(in.Type.Columns, column.Target) {
					// (split has the column of a target with label: target)
					t.Errorf("%s.%s: %s: %v", kind.Name, in.Name, from, err)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d outputs", seen)
	}
}

// small is a whole study in which no stage states its inputs.
const small = `
connect: usual
cohort: { simulate: { asd: 6, hc: 6, volumes: 80, grid: 9 } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  graphs: { use: graph }
  folds: { use: split, with: { folds: 3 } }
  checks: { use: leakage }
  train: { use: train, matrix: { fold: all } }
  baselines: { use: baseline, matrix: { model: [majority, ridge], fold: all } }
  evaluate: { use: evaluate }
  biomarkers: { use: biomarkers }
  report: { use: report }
`

// TestConnectUsual: what is connected by itself has the keys of the same connections by hand, and the text that is kept
// with a run has them all.
func TestConnectUsual(t *testing.T) {
	p := mustBuild(t, small)
	for stage, want := range map[string]string{
		"clean[sub-sim003]":  "series<-series[sub-sim003].series",
		"train[fold=2]":      "edges<-graphs[sub-sim001].edges",
		"evaluate":           "+train[fold=1].predictions{fold=1,stage=train}",
		"graphs[sub-sim012]": "partial<-connectivity[sub-sim012].partial",
	} {
		name, _, _ := strings.Cut(stage, "[")
		if text := stageText(t, p, name); !strings.Contains(text, stage) || !strings.Contains(text, want) {
			t.Errorf("%s is not %s: %.400s", stage, want, text)
		}
	}
	kept := p.Graph.Source()
	if strings.Contains(kept, "connect: usual") || !strings.Contains(kept, "# connected automatically: bold, labels") {
		t.Errorf("the kept text is\n%s", kept)
	}
	if again := mustBuild(t, kept); keysText(again) != keysText(p) || again.Graph.Source() != kept {
		t.Errorf("the kept text has other tasks: %s", firstDifference(keysText(p), keysText(again)))
	}
	// Without connect: usual, optional inputs stay open, and the others are connected.
	q := mustBuild(t, regexp.MustCompile("connect: usual|  baselines.*").ReplaceAllString(small, ""))
	if text := stageText(t, q, "clean"); strings.Contains(text, "scan<-") || !strings.Contains(text, "series<-") {
		t.Error(text)
	}
}

// TestConnectUsualOpen: null leaves an input open, a selection and a file stay as they are.
func TestConnectUsualOpen(t *testing.T) {
	p := mustBuild(t, strings.Replace(small, "{ use: denoise }", "{ use: denoise, in: { sampled: null, events: ~ } }", 1))
	text := stageText(t, p, "clean")
	if strings.Contains(text, "sampled<-") || strings.Contains(text, "events<-") || !strings.Contains(text, "scan<-") {
		t.Error(text)
	}
	again := mustBuild(t, p.Graph.Source())
	if keysText(again) != keysText(p) {
		t.Error(firstDifference(keysText(p), keysText(again)))
	}
}

func TestConnectUsualMistakes(t *testing.T) {
	fan := "{ use: denoise, matrix: { detrend: [0, 2] } }"
	two := "  train: { use: train, matrix: { fold: all } }\n  other: { use: train, matrix: { fold: all }, with: { pool: sage } }\n"
	for _, c := range []struct{ old, new, want string }{
		{"{ use: denoise }", "{ use: denoise, in: { sampeld: null } }", `stage clean has no input "sampeld" (did you mean "sampled"?)`},
		{"connect: usual", "connect: all", "connect is the text \"all\"; its one value, usual"},
		{"  train: { use: train, matrix: { fold: all } }\n", two, "stage biomarkers: its input scores can take train.scores or other.scores; write one of them: in: { scores: … }, or null for none"},
		{"  graphs: { use: graph }\n", "", "stage train: its input edges is not connected"},
		{"{ use: denoise }", fan, "stage train: input edges takes the data of each participant once, but graphs has several settings of each (detrend)"},
		{"  report", "  harm: { use: harmonize, in: { fitted: combat } }\n  combat: { use: combat }\n  report",
			"stage graphs: its input pearson can take connectivity.pearson or harm.matrices; write one of them"},
		{"{ use: baseline,", "{ use: baseline, in: { pearson: \"connectivity[*].pearson\" },", ""},
		{"  baselines: { use: baseline, matrix: { model: [majority, ridge], fold: all } }\n", "  multiverse: { use: multiverse }\n",
			"stage multiverse: its input permuted is not connected (it takes permuted of the kind baseline, and the file has no such stage: add one, or leave the stage multiverse out)"},
		{"  report", "  proj: { use: project }\n  tangent: { use: tangent }\n  report", "stage proj: no stage takes its outputs"},
	} {
		_, err := build("x.yaml", []byte(strings.Replace(small, c.old, c.new, 1)), ".", nil, maxTasks)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}

// TestConnectUsualOptions: an option of a decision takes what a stage changes.
func TestConnectUsualOptions(t *testing.T) {
	text := `
connect: usual
cohort: { simulate: { asd: 6, hc: 6, volumes: 80, grid: 9 } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  folds: { use: split, with: { folds: 3 } }
  combat: { use: combat, matrix: { fold: all }, in: { matrices: "connectivity[*].pearson" } }
  harmonized: { use: harmonize, each: subject, in: { matrices: connectivity.pearson, fitted: combat.fitted } }
  baselines: { use: baseline, matrix: { fold: all } }
  evaluate: { use: evaluate }
decisions:
  harm: { none: { baselines.in.pearson: "connectivity[*].pearson" }, combat: { baselines.in.pearson: OTHER } }
`
	for other, refused := range map[string]bool{`"harmonized[*].matrices"`: false, `["harmonized[*].matrices"]`: false,
		`"connectivity[*].partial"`: true} {
		_, err := build("x.yaml", []byte(strings.Replace(text, "OTHER", other, 1)), ".", nil, maxTasks)
		if got := err != nil && strings.Contains(err.Error(), "no stage takes its outputs"); got != refused {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// TestConnectUsualSiblings: inputs that usually come from one stage are outputs of the stage, and of its members, that
// the file states for one of them.
func TestConnectUsualSiblings(t *testing.T) {
	for _, c := range []struct{ clean, series, want string }{
		{"{ use: denoise }", "clean.series", "quality<-clean[sub-sim001].quality"},
		{"{ use: denoise }", "series.series", ""},
		{"{ use: denoise, matrix: { detrend: [0, 2] } }", "clean[detrend=2].series",
			"quality<-clean[sub-sim001,detrend=2].quality"},
	} {
		p := mustBuild(t, strings.NewReplacer("{ use: denoise }", c.clean,
			"{ use: connectivity }", "{ use: connectivity, in: { series: \""+c.series+"\" } }").Replace(small))
		need.Equal(t, tasks(p)["connectivity"], 12, c.series)
		text := stageText(t, p, "connectivity")
		if c.want == "" && strings.Contains(text, "quality<-") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %.300s", c.series, text)
		}
	}
	// Two divisions into folds: what was fitted and tested in the one is no input of the other.
	p := mustBuild(t, strings.NewReplacer("{ use: train,", "{ use: train, in: { folds: folds },", "{ use: baseline,",
		"{ use: baseline, in: { folds: folds },", "{ use: evaluate }", "{ use: evaluate, in: { folds: folds } }",
		"  checks: { use: leakage }\n", `
  lo: { use: split, with: { folds: 2 } }
  other: { use: baseline, in: { pearson: "connectivity[*].pearson", folds: lo }, matrix: { model: [ridge], fold: all } }
  checks: { use: leakage, in: { folds: folds } }
  more: { use: leakage, in: { folds: lo } }
`).Replace(small))
	for stage, not := range map[string]string{"checks": "other[", "evaluate": "other[", "more": "baselines["} {
		if text := stageText(t, p, stage); strings.Contains(text, not) || !strings.Contains(text, "predictions<-") {
			t.Errorf("%s: %.600s", stage, text)
		}
	}
}

// TestConnectUsualSet: --set opens inputs, adds stages and axes as the file does.
func TestConnectUsualSet(t *testing.T) {
	p := mustBuild(t, small, "stages.clean.in.sampled=null", "stages.again={ use: graph, with: { density: 0.2 } }")
	if text := stageText(t, p, "clean"); strings.Contains(text, "sampled<-") || !strings.Contains(text, "scan<-") {
		t.Error(text)
	}
	need.Equal(t, tasks(p)["again"], 12)
	text, sets := layer.SplitSource(p.Graph.Source())
	again := mustBuild(t, text, sets...)
	need.Equal(t, keysText(again), keysText(p))
}

// TestConnectUsualExtended: a stage that an extending file adds changes no connection of the extended file, and one
// that it removes leaves those open that may be.
func TestConnectUsualExtended(t *testing.T) {
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("base.yaml", []byte(small), 0o666))
	load := func(more string) *Pipeline {
		t.Helper()
		need.NoError(t, os.WriteFile("x.yaml", []byte("extends: base.yaml\nstages:\n"+more), 0o666))
		p, err := Load("x.yaml", nil)
		if err != nil {
			t.Fatalf("%s: %v", more, err)
		}
		return p
	}
	base := need.Value(Load("base.yaml", nil))(t)
	p := load("  again: { use: train, matrix: { fold: all }, with: { pool: sage } }\n")
	for _, stage := range []string{"train", "evaluate", "biomarkers"} {
		need.Equal(t, stageText(t, p, stage), stageText(t, base, stage), stage)
	}
	if !strings.Contains(stageText(t, p, "again"), "edges<-graphs") {
		t.Error("a new stage is not connected")
	}
	p = load("  biomarkers: null\n")
	if text := stageText(t, p, "report"); strings.Contains(text, "ranking<-") || !strings.Contains(text, "scores<-") {
		t.Error(text)
	}
	need.NoError(t, os.WriteFile("x.yaml", []byte("extends: base.yaml\nstages: { clean: null }\n"), 0o666))
	if _, err := Load("x.yaml", nil); err == nil || !strings.Contains(err.Error(), "connectivity: its input series is not connected") {
		t.Errorf("without its denoising: %v", err)
	}
}

// TestPagesTakeResults: the pages of an extended file show the results of added stages, unless the file leaves them
// open, several stages could be meant, or a stage fans out; then a note has the lines.
func TestPagesTakeResults(t *testing.T) {
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("base.yaml", []byte(small), 0o666))
	need.NoError(t, os.WriteFile("open.yaml", []byte(strings.NewReplacer("connect: usual", "",
		"{ use: baseline,", "{ use: baseline, in: { pearson: \"connectivity[*].pearson\" },").Replace(small)), 0o666))
	const groups = "  groups: { use: subgroups, with: { columns: [sex] } }\n"
	for _, c := range []struct {
		more  string
		taken bool
		note  string // "" for none
	}{
		{groups, true, ""},
		{groups + "  report: { in: { evaluation: evaluate.summary } }\n", true, ""},
		{groups + "  report: { in: { subgroups: null, subgroup_tests: null } }\n", false, ""},
		{groups + "  report: { connect: required }\n", false, ""},
		{groups + strings.Replace(groups, "groups", "more", 1), false,
			"report: { in: { subgroups: groups.groups, subgroup_tests: groups.tests } }"},
		{strings.Replace(groups, "with: { columns: [sex] }", "matrix: { within: [sex, site] }", 1), false,
			`report: { in: { subgroups: "groups[within=sex].groups", subgroup_tests: "groups[within=sex].tests" } }`},
		{"  svm: { use: baseline, matrix: { model: [svm], fold: all }, in: { pearson: \"connectivity[*].pearson\" } }\n", false,
			`evaluate: { in: { predictions: ["train[*].predictions", "baselines[*].predictions", "svm[*].predictions"], `},
	} {
		need.NoError(t, os.WriteFile("x.yaml", []byte("extends: base.yaml\nstages:\n"+c.more), 0o666))
		p := need.Value(Load("x.yaml", nil))(t)
		if text := stageText(t, p, "report"); strings.Contains(text, "groups.groups") != c.taken {
			t.Errorf("%s: %.1500s", c.more, text)
		}
		notes := strings.Join(p.Notes, "\n")
		if !strings.Contains(notes, c.note) || strings.Contains(notes, "no stage reads") != (c.note != "") {
			t.Errorf("%s: notes\n%s", c.more, notes)
		}
	}
	// The place of a removed stage is free, in the file that removes it and in a later one, which may also set the
	// page.
	const rank = "  rank: { use: biomarkers }\n"
	need.NoError(t, os.WriteFile("less.yaml", []byte("extends: base.yaml\nstages:\n  biomarkers: null\n"), 0o666))
	for _, x := range []string{"extends: base.yaml\nstages:\n  biomarkers: null\n" + rank,
		"extends: less.yaml\nstages:\n" + rank,
		"extends: less.yaml\nstages:\n  report: { with: { headline: [stage=train] } }\n" + rank} {
		need.NoError(t, os.WriteFile("x.yaml", []byte(x), 0o666))
		p := need.Value(Load("x.yaml", nil))(t)
		if text := stageText(t, p, "report"); !strings.Contains(text, "ranking<-rank") {
			t.Errorf("%s: %.1500s", x, text)
		}
		need.Equal(t, strings.Contains(strings.Join(p.Notes, "\n"), "no stage reads"), false, x)
	}
	need.NoError(t, os.WriteFile("x.yaml", []byte("extends: open.yaml\nstages:\n"+groups), 0o666))
	p := need.Value(Load("x.yaml", nil))(t)
	if strings.Contains(stageText(t, p, "report"), "groups.groups") {
		t.Error("connected in a file without connect: usual")
	}
}

// TestAxesPass: a stage fans out as its inputs do, and an axis sets no parameter of the stage that it is passed to.
func TestAxesPass(t *testing.T) {
	p := mustBuild(t, `
cohort: { simulate: { asd: 4, hc: 4, volumes: 80, grid: 9 } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap }
  clean: { use: denoise, matrix: { regress: [auto, none] } }
  connectivity: { use: connectivity }
  folds: { use: split, with: { folds: 2 } }
  graphs: { use: graph }
`)
	need.Equal(t, tasks(p)["connectivity"], 16)
	need.Equal(t, tasks(p)["graphs"], 16)
	need.Equal(t, tasks(p)["folds"], 1)
	_, err := build("x.yaml", []byte(`
stages:
  one: { use: echo, matrix: { value: [a, b] } }
  two: { use: echo, in: { input: one } }
`), ".", nil, maxTasks)
	if err == nil || !strings.Contains(err.Error(), "one fans out over value, but two does not") {
		t.Error(err)
	}
}

// TestConnectUsualAnew: an extending file with connect: usual connects the stages of the extended file to its own where
// they take all, in the same division into folds, or prefer them.
func TestConnectUsualAnew(t *testing.T) {
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("base.yaml", []byte(small), 0o666))
	for _, c := range []struct{ more, stage, has, lacks string }{
		{"  again: { use: baseline, matrix: { model: [svm], fold: all } }\n", "evaluate", "again[", "other["},
		{"  lo: { use: split, with: { folds: 2 } }\n  other: { use: baseline, in: { folds: lo }, matrix: { model: [svm], fold: all } }\n",
			"evaluate", "baselines[", "other["},
		{"  lo: { use: split, with: { folds: 2 } }\n", "train", "folds<-folds.folds", "lo."},
		{"  connectivity: { in: { series: series.series } }\n", "connectivity", "series<-series[", "quality<-"},
		{"  series: { use: timeseries, in: { series: cohort.bold } }\n", "clean", "", ""},
		{"  report: { connect: required }\n", "report", "ranking<-", ""}, // what it has stays
		{"  second: { use: report, connect: required, in: { evaluation: evaluate.summary } }\n", "second", "evaluation<-", "ranking<-"},
	} {
		need.NoError(t, os.WriteFile("x.yaml", []byte("extends: base.yaml\nconnect: usual\nstages:\n"+c.more), 0o666))
		p, err := Load("x.yaml", nil)
		if c.has == "" {
			if err == nil || strings.Contains(err.Error(), "sampled") { // which that kind has not
				t.Errorf("%s: %v", c.more, err)
			}
			continue
		}
		need.NoError(t, err, c.more)
		text := stageText(t, p, c.stage)
		if !strings.Contains(text, c.has) || c.lacks != "" && strings.Contains(text, c.lacks) {
			t.Errorf("%s: %.900s", c.more, text)
		}
	}
}

// TestPagesAgree: pages of one evaluation have one headline, which the file states once, and what it states for a page
// stays.
func TestPagesAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("base.yaml", []byte(small+"  summary: { use: summary }\n"), 0o666))
	const inner = `
  inner_folds: { use: split, matrix: { outer: [1..3] }, with: { folds: 3, inner: 2 } }
  inner: { use: baseline, matrix: { model: [ridge, svm], outer: [1..3], fold: all }, in: { folds: inner_folds, permuted: null, pearson: "connectivity[*].pearson" } }
  chosen: { use: choose, in: { inner: "inner[*].predictions", outer: "baselines[*].predictions" }, with: { by: auc } }
  evaluate: { in: { predictions: "baselines[*].predictions" } }
  evaluate_chosen: { use: evaluate, in: { folds: folds, labels: null, predictions: chosen } }
`
	const nested = "nested: evaluate_chosen.summary"
	for _, c := range []struct{ more, has string }{
		{"  report: { with: { headline: [model=ridge] } }\n", `headline = ["model=ridge"]`},
		{"  report: { with: { headline: [model=ridge] } }\n  summary: { with: { headline: [] } }\n", "headline = []"},
		{inner + "  report: { in: { " + nested + " } }\n", "nested<-evaluate_chosen.summary"},
		{inner + "  report: { in: { " + nested + " } }\n  summary: { in: { nested: null } }\n", ""},
		{inner + "  report: { in: { " + nested + ", evaluation: evaluate_chosen.summary } }\n", ""},
	} {
		need.NoError(t, os.WriteFile("x.yaml", []byte("extends: base.yaml\nstages:\n"+c.more), 0o666))
		p := need.Value(Load("x.yaml", nil))(t)
		text := stageText(t, p, "summary")
		if !strings.Contains(text, c.has) || c.has == "" && strings.Contains(text, "nested") {
			t.Errorf("%s: %.900s", c.more, text)
		}
	}
	// What it took changes, and goes, with its origin.
	need.NoError(t, os.WriteFile("x.yaml",
		[]byte("extends: base.yaml\nstages: { report: { with: { headline: [model=ridge] } } }\n"), 0o666))
	for more, has := range map[string]string{"[stage=train]": `headline = ["stage=train"]`, "null": "headline = []"} {
		need.NoError(t, os.WriteFile("y.yaml",
			[]byte("extends: x.yaml\nstages: { report: { with: { headline: "+more+" } } }\n"), 0o666))
		p := need.Value(Load("y.yaml", nil))(t)
		if text := stageText(t, p, "summary"); !strings.Contains(text, has) {
			t.Errorf("%s: %.900s", more, text)
		}
	}
}

// A file that changes the matrices of a stage changes their quality, too, without connect: usual; what a person wrote
// stays, and is refused where it is of other matrices.
func TestQualityFollowsMatrices(t *testing.T) {
	t.Chdir(t.TempDir())
	need.NoError(t, os.WriteFile("base.yaml", []byte(small), 0o666))
	const more = `extends: base.yaml
stages:
  deconfound: { use: deconfound, matrix: { fold: all }, with: { covariates: [age] }, in: { matrices: "connectivity[*].pearson", folds: folds } }
  residuals: { use: residualize, each: subject, matrix: { fold: all } }
  baselines: { in: { pearson: "residuals[*]", folds: folds } }
  added: { use: baseline, matrix: { fold: all }, in: { pearson: "residuals[*]" } }
`
	need.NoError(t, os.WriteFile("x.yaml", []byte(more), 0o666))
	need.NoError(t, os.WriteFile("back.yaml",
		[]byte("extends: x.yaml\nstages: { baselines: { in: { pearson: \"connectivity[*].pearson\" } } }\n"), 0o666))
	for file, want := range map[string]string{"x.yaml": "quality<-residuals[sub-sim001,fold=1].quality",
		"back.yaml": "quality<-connectivity[sub-sim001].quality"} {
		p := need.Value(Load(file, nil))(t)
		if text := stageText(t, p, "baselines"); !strings.Contains(text, want) {
			t.Errorf("%s: %.900s", file, text)
		}
		if text := stageText(t, p, "added"); !strings.Contains(text, "nodes<-cohort.nodes") { // its models refuse other regions
			t.Errorf("%s: %.900s", file, text)
		}
		if text := stageText(t, p, "residuals"); !strings.Contains(text, "quality<-connectivity[sub-sim001].quality") {
			t.Errorf("%s: %.900s", file, text)
		}
	}
}
