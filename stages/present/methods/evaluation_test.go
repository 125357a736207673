package methods

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/performance"
	"prgnn/stages/present/section"
)

// The methods state the measures that were computed, and those that were not.
func TestMeasures(t *testing.T) {
	none := math.NaN()
	const tested, untested = " methods.p-retrained", " methods.untested"
	for _, c := range []struct {
		row         column.AccuracyRow
		third       string // the group of the third participant
		codes, text string
	}{
		{column.AccuracyRow{Positive: "ASD"}, "MCI", "methods.measures methods.auc" + tested, "The AUC was that of ASD"},
		{column.AccuracyRow{Positive: "ASD"}, "HC", "methods.measures" + tested, "The p values of accuracy and AUC for the " +
			"model were obtained by permutation tests, in which the models of all folds were retrained on each of 99 permutations of the labels " +
			"within folds ["},
		{column.AccuracyRow{Positive: "ASD", Folds: 5}, "HC", "methods.measures" + tested, "means over the 5 folds. The"},
		{column.AccuracyRow{Positive: "ASD", Folds: 15, TestFolds: 5}, "HC", "methods.measures" + tested + " methods.p-of-first-repeat",
			"means over the 15 folds of 3 repeats. The"},
		{column.AccuracyRow{Positive: "n/a", Sensitivity: none, Specificity: none}, "HC",
			"methods.measures methods.auc methods.not-computed" + tested, "Sensitivity and specificity were not computed."},
		{column.AccuracyRow{Positive: "n/a", Sensitivity: none, Specificity: none, AUC: none, AUCP: none}, "HC",
			"methods.measures methods.not-computed" + tested, "The p values of accuracy for the model"},
		{column.AccuracyRow{Positive: "ASD", P: none, AUCP: none}, "HC", "methods.measures" + untested,
			"permuted labels"},
		{column.AccuracyRow{Positive: "ASD", Classifier: "majority"}, "HC", "methods.measures" + untested, // has no p
			"the highest probability. Accuracy"},
		{column.AccuracyRow{Positive: "ASD", Classifier: "ridge"}, "HC", "methods.measures" + tested,
			"highest probability; for the model, the logistic function of the decision value was used in place of a probability."},
	} {
		a := authorOf()
		c.row.Level, c.row.Test, c.row.Permutations = "participant", column.Retrained, 99
		a.Accuracy = []performance.Row{{AccuracyRow: c.row}}
		a.Who = &column.People{Ids: []string{"a", "b", "c"}, Group: map[string]string{"a": "ASD", "b": "HC",
			"c": c.third}}
		a.measures()
		codes, text := written(t, a)
		need.Equal(t, codes, c.codes)
		if !strings.Contains(text, c.text) {
			t.Errorf("%s\nlacks %s", text, c.text)
		}
	}
}

// The settings of a multiverse are not listed where a sentence holds for all of them, or for all of a classifier.
func TestMeasuresOfManySettings(t *testing.T) {
	for n, want := range map[int][2]string{
		2: {"for ridge 0, svm 0, ridge 1 and svm 1, the logistic", "AUC for ridge 0, svm 0, logistic 0, ridge 1, svm 1 and logistic 1 were"},
		4: {"for ridge regression and SVM (RBF), the logistic", "The p values of accuracy and AUC were obtained"},
	} {
		a := authorOf()
		a.Who = &column.People{Ids: []string{"a", "b"}, Group: map[string]string{"a": "ASD", "b": "HC"}}
		for i := range n {
			for _, model := range []string{"ridge", "svm", "logistic"} {
				a.Accuracy = append(a.Accuracy, performance.Row{Title: fmt.Sprint(model, " ", i),
					AccuracyRow: column.AccuracyRow{Positive: "ASD", Level: "participant", Classifier: model,
						Test: column.Retrained, Permutations: 99}})
			}
		}
		a.measures()
		_, text := written(t, a)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%d settings of each: %s\nlacks %s", n, text, w)
			}
		}
	}
}

