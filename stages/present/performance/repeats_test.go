package performance

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/present/section"
)

// A p of the first of several repeats stands beside the measures of that repeat, and is called no test of all.
func TestFirstRepeat(t *testing.T) {
	r := Row{AccuracyRow: column.AccuracyRow{Level: "participant", Name: "PR-GNN", Test: fold.PerFold,
		P: 0.04, AUCP: 0.046,
		Permutations: 9999, Least: 0.001, Folds: 9, TestFolds: 3, Accuracy: 0.556, TestAccuracy: 0.639, AUC: 0.543,
		TestAUC: 0.731, Majority: 0.5, Low: 0.4, High: 0.7, Participants: 36}, Title: "PR-GNN", Own: true}
	a := &Results{Writer: section.NewWriter(dag.NewTask(nil)), Accuracy: []Row{r}}
	need.Equal(t, strings.Join(a.ChanceTests(r, "accuracy"), ""),
		"p = 0.040 (fold by fold, models not retrained; first repeat: accuracy 0.639)")
	need.Equal(t, strings.Join(a.ChanceTests(r, "auc"), ""),
		"p = 0.046 (fold by fold, models not retrained; first repeat: AUC 0.731)")
	need.Equal(t, a.Shown(r), "PR-GNN (0.556, tested in the first repeat, fold by fold: 0.639)")
	if text := testsOf(a.Accuracy); !strings.Contains(text, " p is of the first repeat only, with the accuracy PR-GNN 0.639; ") {
		t.Error(text)
	}
	a.CautionAccuracy()
	if text := strings.Join(a.Page.Cautions, "\n"); !strings.Contains(text, "PR-GNN: p is of the first repeat (accuracy "+
		"0.639, AUC 0.731) and no test of the accuracy (0.556) and AUC (0.543) over all repeats") {
		t.Error(text)
	}
	n := column.RegressionRow{Name: "ridge", Test: fold.Retrained, P: 0.01, TestFolds: 2, Folds: 10, TestR: 0.3, R: 0.2,
		R2: 0.1, R2Low: math.NaN(), Participants: 24}
	b := &Results{Writer: section.NewWriter(dag.NewTask(nil)), Regression: []column.RegressionRow{n}}
	of, _ := b.testOfR(n)
	need.Equal(t, of.how, "with retrained models (first repeat: r 0.300)")
	b.cautionRegression("age")
	if text := strings.Join(b.Page.Cautions, "\n"); strings.Contains(text, "A fold tests only") { // 12
		t.Error(text)
	}
}

// One repeat needs no such words.
func TestOneRepeat(t *testing.T) {
	r := Row{AccuracyRow: column.AccuracyRow{Level: "participant", Test: fold.PerFold, P: 0.04, Least: 0.001, Folds: 5,
		Permutations: 9999, Accuracy: 0.6}, Title: "PR-GNN", Own: true}
	if text := testsOf([]Row{r}); strings.Contains(text, "repeat") {
		t.Error(text)
	}
}
