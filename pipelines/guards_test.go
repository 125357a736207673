package pipelines

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/inference"
)

// guarded builds a pipeline of participants whose rows of participants.tsv are given, with series.
func guarded(t *testing.T, head string, rows []string, cohort, stages string) (*Pipeline, error) {
	t.Helper()
	dir := t.TempDir()
	table := "participant_id\tgroup\t" + head + "\n"
	for i, row := range rows {
		id := fmt.Sprintf("sub-%02d", i+1)
		table += id + "\t" + row + "\n"
		need.NoError(t, os.WriteFile(filepath.Join(dir, id+".tsv"), []byte("a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n"), 0o644))
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "participants.tsv"), []byte(table), 0o644))
	text := `cohort: { timeseries: { file: participants.tsv, series: "{participant_id}.tsv", ` + cohort + ` } }
stages:
  ` + stages + "\n"
	return build("x.yaml", []byte(text), dir, nil, maxTasks)
}

// leftOut are the participants who are left out, with their groups and the reasons.
func leftOut(p *Pipeline) (texts []string) {
	for _, left := range p.Roster.Left {
		texts = append(texts, left.ID+" "+left.Group+" "+left.Why)
	}
	return texts
}

// notesWith are the notes that hold a text.
func notesWith(p *Pipeline, text string) []string {
	return slices.DeleteFunc(slices.Clone(p.Notes), func(n string) bool { return !strings.Contains(n, text) })
}

// Files of participants that the cohort states are read, or refused where a stage computes them instead, and otherwise
// noted.
func TestStatedFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	table := "participant_id\tgroup\n"
	for i := range 4 {
		table += fmt.Sprintf("sub-%d\t%c\n", i, "AB"[i%2])
		for port, r := range map[string]string{"r": "0.5", "p": "0.2"} {
			need.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("sub-%d_%s.tsv", i, port)),
				[]byte(strings.ReplaceAll("a\tb\tc\n1\tX\tX\nX\t1\tX\nX\tX\t1\n", "X", r)), 0o644))
		}
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "participants.tsv"), []byte(table), 0o644))
	load := func(cohort, stages string) (*Pipeline, error) {
		return build("x.yaml", []byte("cohort: { "+cohort+" }\nconnect: usual\nstages:\n  "+stages+"\n"), dir, nil, maxTasks)
	}
	const files = `matrices: { file: participants.tsv, pearson: "{participant_id}_r.tsv", partial: "{participant_id}_p.tsv" }`
	const stage = "c: { use: matrices, each: subject, with: { partial: "
	_, err := load(files, stage+"ridge } }")
	need.Error(t, err, "x.yaml:1:91: cohort matrices: no stage reads the files of partial: stage c computes them instead; to use the files, set with: { partial: given } and in: { partial: cohort.partial } there, or remove partial from the cohort")
	p := need.Value(load(files, stage+"given } }"))(t)
	if text := stageText(t, p, "c"); !strings.Contains(text, "partial<-cohort[sub-0].partial") {
		t.Error(text)
	}
	_, err = load(files, stage+"ridge }, in: { partial: cohort.partial } }")
	need.Error(t, err, `stage c (matrices) has no input "partial" with these settings: set with: { partial: given }`)
	_, err = load(`matrices: { file: participants.tsv, pearson: "{participant_id}_r.tsv" }`, "c: { use: matrices, each: subject }")
	need.Error(t, err, `cohort has no output "partial" (available: participants, nodes, pearson): give the files in the cohort (partial: …), or set with: { partial: ridge } in c, which then has no input partial`)
	p = need.Value(load(files, "folds: { use: split, with: { folds: 2 } }"))(t)
	for _, port := range []string{"pearson", "partial"} {
		need.Equal(t, len(notesWith(p, fmt.Sprintf("cohort matrices: no stage reads the files of %s; connect them (cohort.%[1]s), or remove", port))), 1)
	}
	p = need.Value(load(files, stage+"given } }"))(t)
	need.Equal(t, len(notesWith(p, "no stage reads")), 0)
}

// A column that holds the site under another name is noted where labels would be permuted over all sites: until the
// stage has it as within, whatever else names it. A within that names no column is a mistake.
func TestSitesOfAnotherName(t *testing.T) {
	rows := []string{"A\tx", "A\ty", "A\tx", "B\ty", "B\tx", "B\ty"}
	const folds = "folds: { use: split, matrix: { permutation: [0..9] }, in: { participants: cohort.participants }, with: { folds: 3"
	for _, c := range []struct{ column, stages, want string }{
		{"scanner", folds + " } }", "column scanner has 2 values: if it is the site, set within: scanner in folds; the default, within: site, has no effect, because there is no column site"},
		{"acquisition_site", "c: { use: covariates, in: { participants: cohort.participants } }", "column acquisition_site has 2 values: if it is the site, set within: acquisition_site in c; the default, within: site, has no effect, because there is no column site"},
		{"scanner", folds + ", within: scanner } }", ""},
		{"scanner", folds + ", leave_out: scanner } }", "column scanner has 2 values: if it is the site, set within: scanner in folds; the default, within: site, has no effect, because there is no column site"},
		{"scanner", folds + ", within: scanner } }\n  c: { use: covariates, in: { participants: cohort.participants } }", "column scanner has 2 values: if it is the site, set within: scanner in c; the default, within: site, has no effect, because there is no column site"},
		{"scanner", "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }", ""}, // true labels
		{"site", folds + " } }", ""},
		{"handedness", folds + " } }", ""},
		{"StationName", folds + " } }", "column StationName has 2 values: if it is the site, set within: StationName in folds; the default, within: site, has no effect, because there is no column site"},
		{"54-0.0", folds + " } }", "column 54-0.0 has 2 values: if it is the site, set within: 54-0.0 in folds; the default, within: site, has no effect, because there is no column site"},
		{"days_in_hospital", folds + " } }", ""},
	} {
		p := need.Value(guarded(t, c.column, rows, "", c.stages))(t)
		need.Equal(t, strings.Join(notesWith(p, "if it is the site"), "; "), c.want, c.column, c.stages)
	}
	for _, v := range []string{"1.5", "3"} { // numbers, and codes
		measured := strings.Split(strings.ReplaceAll("A\t1 A\t2 A\t1 B\t2 B\t1 B\t2", "1", v), " ")
		p := need.Value(guarded(t, "hospital", measured, "", folds+" } }"))(t)
		need.Equal(t, len(notesWith(p, "if it is the site")) > 0, v == "3", v)
	}
	_, err := guarded(t, "scanner", rows, "", folds+", within: scaner } }")
	need.Error(t, err, `stage folds: within: the participants have no column "scaner" (did you mean "scanner"?)`)
	// Also where nothing takes the permuted labels.
	_, err = guarded(t, "scanner", []string{"A\tx", "B\ty"}, "",
		"folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, within: scaner } }")
	need.Error(t, err, `stage folds: within: the participants have no column "scaner" (did you mean "scanner"?)`)
}

// Every stage that permutes labels is in the note, also a division whose permuted labels others use, until each has the
// column; permuted labels of another stage are refused, at a stage that sets within, where they are permuted within
// another column than the stage's.
func TestOneWithinOfPermutedLabels(t *testing.T) {
	const (
		chain = `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3FOLDS } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  m: { use: KIND, matrix: { model: [ridge], fold: [1, 2, 3] },
    in: { pearson: "connectivity[*].pearson", folds: folds, permuted: folds.permuted } }
  evaluate: { use: EVALUATE, in: { predictions: "m[*].predictions", participants: cohort.participants,
    folds: foldsINPUTS },
    with: { permutations: 999ITS } }`
		note    = "column scanner has 2 values: if it is the site, set within: scanner in "
		absent  = "; the default, within: site, has no effect, because there is no column site"
		one     = "; the default, within: site, has no effect, because the column site has one value"
		refused = "within: evaluate uses labels that folds permutes within "
		retrain = `, permuted: "m[*].permuted"`
		labels  = ", labels: folds.permuted"
		scanner = ", within: scanner"
		all     = `, within: ""`
	)
	for _, c := range []struct{ columns, inputs, folds, evaluate, want string }{
		{"scanner", retrain + labels, "", "", note + "folds, evaluate" + absent},
		{"scanner", retrain + labels, "", scanner, refused + `no column, and itself within scanner: set within: scanner in folds too`},
		{"scanner", labels, "", scanner, refused + `no column, and itself within scanner: set within: scanner in folds too`},
		{"scanner", retrain, "", scanner, refused + `no column, and itself within scanner: set within: scanner in folds too`},
		{"scanner", retrain, scanner, "", refused + `scanner, and itself within no column: set within: scanner in evaluate too`},
		{"scanner", retrain + labels, scanner, all, refused + `scanner, and itself within no column: set within: scanner in evaluate too`},
		{"scanner", retrain + labels, ", stratify_by: [scanner]", scanner, ""},
		// m is trained on them, and evaluate has its own
		{"scanner", "", "", scanner, note + "folds" + absent},
		{"scanner", "", scanner, "", note + "evaluate" + absent},
		{"scanner", retrain + labels, scanner, scanner, ""},
		{"scanner", retrain + labels, all, all, ""},
		{"scanner", retrain + labels, all, "", note + "evaluate" + absent}, // the default site does not exist
		{"site", retrain + labels, "", "", ""},
		{"site", retrain + labels, "", all, refused + `site, and itself within no column: set within: site in evaluate too`},
		{"site", retrain + labels, all, "", refused + `no column, and itself within site: set within: site in folds too`},
		{"site", retrain + labels, ", label: site", ", within: site", ""}, // within no values of the label itself
		{"one scanner", retrain + labels, "", "", note + "folds, evaluate" + one},
		{"one scanner", retrain + labels, scanner, "", refused + `scanner, and itself within no column: set within: scanner in evaluate too`},
		{"one scanner", retrain + labels, scanner, scanner, ""},
		{"site scanner", retrain + labels, scanner, "", refused + `scanner, and itself within site: set within: scanner in evaluate too`},
		{"site scanner", retrain + labels, "", scanner, refused + `site, and itself within scanner: set within: scanner in folds too`},
	} {
		head := strings.Join(strings.Fields(c.columns), "\t")
		rows := []string{"A\tx", "A\ty", "A\tx", "B\ty", "B\tx", "B\ty"}
		switch c.columns {
		case "one scanner":
			head, rows = "site\tscanner", lists.Map(rows, func(r string) string { return r[:1] + "\tx" + r[1:] })
		case "site scanner":
			rows = []string{"A\tx\tp", "A\ty\tp", "A\tx\tq", "B\ty\tp", "B\tx\tq", "B\ty\tq"}
		}
		for _, number := range []bool{false, true} {
			kind, evaluate, cohort, folds, rows, head := "baseline", "evaluate", "", c.folds, rows, head
			if number {
				if strings.Contains(folds, "label") {
					continue
				}
				kind, evaluate, cohort, folds = "regression", "evaluate-regression", "target: age", folds+", label: target"
				head, rows = head+"\tage", slices.Clone(rows)
				for i := range rows {
					rows[i] += fmt.Sprintf("\t%d.5", 20+i)
				}
			}
			stages := strings.NewReplacer("FOLDS", folds, "KIND", kind, "EVALUATE", evaluate, "INPUTS", c.inputs, "ITS",
				c.evaluate).Replace(chain)
			got, p, err := "", (*Pipeline)(nil), error(nil)
			if p, err = guarded(t, head, rows, cohort, stages); err != nil {
				_, got, _ = strings.Cut(err.Error(), ": stage ")
				stage, text, _ := strings.Cut(got, ": ")
				line, set := "3:", c.folds
				if stage == "evaluate" {
					line, set = "10:", c.evaluate
				}
				if got = text; set == "" || !strings.Contains(err.Error(), "x.yaml:"+line) {
					got = err.Error()
				}
			} else {
				got = strings.Join(notesWith(p, "if it is the site"), "; ")
			}
			need.Equal(t, got, c.want, c.columns, c.inputs, c.folds, c.evaluate, kind)
		}
	}
}