// What many universes cost is counted, not timed: allocations grow with their number. A universe whose labels are
// permuted otherwise has its own text.
func TestMeasuresOfManyUniverses(t *testing.T) {
	split := with("split", "folds", "5", "within", "none")
	many := func(n int) *Author {
		a := authorOf(split)
		a.Who = &column.People{Ids: []string{"a", "b"}, Group: map[string]string{"a": "ASD", "b": "HC"}}
		a.People = encoding.NewTable(encoding.Column{Name: "site", Values: []string{"A", "B"}})
		for i := range n {
			a.Accuracy = append(a.Accuracy, performance.Row{Title: fmt.Sprint("ridge ", i),
				AccuracyRow: column.AccuracyRow{Positive: "ASD", Level: "participant", Classifier: "ridge",
					Test: column.Retrained, Permutations: 99,
					Coords: []dag.Coord{{Axis: "penalty", Value: fmt.Sprint(i)}}}})
		}
		return a
	}
	said := map[string]bool{}
	describe := func(a *Author) {
		a.measuring = nil
		for i, r := range a.Accuracy {
			a.universe, a.said = []int32{int32(i)}, nil
			a.measures()
			said[a.paragraph(a.said, "")] = true
			need.Equal(t, a.NameOf(column.CoordText(r.Coords), ""), r.Title)
		}
	}
	allocations := func(n int) float64 {
		a := many(n)
		return testing.AllocsPerRun(1, func() { describe(a) })
	}
	if small, large := allocations(40), allocations(400); large > 12*small {
		t.Errorf("%g allocations for 40 universes, %g for 400", small, large)
	}
	need.Equal(t, len(said), 2) // one for each number of settings
	a := many(20)
	describe(a)
	split.Values["within"] = [][]string{{"site"}}
	a.Run.Stages = []finding.StageSettings{split}
	a.said = nil
	a.measures()
	need.Equal(t, said[a.paragraph(a.said, "")], false)
}

// A choice inside the folds is stated with its criterion.
func TestChoice(t *testing.T) {
	for by, want := range map[string]string{"loss": "lowest cross-entropy", "accuracy": "highest accuracy", "auc": "largest AUC"} {
		a := authorOf(with("split", "folds", "5", "repeats", "1", "seed", "1", "stratify", "false"),
			with("choose", "by", by))
		a.measured()
		a.settings()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.folds methods.nested")
		need.Equal(t, strings.Contains(text, want), true, text)
	}
}

