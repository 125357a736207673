package pipelines

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/internal/testdir"
	"prgnn/stages/builtin"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
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
  pair: { use: exec, in: { one: "connectivity[sub-sim001].pearson", two: "connectivity[sub-sim002].pearson" }, with: { command: [fit, "{one}", "{two}", "{out}"], inputs: [one=npy, two=npy], outputs: [out=npy] } }
  more: { use: exec, each: subject, in: { one: connectivity.pearson, fit: pair.out }, with: { command: [less, "{one}", "{fit}", "{out}"], inputs: [one=npy, fit=npy], outputs: [out=npy] } }
  paired: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "more[*].out", folds: folds } }
  own: { use: exec, in: { all: "connectivity[*].pearson" }, with: { command: [own, "{all}", "{out}"], inputs: ["all*=npy"], outputs: [out=arrow] } }
  judged: { use: evaluate, in: { predictions: ["own.out", "plain[*].predictions"] } }
  summary: { use: summary, in: { participants: cohort.participants, evaluation: judged.summary } }
  page: { use: report }
  noted: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "less[*].out", folds: folds } }
  labels: { use: exec, in: { all: cohort.participants }, with: { command: [own, "{all}", "{out}"], inputs: [all=arrow], outputs: ["out=arrow(participant_id group)"] } }
  others: { use: split, in: { participants: labels.out }, with: { folds: 2 } }
  clustered: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "alone[*].out", folds: others } }
  plain: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "alone[*].out", folds: folds } }
`)
	var noted []string
	for _, n := range p.Notes {
		if place, _, ok := strings.Cut(n, ", which can read several participants or their labels"); ok {
			noted = append(noted, place)
		}
	}
	slices.Sort(noted)
	if want := []string{"stage clustered: input folds depends on labels", "stage judged: input predictions depends on own", "stage noted: input pearson depends on fit",
		"stage paired: input pearson depends on pair"}; !slices.Equal(noted, want) {
		t.Errorf("%q, want %q", noted, want)
	}
	rows := need.Value(column.Rows[column.Unchecked](outputOf(t, p.Graph, "pipeline", "unchecked")))(t)
	need.Equal(t, len(rows), 4, "stages that no check sees")
	for _, s := range p.Graph.Stages() {
		told := slices.ContainsFunc(s.Tasks()[0].Inputs(), func(b dag.Binding) bool { return b.Port == "unchecked" })
		need.Equal(t, told, s.Name() == "summary" || s.Name() == "page", s.Name()+" is told")
	}
}

// A program with a task a participant is not known where it can read more than that participant; where it reads the
// participant's own results, files, programs and images, nothing is noted.
func TestProgramsThatReadOthers(t *testing.T) {
	for _, c := range []struct {
		name, more, in, reads string // stages before it; its inputs; the input that is named, "" for no note
	}{
		{"its own", "", "", ""},
		{"its own series and scan", "", "s: series, o: cohort.series", ""},
		{"the regions", "", "n: cohort.nodes", ""},
		{"a script and an atlas", "", "s: {file: fit.py}, a: {file: atlas.nii.gz}", ""},
		{"a file a participant", "", `f: {file: "s/${subject}.tsv"}`, ""},
		{"its own draws gathered", "", `f: "connectivity[*].pearson"`, ""},
		{"a fit of the fold", "  tan: { use: tangent, matrix: { fold: [1, 2] }, in: { matrices: \"connectivity[*].pearson\", folds: folds } }\n", "t: tan.fitted", ""},
		{"labels", "", "w: cohort.participants", "w"},
		{"folds", "", "w: folds", "w"},
		{"a table", "", "w: {file: participants.tsv}", "w"},
		{"another participant", "", `w: "connectivity[sub-1].pearson"`, "w"},
		{"labels that another program read", "  less: { use: exec, in: { a: cohort.participants }, with: { command: [cp, \"{a}\", \"{o}\"], inputs: [a], outputs: [o=tsv] } }\n", "w: less", "a"},
		{"a table that another program read", "  less: { use: exec, in: { a: {file: participants.tsv} }, with: { command: [cp, \"{a}\", \"{o}\"], inputs: [a], outputs: [o=tsv] } }\n", "w: less", "a"},
		{"an atlas that another program read", "  less: { use: exec, in: { a: {file: atlas.nii.gz} }, with: { command: [cp, \"{a}\", \"{o}\"], inputs: [a], outputs: [o=tsv] } }\n", "w: less", ""},
		{"predictions", "  one: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: \"connectivity[*].pearson\", folds: folds } }\n", "w: one.predictions", "w"},
	} {
		for _, shape := range []struct{ name, fan, with, to, takes string }{
			{"a classifier", "", "", "baseline", `pearson: "own[*].out"`},
			{"a classifier with its own fold", "matrix: { fold: [1, 2] }, ", `, parameters: ["fold=${fold}"]`, "baseline", `pearson: "own[*].out"`},
			{"a network", "", "", "train", `edges: "gr[*].edges", features: "gr[*].features"`},
		} {
			if strings.Contains(c.more, "matrix") && shape.fan == "" {
				continue // its results are of a fold
			}
			t.Run(c.name+", "+shape.name, func(t *testing.T) {
				files := map[string]string{"fit.py": "", "atlas.nii.gz": ""}
				table := "participant_id\tgroup\n"
				for i, g := range []string{"A", "B", "A", "B"} {
					table += fmt.Sprintf("sub-%d\t%s\n", i+1, g)
					files[fmt.Sprintf("s/sub-%d.tsv", i+1)] = "a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n"
				}
				files["participants.tsv"] = table
				declared, in := "p", "p: connectivity.pearson"
				if c.in != "" {
					in += ", " + c.in
					for _, part := range strings.Split(c.in, ", ") {
						name, _, _ := strings.Cut(part, ":")
						declared += `, "` + name + strings.Repeat("*", strings.Count(part, "[*]")) + `"`
					}
				}
				p := need.Value(build("x.yaml", []byte(`cohort: { timeseries: { file: participants.tsv, series: "s/{participant_id}.tsv" } }