// A cohort with a number to predict is not taken for one of groups where its table has a column group, too: a stage for
// groups is a mistake at its line.
func TestGroupIsACovariateOfTarget(t *testing.T) {
	rows := []string{"A\t20", "B\t21", "A\t22", "B\t23", "A\t24", "B\t25"}
	for label, want := range map[string]string{"target": "",
		"group": "x.yaml:3:54: stage covariates: input participants needs groups, but the cohort has one number to " +
			"predict (its parameter target; set label: target in this stage): cohort.participants does not fit"} {
		_, err := guarded(t, "age", rows, "target: age",
			"covariates: { use: covariates, in: { participants: cohort.participants }, with: { label: "+label+" } }")
		if want == "" {
			need.NoError(t, err)
		} else if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("label %s: %v, want %s", label, err, want)
		}
	}
}

// A participant without a value in a column within which labels are permuted is refused, once for all stages, or left
// out: missing values are no site. A column without any value, and within "", permute over all. Where folds are
// stratified, missing values are noted as one more value.
func TestUnplaced(t *testing.T) {
	rows := []string{"A\tx", "A\ty", "A\tn/a", "B\ty", "B\tx", "B\tn/a", "A\tx", "B\ty"}
	const (
		split  = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2"
		twice  = "shuffled: { use: split, matrix: { permutation: [0..9] }, in: { participants: cohort.participants }, with: { folds: 2"
		c      = "\n  c: { use: covariates, in: { participants: cohort.participants }"
		refuse = "within: site of sub-03 (participants.tsv:4), sub-06 (participants.tsv:7): no value, but labels are permuted within " +
			"its values by "
		remedy = ", and who may exchange labels with these participants is unknown: fill it in, leave the participants out " +
			"(incomplete: skip, or exclude: [sub-03, sub-06]), or set within: \"\" in each of these stages to permute over all participants"
	)
	for _, test := range []struct{ stages, want string }{
		{split + " } }", ""}, // its permuted labels are not used
		{twice + " } }", refuse + "shuffled" + remedy},
		{twice + " } }" + c + " }", refuse + "shuffled, c" + remedy},
		{twice + ", within: '' } }" + c + " }", refuse + "c" + remedy},
		{twice + ", within: '' } }" + c + ", with: { within: '' } }", ""},
	} {
		_, err := guarded(t, "site", rows, "", test.stages)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.stages, err)
		}
	}
	p := need.Value(guarded(t, "site", rows, "incomplete: skip", twice+" } }"))(t)
	need.Equal(t, fmt.Sprint(leftOut(p)), "[sub-03 A no value of site sub-06 B no value of site]")
	none := lists.Map(rows, func(row string) string { return row[:1] + "\tn/a" })
	need.Value(guarded(t, "site", none, "", twice+" } }"+c+" }"))(t)
	p = need.Value(guarded(t, "site", rows, "", split+", stratify_by: [site] } }"))(t)
	need.Equal(t, strings.Join(notesWith(p, "without a value"), ""),
		"stage folds: stratify_by: 2 participants without a value of site are spread over the folds as one more category")
}

// Numbers are names where a column is the site, or a parameter has it as one; ages are numbers also as strata.
func TestSitesThatAreNumbers(t *testing.T) {
	rows := []string{"A\t1", "A\t2", "A\t1", "B\t2", "B\tn/a", "B\t2"}
	const split = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3, "
	for _, c := range []struct {
		column, stages string
		category       bool
	}{
		{"site", "", true},
		{"SITE_ID", "", true},
		{"machine", "", false},
		{"machine", split + "leave_out: machine } }", true},
		{"machine", split + "stratify_by: [machine] } }", true},
		{"machine", split + "permutation: 1, within: machine } }", true},
		{"machine", split + "within: machine } }", false}, // the true labels: nothing is permuted
		{"machine", "c: { use: covariates, in: { participants: cohort.participants }, with: { within: machine } }", true},
		{"age", split + "stratify_by: [age] } }", false},
	} {
		if c.stages == "" {
			c.stages = split + "seed: 1 } }"
		}
		rows, values := rows, "1 2 1 2 n/a 2"
		if strings.Contains(c.stages, "permutation") || strings.Contains(c.stages, "covariates") { // which n/a refuses
			rows, values = append(slices.Clone(rows[:4]), "B\t2", rows[5]), "1 2 1 2 2 2"
		}
		p := need.Value(guarded(t, c.column, rows, "", c.stages))(t)
		var tables []*encoding.Table
		for _, s := range p.Graph.Stages() {
			if work, ok := s.Tasks()[0].Instance().(*cohortValues); ok && work.outputs["participants"] != nil {
				ref, _ := work.refs.Get("participants")
				need.Equal(t, ref, need.Value(artifacts.RefOf(work.outputs["participants"]))(t), c.column)
				tables = append(tables, work.outputs["participants"].(*encoding.Table), p.Roster.Participants)
			}
		}
		need.Equal(t, len(tables), 2)
		for _, table := range tables {
			own, _ := table.Column(c.column)
			_, text := own.Values.([]string)
			need.Equal(t, text, c.category, c.column, c.stages)
			need.Equal(t, strings.Join(need.Value(table.Strings(c.column))(t), " "), values, c.column)
		}
	}
}

// Sites that are one by mistake, and sites that are confounded with the groups, are noted, whichever name the column
// has.
func TestDoubtfulSites(t *testing.T) {
	const split = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3, "
	const apart = " has participants of one group only: differences between groups and between "
	for _, c := range []struct {
		column, stages, rows, want string
	}{
		{"site", "seed: 1", "A\tx A\tx A\tx B\ty B\ty B\ty", "each site" + apart + "sites cannot be separated"},
		{"SITE_ID", "seed: 1", "A\t1 A\t3 A\t1 B\t2 B\t2 B\tn/a", "each site (column SITE_ID)" + apart + "sites cannot be separated"},
		{"SITE_ID", "seed: 1", "A\t1 A\t3 A\t1 B\t2 B\t2 B\t1", ""},
		{"machine", "leave_out: machine", "A\tx A\tx A\tx B\ty B\ty B\ty", "each value of machine" + apart + "values of machine cannot be separated"},
		{"machine", "seed: 1", "A\tx A\tx A\tx B\ty B\ty B\ty", ""},
		{"site", "seed: 1", "A\t1 A\t01 A\t2 B\t1 B\t01 B\t2", "column site: 01 and 1 have similar names: if they are one, write them alike in the table"},
		{"site", "seed: 1", "A\tx A\tx A\tx B\tx B\tx B\tx", ""},
		{"site", "seed: 1", "A\tGE A\tge A\tSiemens B\tGE B\tge B\tSiemens", "column site: GE and ge differ only in case: if they are one, write them alike in the table"},
		{"machine", "leave_out: machine", "A\tGE A\tge A\tge B\tGE B\tge B\tGE", "column machine: GE and ge differ only in case: if they are one, write them alike in the table"},
		{"machine", "seed: 1", "A\tGE A\tge A\tge B\tGE B\tge B\tGE", "column machine: GE and ge differ only in case: if they are one, write them alike in the table"},
	} {
		p := need.Value(guarded(t, c.column, strings.Split(c.rows, " "), "", split+c.stages+" } }"))(t)
		got := slices.Concat(notesWith(p, "of one group only"), notesWith(p, "differ only in case"), notesWith(p, "similar names"))
		// Those of TestFoldsOfOneGroup.
		got = slices.DeleteFunc(got, func(n string) bool { return strings.HasPrefix(n, "stage folds") })
		need.Equal(t, strings.Join(got, "; "), c.want, c.column, c.rows)
	}
}