// A choice is stated with what it chose from, in how many inner folds, and with its own test; those of a single setting
// are of no choice.
func TestChoiceFrom(t *testing.T) {
	of := func(s finding.StageSettings, name string, in map[string][]column.Result) finding.StageSettings {
		s.Stage, s.Inputs = name, in
		return s
	}
	a := authorOf(with("split", "folds", "5", "repeats", "1", "seed", "1", "stratify", "false"),
		of(with("split", "folds", "5", "outer", "1; 2", "inner", "4"), "inner_folds", nil),
		of(with("baseline", "model", "ridge; logistic", "penalty", "1; 10", "outer", "1; 2", "fold", "1; 2"), "inner",
			map[string][]column.Result{"folds": column.Results("inner_folds.folds"),
				"pearson": column.Results("connectivity.pearson")}),
		of(with("connectivity", "pearson", "empirical; oas"), "connectivity", nil),
		of(with("baseline", "model", "ridge; logistic", "penalty", "1; 10"), "outer",
			map[string][]column.Result{"folds": column.Results("split.folds")}),
		of(with("choose", "by", "loss"), "chosen",
			map[string][]column.Result{"inner": column.Results("inner.predictions"),
				"outer": column.Results("outer.predictions")}),
		of(with("evaluate"), "evaluate",
			map[string][]column.Result{"predictions": column.Results("outer.predictions")}),
		of(with("evaluate"), "evaluate_chosen",
			map[string][]column.Result{"predictions": column.Results("chosen.predictions")}),
		of(with("report"), "report", map[string][]column.Result{"evaluation": column.Results("evaluate.summary"),
			"nested": column.Results("evaluate_chosen.summary")}))
	option := func(name string) column.Option {
		return column.Option{Name: name, Sets: []column.OptionSet{{Stage: "connectivity", Parameter: "pearson"}}}
	}
	options := []column.Option{option("empirical"), option("oas")}
	a.Run.Decisions.Decisions = []column.Decision{{Name: "estimator", Options: options}}
	row := column.AccuracyRow{Level: "participant", Name: "ridge regression", Classifier: "ridge", Positive: "n/a",
		Test: column.Retrained, Permutations: 999, P: 0.003, AUCP: 0.003, Least: 0.001, Folds: 5, Accuracy: 0.7,
		Majority: 0.5}
	chosen := row
	chosen.Test, chosen.P = column.PerFold, 0.112
	a.Accuracy = []performance.Row{{AccuracyRow: row, Title: row.Name, Own: true}}
	a.Nested = &performance.Row{AccuracyRow: chosen, Title: "setting chosen inside each fold", Own: true, Chosen: true}
	a.nested()
	a.measures()
	_, text := written(t, a)
	for _, want := range []string{"the setting was chosen in each of these folds from ridge regression and logistic " +
		"regression with estimator empirical or oas and penalty 1 or 10, by 4 inner folds of its training participants",
		"for the setting chosen inside each fold were computed without retraining",
		"The p values of ridge regression are for each setting alone, not for the headline"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The tests beside the accuracy are stated where their results are, with their parameters.
func TestChecks(t *testing.T) {
	motion := func(r float64) *encoding.Table { return column.Table([]column.MotionRow{{Median: r}}) }
	write := func(in map[string]*encoding.Table) (codes, text string) {
		task := map[string][]dag.Input{}
		for port, table := range in {
			task[port] = []dag.Input{dag.InputOf(table)}
		}
		a := authorOf(with("bootstrap", "draws", "10"), with("biomarkers", "reading", "score", "layer", "1"),
			with("fidelity", "k", "3, 9", "random", "19", "order", "individual", "draws", "1"),
			with("covariates", "permutations", "9999", "within", "site", "label", "group"), with("qcfc",
				"covariates", "age"))
		a.T = dag.NewTask(task)
		a.measured()
		a.settings()
		need.NoError(t, a.Err())
		return written(t, a)
	}
	codes, _ := write(nil)
	need.Equal(t, codes, "")
	within := motion(0)
	within.Meta = map[string]string{"within": "site"}
	codes, text := write(map[string]*encoding.Table{"fidelity": motion(0), "covariates": within, "qcfc": motion(0.1),
		"ranking": within, "recovery": column.Table([]column.RecoveryRow{{Method: column.TrainedModels},
			{Method: column.UntrainedModels}, {Method: column.RidgePattern}})})
	need.Equal(t, codes, "methods.ranking methods.ranking-test methods.references methods.fidelity methods.covariates "+
		"methods.motion methods.level")
	for _, want := range []string{"of the test participants were permuted within sites, the p values of K folds",
		"no network training: untrained models and the ridge pattern.",
		"(3 and 9) were either removed from each test graph of 1 draw of each participant or retained alone; " +
			"19 random choices of as many regions served for comparison.",
		"with p values from 9,999 permutations of the groups within sites (for site, over all participants), corrected", "with age partialed out.",
		"The level of significance was 0.05. Tests of masked regions against random ones were one-sided, all other tests " +
			"two-sided unless stated otherwise."} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	codes, text = write(map[string]*encoding.Table{"covariates": motion(0), "qcfc": motion(math.NaN())})
	need.Equal(t, codes, "methods.covariates methods.no-motion methods.level")
	need.Equal(t, strings.Contains(text, "permutations of the groups, corrected"), true, text) // all are at one site
}

// The models of covariates, the matching and the confounder tests are stated where their results are.
func TestConfounds(t *testing.T) {
	c := with("confounds", "penalty", "1", "transform", "fisher", "repeat", "1")
	a := authorOf(c, with("covariates", "permutations", "9999", "label", "group"))
	tables := map[string]*encoding.Table{"covariates": column.Table([]column.CovariateRow{{}}),
		"confound_models": column.Table([]column.ConfoundModelRow{{Features: "edges", Sample: "all"}}),
		"confound_summary": column.Table([]column.ConfoundSummaryRow{{Covariates: []string{"age", "mean_fd"},
			Measure:  "AUC",
			Positive: "ASD", Permutations: 199, Resamples: 40, Pairs: 27, Match: []string{"mean_fd", "sex"}}}),
		"confounders": column.Table([]column.ConfounderRow{{Permutations: 999}})}
	connect(a, "confounds", "matrices", "connectivity.partial", "measure=partial series=denoised")
	task := map[string][]dag.Input{}
	for port, table := range tables {
		task[port] = []dag.Input{dag.InputOf(table)}
	}
	a.T = dag.NewTask(task)
	a.measured()
	need.NoError(t, a.Err())
	codes, text := written(t, a)
	need.Equal(t, codes, "methods.covariates methods.confound-models methods.confound-matching methods.confounder-tests "+
		"methods.level")
	for _, want := range []string{"apart from the models of covariates below, no model had covariates as inputs",
		"predicted the group from the covariates alone (age and mean framewise displacement), from the edges (partial correlation, as " +
			"Fisher's z),",
		"199 permutations of the residuals", "combines those of the two AUCs by their correlation [3] over 40 bootstrap " +
			"samples of the participants of each group. The CIs of the AUCs " +
			"were computed by Newcombe's method [4], with the number of participants reduced to account for overlapping " +
			"training sets or for the variance over these samples, whichever is larger",
		"all models were retrained on the same folds, and all copies of a participant were in its fold", "For pairs alike in mean framewise displacement and " +
			"sex, each participant of the group ASD, from the largest mean framewise displacement down,", "(27 pairs)",
		"the predicted probability minus its mean", "999 conditional permutations"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	delete(task, "confound_models")
	delete(task, "confounders")
	a = authorOf(c, with("covariates", "permutations", "9999", "label", "group"))
	a.T = dag.NewTask(task)
	a.measured()
	codes, text = written(t, a)
	need.Equal(t, codes, "methods.covariates methods.level")
	need.Equal(t, strings.Contains(text, "corrected for the false discovery rate [1]; no model had covariates"), true, text)
}

// Learning curves are stated with their orders, and the fit where there is one.
func TestLearningCurves(t *testing.T) {
	for _, at := range []float64{0.7, math.NaN()} {
		a := authorOf(with("learning-curve", "resamples", "1000"))
		a.T = dag.NewTask(map[string][]dag.Input{"learning": {dag.InputOf(column.Table([]column.LearningRow{{
			Measure: "auc", Orders: 5, At: at}}))}})
		a.measured()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.learning")
		need.Equal(t, strings.Contains(text, "5 random orders"), true, text)
		need.Equal(t, strings.Contains(text, "1,000 resamples"), at > 0, text)
	}
}

// What was measured in groups of participants is stated with its bands, intervals and permutations.
func TestSubgroups(t *testing.T) {
	for _, c := range []struct {
		from, slope float64
		edges       string
		tests       []column.SubgroupTestRow
		want        []string
	}{
		{8, 0.9, "", []column.SubgroupTestRow{{Permutations: 1999}},
			[]string{"age and sex", "thirds of all", "slope", "1,999"}},
		{8, math.NaN(), "age=12", nil, []string{"begin at age=12"}},
	} {
		of := []string{"complementary", "true", "within", "site"}
		if c.edges != "" {
			of = append(of, "edges", c.edges)
		}
		a := authorOf(with("subgroups", of...))
		a.T = dag.NewTask(map[string][]dag.Input{
			"subgroups": {dag.InputOf(column.Table([]column.SubgroupRow{
				{Column: "sex", From: math.NaN(), Slope: c.slope}, {Column: "age", From: c.from, Slope: math.NaN()}}))},
			"subgroup_tests": {dag.InputOf(column.Table(c.tests))}})
		a.measured()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, map[bool]string{false: "methods.subgroups", true: "methods.subgroups methods.level"}[c.tests != nil])
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %s", text, want)
			}
		}
		need.Equal(t, strings.Contains(text, "permutations"), c.tests != nil)
		need.Equal(t, strings.Contains(text, "slope"), c.slope > 0)
	}
}

