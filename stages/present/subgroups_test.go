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

// The section on groups has the headline's tables and figure, what may not be concluded, and its cautions; of a
// suppressed group it has no number. Other classifiers are folded away.
func TestSubgroups(t *testing.T) {
	nan := math.NaN()
	of := func(model string) []dag.Coord { return []dag.Coord{{Axis: "model", Value: model}} }
	row := func(model, by, group string, n float64) column.SubgroupRow {
		r := column.SubgroupRow{Coords: of(model), Name: column.Classifiers[model], Column: by, Group: group,
			Suppressed: "<10", From: nan, To: nan, N: nan, Positive: nan, Accuracy: nan, AUC: nan, Sensitivity: nan,
			Specificity: nan, Score: nan, Brier: nan, Large: nan, Intercept: nan, Slope: nan}
		if n >= 10 {
			r.Suppressed, r.N, r.Positive, r.Accuracy, r.Low, r.High = "", n, n/2, 0.7, 0.6, 0.8
			r.AUC, r.AUCLow, r.AUCHigh, r.Slope, r.SlopeLow, r.SlopeHigh = 0.75, 0.65, 0.83, 0.52, 0.2, 0.9
			r.Brier, r.BrierLow, r.BrierHigh = 0.2, 0.15, 0.25
		}
		return r
	}
	test := func(model, measure string, holm float64) column.SubgroupTestRow {
		return column.SubgroupTestRow{Coords: of(model), Name: column.Classifiers[model], Column: "sex",
			Measure: measure, Groups: 2, High: "F", Low: "M", Difference: 0.2, DiffLow: 0.05, DiffHigh: 0.33,
			P: holm / 2, Holm: holm, Chi: 3, ChiP: 0.04, Detectable: 0.26, Permutations: 1999}
	}
	old := row("logistic", "age", "oldest", 12)
	old.From, old.To = 11.25, 17.7
	other := test("svm", "accuracy", 0.02) // of a classifier whose table is folded away
	other.High, other.Low, other.Detectable = "site1", "site2", 0.44
	in := map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"subgroups": {dag.InputOf(column.Table([]column.SubgroupRow{row("logistic", "sex", "F", 31),
			row("logistic", "sex", "M", 44), row("logistic", "site", "small", 3), old,
			row("svm", "sex", "F", 31)}, "model"))},
		"subgroup_tests": {dag.InputOf(column.Table([]column.SubgroupTestRow{test("logistic", "accuracy", 0.012),
			test("logistic", "auc", 0.3), other}, "model"))},
	}
	out := stagetest.MustRun(t, stagetest.Fresh("report"), in)
	text := strings.Join(strings.Fields(unbroken.Replace(string(out["page"].(artifacts.Bytes).Data))), " ")
	for _, want := range []string{"Subgroups", "oldest (11.2–17.7)", "&lt;10", "0.52", "0.26", "SVM (RBF)", "Logistic regression",
		"that logistic regression performs equally well in all groups: between F and M (sex), only differences in " +
			"accuracy of at least 0.26 are found with a power of 80% after correction for all comparisons",
		"the part of the difference that classes and sites alone give", "above expectation"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	summary := stagetest.MustRun(t, stagetest.Fresh("summary"), in)
	codes := need.Value(summary["findings"].(*encoding.Table).Strings("code"))(t)
	need.Equal(t, strings.Join(codes, " "), "subgroups.differ subgroups.differ subgroups.suppressed")
	if !strings.Contains(string(summary["text"].(artifacts.Bytes).Data), "<10") {
		t.Error("the summary lacks the groups")
	}
	// The majority classifier has no finding of its own.
	in["evaluation"] = []dag.Input{dag.InputOf(column.Table([]column.AccuracyRow{{Coords: of("logistic"),
		Classifier: "majority", Level: "participant"}, {Coords: of("svm"),
		Classifier: "svm", Level: "participant"}}, "model"))}
	summary = stagetest.MustRun(t, stagetest.Fresh("summary"), in)
	codes = need.Value(summary["findings"].(*encoding.Table).Strings("code"))(t)
	need.Equal(t, strings.Count(strings.Join(codes, " "), "subgroups.differ"), 1)
	delete(in, "evaluation")
	// The positive group is stated.
	with := column.Table([]column.SubgroupRow{row("logistic", "sex", "F", 31)}, "model")
	with.Meta = map[string]string{column.PositiveMeta: "B"}
	whole := in["subgroups"]
	in["subgroups"] = []dag.Input{dag.InputOf(with)}
	stated := unbrokenPage(t, in)
	need.Equal(t, strings.Contains(stated, "participants of the positive group (B)"), true)
	in["subgroups"] = whole
	// No difference of shares is above 1.
	far := test("logistic", "accuracy", 0.3)
	far.Detectable = 1.22
	in["subgroup_tests"] = []dag.Input{dag.InputOf(column.Table([]column.SubgroupTestRow{far}, "model"))}
	beyond := strings.Join(strings.Fields(unbrokenPage(t, in)), " ")
	need.Equal(t, strings.Contains(beyond, "no difference in accuracy is found with a power of 80%"), true)
	need.Equal(t, strings.Contains(beyond, "1.22"), false)
	// Of three groups, no one is positive, and no probability has a threshold.
	three := row("logistic", "sex", "F", 31)
	three.Positive = nan
	in["subgroups"] = []dag.Input{dag.InputOf(column.Table([]column.SubgroupRow{three}, "model"))}
	plain := unbrokenPage(t, in)
	if strings.Contains(plain, "the threshold is") || strings.Contains(plain, "shares of the positive class") {
		t.Error("the page has a threshold or a positive class of three groups")
	}
	delete(in, "subgroups")
	page := unbrokenPage(t, in)
	need.Equal(t, strings.Contains(page, "Subgroups"), false)
}