// A column or group that a parameter names and nobody has is a mistake before anything runs; of a division by another
// column than group nothing is known.
func TestNamedColumnsAndGroups(t *testing.T) {
	rows := []string{"A\tx", "A\ty", "A\tx", "B\ty", "B\tx", "B\ty"}
	const learn = `s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3, label: LABEL } }
  net: { use: baseline, matrix: { model: [ridge, svm], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds } }
  e: { use: evaluate, in: { predictions: ["net[*].predictions"], folds: folds }, with: { positive: POSITIVE } }`
	for _, c := range []struct{ stages, want string }{
		{"c: { use: covariates, in: { participants: cohort.participants }, with: { columns: [scaner] } }", `stage c: columns: the participants have no column "scaner" (did you mean "scanner"?)`},
		{strings.NewReplacer("LABEL", "group", "POSITIVE", "C").Replace(learn), `stage e: positive: there is no group "C" (available: A, B)`},
		{strings.NewReplacer("LABEL", "group", "POSITIVE", "B").Replace(learn), ""},
		{strings.NewReplacer("LABEL", "scanner", "POSITIVE", "x").Replace(learn), ""},
		{strings.NewReplacer("LABEL", "group", "POSITIVE", "B").Replace(learn) + "\n  roc: { use: figure-roc, in: { predictions: [\"net[*].predictions\"] } }", ""},
	} {
		_, err := guarded(t, "scanner", rows, "", c.stages)
		if c.want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, c.want)
	}
	// A figure of two groups is refused with three.
	for _, kind := range []string{"figure-roc", "figure-calibration"} {
		_, err := guarded(t, "scanner", append(rows, "C\tx", "C\ty", "C\tx"), "", strings.NewReplacer("LABEL", "group",
			"POSITIVE", "B").Replace(learn)+"\n  roc: { use: "+kind+", in: { predictions: [\"net[*].predictions\"] } }")
		need.Error(t, err, "stage roc: "+kind+" needs two groups, and the participants have 3 groups (A, B, C): remove this "+
			"stage, or keep two groups (select, under cohort)")
	}
}

// What confounds would refuse after the models is refused before: three groups, and a first column of match without
// numbers.
func TestConfoundsBeforeTheRun(t *testing.T) {
	const stages = `s: { use: timeseries, with: { tr: 2 } }
  m: { use: connectivity, in: { series: s.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  c: { use: confounds, in: { matrices: "m[*].pearson", folds: folds, participants: cohort.participants }, with: { %s } }`
	two := []string{"A\tx\t1\t1", "A\ty\t2\t1", "B\tx\t3\t2", "B\ty\t4\t2"}
	three := append(slices.Clone(two), "C\tx\t5\t1", "C\ty\t6\t2")
	for _, c := range []struct {
		with, want string
		rows       []string
	}{
		{"covariates: [age, sex], match: [age, sex]", "", two},
		{"covariates: [age, sex], match: [sex, age]", "stage c: match: sex decides who is nearest, and must be a number: " +
			"list a number first, such as match: [mean_fd, sex]", two},
		{"covariates: [age, site], match: [site]", "stage c: match: site decides who is nearest", two},
		{"covariates: [age, sex], categories: [age], match: [age]", "stage c: match: age decides who is nearest", two},
		{"covariates: [age]", "stage c: confounds needs two groups, and the participants have 3 groups (A, B, C): remove this " +
			"stage, or keep two groups (select, under cohort)", three},
		{"repeat: 1", "", three}, // nothing is tested
	} {
		_, err := guarded(t, "sex\tage\tsite", c.rows, "", fmt.Sprintf(stages, c.with))
		if c.want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, c.want)
	}
}

// Groups of which most have one participant are named with their sizes. They stop no command that only looks.
func TestGroupsOfOneParticipant(t *testing.T) {
	rows := []string{"ASD\t9", "ASD\t7.1", "BPD\t7.2", "Bip\t9", "HC\t6", "HC\t8", "HC1\t5"}
	const folds = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, label: LABEL } }"
	for label, want := range map[string]string{
		"group": "holds 5 values in 7 participants, most of them of one participant alone: ASD (2), BPD (1), Bip (1), HC (2), HC1 (1)",
		"age":   "holds 6 values in 7 participants, most of them of one participant alone: 5 (1), 6 (1), 7.1 (1), 7.2 (1), 8 (1), 9 (2)",
	} {
		p := need.Value(guarded(t, "age", rows, "", strings.Replace(folds, "LABEL", label, 1)))(t)
		need.Equal(t, len(p.Doomed), 1)
		need.Equal(t, p.Doomed[0].Why, "the column "+label+" "+want+"; such groups cannot be trained on and tested: give misspelled "+
			"groups their name by levels, or name a column of groups (group of the cohort, or label of the stage)")
	}
}

// A reference of compare that is several settings, or none, is a mistake before anything runs.
func TestReferenceIsOneSetting(t *testing.T) {
	const learn = `s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
  net: { use: baseline, matrix: { model: [ridge, mlp], seed: [1, 2], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds } }
  pairs: { use: compare, in: { predictions: ["net[*].predictions"] }, with: { reference: REFERENCE } }`
	for reference, want := range map[string]string{
		"[model=ridge]": "stage pairs: reference: 2 settings match model=ridge (model=ridge seed=1 stage=net, model=ridge seed=2 stage=net); give one, such as " +
			"pairs: { with: { reference: [model=ridge, seed=1, stage=net] } }; reference: [] compares all pairs",
		"[model=ridge, seed=1, stage=net]": "",
		"[model=svm]":                      "stage pairs: reference: no setting matches model=svm; available: ",
		"[model=ridge, seed=2]":            "",
	} {
		load := func(reference string) error {
			_, err := guarded(t, "x", []string{"A\tx", "A\tx", "A\tx", "B\tx", "B\tx", "B\tx"}, "",
				strings.Replace(learn, "REFERENCE", reference, 1))
			return err
		}
		err := load(reference)
		if want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, want)
		_, remedy, _ := strings.Cut(err.Error(), "; reference: ")
		remedy, _, found := strings.Cut(remedy, " compares all pairs")
		need.Equal(t, found, true, err)
		need.NoError(t, load(remedy), remedy)
	}
}

// Exclusions for quality that hit one group more are noted; those by what kind of participants the study is about are
// not. The p of 5 of 8 and 0 of 8 is 2·C(8,5)/C(16,5) = 112/4368.
func TestUnevenExclusions(t *testing.T) {
	var rows []string
	for i := range 8 {
		rows = append(rows, "A\t"+map[bool]string{true: "0.9\tx", false: "0.1\ty"}[i < 5], "B\t0.1\ty")
	}
	const want = "exclusions differ between the groups: 5 of 8 A, 0 of 8 B were excluded (Fisher's exact test, p = 0.026): if the reasons for exclusion are associated with the group, the remaining participants do not represent it"
	for query, want := range map[string]string{"mean_fd < 0.3": want, "kind == y": "", "mean_fd < 1": ""} {
		p := need.Value(guarded(t, "mean_fd\tkind", rows, `select: "`+query+`"`,
			"c: { use: covariates, in: { participants: cohort.participants } }"))(t)
		need.Equal(t, strings.Join(notesWith(p, "exclusions differ"), "; "), want, query)
	}
	p := need.Value(guarded(t, "mean_fd\tkind", rows, `exclude: [sub-01, sub-03, sub-05, sub-07, sub-09]`,
		"c: { use: covariates, in: { participants: cohort.participants } }"))(t)
	need.Equal(t, strings.Join(notesWith(p, "exclusions differ"), "; "), want, "by name")
}

// A network whose accuracy a page shows without its training is noted; a model without epochs is not.
func TestNetworksNobodyJudges(t *testing.T) {
	rows := []string{"A\tx", "A\tx", "A\tx", "B\tx", "B\tx", "B\tx"}
	const before = `s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
  net: { use: baseline, matrix: { model: [MODEL], fold: [1..3] }, in: { pearson: "c[*].pearson", folds: folds } }
  e: { use: evaluate, in: { predictions: ["net[*].predictions"], folds: folds } }
  page: { use: summary, in: { participants: cohort.participants, evaluation: e.summary`
	const want = "net: no page checks whether it learned anything; add net[*].history to training of page"
	for _, c := range []struct{ models, end, want string }{
		{"mlp, svm", " } }", want},
		{"ridge, svm", " } }", ""},
		{"mlp", `, training: "net[*].history" } }`, ""},
	} {
		p := need.Value(guarded(t, "x", rows, "", strings.Replace(before, "MODEL", c.models, 1)+c.end))(t)
		need.Equal(t, strings.Join(notesWith(p, "no page checks"), "; "), c.want, c.models, c.end)
	}
}

// What ComBat is to preserve is compared with the label when the table is known: what stands for it is a mistake, what
// tells much of it a note, which the report repeats, and sex in numbers beside ages that all differ is neither.
func TestPreservedCovariatesThatTellTheLabel(t *testing.T) {
	var groups, ages []string
	for i := range 24 {
		g := i % 2
		site, sex := "xyz"[i%3], i/2%2+1
		groups = append(groups, fmt.Sprintf("%c\t%c\t%d\t%d\t%d", "AB"[g], site, sex, 50+10*g+i%7, 20+3*g+i%7))
		ages = append(ages, fmt.Sprintf("A\t%c\t%d\t%d.5\t%d", site, sex, 8+i, 99+12*i))
	}
	stages := `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2LABEL } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  combat: { use: combat, matrix: { fold: [1..2] }, in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants },
      with: { preserve: [sex, other, tells] } }`
	number := strings.Replace(stages, "LABEL", ", label: target", 1)
	stages = strings.Replace(stages, "LABEL", "", 1)
	const head = "site\tsex\tother\ttells"
	_, err := guarded(t, head, groups, "", stages)
	need.Error(t, err, "x.yaml:7:25: stage combat: preserve: other stands for the group (AUC 1.000, refused from 0.95)")
	p := need.Value(guarded(t, head, groups, "", strings.Replace(stages, "other, ", "", 1)))(t)
	doubts := notesWith(p, "is closely tied to")
	const want = "stage combat: preserve: tells is closely tied to the group (AUC 0.8"
	if len(doubts) != 1 || !strings.HasPrefix(doubts[0], want) {
		t.Errorf("notes %q", p.Notes)
	}
	const cohort = "target: other"
	number = strings.Replace(number, "other, ", "", 1)
	_, err = guarded(t, head, ages, cohort, number)
	need.Error(t, err, "stage combat: preserve: tells stands for other (rank correlation 1.000, refused from 0.95)")
	p = need.Value(guarded(t, head, ages, cohort, strings.Replace(number, ", tells", "", 1)))(t)
	need.Equal(t, len(notesWith(p, "preserve")), 0, p.Notes)
}