// A ranking is by the scores of the models that its stage takes.
func TestRankedBy(t *testing.T) {
	for _, c := range []struct{ model, attribution, layer, score, work string }{
		{"", "", "2", "pooling", "li2020"}, {"braingnn", "", "1", "pooling", "li2021"}, {"bnt", "", "1",
			"attention", "kan"},
		{"bnt", "", "3", "gradient", "kan"}, {"meanmlp", "gradient", "1", "gradient", "popov"},
		{"meanmlp", "integrated", "1", "integrated", "popov"}, {"estimator", "", "1", "own", ""},
	} {
		b := with("biomarkers", "layer", c.layer, "reading", "contrast")
		from := with("network", "model", c.model, "attribution", c.attribution)
		if c.model == "" {
			from = with("train")
		}
		if c.model == "estimator" { // of the user's: neither pooling nor a reference for it
			from = with("estimator")
		}
		b.Inputs = map[string][]column.Result{"scores": {{Stage: from.Stage, Output: "scores"}}}
		a := authorOf(from, b)
		of := a.rankedBy(&b)
		need.Equal(t, of["Score"], any(c.score))
		need.Equal(t, of["Work"], any(c.work))
		a.say("methods.ranking", of)
		_, text := written(t, a)
		need.Equal(t, strings.Contains(text, "difference between the groups' means of"), true, text)
	}
}

