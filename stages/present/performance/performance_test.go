package performance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
)

func results(t *dag.Task, of *finding.Results) *Results {
	of.Plan = &finding.Settings{}
	return &Results{Writer: section.NewWriter(t), Results: of}
}

// The table of the folds has the name of its classifier.
func TestFoldsOfTheHeadline(t *testing.T) {
	scores := []column.FoldRow{{Fold: 1, Repeat: 1, Level: "participant", Accuracy: 0.5}}
	task := dag.NewTask(map[string][]dag.Input{"scores": {dag.InputOf(column.Table(scores))}})
	a := results(task, &finding.Results{First: &Row{Title: "PR-GNN"},
		Scores: []finding.FoldScore{{FoldRow: scores[0]}}})
	a.folds()
	need.NoError(t, a.Err())
	var captions []string
	for _, b := range a.Section.Blocks {
		if b.Table != nil {
			captions = append(captions, b.Table.Caption)
		}
	}
	need.Equal(t, strings.Join(captions, "; "), "Performance in each fold; Accuracy of PR-GNN in each fold, per participant")
	need.NoError(t, a.Err())
}

// Where the headline is a choice inside each fold, the confusion matrix is that of the choice or there is none.
func TestConfusionOfTheHeadline(t *testing.T) {
	of := func(stage string) []fold.Tested {
		return []fold.Tested{{Coords: []dag.Coord{{Axis: "stage", Value: stage}}}}
	}
	settings := [][]fold.Tested{of("baselines"), of("train"), of("chosen")}
	a := results(dag.NewTask(nil), &finding.Results{})
	a.Plan.Stages = []finding.StageSettings{{Stage: "chosen", Kind: "choose"}}
	need.Equal(t, a.shown(settings), 0)
	a.Nested = &Row{Title: "setting chosen inside each fold"}
	need.Equal(t, a.shown(settings), 2)
	need.Equal(t, a.shown(settings[:2]), -1)
	a.First = &Row{}
	a.First.Coords = settings[1][0].Coords
	need.Equal(t, a.shown(settings), 1)
	number := results(dag.NewTask(nil),
		&finding.Results{FirstNumber: &column.RegressionRow{Coords: settings[1][0].Coords}})
	need.Equal(t, number.shown(settings), 1)
}

// Figures of predictions have those that are evaluated, the headline first, and none of another cross-validation.
func TestFiguresOfTheEvaluation(t *testing.T) {
	of := func(stage, model string) []fold.Tested {
		return []fold.Tested{{Coords: []dag.Coord{{Axis: "stage", Value: stage}, {Axis: "model", Value: model}}}}
	}
	all := &fold.Settings{Settings: [][]fold.Tested{of("classifiers", "linear-svm"), of("classifiers", "ridge"),
		of("site_out", "linear-svm"), of("site_out", "ridge")}}
	a := results(dag.NewTask(nil), &finding.Results{First: &Row{}})
	a.Plan.Stages = []finding.StageSettings{{Stage: "classifiers", Kind: "baseline"},
		{Stage: "site_out", Kind: "baseline"},
		{Stage: "evaluate", Kind: "evaluate",
			Inputs: map[string][]column.Result{"predictions": column.Results("classifiers.predictions")}},
		{Stage: "site", Kind: "evaluate",
			Inputs: map[string][]column.Result{"predictions": column.Results("site_out.predictions")}},
		{Stage: "report", Kind: "report",
			Inputs: map[string][]column.Result{"evaluation": column.Results("evaluate.summary"),
				"left_out": column.Results("site.summary")}},
		{Stage: "left_out", Kind: "summary",
			Inputs: map[string][]column.Result{"evaluation": column.Results("site.summary")}}}
	a.First.Coords = []dag.Coord{{Axis: "model", Value: "ridge"}}
	got := lists.Map(a.evaluated(all).Settings, func(f []fold.Tested) string { return column.CoordText(f[0].Coords) })
	need.Equal(t, strings.Join(got, "; "),
		"stage=classifiers model=ridge; stage=classifiers model=linear-svm")
}