stages:
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
`+c.more+`  own: { use: exec, each: subject, `+shape.fan+`in: { `+in+` }, with: { command: [own], inputs: [`+declared+`], outputs: [out=npy]`+shape.with+` } }
  gr: { use: graph, each: subject, `+shape.fan+`in: { pearson: own.out, partial: connectivity.partial } }
  test: { use: `+shape.to+`, matrix: { fold: [1, 2] }, in: { `+shape.takes+`, folds: folds } }
`), testdir.Files(t, files), nil, maxTasks))(t)
				said := ""
				for _, n := range p.Notes {
					if _, what, ok := strings.Cut(n, ", which can read several participants or their labels (input "); ok {
						said += what[:1]
					}
				}
				need.Equal(t, said, c.reads, "the input that is named")
			})
		}
	}
}

// No note accuses a built-in kind, in any built-in pipeline and in a nested choice, which waits for the leakage check;
// nor does it a program whose results are only compared there.
func TestBuiltinKindsAreNoProgramsOfTheUsers(t *testing.T) {
	sets := builtinSets(t)
	t.Chdir(testdir.Files(t, map[string]string{"nested.yaml": `extends: quick.yaml
stages:
  inner_folds: { use: split, matrix: { outer: [1..3] }, in: { participants: cohort.participants }, with: { folds: 3, inner: 3 } }
  inner: { use: baseline, matrix: { model: [ridge, svm], outer: [1..3], fold: [1..3] }, in: { pearson: "connectivity[*].pearson", folds: inner_folds } }
  nested: { use: choose, in: { inner: "inner[*].predictions", outer: ["baselines[model=ridge,*].predictions", "baselines[model=svm,*].predictions"] }, with: { by: accuracy } }
  evaluate_nested: { use: evaluate, in: { predictions: nested } }
  shorter: { use: exec, in: { all: "series[*].series" }, with: { command: [cp, "{all}", "{o}"], inputs: ["all*=npy"], outputs: [o=npy] } }
  duplicates: { in: { scans: ["series[*]", shorter.o] } }
`}))
	for _, name := range append(builtin.Names(), "nested.yaml") {
		for _, n := range need.Value(Load(name, sets[name]))(t).Notes {
			if strings.Contains(n, "no leakage check covers") {
				t.Errorf("%s: %s", name, n)
			}
		}
	}
}

// Pages with a permutation test know the stages, whether the file connects the settings or not; other pages do not.
func TestPagesOfPermutationTestsKnowTheStages(t *testing.T) {
	p := mustBuild(t, `