// Labels are permuted within a column that has several values, and relatives exchange them as a whole.
func TestExchanged(t *testing.T) {
	people := encoding.NewTable(encoding.Column{Name: "site", Values: []string{"x", "x", "y"}},
		encoding.Column{Name: "lab", Values: []string{"x", "x", "x"}})
	for within, want := range map[string]string{"site": "site", "lab": "", "scanner": ""} {
		a := authorOf()
		a.People = people
		split := with("split", "within", within, "keep_together", "family_id, twin")
		of := a.exchanged(&split)
		need.Equal(t, of["Known"], any(true))
		need.Equal(t, of["Within"], any(want))
		need.Equal(t, len(of["Together"].([]string)), 2)
		need.Equal(t, a.exchanged(nil)["Known"], any(false))
	}
}

// The methods of a validation have the recalibration, and how the training participants were looked for.
func TestValidationMethods(t *testing.T) {
	for _, c := range []struct {
		groups      []string
		measure     string
		want, lacks string
	}{
		{[]string{"A", "B"}, "brier_recalibrated", "the intercept and slope in each model file", "r is undefined"},
		{nil, "mae", "by id (ignoring the prefix sub-, upper case and leading zeros), and by data", "recalibration"},
	} {
		summary := column.ValidationSummaryRow{Groups: c.groups, Counts: make([]int32, len(c.groups)), Models: 2}
		a := New(section.NewWriter(dag.NewTask(map[string][]dag.Input{
			"validation":         {dag.InputOf(column.Table([]column.ValidationRow{{Measure: c.measure}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{summary}))}})), nil)
		a.validated()
		text := a.paragraph(a.said, "")
		if !strings.Contains(text, c.want) || strings.Contains(text, c.lacks) ||
			!strings.Contains(text, "None had the id of a training participant.") {
			t.Errorf("the methods are %s", text)
		}
	}
}

// Without evaluate, the classifiers that are compared are introduced; a second cross-validation has its permutations.
func TestComparisonAndLeftOutTests(t *testing.T) {
	split := with("split", "folds", "5", "repeats", "1", "seed", "1", "stratify", "false")
	out := with("split", "leave_out", "site", "within", "site")
	out.Stage = "sites"
	table := func(rows any) []dag.Input {
		switch rows := rows.(type) {
		case []column.PairRow:
			return []dag.Input{dag.InputOf(column.Table(rows))}
		case []column.AccuracyRow:
			return []dag.Input{dag.InputOf(column.Table(rows))}
		}
		return nil
	}
	author := func(in map[string][]dag.Input, stages ...finding.StageSettings) *Author {
		w := section.NewWriter(dag.NewTask(in))
		w.Run.Stages = stages
		return New(w, nil)
	}
	a := author(map[string][]dag.Input{"comparison": table([]column.PairRow{{}})}, split,
		with("baseline", "model", "ridge; svm", "penalty", "1", "c", "1", "transform", "none"), with("compare"))
	a.measured()
	a.settings()
	need.NoError(t, a.Err())
	codes, _ := written(t, a)
	if !strings.Contains(codes, "methods.baselines") ||
		strings.Index(codes, "methods.baselines") > strings.Index(codes, "methods.comparison") {
		t.Error(codes)
	}
	for test, want := range map[string]string{
		column.Retrained: "permutations of the labels within folds, on each of which the models of all folds were retrained.",
		column.PerFold:   "permutations of the labels of the test participants in each fold, without retraining.",
	} {
		a = author(map[string][]dag.Input{"left_out": table([]column.AccuracyRow{{Level: "participant", Test: test,
			Permutations: 1999, P: 0.5, AUCP: 0.5}})}, split, out)
		a.Beyond = &finding.Results{Accuracy: need.Value(a.ReadAccuracy(a.T, "left_out"))(t)}
		a.leftOutTests()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, codes, "methods.left-out-tested")
		if !strings.Contains(text, "leave-one-site-out cross-validation, the p values of accuracy and AUC") || !strings.Contains(text, "1,999 "+want) {
			t.Error(text)
		}
	}
}

