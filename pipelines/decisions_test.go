package pipelines

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/column"
)

// many is a small multiverse.
const many = `
connect: usual
seed: 3
cohort: { simulate: { asd: 6, hc: 6, volumes: 80, grid: 9 } }
decisions:
  regress: { clean.regress: [none, auto] }
  pearson: { connectivity.pearson: [empirical, ledoit-wolf] }
  model: [ridge, svm]
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap, with: { draws: 0 } }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  folds: { use: split, with: { folds: 3 } }
  checks: { use: leakage }
  baselines: { use: baseline, matrix: { fold: all } }
  evaluate: { use: evaluate }
  report: { use: report }
`

// TestDecisionsAreAMatrix: the tasks and keys are those of the same matrices by hand, and the text that is kept with a
// run makes the same again.
func TestDecisionsAreAMatrix(t *testing.T) {
	p := mustBuild(t, many)
	hand := many[:strings.Index(many, "decisions:")] + many[strings.Index(many, "stages:"):]
	two := "regress: [none, auto], pearson: [empirical, ledoit-wolf]"
	q := mustBuild(t, strings.NewReplacer("{ use: denoise }", "{ use: denoise, matrix: { regress: [none, auto] } }",
		"{ use: connectivity }", "{ use: connectivity, matrix: { "+two+" } }",
		"matrix: { fold: all }", "matrix: { fold: all, "+two+", model: [ridge, svm] }").Replace(hand))
	if a, b := keysText(p), keysText(q); a != b {
		t.Error(firstDifference(a, b))
	}
	for stage, want := range map[string]int{"series": 12, "clean": 24, "connectivity": 48, "folds": 1, "baselines": 24,
		"evaluate": 1} {
		need.Equal(t, tasks(p)[stage], want, stage)
	}
	again := mustBuild(t, p.Graph.Source())
	need.Equal(t, keysText(again), keysText(p))
	need.Equal(t, p.Universes.Summary(p.Graph), "universes: 8 (regress 2 × pearson 2 × model 2), 138 tasks, 114 shared by several universes")
	need.Equal(t, p.Universes.Name(6), "model=ridge pearson=ledoit-wolf regress=auto")
}

// TestSampleHasTheHeadline: a sample of any size has the universe of the headline, and otherwise those that it had.
func TestSampleHasTheHeadline(t *testing.T) {
	const headline = "model=svm pearson=ledoit-wolf regress=none"
	drawn := func(text string, n int) (names []string) {
		p := mustBuild(t, strings.Replace(text, "decisions:\n", fmt.Sprintf("decisions:\n  sample: %d\n", n), 1))
		for row := range p.Universes.Rows {
			names = append(names, p.Universes.Name(row))
		}
		return names
	}
	with := strings.Replace(many, "{ use: report }",
		"{ use: report, with: { headline: [model=svm, pearson=ledoit-wolf, regress=none] } }", 1)
	other := 0
	for n := 2; n < 8; n++ {
		plain, own := drawn(many, n), drawn(with, n)
		need.Equal(t, len(own), n)
		need.Equal(t, slices.Contains(own, headline), true, own)
		if slices.Contains(plain, headline) {
			need.Equal(t, fmt.Sprint(own), fmt.Sprint(plain))
			continue
		}
		other++
		for _, name := range drawn(many, n-1) {
			need.Equal(t, slices.Contains(own, name), true, name)
		}
	}
	if other == 0 {
		t.Error("the headline is drawn anyhow")
	}
}