cohort: { simulate: { asd: 6, hc: 6 } }
stages:
  s: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: cohort.labels, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  g: { use: graph, each: subject, in: { pearson: c.pearson, partial: c.partial } }
  folds: { use: split, matrix: { permutation: [0, 1] }, in: { participants: cohort.participants }, with: { folds: 2 } }
  permuted: { use: baseline, matrix: { permutation: [0, 1], fold: [1, 2] }, in: { pearson: "c[*].pearson", folds: folds } }
  test: { use: permutation, in: { predictions: "permuted[*].predictions" } }
  summary: { use: summary, in: { participants: cohort.participants, permutation: test.test } }
  page: { use: report, in: { permutation: test.test, settings: pipeline.settings } }
  other: { use: summary, in: { participants: cohort.participants } }
`)
	for _, s := range p.Graph.Stages() {
		n := lists.Count(s.Tasks()[0].Inputs(), func(b dag.Binding) bool { return b.Port == "settings" })
		need.Equal(t, n, map[string]int{"summary": 1, "page": 1}[s.Name()], s.Name())
	}
}

// Too few participants for folds, and a site without a name, are known before anything runs. A run says the same.
func TestTooFewForFolds(t *testing.T) {
	const (
		draws = `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
  s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  more: { use: denoise, each: subject, in: { series: s, scan: s.scan }, with: { draws: 3000 } }
  c: { use: connectivity, each: subject, in: { series: more } }`
		many = " training graphs: this model compares each with each and takes at most 11585; use fewer draws (draws: 1), or ridge, kernel ridge or logistic regression, which take more"
	)
	for _, c := range []struct {
		name, stages string
		want         []string
	}{
		{"enough", "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }", nil},
		{"folds", "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 4 } }",
			[]string{`stage folds will fail: cohort.participants: group "B" has 3 participants, too few for 4 folds with one of each group: set folds to 3 or less, or stratify to false`}},
		{"a permuted division alike", "folds: { use: split, matrix: { permutation: [0, 1] }, in: { participants: cohort.participants }, with: { folds: 4, within: '' } }",
			[]string{`stage folds will fail: cohort.participants: group "B" has 3 participants, too few for 4 folds with one of each group: set folds to 3 or less, or stratify to false`}},
		{"inner folds", "folds: { use: split, matrix: { outer: [1..3] }, in: { participants: cohort.participants }, with: { folds: 3, inner: 3 } }",
			[]string{`stage folds will fail: cohort.participants, inside fold 1: group "A" has 2 participants, too few for 3 folds with one of each group: set inner to 2 or less, or stratify to false`}},
		{"a site without a name", "folds: { use: split, in: { participants: cohort.participants }, with: { leave_out: site } }",
			[]string{`stage folds will fail: site of sub-6 (participants.tsv:7): no value, but each value of this column is a fold (leave_out): fill it in, leave the participants out (incomplete: skip, or exclude: [sub-6])`}},
		{"inner folds of a training", `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
  s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  one: { use: baseline, matrix: { model: [ridge, svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { inner: 3 } }
  two: { use: baseline, matrix: { model: [kernel-ridge], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { inner: 2 } }
  three: { use: baseline, matrix: { model: [kernel-ridge], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { inner: 3 } }`,
			[]string{`stage three will fail: inner: folds, inside fold 1: group "A" has 2 participants, too few for 3 folds with one of each group: set inner to 2 or less`}},
		{"more graphs than a kernel takes", draws + `
  one: { use: baseline, matrix: { model: [ridge, svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { draws: 2000 } }
  two: { use: baseline, matrix: { model: [ridge, svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { draws: 3000 } }`,
			[]string{"stage two will fail: svm, fold 1: 12000" + many}},
		{"as many by all draws of the series", draws + `
  one: { use: baseline, matrix: { model: [ridge, svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds } }
  few: { use: denoise, each: subject, in: { series: s, scan: s.scan }, with: { draws: 2300 } }
  f: { use: connectivity, each: subject, in: { series: few } }
  two: { use: baseline, matrix: { model: [svm], fold: [1..3] }, in: { pearson: "f[*].pearson", folds: folds } }`,
			[]string{"stage one will fail: svm, fold 1: 12000" + many}},
		{"more draws than there are", draws + `
  one: { use: baseline, matrix: { model: [ridge], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { draws: 3001 } }`,
			[]string{"stage one will fail: c[sub-1].pearson: draws is 3001, but there are 3000 random draws"}},
		{"no draws", `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
  s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  one: { use: baseline, matrix: { model: [svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds }, with: { draws: 3000 } }`,
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			table := "participant_id\tgroup\tsite\n"
			for i, row := range []string{"A\tx", "A\ty", "A\tx", "B\ty", "B\tx", "B\tn/a", "A\tx"} {
				table += fmt.Sprintf("sub-%d\t%s\n", i+1, row)
				name := filepath.Join(dir, fmt.Sprintf("sub-%d.tsv", i+1))
				need.NoError(t, os.WriteFile(name, []byte("a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n"), 0o644))
			}
			need.NoError(t, os.WriteFile(filepath.Join(dir, "participants.tsv"), []byte(table), 0o644))
			text := `cohort: { timeseries: { file: participants.tsv, series: "{participant_id}.tsv" } }
stages:
  ` + c.stages + "\n"
			p := need.Value(build("x.yaml", []byte(text), dir, nil, maxTasks))(t)
			got := slices.DeleteFunc(slices.Clone(p.Notes),
				func(n string) bool { return !strings.Contains(n, "will fail") })
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A fit in a file of the user's may be of other participants, and of none of the cohort.
func TestFitInAFile(t *testing.T) {
	dir := t.TempDir()
	table := encoding.NewTable(encoding.Column{Name: "source", Values: []int32{1}})
	for _, c := range []struct{ who, want string }{
		{`["sub-other"]`, ""},
		{`["sub-other","sub-sim003"]`, "stage trained: leakage: input pearson of trained[fold=1] depends on the file fit.arrow, which is fitted to participants of this cohort (sub-sim003)"},
		{"", "depends on the file fit.arrow, whose metadata do not name the participants that it was fitted to"},
		{"[]", "depends on the file fit.arrow, whose metadata do not name the participants that it was fitted to"},
	} {
		if table.Meta = map[string]string{"participants": c.who}; c.who == "" {
			table.Meta = nil
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "fit.arrow"), stagetest.Encoded(t, table), 0o644))
		_, err := build("x.yaml", []byte(`
cohort: { simulate: { asd: 6, hc: 6 } }
stages:
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: cohort.labels, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  fixed: { use: harmonize, each: subject, in: { matrices: connectivity.pearson, fitted: { file: fit.arrow }, participants: cohort.participants } }
  trained: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "fixed[*]", folds: folds } }
`), dir, nil, maxTasks)
		if c.want == "" {
			need.NoError(t, err)
		} else {
			need.Error(t, err, c.want)
		}
	}
}

// A test of each edge is of all participants: no training of them may depend on it, through a program of the user's
// either.
func TestEdgesEnterNoClassifier(t *testing.T) {
	const text = `
cohort: { simulate: { asd: 6, hc: 6 } }
stages:
  series: { use: bootstrap, each: subject, in: { bold: cohort.bold, parcels: cohort.labels, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  edges: { use: edges, in: { matrices: "connectivity[*].pearson", participants: cohort.participants } }
  masked: { use: exec, each: subject, in: { one: connectivity.pearson, edges: edges.edges }, with: { command: [mask, "{one}", "{edges}", "{out}"], inputs: [one=npy, edges=arrow], outputs: [out=npy] } }
  trained: { use: baseline, matrix: { fold: [1, 2] }, in: { pearson: "FROM", folds: folds } }
`
	mustBuild(t, strings.Replace(text, "FROM", "connectivity[*].pearson", 1))
	_, err := build("x.yaml", []byte(strings.Replace(text, "FROM", "masked[*].out", 1)), t.TempDir(), nil, maxTasks)
	need.Error(t, err, "stage trained: leakage: input pearson of trained[fold=1] depends on edges, which is fitted to all participants, including those that trained[fold=1] tests, and cannot be fitted within folds")
}