// Captions are led by the headline, without one by the first classifier of the predictions, not by the most accurate
// one.
func TestLead(t *testing.T) {
	row := func(model string) (r Row) {
		r.Coords = []dag.Coord{{Axis: "model", Value: model}}
		return r
	}
	rows := []Row{row("logistic"), row("ridge"), row("svm")} // by accuracy
	all := &fold.Settings{Settings: [][]fold.Tested{{{Coords: row("svm").Coords}}, {{Coords: row("logistic").Coords}}}}
	a := results(dag.NewTask(nil), &finding.Results{})
	need.Equal(t, a.lead(rows, all), 2)
	need.Equal(t, a.lead(rows, nil), 0)
	a.First = &rows[1]
	need.Equal(t, a.lead(rows, all), 1)
	a.First, a.Nested = nil, &rows[0]
	need.Equal(t, a.lead(rows, all), 0)
}

// A comparison of some settings calls them as the accuracies of all do.
func TestComparisonNames(t *testing.T) {
	row := func(stage, name string) Row {
		r := Row{Title: name}
		r.Coords, r.Level = []dag.Coord{{Axis: "stage", Value: stage}, {Axis: "model", Value: "ridge"}}, "participant"
		return r
	}
	all := []Row{row("baselines", "ridge regression (baselines)"), row("dec", "ridge regression (dec)")}
	setting := column.CoordText(all[0].Coords)
	pairs := column.Table([]column.PairRow{{A: setting, B: "model=svm", NameA: "ridge regression", NameB: "SVM"}})
	a := results(dag.NewTask(map[string][]dag.Input{"comparison": {dag.InputOf(pairs)}}),
		&finding.Results{Accuracy: all})
	a.comparison()
	first := a.Section.Blocks[0].Table.Rows[0]
	need.Equal(t, first[0].Text+" and "+first[1].Text, "ridge regression (baselines) and SVM")
	need.NoError(t, a.Err())
}

// Levels differ where a participant has several graphs.
func TestLevels(t *testing.T) {
	rows := []Row{{AccuracyRow: column.AccuracyRow{Level: "graph", Accuracy: 0.7, AUC: math.NaN()}},
		{AccuracyRow: column.AccuracyRow{Level: "participant", Accuracy: 0.7, AUC: math.NaN()}}}
	need.Equal(t, sameLevels(rows, rows[1:]), true)
	rows[0].Accuracy = 0.6
	need.Equal(t, sameLevels(rows, rows[1:]), false)
}

// The table of intervals states why classifiers have no Brier score.
func TestNoBrierScore(t *testing.T) {
	row := func(model string) Row {
		r := Row{Title: column.Classifiers[model]}
		r.Classifier, r.Positive, r.Level = model, "ASD", "participant"
		return r
	}
	for _, c := range []struct {
		models []string
		want   string
	}{{[]string{"logistic", "forest"}, ""},
		{[]string{"logistic", "svm", "ridge"}, "Brier score n/a: SVM (RBF) and ridge regression gave decision values"},
	} {
		a := results(dag.NewTask(nil), &finding.Results{})
		a.corrected(lists.Map(c.models, row), values{"Lacks": nil, "Incomplete": 0,
			"Candidates": nil, "Positive": "ASD"})
		need.NoError(t, a.Err())
		note := a.Section.Blocks[0].Table.Note
		need.Equal(t, strings.Contains(note, "Brier score n/a"), c.want != "", note)
		need.Equal(t, strings.Contains(note, c.want), true, note)
	}
}