// TestDecisionsNot: what not excludes is no universe, and no stage has tasks for it alone.
func TestDecisionsNot(t *testing.T) {
	p := mustBuild(t, strings.Replace(many, "stages:", `  not:
  - { regress: none, pearson: ledoit-wolf, because: it is shown elsewhere }
  - { pearson: empirical, model: [svm] }
stages:`, 1))
	need.Equal(t, len(p.Universes.Rows), 4)
	need.Equal(t, p.Universes.Excluded(), 4)
	need.Equal(t, strings.Join(p.Universes.Reasons(), "\n"),
		"excluded: regress=none pearson=ledoit-wolf (2), because: it is shown elsewhere\n"+
			"excluded: pearson=empirical model=svm (2)")
	need.Equal(t, tasks(p)["clean"], 24)
	need.Equal(t, tasks(p)["connectivity"], 36)
	need.Equal(t, tasks(p)["baselines"], 12)
	if text := stageText(t, p, "baselines"); strings.Contains(text, "pearson=empirical,model=svm]") {
		t.Error(text)
	}
}

// TestDecisionsUnused: an option that the matrix of the stage that it sets leaves out would be counted among the
// universes, and have no result. A matrix may leave it out downstream, and in one of two stages.
func TestDecisionsUnused(t *testing.T) {
	restricted := func(matrix string) string {
		return strings.Replace(many, "use: baseline, matrix: { fold: all }", "use: baseline, matrix: { fold: all, "+matrix+" }", 1)
	}
	for text, want := range map[string]string{
		restricted("model: [ridge]"): "decision model: no task has the option svm, because the matrix of baselines does not list it; " +
			"remove it from the decision, or write model: all in the matrix",
		restricted("model: [svm, ridge]"):  "",
		restricted("model: all"):           "",
		restricted("pearson: ledoit-wolf"): "",
		strings.Replace(restricted("model: [ridge]"), "  evaluate:",
			"  others: { use: baseline, matrix: { fold: all } }\n  evaluate:", 1): "",
	} {
		if strings.Contains(text, "others") {
			text = strings.Replace(text, "model: [ridge, svm]",
				"model: { ridge: { baselines.model: ridge, others.model: ridge }, svm: { others.model: svm } }", 1)
		}
		_, err := build("x.yaml", []byte(text), t.TempDir(), nil, maxTasks)
		if want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, "x.yaml:8:", want)
			need.Error(t, err, want)
		}
	}
}

// TestDecisionsSample: a sample is a part of the universes, which the seed decides; a larger one has all of a smaller
// one.
func TestDecisionsSample(t *testing.T) {
	sampled := func(sets ...string) (names []string) {
		p := mustBuild(t, many, sets...)
		for i := range p.Universes.Rows {
			names = append(names, p.Universes.Name(i))
		}
		return names
	}
	all, five, three := sampled(), sampled("decisions.sample=5"), sampled("decisions.sample=3")
	need.Equal(t, len(five), 5)
	for _, name := range three {
		if !slices.Contains(five, name) || !slices.Contains(all, name) {
			t.Errorf("%s is not among %v", name, five)
		}
	}
	if need.Equal(t, len(three), 3); slices.Equal(three, sampled("decisions.sample=3", "seed=4")) {
		t.Error("another seed draws the same universes")
	}
	p := mustBuild(t, many, "decisions.sample=3")
	need.Equal(t, tasks(p)["baselines"], 9)
}

// TestDecisionOptions: an option sets any number of parameters, also over those that the stage states, and {} leaves
// them.
func TestDecisionOptions(t *testing.T) {
	p := mustBuild(t, strings.NewReplacer("regress: { clean.regress: [none, auto] }",
		"cleaning: { plain: {}, strict: { clean.detrend: 2, clean.regress: none, folds.seed: 8 } }",
		"{ use: denoise }", "{ use: denoise, with: { detrend: 0 } }").Replace(many))
	for stage, want := range map[string]int{"clean": 24, "folds": 2, "evaluate": 2, "baselines": 24} {
		need.Equal(t, tasks(p)[stage], want, stage)
	}
	text := stageText(t, p, "clean")
	for _, want := range []string{"detrend = 0", "detrend = 2"} {
		if strings.Count(text, want) != 12 {
			t.Errorf("not 12 tasks have %s: %.600s", want, text)
		}
	}
}