// What ComBat cannot use of the participants' table is told of all folds at once, before anything runs, with the lines.
func TestParticipantsThatComBatCannotUse(t *testing.T) {
	rows := make([]string, 24)
	for i := range rows {
		rows[i] = fmt.Sprintf("%c\t%s\t%c\t%d", "AB"[i%2], []string{"NYU", "USM"}[i/2%2], "MFF"[i%3], 20+i*7%24)
	}
	stages := `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3, SPLIT } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  combat: { use: combat, matrix: { fold: [1..FOLDS] }, in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants },
      with: { site: scanner, preserve: [PRESERVE] } }
  harmonized: { use: harmonize, each: subject, matrix: { fold: [1..FOLDS] },
      in: { matrices: connectivity.pearson, fitted: combat.fitted, participants: cohort.participants } }`
	with := func(split, folds, preserve string) string {
		return strings.NewReplacer("SPLIT", split, "FOLDS", folds, "PRESERVE", preserve).Replace(stages)
	}
	typos := slices.Clone(rows)
	typos[2], typos[7] = "A\tnyu\tM\tn/a", "B\tUSM\tF\t"
	typos[9] = "B\tNYU\tFemale\t30"
	one := slices.Repeat([]string{"A\tNYU\tM\t1", "B\tNYU\tF\t2", "A\tNYU\tF\t3", "B\tNYU\tM\t4"}, 6)
	const missing = "age of sub-03 (participants.tsv:4), sub-08 (participants.tsv:9): no value: fill it in, leave the " +
		"participants out (incomplete: skip, or exclude: [sub-03, sub-08]), or do not preserve it"
	const left = "harmonized will fail: scanner NYU, USM, x: no training participants in the fold that tests it, so its " +
		"effect is unknown: set few: keep in the stage combat to leave its matrices unharmonized"
	const bySite = "combat will fail: preserve: sex M does not vary within the sites, or is collinear with the covariates " +
		"before it: their effects cannot be separated"
	const small = "scanner nyu of sub-03 (participants.tsv:4): fewer than 3 training participants: if the name is misspelled " +
		`(did you mean "NYU"?), correct it; else keep its matrices unharmonized (few: keep), or set minimum`
	const unseen = "sex Female of sub-10 (participants.tsv:11): no training participant has it in the fold that tests it: if " +
		"it is misspelled (available: F, M), correct it; else do not preserve the column"
	for _, c := range []struct {
		name, cohort, stages string
		rows, want           []string
	}{
		{"nothing", "", with("seed: 1", "3", "age, sex"), rows, nil},
		{"typos", "", with("seed: 1", "3", "age, sex"), typos,
			[]string{"combat will fail: " + missing, "combat will fail: " + small, "harmonized will fail: " + unseen}},
		{"those without a value are left out", "incomplete: skip", with("seed: 1", "3", "age, sex"), typos,
			[]string{"harmonized will fail: " + unseen}},
		{"a fit that is not applied", "", strings.Split(with("seed: 1", "3", "sex"), "\n  harm")[0], typos[8:], nil},
		{"sites left out", "", with("leave_out: scanner", "3", "sex"), append(slices.Clone(rows), "A\tx\tM\t1",
			"A\tx\tF\t1", "B\tx\tF\t1"), []string{left}},
		{"one site", "", with("seed: 1", "3", "sex"), one, []string{
			"combat will fail: only one scanner has enough training participants, NYU: nothing to harmonize"}},
		{"sex by scanner", "", with("seed: 1", "3", "sex"), slices.Repeat([]string{"A\tNYU\tM\t1", "B\tNYU\tM\t1",
			"A\tUSM\tF\t1", "B\tUSM\tF\t1"}, 6), []string{bySite}},
	} {
		p := need.Value(guarded(t, "scanner\tsex\tage", c.rows, c.cohort, c.stages))(t)
		got := lists.Map(p.Doomed, func(d Doom) string { return strings.TrimPrefix(d.String(), "stage ") })
		need.Equal(t, strings.Join(got, "\n"), strings.Join(c.want, "\n"), c.name)
		if c.cohort != "" {
			need.Equal(t, fmt.Sprint(leftOut(p)), "[sub-03 A no value of age sub-08 B no value of age]")
		}
	}
}

// Sites that few: keep leaves unharmonized in any fold are a doubt, which the report states as a caution.
func TestSitesThatStayUnharmonized(t *testing.T) {
	rows := []string{"A\tx", "B\tx", "A\tx", "B\tx"}
	for i := range 24 {
		rows = append(rows, fmt.Sprintf("%c\t%s", "AB"[i%2], []string{"NYU", "USM"}[i/2%2]))
	}
	for with, want := range map[string]int{"few: keep": 1, "few: keep, minimum: 2": 0, "few: refuse": 0} {
		p := need.Value(guarded(t, "scanner", rows, "", `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, stratify_by: [scanner] } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  combat: { use: combat, matrix: { fold: [1..2] }, in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants },
      with: { site: scanner, `+with+` } }`))(t)
		notes := notesWith(p, "stage combat: the matrices of scanner x stay unharmonized in at least one fold")
		need.Equal(t, len(notes), want, with, p.Notes)
	}
}

// A fold that tests one group only is noted: its AUC is none, and its balanced accuracy is of that group.
func TestFoldsOfOneGroup(t *testing.T) {
	for _, c := range []struct{ rows, with, want string }{
		{"A\tx B\tx A\ty B\ty A\tz A\tz", "leave_out: site", "stage folds: fold 3 (z) has participants of one group only; "},
		{"A\tx A\tx A\ty B\ty A\tz A\tz", "leave_out: site", "stage folds: each of the folds 1 (x), 3 (z) has participants of one group only; "},
		{"A\tx B\tx A\ty B\ty A\tz B\tz", "leave_out: site", ""},
		{"A\tx B\tx A\ty B\ty A\tz A\tz", "folds: 2", ""},
		{"A\tx B\tx A\ty B\ty A\tz A\tz", "leave_out: site, permutation: 1", ""},
	} {
		p := need.Value(guarded(t, "site", strings.Split(c.rows, " "), "",
			"folds: { use: split, in: { participants: cohort.participants }, with: { "+c.with+" } }"))(t)
		got := strings.Join(notesWith(p, "stage folds"), "; ")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s, %s: %q", c.rows, c.with, got)
		}
	}
}

// A group that a fold tests whole, so that nobody of it is in the training, is refused before anything runs.
func TestUntaughtGroup(t *testing.T) {
	const train = "folds: { use: split, in: { participants: cohort.participants }, with: { %s } }\n" +
		"  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }\n" +
		"  connectivity: { use: connectivity, each: subject, in: { series: series } }\n" +
		"  ridge: { use: baseline, matrix: { fold: all }, in: { pearson: \"connectivity[*].pearson\", folds: folds }, with: { model: %s } }"
	for _, c := range []struct{ rows, with, model, want string }{
		{"A\tx B\tx A\ty B\ty A\tx B\ty", "leave_out: site", "ridge", ""},
		{"A\tx A\tx A\ty B\ty A\tx B\ty", "leave_out: site", "ridge", `stage ridge will fail: folds: outside fold 2 (y, left out) ` +
			`there are no participants of group "B", so no model can be trained: leave out another column, or leave the ` +
			`participants of this fold out of the cohort`},
		{"A\tx A\tx A\tx B\ty B\ty B\ty", "leave_out: site", "ridge", `outside fold 1 (x, left out) there are no participants of group "A"`},
		{"A\tx A\tx A\tx B\ty B\ty B\ty", "leave_out: site", "majority", ""},
		{"A\tx A\tx A\tx B\ty A\ty A\ty", "folds: 2, stratify: false", "ridge", `so no model can be trained: use fewer folds, or ` +
			`stratify them (stratify: true)`},
	} {
		p, err := guarded(t, "site", strings.Split(c.rows, " "), "", fmt.Sprintf(train, c.with, c.model))
		need.NoError(t, err)
		got := strings.Join(notesWith(p, "stage ridge will fail"), "; ")
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s, %s: %q", c.rows, c.with, got)
		}
	}
}