// The p values of several classifiers are corrected by Holm's method, those of the page but the headline's own, and
// those of models that predict another column, whose permutations are stated; one is not corrected.
func TestHolmIsStated(t *testing.T) {
	row := func(name string, p float64) finding.Row {
		return finding.Row{Title: name, AccuracyRow: column.AccuracyRow{Level: "participant", Classifier: name,
			Coords: []dag.Coord{{Axis: "model", Value: name}}, Test: column.Retrained, Permutations: 999, P: p, AUCP: p,
			Least: 0.001, Accuracy: 0.8, Majority: 0.5, Positive: "ASD"}}
	}
	for _, c := range []struct {
		rows     []finding.Row
		headline bool
		want     string
	}{
		{[]finding.Row{row("ridge", 0.01), row("svm", 0.02)}, true, "The p values " +
			"of the accuracy were corrected by Holm's method [7] for 2 classifiers; those of the AUC were not corrected. " +
			"Whether the accuracy of the headline, ridge, is above chance was decided by its uncorrected p."},
		{[]finding.Row{row("ridge", 0.01), row("svm", 0.02)}, false, "The p values of the accuracy were corrected by Holm's " +
			"method [7] for 2 classifiers; those of the AUC were not corrected."},
		{[]finding.Row{row("ridge", 0.01)}, true, ""},
		{[]finding.Row{row("ridge", 0.01), row("majority", 1)}, true, ""},
	} {
		a := authorOf(with("split", "label", "group"))
		if a.Accuracy = c.rows; c.headline {
			a.First = &a.Accuracy[0]
		}
		a.measures()
		need.NoError(t, a.Err())
		codes, text := written(t, a)
		need.Equal(t, strings.Contains(codes, "methods.holm"), c.want != "", codes)
		need.Equal(t, strings.Contains(text, c.want), true, text, c.want)
		need.Equal(t, strings.Contains(text, "the variance of a mean over K folds was s² (1/K + n_test/n_train) [4], where s² is "+
			"the larger of the sampling variance within a fold and the variance between the folds."), true, text)
	}
	sites := with("split", "label", "scan_site", "within", "")
	a := authorOf(with("split", "label", "group"), sites)
	a.OtherLabel = &finding.Results{Plan: a.Run, Predicts: "scan_site",
		Accuracy: []finding.Row{row("ridge", 0.001), row("svm", 0.001)}}
	a.otherLabelTests()
	a.level()
	need.NoError(t, a.Err())
	_, text := written(t, a)
	need.Equal(t, text, "In the prediction of scan site, the p values of accuracy and AUC for ridge and svm were obtained from 999 "+
		"permutations of scan site within folds, on each of which the models of all folds were retrained. In the "+
		"prediction of scan site, the p values of the accuracy were corrected by Holm's method [1] for 2 classifiers. The "+
		"level of significance was 0.05. Tests of classification performance against chance were one-sided.")
}