// How p was computed, of classifiers with different tests.
func TestTestsOf(t *testing.T) {
	row := func(title, test string, permutations, folds int32) Row {
		r := Row{Title: title}
		r.Level, r.Test, r.Permutations, r.TestFolds, r.TestAccuracy = "participant", test, permutations, folds, 0.639
		r.Folds = 9
		return r
	}
	a := results(dag.NewTask(nil), &finding.Results{})
	for _, c := range []struct {
		within string
		rows   []Row
		want   string
	}{
		{"", []Row{row("SVM", column.Retrained, 1000, 0), row("ridge", column.Retrained, 199, 0)},
			"For SVM, the models were retrained on 1,000 permutations of the labels within folds. For ridge, the models were retrained on 199 permutations of the labels within folds."},
		{"site", []Row{row("SVM", column.Retrained, 199, 0), row("PR-GNN", column.PerFold, 9999, 3), row("net",
			"", 0, 0)},
			"For SVM, the models were retrained on 199 permutations of the labels within folds and sites. For PR-GNN, the test labels were permuted 9,999 times fold by fold in the first repeat within sites, " +
				"without retraining, and p combines a majority of the folds. This test is conservative; a test with retrained models (kind permutation, see docs/statistics.md) " +
				"can detect smaller effects. Net was not tested against chance. p is for the first repeat only (accuracy PR-GNN 0.639); the other measures are for all repeats."},
	} {
		need.Equal(t, strings.TrimSpace(a.describeTests(ClassifierTests(c.rows), "labels", "accuracy",
			c.within)), c.want)
	}
	need.NoError(t, a.Err())
}

// With several repeats, the p of a model without r, which predicts a constant, is of the first repeat too; an r
// without a
// p is not listed beside it, and the p of its error is.
func TestFirstRepeatWithoutR(t *testing.T) {
	none := math.NaN()
	row := func(name string, first int32, r, p float64) column.RegressionRow {
		return column.RegressionRow{Name: name, Test: column.Retrained, Permutations: 99, Folds: 10, TestFolds: first,
			TestR: r, P: p, TestMAE: 9, MAEP: 0.5}
	}
	for _, c := range []struct {
		rows  []column.RegressionRow
		tests []TestOf
		r     string
	}{
		{[]column.RegressionRow{row("mean", 5, none, none), row("SVR", 5, 0.31, 0.02)},
			[]TestOf{{column.Retrained, "mean", 99, "", true, none},
				{column.Retrained, "SVR", 99, "", true, 0.31}},
			"SVR 0.310"},
		{[]column.RegressionRow{row("mean", 5, 0.1, none)},
			[]TestOf{{column.Retrained, "mean", 99, "", true, none}}, ""},
		{[]column.RegressionRow{row("SVR", 10, 0.31, 0.02)},
			[]TestOf{{column.Retrained, "SVR", 99, "", false, none}}, ""},
	} {
		all := RegressionTests(c.rows)
		need.Equal(t, fmt.Sprint(all), fmt.Sprint(c.tests))
		need.Equal(t, len(GroupTests(all)), 1)
		_, measures := FirstRepeat(all, report.Share)
		need.Equal(t, strings.Join(measures, "; "), c.r)
		_, errors := FirstRepeat(errorTests(c.rows), report.Short)
		need.Equal(t, len(errors), map[bool]int{true: len(c.rows)}[c.rows[0].TestFolds == 5])
		a := results(dag.NewTask(nil), &finding.Results{})
		need.Equal(t, strings.Contains(a.describeTests(all, "targets", "r", ""), "of the first repeat were"), all[0].OfFirst)
		need.NoError(t, a.Err())
	}
}

// The sentence on tests fold by fold states whether all arrangements were made.
func TestArrangementsAreStated(t *testing.T) {
	for exact, want := range map[int32]string{
		0: "the test labels were permuted 9,999 times fold by fold in the first repeat within sites,",
		2: "in every possible way, or permuted 9,999 times where there are more arrangements, fold by fold in",
		3: "were arranged in every possible way fold by fold in"} {
		rows := []Row{{AccuracyRow: column.AccuracyRow{Level: "participant", Test: column.PerFold, Permutations: 9999,
			Exact: exact, Folds: 6, TestFolds: 3, TestAccuracy: 0.7}, Title: "net"}}
		a := results(dag.NewTask(nil), &finding.Results{})
		if text := a.describeTests(ClassifierTests(rows), "labels", "accuracy", "site"); !strings.Contains(text, want) {
			t.Error(text)
		}
		need.NoError(t, a.Err())
	}
}