// Repeats that no task of the file tests are refused where the folds are evaluated.
func TestRepeatsThatNothingTests(t *testing.T) {
	for _, c := range []struct {
		repeats  int
		matrix   string
		evaluate bool
		wrong    bool
	}{
		{1, "", true, false},
		{3, "", true, true},
		{3, "repeat: [1..2], ", true, true},
		{3, "repeat: [1..3], ", true, false},
		{3, "", false, false},
	} {
		stages := fmt.Sprintf(`
  clean: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes, sidecar: cohort.sidecar } }
  pearson: { use: connectivity, each: subject, in: { series: clean.series }, with: { pearson: ledoit-wolf } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, repeats: %d } }
  ridge: { use: baseline, matrix: { model: [ridge], %sfold: all }, in: { pearson: "pearson[*].pearson", folds: folds } }`,
			c.repeats, c.matrix)
		if c.evaluate {
			stages += `
  evaluate: { use: evaluate, in: { predictions: "ridge[*].predictions" } }`
		}
		_, err := guarded(t, "site", strings.Split("A\tx A\ty A\tz A\tx B\ty B\tx B\tz B\ty", " "), "", stages)
		if got := err != nil && strings.Contains(err.Error(), "add repeat: [1..3] to the matrix"); got != c.wrong ||
			err != nil && !got {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A stage in fewer repeats than others that are evaluated with it is noted.
func TestFewerRepeats(t *testing.T) {
	for matrix, noted := range map[string]bool{"": true, "repeat: [1..2], ": true, "repeat: [1..3], ": false} {
		p := need.Value(guarded(t, "site", strings.Split("A\tx A\ty A\tz A\tx B\ty B\tx B\tz B\ty", " "), "", fmt.Sprintf(`
  clean: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes, sidecar: cohort.sidecar } }
  pearson: { use: connectivity, each: subject, in: { series: clean.series }, with: { pearson: ledoit-wolf } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, repeats: 3 } }
  ridge: { use: baseline, matrix: { model: [ridge], %sfold: all }, in: { pearson: "pearson[*].pearson", folds: folds } }
  svm: { use: baseline, matrix: { model: [svm], repeat: [1..3], fold: all }, in: { pearson: "pearson[*].pearson", folds: folds } }
  evaluate: { use: evaluate, in: { predictions: ["ridge[*].predictions", "svm[*].predictions"] } }`, matrix)))(t)
		need.Equal(t, len(notesWith(p, "stage ridge: it tests")) == 1, noted, matrix)
		need.Equal(t, len(notesWith(p, "stage svm: it tests")), 0, matrix)
	}
}

// Relatives whom a division may put on both sides are noted, by whatever name their column has: not where each is
// alone, where a family is a fold, or where nothing is divided.
func TestFamilies(t *testing.T) {
	pairs := []string{"A\t7", "A\t7", "A\tn/a", "B\t9", "B\tn/a", "B\t9"}
	alone := []string{"A\t1", "A\t2", "A\tn/a", "B\t4", "B\tn/a", "B\t6"}
	trios := []string{"A\t7", "A\t7", "A\t8", "B\t9", "B\t8", "B\t9"}
	sibling := []string{"A\tn/a", "A\tsub-01", "A\tn/a", "B\t03", "B\tn/a", "B\tsub-05"}
	const folds = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }"
	for _, c := range []struct {
		column, stages string
		rows           []string
		noted          int
	}{
		{"Family_ID", folds, pairs, 1}, {"twin_pair", folds, pairs, 1}, {"Mother_ID", folds, pairs, 1},
		{"Family_ID", folds, alone, 0}, {"score", folds, pairs, 0},
		{"family_history", folds, pairs, 0}, {"pair", folds, pairs, 0},
		{"famid", folds, pairs, 1}, {"FID", folds, pairs, 1}, {"pair_id", folds, trios, 1}, {"mother", folds, trios, 1},
		{"kinship", folds, trios, 1}, {"sibling_group", folds, trios, 1}, {"twin_id", folds, alone, 0},
		{"father", folds, pairs, 0}, {"n_siblings", folds, trios, 0},
		{"sib_of", folds, sibling, 1}, {"age", folds, sibling, 0},
		{"Family_ID", "c: { use: covariates, in: { participants: cohort.participants } }", pairs, 0},
	} {
		p := need.Value(guarded(t, c.column, c.rows, "", c.stages))(t)
		said := notesWith(p, "relatives may be in training and test data, since folds divides")
		need.Equal(t, len(said), c.noted, c.column+" "+c.stages)
	}
	p := need.Value(guarded(t, "Family_ID", []string{"A\tx", "A\tx", "B\ty", "B\ty"}, "",
		"folds: { use: split, in: { participants: cohort.participants }, with: { leave_out: Family_ID } }"))(t)
	need.Equal(t, len(notesWith(p, "relatives")), 0, "a family is a fold")
	const kept = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, keep_together: [%s] } }"
	p = need.Value(guarded(t, "Family_ID", pairs, "", fmt.Sprintf(kept, "Family_ID")))(t)
	need.Equal(t, len(notesWith(p, "relatives")), 0, "nothing counts them as independent")
	const checks = kept + "\n  c: { use: covariates, in: { participants: cohort.participants } }"
	p = need.Value(guarded(t, "Family_ID", pairs, "", fmt.Sprintf(checks, "Family_ID")))(t)
	need.Equal(t, strings.Join(notesWith(p, "relatives"), "; "), "column Family_ID: relatives are in one fold, but "+
		"the p-values of covariates count them as independent participants, so these p-values are too small; "+
		"label permutations of models exchange the labels of whole families")
	matched := []string{"A\t7", "B\t7", "A\t8", "B\t8", "A\tn/a", "B\tn/a"}
	p = need.Value(guarded(t, "pair", matched, "", fmt.Sprintf(checks, "pair")))(t)
	need.Equal(t, len(notesWith(p, "these p-values may be too small or too large; label")), 1)
	p = need.Value(guarded(t, "match_id", append(slices.Clone(matched), "A\t9", "B\t9"), "", folds))(t)
	need.Equal(t, len(notesWith(p, "column match_id: 6 of 8 participants share 3 values, each with one A and one B, as in matched "+
		"pairs, but folds divides participants one by one, and label permutations exchange labels between pairs: "+
		"set keep_together: [match_id] there")), 1)
	need.Equal(t, len(notesWith(p, "relatives")), 0)
	p = need.Value(guarded(t, "pair", append(matched, "A\t7"), "", fmt.Sprintf(checks, "pair")))(t)
	need.Equal(t, len(notesWith(p, "too large, since some of them are in different groups")), 1, "two of one group")
	for stage, want := range map[string][2]int{"edges: { use: edges": {1, 0},
		"edges: { use: edges, with: { family: Family_ID }": {0, 1}} {
		stage = "\n  " + stage + ", in: { matrices: \"m[*].pearson\", participants: cohort.participants } }\n" +
			"  s: { use: timeseries, with: { tr: 2 } }\n  m: { use: connectivity, in: { series: s.series } }"
		p := need.Value(guarded(t, "Family_ID", pairs, "", fmt.Sprintf(checks, "Family_ID")+stage))(t)
		need.Equal(t, len(notesWith(p, "edges permutes relatives as independent")), want[0], stage)
		need.Equal(t, len(notesWith(p, "label permutations of models and those of edges exchange")), want[1], stage)
		stage = strings.ReplaceAll(stage, "Family_ID", "subject_id")
		p = need.Value(guarded(t, "subject_id", pairs, "", fmt.Sprintf(checks, "subject_id")+stage))(t)
		need.Equal(t, len(notesWith(p, "edges permutes scans of one person as independent")), want[0], stage)
		p = need.Value(guarded(t, "subject_id", pairs, "", folds+stage))(t)
		need.Equal(t, len(notesWith(p, "edges permutes scans of one person as independent")), want[0], stage)
	}
	for with, want := range map[string]int{"": 1, ", with: { family: Family_ID }": 0} { // the halves have no p value
		stage := "\n  half: { use: reliability" + with + ", in: { matrices: \"m[*].pearson\", participants: " +
			"cohort.participants } }\n  s: { use: timeseries, with: { tr: 2 } }\n  m: { use: connectivity, in: { series: s.series } }"
		p := need.Value(guarded(t, "Family_ID", pairs, "", fmt.Sprintf(checks, "Family_ID")+stage))(t)
		need.Equal(t, len(notesWith(p, "half divides relatives between the two halves of the sample, which may therefore agree more; "+
			"set family: Family_ID there")), want, with)
		need.Equal(t, len(notesWith(p, "half permutes"))+len(notesWith(p, "those of half")), 0, with)
	}
	edges := "\n  edges: { use: edges%s, in: { matrices: \"m[*].pearson\", participants: cohort.participants } }\n" +
		"  s: { use: timeseries, with: { tr: 2 } }\n  m: { use: connectivity, in: { series: s.series } }"
	sets := []string{"A\t7", "B\t7", "A\t8", "B\t8", "A\t9", "B\t9"}
	for with, want := range map[string]int{"": 1, ", with: { family: match_id }": 0} { // folds divide matched pairs
		p := need.Value(guarded(t, "match_id", sets, "", folds+fmt.Sprintf(edges, with)))(t)
		need.Equal(t, len(notesWith(p, "match_id: edges permutes participants with one value as independent")), want, with)
	}
	p = need.Value(guarded(t, "scanner", sets, "", folds+fmt.Sprintf(edges, "")))(t)
	need.Equal(t, len(notesWith(p, "edges permutes")), 0, "no column of pairs")
	const models = `
  s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  m: { use: baseline, matrix: { fold: all }, in: { pearson: "c[*].pearson", folds: folds, permuted: folds.permuted } }
  e: { use: evaluate, in: { predictions: "m[*].predictions"%s } }`
	for in, want := range map[string]string{", folds: folds": "confidence intervals count",
		"": "confidence intervals and the p-values of models that are not retrained count"} {
		p := need.Value(guarded(t, "Family_ID", pairs, "", fmt.Sprintf(kept+models, "Family_ID", in)))(t)
		need.Equal(t, len(notesWith(p, "one fold, but "+want)), 1, in)
	}
	families := []string{"A\t7", "B\t7", "A\t8", "B\t8", "A\t9", "B\t9", "A\t10", "B\tn/a"}
	p = need.Value(guarded(t, "Family_ID", families, "", folds))(t)
	need.Equal(t, strings.Join(notesWith(p, "relatives"), "; "), "column Family_ID: 6 of 8 participants share 3 values, each with "+
		"one A and one B, and relatives may be in training and test data, since folds divides participants one by one: "+
		"set keep_together: [Family_ID] there to keep families in one fold and their labels together")
	two := []string{"A\t7\t1", "A\t7\t2", "A\t8\t1", "B\t9\t2", "B\t8\t3", "B\t9\t3"}
	p = need.Value(guarded(t, "site\tFamily_ID", two, "", fmt.Sprintf(kept, "site")))(t)
	need.Equal(t, strings.Join(notesWith(p, "relatives"), "; "), "column Family_ID: 6 of 6 participants share 3 values, some of them "+
		"in several groups, and relatives may be in training and test data, since folds keeps only participants with one "+
		"value of site together: set keep_together: [site, Family_ID] there, or keep only one participant of each value (exclude)")
	nested := []string{"A\t7\t1", "A\t7\t1", "A\t7\t2", "B\t7\t2", "B\t8\t3", "B\t8\t3"}
	p = need.Value(guarded(t, "Family_ID\tMother_ID", nested, "", fmt.Sprintf(kept, "Family_ID")))(t)
	need.Equal(t, len(notesWith(p, "Mother_ID")), 0, "the children of a mother are in one family")
	p = need.Value(guarded(t, "Family_ID", pairs, "", "edges: { use: edges, in: { matrices: \"m[*].pearson\", "+
		"participants: cohort.participants } }\n  s: { use: timeseries, with: { tr: 2 } }\n  m: { use: connectivity, in: { series: s.series } }"))(t)
	need.Equal(t, len(notesWith(p, "edges permutes relatives as independent")), 1, "nothing is divided")
	const sites = "\n  sites: { use: split, in: { participants: cohort.participants }, with: { leave_out: site } }"
	for _, c := range []struct{ stages, divided, kept string }{
		{fmt.Sprintf(checks, "Family_ID") + sites, "sites", "folds keeps relatives in one fold, but the p-values of covariates " +
			"count them as independent participants, so these p-values may be too small or too large, since some of them " +
			"are in different groups; its label permutations exchange the labels of whole families"},
		{folds + sites, "", ""}, // all of them divide families
		{folds, "", ""},
		{fmt.Sprintf(kept, "site") + sites + "\n  f: { use: split, in: { participants: cohort.participants }, " +
			"with: { folds: 2, keep_together: [Family_ID] } }", "folds sites", ""},
	} {
		p := need.Value(guarded(t, "site\tFamily_ID", two, "", c.stages+"\n  page: { use: summary, in: { notes: pipeline.notes } }"))(t)
		table := outputOf(t, p.Graph, "pipeline", "notes")
		doubts, of := need.Value(table.Strings("doubt"))(t), need.Value(table.Strings("stages"))(t)
		var divided []string
		for i, stages := range of {
			if doubts[i] == "relatives" && stages != "" {
				divided = append(divided, stages)
			}
		}
		need.Equal(t, strings.Join(divided, " "), c.divided, c.stages)
		want := 0
		if c.kept != "" {
			want = 1
		}
		need.Equal(t, len(notesWith(p, "column Family_ID: "+cmp.Or(c.kept, "folds keeps"))), want, c.stages)
	}
	_, err := guarded(t, "Family_ID", pairs, "", fmt.Sprintf(kept, "family"))
	need.Error(t, err, `stage folds: keep_together: the participants have no column "family"`)
}