// The methods describe the division, the steps and the models that the page comes of; of other stages they list
// settings. A division that is left out in turn may come first in the file.
func TestMethodsAreOfThePage(t *testing.T) {
	stage := func(name string, of finding.StageSettings, inputs ...string) finding.StageSettings {
		of.Stage, of.Inputs = name, map[string][]column.Result{}
		for i := 0; i < len(inputs); i += 2 {
			of.Inputs[inputs[i]] = append(of.Inputs[inputs[i]], column.Results(inputs[i+1])...)
		}
		return of
	}
	folds := with("split", "folds", "10", "seed", "7", "repeats", "1", "stratify", "true", "leave_out", "")
	folds.Defaults["folds"] = []string{"5"}
	stages := []finding.StageSettings{
		stage("folds", folds),
		stage("combat", with("combat", "preserve", "age", "site", "site", "empirical_bayes", "true",
			"mean_only", "false", "reference", "", "few", "keep", "minimum", "2"), "folds", "folds.folds"),
		stage("svm", with("baseline", "model", "svm", "c", "1", "transform", "none"), "folds", "folds.folds",
			"pearson", "combat.harmonized"),
		stage("sites", with("split", "leave_out", "site")),
		stage("ridge", with("baseline", "model", "ridge", "penalty", "1", "transform", "none"), "folds", "sites.folds"),
		stage("checks", with("leakage"), "folds", "folds.folds", "predictions", "svm.predictions"),
		stage("evaluate", with("evaluate"), "predictions", "ridge.predictions"),
		stage("of-folds", with("evaluate"), "predictions", "svm.predictions"),
	}
	write := func(inputs ...string) string {
		a := authorOf(append(slices.Clone(stages), stage("report", with("report"), inputs...),
			stage("summary", with("summary"), "evaluation", "of-folds.summary"))...)
		a.Run.Table = encoding.NewTable()
		a.Write()
		need.NoError(t, a.Err())
		need.Equal(t, len(a.Run.Stages), len(stages)+2)
		return fmt.Sprint(a.Section.Blocks)
	}
	a := authorOf(append(slices.Clone(stages), stage("report", with("report"), "evaluation", "evaluate.summary",
		"leakage", "checks.report"))...)
	a.Run.Table = encoding.NewTable()
	a.Write()
	last := a.Section.Blocks[len(a.Section.Blocks)-1].Text
	need.Equal(t, strings.HasPrefix(last, "Other settings that differed"), true, last)
	ofSites := write("evaluation", "evaluate.summary", "warnings", "combat.quality", "leakage", "checks.report")
	both := write("evaluation", "of-folds.summary", "left_out", "evaluate.summary")
	sitesFirst := write("evaluation", "evaluate.summary", "left_out", "of-folds.summary")
	for _, c := range []struct {
		text, want string
		has        bool
	}{
		{ofSites, "Each value of site was left out in turn", true}, {ofSites, "ComBat", false}, {ofSites, "10 folds", false},
		{ofSites, "folds 10 in the stage folds", true}, {both, "into 10 folds", true}, {both, "ComBat", true},
		{both, "Each value of", false}, {sitesFirst, "Each value of site", true},
		{sitesFirst, "into 10 folds", false},
	} {
		need.Equal(t, strings.Contains(c.text, c.want), c.has, c.want, c.text)
	}
}

// Each topic of the evaluation is a paragraph, and so is the program.
func TestParagraphsOfTopics(t *testing.T) {
	a := authorOf()
	a.begins = true
	for _, of := range []struct {
		text   string
		begins bool
	}{{"folds.", false}, {"measures.", true}, {"tests.", false}, {"the program.", true}} {
		a.begins = a.begins || of.begins
		a.said = append(a.said, statement{text: of.text, begins: a.begins})
		a.begins = false
	}
	need.Equal(t, strings.Join(a.paragraphs(a.said), "|"), "Folds.|Measures. Tests.|The program.")
	need.Equal(t, len(a.paragraphs(nil)), 0)
}