// Errors of all models have the same decimals.
func TestErrorsAlike(t *testing.T) {
	a := results(nil, &finding.Results{Regression: []column.RegressionRow{
		{MAE: 11.96, MAELow: 10, MAEHigh: 14.21}, {MAE: 11.9, MAELow: math.NaN(), MAEHigh: math.NaN()}}})
	for x, want := range map[float64]string{11.96: "12.0", 11.9: "11.9", 10: "10.0", 14.21: "14.2"} {
		need.Equal(t, a.Error(x), want)
	}
}

// The result of a number has r within sites beside r.
func TestResultWithinSites(t *testing.T) {
	for within, want := range map[float64]string{0.31: "r = 0.728, 95% CI 0.599–0.820, within sites r = 0.310, not tested",
		math.NaN(): "r = 0.728, 95% CI 0.599–0.820, not tested"} {
		a := results(nil, &finding.Results{Plan: &finding.Settings{}, Within: "site", Number: "age",
			Regression: []column.RegressionRow{{Name: "SVR", R: 0.728, RLow: 0.599, RHigh: 0.82, RWithin: within,
				Folds: 5, RFolds: 5, P: math.NaN()}}})
		need.Equal(t, strings.Contains(a.RegressionResult(), want), true, a.RegressionResult())
	}
}

// Predictions are averaged over draws or sessions only where participants have several.
func TestOver(t *testing.T) {
	row := func(level string, accuracy float64) Row {
		return Row{AccuracyRow: column.AccuracyRow{Level: level, Accuracy: accuracy}}
	}
	one, several := []Row{row("graph", 0.5), row("participant", 0.5)}, []Row{row("graph", 0.4), row("participant", 0.5)}
	numbers := func(ids ...string) *encoding.Table {
		rows := []fold.NumberRow{{ID: "z", Fold: 1, Repeat: 1, Set: "train"}}
		for i, id := range ids {
			rows = append(rows, fold.NumberRow{ID: id, Draw: int32(i), Fold: 1, Repeat: 1, Set: "test"})
		}
		return column.Table(rows)
	}
	draws := finding.StageSettings{Stage: "clean", Kind: "denoise", Values: map[string][][]string{"draws": {{"10"}}}}
	sessions := finding.StageSettings{Stage: "pooled", Kind: "sessions"}
	visit := dag.InputOf(numbers("a"), dag.Coord{Axis: "session", Value: "1"})
	for _, c := range []struct {
		accuracy  []Row
		predicted *encoding.Table
		plan      []finding.StageSettings
		cleaning  []dag.Input
		want      string
	}{
		{accuracy: one, plan: []finding.StageSettings{draws, sessions}}, {accuracy: several, want: "draws"},
		{accuracy: several, plan: []finding.StageSettings{draws}, want: "draws"},
		{accuracy: several, plan: []finding.StageSettings{sessions}, want: "sessions"},
		{accuracy: several, cleaning: []dag.Input{visit}, want: "sessions"},
		{accuracy: several, plan: []finding.StageSettings{draws, sessions}, want: "sessions and draws"},
		{predicted: numbers("a", "b"), plan: []finding.StageSettings{draws}},
		{predicted: numbers("a", "a", "b", "b"), want: "draws"},
		{predicted: numbers("a", "a", "b", "b"), plan: []finding.StageSettings{sessions}, want: "sessions"},
	} {
		in, of := map[string][]dag.Input{"cleaning": c.cleaning}, &finding.Results{Accuracy: c.accuracy}
		if c.predicted != nil {
			in["predicted"], of.Regression = []dag.Input{dag.InputOf(c.predicted)}, make([]column.RegressionRow, 1)
		}
		a := results(dag.NewTask(in), of)
		a.Plan.Stages = c.plan
		need.Equal(t, a.Over(), c.want)
		need.NoError(t, a.Err())
	}
}