// A value of most participants, in a column that keeps families together, is noted: it may stand for no family.
func TestFamiliesOfMost(t *testing.T) {
	const split = "folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, keep_together: [home] } }"
	rows := func(values string) (rows []string) {
		for i, v := range strings.Fields(values) {
			rows = append(rows, string("AB"[i%2])+"\t"+v)
		}
		return rows
	}
	for values, want := range map[string]string{
		strings.Repeat("singleton ", 8) + "7 7 8 8": `column home: 8 of 12 participants with a value have "singleton", and are kept in one fold`,
		strings.Repeat("1 ", 6):                     `column home: 6 of 6 participants with a value have "1", and are kept in one fold`,
		strings.Repeat("a ", 6) + "b b n/a n/a":     "",
		strings.Repeat("n/a ", 8) + "7 7 8 8":       "",
		"1 2 3 4 5 6":                               "",
	} {
		p := need.Value(guarded(t, "home", rows(values), "", split))(t)
		got := strings.Join(notesWith(p, "are kept in one fold"), "; ")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", values, got)
		}
	}
}

// Families in two spellings are noted where they may be in different folds, once.
func TestFamiliesInTwoSpellings(t *testing.T) {
	const split = "folds: { use: split, in: { participants: cohort.participants }, with: { %s } }"
	cased := []string{"A\tF1", "A\tf1", "A\tF2", "B\tF2", "B\tF3", "B\tF4"}
	numbers := []string{"A\t03", "A\t3", "A\t4", "B\t4.0", "B\t5", "B\t5"}
	sites := []string{"A\tX", "A\tx", "A\tX", "B\tx", "B\tX", "B\tx"}
	for _, c := range []struct {
		column, with string
		rows         []string
		want         string
	}{
		{"home", "folds: 2, keep_together: [home]", cased, "column home: F1 and f1 differ only in case: if they are one, write them " +
			"alike in the table, since they may be in different folds"},
		{"Family_ID", "folds: 2, keep_together: [Family_ID]", numbers, "column Family_ID: 03 and 3 have similar names" +
			": if they are one, write them alike in the table, since they may be in different folds"},
		{"Family_ID", "folds: 2", cased, "column Family_ID: F1 and f1 differ only in case: if they are one, write them alike in the " +
			"table, since they may be in different folds"},
		{"home", "folds: 2", cased, ""},
		{"famid", "leave_out: famid", sites, "column famid: X and x differ only in case: if they are one, write them alike in the table"},
	} {
		p := need.Value(guarded(t, c.column, c.rows, "", fmt.Sprintf(split, c.with)))(t)
		need.Equal(t, strings.Join(notesWith(p, "if they are one"), "; "), c.want, c.column+" "+c.with)
	}
	p := need.Value(guarded(t, "famid", cased, "", "c: { use: covariates, in: { participants: cohort.participants } }"))(t)
	need.Equal(t, len(notesWith(p, "if they are one")), 0, "nothing is divided")
}

// Permutations that can show little are noted before they are made: fewer different ones than are asked for, labels
// permuted across sites, and fewer than Holm's correction for all classifiers takes; none that changes a label is
// refused.
func TestShuffles(t *testing.T) {
	const (
		pairs    = "A\tx B\tx A\ty B\ty A\tz B\tz" // 2³ permutations within sites, 6!/3!3! = 20 in all
		shuffled = "folds: { use: split, matrix: { permutation: [0..9] }, in: { participants: cohort.participants }, with: { folds: 3, within: %s } }"
		own      = `mine: { use: exec, in: { people: cohort.participants }, with: { command: [fit, "{people}", "{predictions}"], inputs: [people=arrow], outputs: [predictions=arrow] } }
  evaluate: { use: evaluate, in: { predictions: mine.predictions%s } }`
	)
	for _, c := range []struct{ rows, stages, about, want string }{
		{pairs, fmt.Sprintf(shuffled, "site"), "folds: ", "folds: 9 permutations of the labels within the values of site were requested, but only 8 are distinct, so p cannot be much below 0.12"},
		{pairs, fmt.Sprintf(shuffled, "''"), "folds: ", ""},
		{"A\tx B\tx A\ty B\ty A\tz B\tz A\tz", fmt.Sprintf(shuffled, "site"), "folds: ", ""}, // 2·2·3
		{"A\tx A\tx A\tx B\ty B\ty B\ty", fmt.Sprintf(shuffled, "site"), "stage folds", "stage folds will fail: cohort.participants: permutation 1: labels are permuted within the values of site, in each of which all participants have the same group: no permutation changes a label; set within to another column, or to \"\" to permute over all participants"},
		{pairs, fmt.Sprintf(shuffled, "group"), "stage folds", ""}, // within no values of the label itself
		{pairs, fmt.Sprintf(own, ""), "evaluate permutes", "evaluate permutes labels over all participants, whatever their site (3 values): participants of different sites are not exchangeable; add participants: cohort.participants to its inputs"},
		{pairs, fmt.Sprintf(own, ", participants: cohort.participants"), "evaluate permutes", ""},
		{"A\tx B\tx A\tx B\tx", fmt.Sprintf(own, ""), "evaluate permutes", ""},
	} {
		p := need.Value(guarded(t, "site", strings.Split(c.rows, " "), "", c.stages))(t)
		said := notesWith(p, c.about)
		for _, d := range p.Doomed {
			said = append(said, notesWith(&Pipeline{Notes: []string{d.String()}}, c.about)...)
		}
		if got := strings.Join(said, "\n"); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s, %s: %q, want %q", c.rows, c.stages, got, c.want)
		}
	}
	const page = `s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  shuffled: { use: split, matrix: { permutation: [0..%d] }, in: { participants: cohort.participants }, with: { folds: 2, within: '' } }
  models: { use: baseline, matrix: { model: [%s], fold: [1, 2] }, in: { pearson: "c[*].pearson", folds: folds } }
  again: { use: baseline, matrix: { permutation: [0..%[1]d], fold: [1, 2] }, in: { pearson: "c[*].pearson", folds: shuffled } }
  evaluate: { use: evaluate, in: { predictions: "models[*].predictions", participants: cohort.participants } }
  test: { use: permutation, in: { predictions: "again[*].predictions" } }
  summary: { use: summary, in: { participants: cohort.participants, evaluation: evaluate.summary, permutation: test.test } }`
	for _, c := range []struct {
		last   int
		models string
		want   string
	}{
		{59, "svm, ridge, logistic, majority", "test: with 59 label permutations, no p is sure to fall below 0.05 after Holm's correction for 3 classifiers, however accurate a classifier is: use at least 60 (permutation: [0..60])"},
		{60, "svm, ridge, logistic, majority", ""}, {59, "svm, ridge", ""},
		{19, "svm, majority", "test: with 19 label permutations, no p is sure to fall below 0.05, however accurate a classifier is: use at least 20 (permutation: [0..20])"},
	} {
		p, err := guarded(t, "site", strings.Split(strings.Repeat("A\tx B\tx ", 20), " ")[:40], "",
			fmt.Sprintf(page, c.last, c.models))
		need.NoError(t, err)
		need.Equal(t, strings.Join(notesWith(p, "test: "), "\n"), c.want)
	}
	// Holm's p of k equal ones is k times each: what the note asks for suffices, and one less does not.
	for k := 1; k < 30; k++ {
		for n, below := range map[int]bool{20*k - 1: false, 20 * k: true} {
			if p := inference.Holm(slices.Repeat([]float64{1 / float64(n+1)}, k))[0]; p < 0.05-1e-12 != below {
				t.Errorf("%d shuffles for %d classifiers: %v", n, k, p)
			}
		}
	}
}

