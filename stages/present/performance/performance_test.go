package performance

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
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
	need.NoError(t, a.folds())
	var captions []string
	for _, b := range a.Section.Blocks {
		if b.Table != nil {
			captions = append(captions, b.Table.Caption)
		}
	}
	need.Equal(t, strings.Join(captions, "; "), "Performance in each fold; Accuracy of PR-GNN in each fold, per participant")
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

// How p was computed, of classifiers with different tests.
func TestTestsOf(t *testing.T) {
	row := func(title, test string, permutations, folds int32) Row {
		r := Row{Title: title}
		r.Level, r.Test, r.Permutations, r.TestFolds, r.TestAccuracy = "participant", test, permutations, folds, 0.639
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

// Errors of all models have the same decimals.
func TestErrorsAlike(t *testing.T) {
	a := results(nil, &finding.Results{Regression: []column.RegressionRow{
		{MAE: 11.96, MAELow: 10, MAEHigh: 14.21}, {MAE: 11.9, MAELow: math.NaN(), MAEHigh: math.NaN()}}})
	for x, want := range map[float64]string{11.96: "12.0", 11.9: "11.9", 10: "10.0", 14.21: "14.2"} {
		need.Equal(t, a.Error(x), want)
	}
}
