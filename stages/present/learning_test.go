package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The section on sample size answers how many participants reach the target, and states where none are shown to help.
func TestLearningCurves(t *testing.T) {
	nan := math.NaN()
	ridge := column.LearningRow{Coords: []dag.Coord{{Axis: "model", Value: "ridge"}}, Name: "ridge regression",
		Measure: "auc", Folds: 5, Orders: 5, N: 140, Least: 14, Value: 0.702, Rise: 0.12, RiseSE: 0.03, Limit: 0.9,
		B: 1, C: 0.3, At: 0.71, AtLow: 0.62, AtHigh: 0.78, Twice: 0.76, TwiceLow: 0.66, TwiceUp: 0.84, Target: 0.75,
		Needed: 241, NeedLow: 92, NeedHigh: nan}
	svm := column.LearningRow{Coords: []dag.Coord{{Axis: "model", Value: "svm"}}, Name: "SVM (RBF)", Measure: "auc",
		Folds: 5, Orders: 5, N: 140, Least: 14, Value: 0.58, Rise: 0.01, RiseSE: 0.03, Flat: true, Why: "flat",
		Limit: nan, B: nan, C: nan, At: nan, AtLow: nan, AtHigh: nan, Twice: nan, TwiceLow: nan, TwiceUp: nan,
		Target: 0.75,
		Needed: nan, NeedLow: nan, NeedHigh: nan, Before: true}
	var points []column.CurvePointRow
	var curve []column.CurveRow
	for i, n := range []float64{14, 28, 49, 70, 105, 140} {
		for _, r := range []column.LearningRow{ridge, svm} {
			points = append(points, column.CurvePointRow{Coords: r.Coords, Name: r.Name, Share: n / 140, N: n,
				Value: 0.58 + 0.02*float64(i), SE: 0.03})
		}
		curve = append(curve, column.CurveRow{Coords: ridge.Coords, Name: ridge.Name, N: 2 * n, Value: 0.7, Low: 0.6,
			High: 0.8, Beyond: n > 70})
	}
	in := map[string][]dag.Input{
		"participants":    {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"learning":        {dag.InputOf(column.Table([]column.LearningRow{ridge, svm}, "model"))},
		"learning_points": {dag.InputOf(column.Table(points, "model"))},
		"learning_curve":  {dag.InputOf(column.Table(curve, "model"))},
	}
	page := string(stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"].(artifacts.Bytes).Data)
	text := strings.Join(strings.Fields(page), " ")
	for _, want := range []string{"Sample size", "241", "0.84", "flat", "<figure", "92"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	summary := stagetest.MustRun(t, stagetest.Fresh("summary"), in)
	codes := need.Value(summary["findings"].(*encoding.Table).Strings("code"))(t)
	need.Equal(t, strings.Join(codes, " "), "learning.fitted-before learning.flat")
	ridge.Needed, ridge.NeedLow = 14, 14 // the smallest size, below which nothing was measured
	in["learning"] = []dag.Input{dag.InputOf(column.Table([]column.LearningRow{ridge}, "model"))}
	least := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	for _, want := range []string{"At most 14 training participants, the smallest number that was tested (95% interval " +
		"at most 14 to above 2 × 140)", "≤ 14 (≤ 14 to > 2n)"} {
		if !strings.Contains(least, want) {
			t.Errorf("no %q in %s", want, least)
		}
	}
	svm.Rise = -0.08
	in["learning"] = []dag.Input{dag.InputOf(column.Table([]column.LearningRow{svm}, "model"))}
	if text := summaryText(t, &Summary{Top: 5}, in); strings.Contains(text, "rises by −") {
		t.Error(text)
	}
	delete(in, "learning_curve")
	stagetest.MustRun(t, stagetest.Fresh("report"), in)
}