// A joint test whose models are retrained on too few label permutations, or on none, is refused before the run, and
// one whose universes differ in their number is noted.
func TestRetrained(t *testing.T) {
	const page = `s: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  c: { use: connectivity, each: subject, in: { series: s.series } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, permutations: %d } }
  models: { use: baseline, matrix: { model: [%s], fold: [1, 2] }, in: { pearson: "c[*].pearson", folds: folds.folds, permuted: folds.permuted } }
  joint: { use: multiverse, in: { predictions: "models[*].predictions", permuted: "models[*].permuted" }, with: { positive: A } }`
	for _, c := range []struct {
		permutations   int
		models         string
		note, mistaken string
	}{
		{0, "ridge, logistic", "joint: all settings use the first 199 of 999 label permutations, since the models of model=logistic are retrained on no more: permutations: 199 of split saves the rest", ""},
		{199, "ridge, logistic", "", ""}, {0, "ridge, kernel-ridge", "", ""},
		{0, "ridge, forest", "", "the models of model=forest are not retrained on permuted labels"},
		{19, "ridge, logistic", "", "19 label permutations for model=logistic, model=ridge, but the joint test needs at least 20: set permutations of split"},
	} {
		p, err := guarded(t, "site", strings.Split(strings.Repeat("A\tx B\tx ", 20), " ")[:40], "",
			fmt.Sprintf(page, c.permutations, c.models))
		if c.mistaken != "" {
			need.Error(t, err, c.mistaken)
			continue
		}
		need.NoError(t, err)
		need.Equal(t, strings.Join(notesWith(p, "joint: "), "\n"), c.note)
	}
}

// Rows that are scans of one person by another column than their id are noted, by whatever name, where values repeat.
func TestPersons(t *testing.T) {
	const folds = "folds: { use: split, in: { participants: cohort.participants }, with: { %s } }"
	trios := []string{"A\t7", "A\t7", "A\t8", "B\t9", "B\t8", "B\t9"}
	codes := []string{"A\t0", "A\t0", "A\t0", "B\t1", "B\t1", "B\t0"}
	for _, c := range []struct {
		names string
		rows  []string
		noted int
	}{
		{"person subject_id subject_uid src_subject_id SUB_ID RID PTID patient subj eid participant subject person_id ID subjectkey mrn " +
			"participant_label bids_id NDAR_GUID guid IID", trios, 1},
		{"subject_id", codes, 1}, {"site_id scan_id visit_id patient participant subject score", codes, 0},
		{"subject_id person", []string{"A\t1", "A\t2", "A\t3", "B\t4", "B\t5", "B\tn/a"}, 0},
		{"site_id n_participants participant_age", trios, 0},
	} {
		for _, name := range strings.Fields(c.names) {
			p := need.Value(guarded(t, name, c.rows, "", fmt.Sprintf(folds, "folds: 3")))(t)
			said := notesWith(p, "that person may be in training and test data, since folds divides participants one by one")
			need.Equal(t, len(said), c.noted, name)
		}
	}
	p := need.Value(guarded(t, "RID", trios, "", fmt.Sprintf(folds, "folds: 2, keep_together: [RID]")+
		"\n  c: { use: covariates, in: { participants: cohort.participants } }"))(t)
	need.Equal(t, len(notesWith(p, "may be in training and test data")), 0, "kept together")
	need.Equal(t, len(notesWith(p, "column RID: scans of one person are in one fold, but the p-values of covariates count them "+
		"as independent participants")), 1, "kept together")
	p = need.Value(guarded(t, "RID", trios, "", fmt.Sprintf(folds, "leave_out: RID")))(t)
	need.Equal(t, len(notesWith(p, "person")), 0, "left out")
}

// fold: all is every fold of the division, of leave_out too, and of the stages before, where no folds are connected.
func TestAllFolds(t *testing.T) {
	rows := []string{"A\tx", "A\ty", "A\tz", "B\ty", "B\tx", "B\tz", "A\tx", "B\ty"}
	const rest = `
  clean: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes, sidecar: cohort.sidecar } }
  pearson: { use: connectivity, each: subject, in: { series: clean.series }, with: { pearson: ledoit-wolf } }
  projected: { use: project, each: subject, matrix: { fold: all }, in: { matrices: pearson.pearson, fitted: tangent.fitted } }
  tangent: { use: tangent, matrix: { fold: all }, in: { matrices: "pearson[*].pearson", folds: folds } }
  ridge: { use: baseline, matrix: { model: [ridge], fold: all }, in: { tangent: "projected[*]", fitted: tangent.fitted, folds: folds } }`
	for with, want := range map[string]int{"folds: 2": 2, "folds: 4": 4, "leave_out: site": 3,
		"outer: 1, inner: 2, folds: 3": 2} {
		p := need.Value(guarded(t, "site", rows, "",
			"folds: { use: split, in: { participants: cohort.participants }, with: { "+with+" } }"+rest))(t)
		count := map[string]int{}
		for _, s := range p.Graph.Stages() {
			count[s.Name()] = len(s.Tasks())
		}
		need.Equal(t, fmt.Sprint(count["tangent"], count["ridge"], count["projected"]),
			fmt.Sprint(want, want, 8*want), with)
	}
	for stages, want := range map[string]string{
		`a: { use: echo, matrix: { fold: all }, in: { inputs: cohort.participants } }`: "fold: all takes the number of folds from the stage split",
		`a: { use: echo, matrix: { fold: all }, in: { inputs: b } }
  b: { use: echo, matrix: { fold: all }, in: { inputs: a } }`: "cycle",
		`a: { use: echo, matrix: { fold: [1..2] }, with: { value: x } }
  b: { use: echo, matrix: { fold: [1..3] }, with: { value: x } }
  c: { use: echo, matrix: { fold: all }, in: { inputs: ["a[*]", "b[*]"] } }`: "two meanings: a has 2 folds, and b 3",
	} {
		if _, err := guarded(t, "site", rows, "", stages); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", stages, err, want)
		}
	}
}

// Where a column that is left out makes no folds, that is the mistake, once, and not that fold: all is unknown. A
// participant without a value is one that the division lists, and does not change the other folds.
func TestFoldsOfAColumnThatIsWrong(t *testing.T) {
	rows := []string{"A\tx", "A\ty", "A\tn/a", "B\ty", "B\tx", "B\tx", "A\tx", "B\ty"}
	const rest = `
  clean: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes, sidecar: cohort.sidecar } }
  pearson: { use: connectivity, each: subject, in: { series: clean.series } }
  one: { use: baseline, matrix: { model: [ridge], fold: all }, in: { pearson: "pearson[*].pearson", folds: folds } }
  two: { use: baseline, matrix: { model: [ridge], fold: FOLDS }, in: { pearson: "pearson[*].pearson", folds: folds } }
  shuffled: { use: split, matrix: { permutation: [0..9] }, in: { participants: cohort.participants }, with: { folds: 2 } }`
	load := func(rows []string, by, folds string) (*Pipeline, error) {
		return guarded(t, "site", rows, "", "folds: { use: split, in: { participants: cohort.participants }, with: { leave_out: "+
			by+" } }"+strings.ReplaceAll(rest, "FOLDS", folds))
	}
	for _, folds := range []string{"all", "[1..2]"} {
		_, err := load(rows, "sitee", folds)
		if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(),
			`stage folds: leave_out: the participants have no column "sitee" (did you mean "site"?)`) {
			t.Errorf("fold: %s: %v", folds, err)
		}
		p := need.Value(load(rows, "site", folds))(t)
		need.Equal(t, fmt.Sprintln(len(p.Doomed), p.Doomed[0].Stage), "2 folds\n") // shuffled permutes within site
		need.Equal(t, p.Doomed[0].Why, "site of sub-03 (participants.tsv:4): no value, but each value of this column is a fold "+
			"(leave_out): fill it in, leave the participants out (incomplete: skip, or exclude: [sub-03])")
	}
	none := lists.Map(rows, func(row string) string { return row[:1] + "\tn/a" })
	if _, err := load(none, "site", "all"); err == nil || strings.Count(err.Error(), "\n") > 0 ||
		!strings.Contains(err.Error(), "stage folds: leave_out: column site has no values") {
		t.Error(err)
	}
}