// TestDecisionsSelect: universe= selects the tasks of one universe that the decisions divide.
func TestDecisionsSelect(t *testing.T) {
	p := mustBuild(t, many)
	for pattern, want := range map[string]int{
		"*[universe=regress=none pearson=empirical model=ridge]":         12 + 12 + 3,
		"baselines[universe=regress=none pearson=empirical model=ridge]": 3,
		"baselines[universe=model=ridge]":                                12,
		"baselines[regress=none,model=ridge]":                            6,
	} {
		nodes := need.Value(p.Graph.Select(pattern))(t)
		need.Equal(t, len(nodes), want, pattern)
	}
	// What a stage does not depend on is allowed, and what the file does not have is refused.
	nodes := need.Value(p.Graph.Select("clean[universe=regress=none model=r*]"))(t)
	need.Equal(t, len(nodes), 12)
	for pattern, want := range map[string]string{
		"*[universe=model=forest]":                  `decision model has no option "forest" (available: ridge, svm)`,
		"*[universe=regress=none model=ridg]":       `decision model has no option "ridg" (did you mean "ridge"?)`,
		"clean[universe=regress=none model=ridg]":   `decision model has no option "ridg" (did you mean "ridge"?)`,
		"baselines[universe=regres=none model=svm]": `there is no decision "regres" (did you mean "regress"?)`,
		"*[universe=regress=none fold=1]":           `there is no decision "fold" (available: regress, pearson, model)`,
		"*[universe=none]":                          `"none" is no option of a decision: write universe=DECISION=OPTION`,
		"*[universe=model=ridge model=svm]":         "no universe has model=ridge model=svm: pipeline plan --json lists them",
		"series[universe=regress=none]": "series does not depend on regress, so the same tasks are part of all of its " +
			"options: write series (axes: subject)",
		"clean[universe=model=ridge pearson=*]": "clean does not depend on model, pearson, so the same tasks are part of all " +
			"of its options: write clean (axes: regress, subject)",
		"*[universe=]": "",
		"*[universe=\"regress=none model=ridg\"]":    `decision model has no option "ridg" (did you mean "ridge"?)`,
		"baselines[universe=regress=none,model=svn]": "",
	} {
		if want != "" {
			want = ": " + want
		}
		_, err := p.Graph.Select(pattern)
		need.Error(t, err, fmt.Sprintf("there is no task %q%s", pattern, want))
	}
	// Neither are universes that not excludes, though a stage has tasks for their options.
	p = mustBuild(t, strings.Replace(many, "decisions:", "decisions:\n  not: [{ pearson: empirical, model: svm }]", 1))
	for pattern, want := range map[string]bool{
		"connectivity[universe=pearson=empirical model=svm]":   false,
		"connectivity[universe=pearson=empirical model=ridge]": true,
	} {
		if _, err := p.Graph.Select(pattern); (err == nil) != want {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// by of a multiverse is one of its decisions, and a headline one of its universes, before anything runs.
func TestMultiverseRefersToDecisions(t *testing.T) {
	const stage = "multiverse: { use: multiverse, with: { WITH } }\n  "
	text := strings.Replace(many, "evaluate:", stage+"evaluate:", 1)
	for with, want := range map[string]string{
		"by: model": "",
		"by: modl":  `stage multiverse: by: universes do not differ in "modl" (did you mean "model"?)`,
		"by: fold":  `stage multiverse: by: universes do not differ in "fold" (available: model, pearson, regress)`,
		"by: ridge": `stage multiverse: by: universes do not differ in "ridge" (available: model, pearson, regress)`,
		"headline: [model=ridg]": "stage multiverse: headline: no setting matches model=ridg; available: model=ridge " +
			"pearson=empirical regress=auto, ",
		"headline: [modl=ridge]": "stage multiverse: headline: no setting matches modl=ridge; available: ",
	} {
		_, err := build("x.yaml", []byte(strings.Replace(text, "WITH", with, 1)), t.TempDir(), nil, maxTasks)
		if want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, want)
	}
}

// TestDecisionsReplace: a parameter that every option sets is refused in a --set and noted in the file, but not where
// the file extends the one that has it.
func TestDecisionsReplace(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		testdir.Write(t, filepath.Join(dir, name), text)
		return filepath.Join(dir, name)
	}
	const svm, why = "matrix: { fold: all }, with: { model: svm } }", "baselines.model has no effect, because every option " +
		"of the decision model sets it (ridge, svm): change or add options of decisions.model"
	stated := strings.Replace(many, "matrix: { fold: all } }", svm, 1)
	study := file("study.yaml", many)
	base := file("base.yaml", strings.Replace(stated, "  model: [ridge, svm]\n", "", 1))
	own := file("own.yaml", stated)
	above := file("above.yaml", "extends: base.yaml\ndecisions: { model: [ridge, svm] }\n")
	beside := file("beside.yaml", "extends: study.yaml\nstages: { baselines: { with: { model: svm } } }\n")
	ports := file("ports.yaml", strings.Replace(many, "  model: [ridge, svm]\n", "  kind: { pearson: "+
		`{ baselines.in.pearson: "connectivity[*].pearson" }, partial: { baselines.in.pearson: "connectivity[*].partial" } }`+
		"\n", 1))
	for _, c := range []struct {
		file, set, refused string
		noted              bool
	}{
		{study, "baselines.model=svm", why, false},
		{study, "stages.baselines.with.model=ridge", why, false},
		{study, "baselines.penalty=2", "", false},
		{study, "decisions.model=[ridge, logistic]", "", false},
		{base, "baselines.model=ridge", "", false},
		{above, "baselines.model=ridge", why, false},
		{above, "seed=4", "", false},
		{own, "seed=4", "", true},
		{own, "decisions.model={ own: {}, ridge: { baselines.model: ridge } }", "", false},
		{beside, "seed=4", "", true},
		{ports, `baselines.in.pearson=connectivity[*].pearson`, "baselines.in.pearson has no effect, because every option of " +
			"the decision kind sets it (pearson, partial)", false},
		{ports, "seed=4", "", false},
	} {
		p, err := Load(c.file, []string{c.set})
		if c.refused != "" {
			need.Error(t, err, "--set ", c.file, c.set)
			need.Error(t, err, ": "+c.refused, c.file, c.set)
			continue
		}
		need.NoError(t, err, c.file, c.set)
		notes := notesWith(p, why)
		need.Equal(t, len(notes) == 1 && strings.HasPrefix(notes[0], c.file+":"), c.noted, c.file, c.set, p.Notes)
		need.Equal(t, len(notes) > 0, c.noted, c.file, c.set, p.Notes)
	}
}

func TestDecisionMistakes(t *testing.T) {
	const model = "model: [ridge, svm]"
	for _, c := range []struct{ old, new, want string }{
		{model, "model: [ridge, ridge]", "decision model has the option ridge twice"},
		{model, "seed: [1, 2]", "decision seed: a list has the values of the one parameter with the name of the decision, but "},
		{model, "fold: [1, 2]", "a decision cannot be named fold"},
		{model, "folds: { folds.folds: [2, 3] }", "a decision cannot be named folds, which is a column of the results of evaluate"},
		{model, "k: { folds.folds: [2, 3] }", "folds[k=2] makes only 2 folds, while folds[k=3] makes more; write exclude: [{ fold: 3, k: 2 }] in the matrix of baselines"},
		{model, "m: { baselines.modell: [a] }", `stage baselines has no parameter "modell" (did you mean "model"?)`},
		{model, "m: { classify.model: [ridge] }", `decision m: there is no stage "classify"`},
		{model, "m: { cohort.bids: [ridge] }", "cohort.bids: the cohort is read once for all universes"},
		{model, "m: { baselines: [ridge] }", `"baselines" is no path; write STAGE.PARAMETER`},
		{model, "m: { baselines.fold: [1] }", "baselines.fold is also an axis of the matrix of stage baselines"},
		{model, "m: { baselines.model: [ridge, forrest] }", "decision m, option forrest: stage baselines: "},
		{model, "m: { a: 3 }", "decision m: option a must be a mapping such as { STAGE.PARAMETER: value }, not 3"},
		{model, "m: { 'a b': {} }", `decision m: an option cannot be named "a b"`},
		{model, "m: { one: { clean.regress: 24P } }", "decision m: clean.regress is set by the decision regress already"},
		{model, "m: 3", "decision m must have options"},
		{model, "not: [{ regres: none }]", `decisions: not: there is no decision "regres" (did you mean "regress"?)`},
		{model, "not: [{ regress: non }]", `decision regress has no option "non" (did you mean "none"?)`},
		{model, "not: [{ because: yes }]", "a combination states at least one decision"},
		{model, "not: [{ regress: [none, auto] }]", "decisions: not excludes every universe"},
		{model, "sample: 0", "sample must be an integer from 1"},
		{"seed: 3", "vars: { a: 1 }\nseed: 3", ""},
		{"seed: 3\n", "", ""},
		{"matrix: { fold: all }", "matrix: { fold: all, model: [svm, mlp] }", "the axis model is a decision, which has no option mlp"},
		{"matrix: { fold: all }", "matrix: { fold: all, model: [svm] }", "no task has the option ridge"},
		{"matrix: { fold: all }", "matrix: { fold: all, model: [svm], include: [{ fold: 1, model: mlp }] }",
			"include: the axis model has no value mlp"},
		{"regress: { clean.regress: [none, auto] }", "loss: { clean.regress: [none, auto] }", ""},
	} {
		_, err := build("x.yaml", []byte(strings.Replace(many, c.old, c.new, 1)), ".", nil, maxTasks)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	_, err := build("x.yaml", []byte(strings.Replace(many, "seed: 3\n", "", 1)), ".",
		[]string{"decisions.sample=2"}, maxTasks)
	if err == nil || !strings.Contains(err.Error(), "sample needs the seed of the pipeline") {
		t.Error(err)
	}
	for _, text := range []string{"decisions: { model: [ridge] }", "decisions: [a]", "decisions: { model: }",
		"decisions: { not: [{ a: b }], sample: x }\nstages: { a: { use: echo } }", "decisions: { a: { b: {}, c: } }\nstages: 3"} {
		if _, err := build("x.yaml", []byte(text), ".", nil, maxTasks); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// chosenInputs is a small multiverse whose decisions choose between stages and files.
const chosenInputs = `
connect: usual
seed: 3
cohort: { simulate: { asd: 6, hc: 6, volumes: 80, grid: 9 } }
decisions:
  estimator:
    full: { baselines.in.pearson: "connectivity[*].pearson" }
    partial: { baselines.in.pearson: "connectivity[*].partial" }
    shrunk: { baselines.in.pearson: "shrunk[*].pearson" }
  model: [ridge, svm]
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap, with: { draws: 0 } }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  shrunk: { use: connectivity, with: { pearson: ledoit-wolf } }
  folds: { use: split, with: { folds: 3 } }
  checks: { use: leakage, in: { features: "connectivity[*].pearson" } }
  baselines: { use: baseline, matrix: { fold: all } }
  evaluate: { use: evaluate }
`

// TestDecisionInputs: an option connects inputs; each task has the connection of its option alone, and what other
// decisions set upstream is passed on from whatever it reads.
func TestDecisionInputs(t *testing.T) {
	p := mustBuild(t, chosenInputs)
	need.Equal(t, tasks(p)["baselines"], 18)
	need.Equal(t, tasks(p)["connectivity"], 12)
	read := map[string]int{}
	for n := range p.Graph.Tasks() {
		if n.Stage().Name() != "baselines" {
			continue
		}
		for _, in := range n.Inputs() {
			if in.Port != "pearson" {
				continue
			}
			need.Equal(t, len(in.Sources), 12)
			for _, src := range in.Sources {
				of := slices.IndexFunc(n.Coords(), func(c dag.Coord) bool { return c.Axis == "estimator" })
				read[n.Coords()[of].Value+" "+src.Node.Stage().Name()+"."+src.Output]++
			}
		}
	}
	need.Equal(t, fmt.Sprint(read), "map[full connectivity.pearson:72 partial connectivity.partial:72 shrunk shrunk.pearson:72]")
	need.Equal(t, keysText(mustBuild(t, p.Graph.Source())), keysText(p))

	// An axis of one alternative is one of the stage.
	p = mustBuild(t, strings.Replace(chosenInputs, "  model: [ridge", "  shrinkage: { shrunk.pearson: [ledoit-wolf, oas] }\n  model: [ridge", 1))
	need.Equal(t, tasks(p)["baselines"], 36)

	// {} leaves an input as the stage has it, and null leaves it open.
	p = mustBuild(t, strings.NewReplacer(`full: { baselines.in.pearson: "connectivity[*].pearson" }`, "full: {}",
		"use: baseline, matrix: { fold: all }", `use: baseline, matrix: { fold: all }, in: { pearson: "connectivity[*].pearson" }`,
		"partial: { baselines", "partial: { baselines.in.quality: null, baselines").Replace(chosenInputs))
	need.Equal(t, tasks(p)["baselines"], 18)

	for change, want := range map[string]string{
		"baselines.in.pearsn":  `stage baselines has no input "pearsn" (did you mean "pearson"?)`,
		"baseline.in.pearson":  `there is no stage "baseline" (did you mean "baselines"?)`,
		"cohort.simulate.grid": "{ file: PATH }; for other participants, run the file again with --set cohort.simulate.grid=VALUE",
		"baselines.use":        "for another kind, write a second stage, and choose one of the two in the stage that reads them",
		`baselines.in.folds: folds, clean.detrend: "${subject}", baselines.in.pearson`: "clean.detrend is the same for all tasks, and has no ${subject}",
	} {
		text := strings.Replace(chosenInputs, "full: { baselines.in.pearson", "full: { "+change, 1)
		_, err := build("x.yaml", []byte(text), t.TempDir(), nil, maxTasks)
		need.Error(t, err, "x.yaml:7:", want)
		need.Error(t, err, want)
	}
}

const atlases = `connect: usual
cohort: { simulate: { asd: 6, hc: 6, grid: 9 } }
decisions:
  atlas:
    dk84: {}
    two: { parcels.in.nodes: { file: two.tsv }, series.in.nodes: { file: two.tsv }, baselines.in.nodes: { file: two.tsv } }
stages:
  parcels: { use: parcellate }
  series: { use: bootstrap, with: { draws: 0 } }
  clean: { use: denoise }
  connectivity: { use: connectivity }
  folds: { use: split, with: { folds: 3, permutations: 20 } }
  checks: { use: leakage, in: { predictions: null } }
  baselines: { use: baseline, matrix: { fold: all }, with: { model: ridge } }
  multiverse: { use: multiverse, in: { regions: null } }
  report: { use: report, in: { nodes: null } }
`

// A node list of the user's at an input is a value of the cohort, with the columns and the space of the cohort's own
// list; stages whose list is another than that of their data are refused.
func TestDecisionsOnNodeLists(t *testing.T) {
	dir := testdir.Files(t, map[string]string{"two.tsv": "id\tname\n1001\tfirst\n2035\tsecond\n",
		"wrong.tsv": "id\tname\n1001\tfirst\n1001\tsecond\n", "more/two.tsv": "id\tname\n1002\tone\n"})
	load := func(changes ...string) (*Pipeline, error) {
		return build("x.yaml", []byte(strings.NewReplacer(changes...).Replace(atlases)), dir, nil, maxTasks)
	}
	p := need.Value(load())(t)
	read := map[string]int{}
	for n := range p.Graph.Tasks() {
		for _, in := range n.Inputs() {
			if in.Port == "nodes" {
				read[n.Stage().Name()+" "+column.ValueOn(n.Coords(), "atlas")+" "+in.Sources[0].Output]++
			}
		}
	}
	need.Equal(t, fmt.Sprint(read), "map[baselines dk84 nodes:3 baselines two nodes_two:3 "+
		"parcels dk84 nodes:12 parcels two nodes_two:12 series dk84 nodes:12 series two nodes_two:12]")
	list := outputOf(t, p.Graph, "cohort", "nodes_two")
	need.Equal(t, fmt.Sprint(need.Value(list.Strings("name"))(t)), "[first second]")
	need.Equal(t, fmt.Sprint(need.Value(list.Floats("id"))(t)), "[1001 2035]")
	own := outputOf(t, p.Graph, "cohort", "nodes")
	need.Equal(t, fmt.Sprint(list.Meta), fmt.Sprint(own.Meta))
	need.Equal(t, keysText(need.Value(build("x.yaml", []byte(p.Graph.Source()), dir, nil, maxTasks))(t)), keysText(p))
	need.Value(load("regions: null", `regions: "baselines[atlas=dk84,*].regions"`))(t)

	for _, c := range [][]string{
		{`x.yaml:6:38: stage parcels: input nodes: ` + dir + `/wrong.tsv:3: the value 1001 was used before`,
			"parcels.in.nodes: { file: two.tsv }", "parcels.in.nodes: { file: wrong.tsv }"},
		{"stage series: its node list is two.tsv, but its data have the regions of cohort.nodes (stage parcels): connect the same list: write series: { in: { nodes: cohort.nodes } } (an option of a decision: series.in.nodes: cohort.nodes)",
			"parcels.in.nodes: { file: two.tsv },", ""},
		{"stage baselines: its node list is cohort.nodes, but its data have the regions of two.tsv (stage parcels): connect the same list: write baselines.in.nodes: { file: two.tsv } in the option atlas=two",
			", baselines.in.nodes: { file: two.tsv }", ""},
		{"stage multiverse: regions are of several node lists (cohort.nodes (stage parcels), two.tsv (stage parcels)): " +
			`connect those of one list, in: { regions: "baselines[atlas=dk84,*].regions" }, or none: in: { regions: null }`,
			", in: { regions: null }", ""},
		{"stage multiverse: regions are of several node lists (cohort.nodes (stage parcels), list.nodes (stage parcels)): " +
			"connect those of one list,", ", in: { regions: null }", "", "nodes: { file: two.tsv }", "nodes: list.nodes",
			"stages:", `stages:
  list: { use: exec, in: { all: cohort.nodes }, with: { command: [cp, "{all}", "{nodes}"], inputs: [all=arrow], outputs: ["nodes=arrow(index id name)"] } }`},
		{"stage report: its node list is cohort.nodes, but its data have the regions of cohort.nodes (stage parcels), two.tsv (stage parcels): write report: { in: { nodes: null } }; or connect data of one list",
			", in: { nodes: null }", ""},
		{"stage report: its node list is cohort.nodes, but its data have the regions of cohort.nodes (stage parcels), " +
			"two.tsv (stage parcels): write report: { in: { nodes: null } }, and no option with report.in.nodes; or connect",
			", in: { nodes: null }", "", "baselines.in.nodes: { file: two.tsv }",
			"baselines.in.nodes: { file: two.tsv }, report.in.nodes: { file: two.tsv }"},
		{"stage own: its node list is cohort.nodes, but its data have the regions of two.tsv (stage parcels): connect " +
			"the same list: write own: { in: { nodes: { file: two.tsv } } }", "stages:", `stages:
  own: { use: baseline, matrix: { fold: all }, in: { pearson: "connectivity[*,atlas=two].pearson", quality: "connectivity[*,atlas=two].quality" } }`},
		{"stage parcels: input nodes: a node list is the same for all participants, and has no ${subject}",
			"parcels.in.nodes: { file: two.tsv }", `parcels.in.nodes: { file: "${subject}.tsv" }`},
		{"stage series: its node list is two.tsv, but its data have the regions of more/two.tsv",
			"parcels.in.nodes: { file: two.tsv }", "parcels.in.nodes: { file: more/two.tsv }"},
	} {
		_, err := load(c[1:]...)
		need.Error(t, err, c[0])
	}
}