// Of models of a number, the same section has r, mean absolute error and mean error, in units of the number.
func TestSubgroupsOfNumbers(t *testing.T) {
	row := func(model, group string, r float64) column.NumberSubgroupRow {
		return column.NumberSubgroupRow{Coords: []dag.Coord{{Axis: "model", Value: model}}, Name: model, Column: "sex",
			Group: group, From: math.NaN(), To: math.NaN(), N: 30,
			NumberMeasures: column.NumberMeasures{Mean: 41.5, SD: 8.2, R: r, RLow: 0.1, RHigh: 0.6, MAE: 12.5,
				MAELow: 10.5, MAEHigh: 14.5, Error: -1.5, ErrorLow: -2.5, ErrorHigh: -0.5}}
	}
	groups := []column.NumberSubgroupRow{row("mean", "F", math.NaN()), row("mean", "M", math.NaN()),
		row("ridge", "F", 0.41), row("ridge", "M", 0.43)}
	groups[2].Error = -1.52 // one number of decimals in a column
	groups[3].Error, groups[3].ErrorLow, groups[3].ErrorHigh = 0.412, -6.75, 17.58
	tests := []column.NumberSubgroupTestRow{{Coords: groups[2].Coords, Name: "ridge", Column: "sex", Measure: "mae",
		Groups: 2, High: "F", Low: "M", Difference: 4.25, DiffLow: 1.25, DiffHigh: 7.25, P: 0.001, Holm: 0.003,
		Permutations: 1999}}
	trivial := tests[0] // the mean for everybody
	trivial.Coords, trivial.Name, trivial.High, trivial.Low = groups[0].Coords, "mean", "M", "F"
	tests = append(tests, trivial)
	in := map[string][]dag.Input{
		"participants":   {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"subgroups":      {dag.InputOf(column.Table(groups, "model"))},
		"subgroup_tests": {dag.InputOf(column.Table(tests, "model"))},
	}
	page := unbrokenPage(t, in)
	text := strings.Join(strings.Fields(page), " ")
	for _, want := range []string{"Ridge was tested in 2 groups", "10.5–14.5", "−2.5 to −0.5",
		"4.25 (1.25–7.25)", ">41.5", "a smaller within-fold r at the same error", "it is not the mean of the folds", "The MAE of ridge is larger in F than in M",
		"mean absolute error", ">0.4 (−6.8 to 17.6)<", ">−1.5 (−2.5 to −0.5)<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	need.Equal(t, strings.Contains(text, "The MAE of mean is larger"), false)
	groups = append(groups, row("svr", "F", 0.31), row("svr", "M", 0.33))
	in["subgroups"] = []dag.Input{dag.InputOf(column.Table(groups, "model"))}
	in["regression"] = []dag.Input{dag.InputOf(column.Table([]column.RegressionRow{
		{Coords: groups[2].Coords, Name: "ridge"}, {Coords: groups[4].Coords, Name: "svr"}}, "model"))}
	headed := stagetest.MustRun(t, stagetest.Fresh("report", "headline", []any{"model=svr"}), in)["page"]
	need.Equal(t, strings.Contains(strings.Join(strings.Fields(string(headed.(artifacts.Bytes).Data)), " "),
		"Svr was tested in 2 groups"), true)
	for _, not := range []string{"classifier", "AUC", "accuracy"} {
		at := strings.Index(text, "<h2>Subgroups")
		if at >= 0 && strings.Contains(text[at:], not) {
			t.Errorf("the section has %q", not)
		}
	}
	summary := stagetest.MustRun(t, stagetest.Fresh("summary"), in)
	need.Equal(t, strings.Contains(string(summary["text"].(artifacts.Bytes).Data), "0.430"), true)
}