// Before a run, a note states which group is positive where the names of both do not show it.
func TestPositiveAssumed(t *testing.T) {
	for _, c := range []struct {
		groups, with string
		want         int
	}{{"FM", "", 1}, {"FM", ", with: { positive: M }", 0}, {"0P", "", 0}} {
		var rows []string
		for i := range 8 {
			rows = append(rows, c.groups[i%2:i%2+1]+"\tx")
		}
		p := need.Value(guarded(t, "other", rows, "", `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2 } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  ridge: { use: baseline, with: { model: ridge }, matrix: { fold: all }, in: { pearson: "connectivity[*].pearson", folds: folds } }
  evaluate: { use: evaluate, in: { predictions: "ridge[*].predictions" }`+c.with+` }`))(t)
		need.Equal(t, len(notesWith(p, "the positive group is F, the first of F and M")), c.want, p.Notes)
	}

	// Once for all stages.
	var rows []string
	for i := range 8 {
		rows = append(rows, "FM"[i%2:i%2+1]+"\tx")
	}
	p := need.Value(guarded(t, "other", rows, "", `folds: { use: split, in: { participants: cohort.participants }, with: { folds: 2, permutations: 20 } }
  series: { use: timeseries, each: subject, in: { series: cohort.series, nodes: cohort.nodes } }
  connectivity: { use: connectivity, each: subject, in: { series: series } }
  ridge: { use: baseline, with: { model: ridge }, matrix: { fold: all, penalty: [1, 2] }, in: { pearson: "connectivity[*].pearson", folds: folds, permuted: folds.permuted } }
  evaluate: { use: evaluate, in: { predictions: "ridge[*].predictions" } }
  subgroups: { use: subgroups, in: { predictions: "ridge[*].predictions", participants: cohort.participants } }
  universes: { use: multiverse, in: { predictions: "ridge[*].predictions", permuted: "ridge[*].permuted" } }`))(t)
	const noted = ": the positive group is F, the first of F and M in Unicode order, because the names do not show which is the control group; set positive: F, or positive: M"
	need.Equal(t, fmt.Sprint(notesWith(p, "the positive group is")), "[stages evaluate, subgroups, universes"+noted+"]")
}

// A covariate that differs between the runs of a participant, and motion that neither the table nor cleaning has, are
// mistakes before the run: no value can be filled in.
func TestCovariatesOfRuns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	table := "participant_id\trun\tgroup\tage\tmean_fd\n"
	for i := range 12 {
		for run := 1; run <= 2; run++ {
			id := fmt.Sprintf("sub-%02d", i+1)
			table += fmt.Sprintf("%s\t%d\t%s\t%d\t0.%d%d\n", id, run, []string{"A", "B"}[i%2], 20+i+run, run, i)
			write(fmt.Sprintf("%s_run-%d.tsv", id, run), "a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n")
			write(fmt.Sprintf("confounds_%s_%d.tsv", id, run), fmt.Sprintf("framewise_displacement\nn/a\n0.%d%d\n0.2\n", run, i+1))
		}
	}
	write("participants.tsv", table)
	const before = `series: { use: timeseries, each: run, in: { series: cohort.series, nodes: cohort.nodes }, with: { tr: 2 } }
  joined: { use: join, each: subject, in: { series: "clean[*].series", quality: "clean[*].quality" } }
  connectivity: { use: connectivity, each: subject, in: { series: joined, quality: joined.quality } }
  folds: { use: split, in: { participants: cohort.participants }, with: { folds: 3 } }
`
	const plain = "  clean: { use: denoise, each: run, in: { series: series }, with: { regress: none, filter: none } }\n"
	deconfound := func(covariates, cleaning string) string {
		return `  d: { use: deconfound, matrix: { fold: [1..3] }, in: { matrices: "connectivity[*].pearson", folds: folds, participants: cohort.participants` +
			cleaning + ` }, with: { covariates: [` + covariates + `] } }` + "\n"
	}
	const quality = `, cleaning: "joined[*].quality"`
	for _, c := range []struct{ cohort, stages, want string }{
		{"", plain + deconfound("mean_fd", quality), "stage d: covariates: mean_fd differs between the runs of a participant, so it cannot be a covariate"},
		{"", plain + deconfound("age", quality), "stage d: covariates: age differs between the runs of a participant, so it cannot be a covariate"},
		{"", plain + deconfound("mean_fd", ""), "stage d: covariates: mean_fd differs between the runs"},
		{"columns: [age], ", plain + deconfound("mean_fd", quality), "stage d: covariates: mean_fd differs between the runs"},
		{"", strings.Replace(plain, "series: series }", "series: series, confounds: { file: \"confounds_${subject}_${run}.tsv\" } }", 1) +
			deconfound("mean_fd", quality), ""},
	} {
		text := `cohort: { timeseries: { file: participants.tsv, runs: all, ` + c.cohort + `series: "{participant_id}_run-{run}.tsv" } }
stages:
  ` + before + c.stages
		_, err := build("x.yaml", []byte(text), dir, nil, maxTasks)
		if c.want == "" {
			need.NoError(t, err)
			continue
		}
		need.Error(t, err, c.want)
	}
}

// A division that select left one group alone is refused with the participants of each group before and after.
func TestSelectionLeavesOneGroup(t *testing.T) {
	var rows []string
	for range 8 {
		rows = append(rows, "A\t0.9\tx", "B\t0.1\ty")
	}
	p := need.Value(guarded(t, "mean_fd\tkind", rows, `select: "kind == y"`,
		"folds: { use: split, in: { participants: cohort.participants } }"))(t)
	need.Equal(t, len(p.Doomed), 1)
	if text := p.Doomed[0].Why; !strings.Contains(text, "0 of 8 A, 8 of 8 B remain") {
		t.Error(text)
	}
}

// A change between sessions is adjusted for the change of mean_fd, which no column of the participants has.
func TestMotionOfChange(t *testing.T) {
	dir := t.TempDir()
	table := "participant_id\tvisit\tgroup\tmean_fd\n"
	for i := range 12 {
		for visit := 1; visit <= 2; visit++ {
			table += fmt.Sprintf("sub-%02d\t%d\t%s\t0.%d\n", i+1, visit, []string{"A", "B"}[i%2], i+1)
			name := fmt.Sprintf("sub-%02d_%d.tsv", i+1, visit)
			need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n"), 0o644))
		}
	}
	need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(table), 0o644))
	_, err := build("x.yaml", []byte(`cohort: { timeseries: { file: p.tsv, sessions: visit, series: "{participant_id}_{visit}.tsv" } }
stages:
  series: { use: timeseries, each: session, in: { series: cohort.series, nodes: cohort.nodes }, with: { tr: 2 } }
  connectivity: { use: connectivity, each: session, in: { series: series } }
  edges: { use: edges, in: { matrices: "connectivity[*].pearson", participants: cohort.participants },
    with: { test: session, sessions: ["1", "2"], covariates: [mean_fd] } }
`), dir, nil, maxTasks)
	need.Error(t, err, "stage edges: covariates: a change between sessions is adjusted for the change of mean_fd, but cleaning has no")
}

// A column of sites in which a participant has two does not lift the permutation within sites: the stages are refused,
// with the lines, unless they permute over all participants. An empty cell is no other site, and one site for each
// session of all participants is no difference between these.
func TestSitesOfSessions(t *testing.T) {
	dir := t.TempDir()
	load := func(site func(i, visit int) string, with string) *Pipeline {
		table := "participant_id\tvisit\tgroup\tsite\n"
		for i := range 12 {
			for visit := range 2 {
				table += fmt.Sprintf("sub-%02d\t%d\t%s\t%s\n", i+1, visit+1, []string{"A", "B"}[i%2], site(i, visit))
				name := fmt.Sprintf("sub-%02d_%d.tsv", i+1, visit+1)
				need.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a\tb\tc\n1\t2\t4\n2\t1\t3\n3\t4\t1\n"), 0o644))
			}
		}
		need.NoError(t, os.WriteFile(filepath.Join(dir, "p.tsv"), []byte(table), 0o644))
		text := `cohort: { timeseries: { file: p.tsv, sessions: visit, series: "{participant_id}_{visit}.tsv" } }
stages:
  series: { use: timeseries, each: session, in: { series: cohort.series, nodes: cohort.nodes }, with: { tr: 2 } }
  connectivity: { use: connectivity, each: session, in: { series: series } }
  edges: { use: edges, in: { matrices: "connectivity[*].pearson", participants: cohort.participants }, with: { ` + with + ` } }
  rel: { use: reliability, in: { matrices: "connectivity[*].pearson", participants: cohort.participants }, with: { ` +
			strings.Replace(with, "missing: skip", "", 1) + ` } }
`
		p, err := build("x.yaml", []byte(text), dir, nil, maxTasks)
		if p == nil {
			p = &Pipeline{}
		}
		p.Notes = append(p.Notes, fmt.Sprint(err))
		return p
	}
	own := func(i, _ int) string { return []string{"x", "y"}[i/6] }
	one := func(i, visit int) string {
		if i == 5 && visit == 1 {
			return "y"
		}
		return own(i, visit)
	}
	const refused = ": within: site differs between the sessions of 1 participant: sub-06 (x in p.tsv:12, y in p.tsv:13); correct the table, "
	const caution = "column site differs within 1 participant: sub-06 (x in p.tsv:12, y in p.tsv:13)"
	for _, c := range []struct {
		site       func(i, visit int) string
		with       string
		want, none string
	}{
		{own, "", "<nil>", "site differs"},
		{func(i, visit int) string {
			if visit == 1 {
				return "n/a"
			}
			return own(i, visit)
		}, "", "<nil>", "site differs"},
		{func(_, visit int) string { return []string{"x", "y"}[visit] }, "", "confounded with the session: 1 x (12), 2 y (12)", "site differs"},
		{one, "", "stage edges" + refused, caution},
		{one, "missing: skip", "stage edges" + refused, caution},
		{one, "", "stage rel" + refused, caution},
		{one, `within: ""`, caution, refused},
	} {
		p := load(c.site, c.with)
		texts := strings.Join(p.Notes, "\n")
		if !strings.Contains(texts, c.want) || strings.Contains(texts, c.none) {
			t.Errorf("%q: %s\nwant %q, not %q", c.with, texts, c.want, c.none)
		}
	}
}