// Measures per graph are stated where participants have several; one participant lacks, and two lack results.
func TestLevelsAndLacking(t *testing.T) {
	for graph, want := range map[float64]string{0.5: "were computed per participant.",
		0.4: "were computed per graph and per participant (mean probability over the draws)."} {
		a := authorOf()
		for level, accuracy := range map[string]float64{"graph": graph, "participant": 0.5} {
			a.Accuracy = append(a.Accuracy,
				performance.Row{AccuracyRow: column.AccuracyRow{Level: level, Accuracy: accuracy, Positive: "ASD"}})
		}
		a.measures()
		need.NoError(t, a.Err())
		_, text := written(t, a)
		need.Equal(t, strings.Contains(text, want), true, text)
	}
	for n, want := range map[int]string{1: "1 of them lacks results", 2: "2 of them lack results"} {
		a := authorOf()
		a.Who, a.Lacking = &column.People{Ids: []string{"a", "b"}}, n
		a.cohort()
		_, text := written(t, a)
		need.Equal(t, strings.Contains(text, want), true, text)
	}
}

// Groups are permuted within sites where there are sites, and those of the site itself are not.
func TestGroupsPermutedWithinSites(t *testing.T) {
	for _, c := range []struct {
		sites   []string
		columns []string
		want    string
	}{
		{nil, []string{"age"}, "of the groups within class, with"},
		{[]string{"A", "A"}, []string{"age"}, "of the groups within class, with"},
		{[]string{"A", "B"}, []string{"age"}, "of the groups within class and site, with"},
		{[]string{"A", "B"}, []string{"age", "site"},
			"of the groups within class and site (groups of site: within class), with"},
		{[]string{"A", "B"}, []string{"site"}, "of the groups within class, with"},
	} {
		var groups []column.SubgroupRow
		var tests []column.SubgroupTestRow
		for _, name := range c.columns {
			groups = append(groups, column.SubgroupRow{Column: name, From: math.NaN(), Slope: math.NaN()})
			tests = append(tests, column.SubgroupTestRow{Column: name, Permutations: 99})
		}
		a := authorOf(with("subgroups", "within", "site", "edges", "", "complementary", "true"))
		a.T = dag.NewTask(map[string][]dag.Input{"subgroups": {dag.InputOf(column.Table(groups))},
			"subgroup_tests": {dag.InputOf(column.Table(tests))}})
		a.People = encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a", "b"}})
		if c.sites != nil {
			a.People.Columns = append(a.People.Columns, encoding.Column{Name: "site", Values: c.sites})
		}
		a.subgroups()
		if _, text := written(t, a); !strings.Contains(text, c.want) {
			t.Errorf("%v of %v: %s\nlacks %s", c.columns, c.sites, text, c.want)
		}
	}
}

// A test of edges on one side is stated, and a difference is adjusted where there are covariates.
func TestSidesOfEdgeTests(t *testing.T) {
	type row = column.EdgeSummaryRow
	groups := row{Design: "groups", Test: "group", Groups: []string{"A", "B"}, Statistic: "t",
		Effect: "d", Correction: "nbs", Size: "edges", Tail: "both", Threshold: 2.5}
	of := func(change func(r *row)) row {
		r := groups
		change(&r)
		return r
	}
	const two, one = "tests were two-sided", "Tests of components of edges were one-sided."
	for _, c := range []struct {
		row       row
		want, not string
	}{
		{groups, two, "one-sided"},
		{groups, "d is the difference divided", "adjusted difference"},
		{of(func(r *row) { r.Covariates = []string{"age"} }), "d is the adjusted difference divided", one},
		{of(func(r *row) { r.Tail = "right" }), ", one-sided, for edges where B has larger values). ", two},
		{of(func(r *row) { r.Tail = "left" }), ", one-sided, for edges where B has smaller values). ", two},
		{of(func(r *row) { r.Tail = "left" }), one, two},
		{of(func(r *row) { r.Tail, r.Correction = "left", "max-t" }), two, "one-sided"}, // of components
		{of(func(r *row) { r.Tail, r.Statistic, r.Design = "right", "F", "several groups" }), two, "one-sided"},
		{of(func(r *row) { r.Tail, r.Design, r.Test = "left", "number", "age" }), "values decrease with age", two},
	} {
		a := authorOf(with("edges", "variance", "unequal", "transform", "fisher", "tail", c.row.Tail))
		a.T = dag.NewTask(map[string][]dag.Input{"edge_tests": {dag.InputOf(column.Table([]row{c.row}))}})
		a.edgeTests()
		a.level()
		if _, text := written(t, a); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("%s\nlacks %q, or has %q", text, c.want, c.not)
		}
	}
}
