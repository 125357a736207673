package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/stagetest"
)

// A page says that the checks passed only when every comparison was made; else it names the others, as a caution, too.
func TestLeakageChecksThatWereNotMade(t *testing.T) {
	every := []string{fold.ScansCompared, fold.SignalsCompared, fold.FeaturesCompared, fold.PredictionsCompared}
	without := func(drop ...string) []string {
		return slices.DeleteFunc(slices.Clone(every), func(c string) bool { return slices.Contains(drop, c) })
	}
	for _, c := range []struct {
		name   string
		checks [][]string // of each stage
		missed string     // "": none
	}{
		{"in one stage", [][]string{every}, ""},
		{"in two stages", [][]string{every[:3], every[3:]}, ""},
		{"no duplicates stage", [][]string{every[3:]}, "volumes of scans, signals of series or features"},
		{"no scans", [][]string{without(fold.ScansCompared, fold.SignalsCompared)}, "volumes of scans or signals of series"},
		{"no series", [][]string{without(fold.SignalsCompared)}, "signals of series"},
		{"no filtered series", [][]string{append(without(fold.SignalsCompared), fold.MeanSignalsCompared)},
			"signals of series after a temporal filter or global signal regression"},
		{"no features", [][]string{without(fold.FeaturesCompared)}, "features"},
		{"no check after training", [][]string{every[:3]}, "predictions with the folds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			evaluation, _ := stagetest.Evaluated(0.8, 0.7, 0.9)
			in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
				"evaluation": {dag.InputOf(evaluation)}}
			for _, checks := range c.checks {
				in["leakage"] = append(in["leakage"], dag.InputOf(encoding.NewTable(
					encoding.Column{Name: "check", Values: checks},
					encoding.Column{Name: "of", Values: slices.Repeat([]int32{10}, len(checks))},
					encoding.Column{Name: "found", Values: make([]int32, len(checks))})))
			}
			text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
			caution := "The leakage checks of this pipeline did not compare " + c.missed
			switch passed := strings.Contains(text, "Leakage checks passed: "); {
			case c.missed == "" && (!passed || strings.Contains(text, "did not compare")):
				t.Error(text)
			case c.missed != "" && (passed || !strings.Contains(text, caution+" ") ||
				!strings.Contains(text, "0 violations. The checks did not compare "+c.missed+".")):
				t.Errorf("want %s in %s", caution, text)
			}
		})
	}
}

// A page never says that the checks passed where a program took participants together: what it did is not known.
func TestUncheckedPrograms(t *testing.T) {
	every := []string{fold.ScansCompared, fold.SignalsCompared, fold.FeaturesCompared, fold.PredictionsCompared}
	checks := dag.InputOf(encoding.NewTable(encoding.Column{Name: "check", Values: every},
		encoding.Column{Name: "of", Values: []int32{10, 10, 10, 10}},
		encoding.Column{Name: "found", Values: make([]int32, 4)}))
	evaluation, _ := stagetest.Evaluated(0.8, 0.7, 0.9)
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(evaluation)}, "leakage": {checks},
		"unchecked": {dag.InputOf(column.Table([]column.Unchecked{{By: "fit", Stage: "train", Input: "edges"},
			{By: "fit", Stage: "ridge", Input: "pearson"}}))}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
	for _, want := range []string{
		"- No leakage check covers the stage fit, which can read several participants or their labels.",
		"Its results enter train (input edges) and ridge (input pearson)",
		"Leakage checks: 4 checks, 40 comparisons, 0 violations. The checks did not cover what fit computed from several participants or their labels.",
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "Leakage checks passed") {
			t.Errorf("want %s in %s", want, text)
		}
	}
	delete(in, "leakage")
	if text := summaryText(t, &Summary{}, in); !strings.Contains(text, "No leakage check covers the stage fit") {
		t.Errorf("without a leakage stage: %s", text)
	}
}

// A permutation test of one classifier leaves the others without retraining, and every sentence on them says so.
func TestWarningOfClassifiersThatWereNotRetrained(t *testing.T) {
	row := func(name string, accuracy, p float64) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "model", Value: name}}, Name: name,
			Classifier: classifierNamed(name),
			Test:       column.PerFold, P: p, Permutations: 9999, Level: "participant",
			Accuracy: accuracy, Low: accuracy - 0.1, High: accuracy + 0.1, Majority: 0.5,
			Participants: 40, Folds: 2}
	}
	evaluation := column.Table([]column.AccuracyRow{row("PR-GNN", 0.5, 1), row("linear SVM", 0.9, 0.001),
		row("ridge regression", 0.8, 0.001)}, "model")
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(evaluation)},
		"permutation": {dag.InputOf(column.Table([]column.PermutationTestRow{{Name: "ridge regression",
			Measure: "accuracy", Observed: 0.8, P: 0.001, Permutations: 999}}))}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
	for _, want := range []string{"linear SVM (accuracy 0.900, tested fold by fold) and ridge regression (accuracy 0.800).",
		"In the test against chance, the test labels were permuted 9,999 times fold by fold, without retraining",
		"For ridge regression, the p that counts is that of a permutation test below."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// A permutation test with too few label permutations for Holm's correction says so beside the classifiers above
// chance: of
// 24 the smallest p is 0.04, twice that beside one classifier with a smaller p and one with a larger one.
func TestTooFewShufflesForHolm(t *testing.T) {
	row := func(name string, accuracy, p float64) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "model", Value: name}}, Name: name,
			Classifier: classifierNamed(name),
			Test:       column.PerFold, P: p, Permutations: 9999, Level: "participant",
			Accuracy: accuracy, Low: accuracy - 0.1, High: accuracy + 0.1, Majority: 0.5, Participants: 40, Folds: 2}
	}
	evaluation := column.Table([]column.AccuracyRow{row("PR-GNN", 0.5, 1), row("linear SVM", 0.9, 0.001),
		row("ridge regression", 0.8, 0.001)}, "model")
	for n, want := range map[int32]string{
		24: "linear SVM (accuracy 0.900, tested fold by fold). The 24 label permutations of ridge regression cannot give p < 0.05 after Holm's " +
			"correction for 3 classifiers (at best 0.080); use at least 60.",
		60: "linear SVM (accuracy 0.900, tested fold by fold) and ridge regression (accuracy 0.800). A",
	} {
		in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
			"evaluation": {dag.InputOf(evaluation)},
			"permutation": {dag.InputOf(column.Table([]column.PermutationTestRow{{Name: "ridge regression",
				Measure: "accuracy", Observed: 0.8, P: 1 / float64(n+1), Permutations: n}}))}}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
		if !strings.Contains(text, want) {
			t.Errorf("%d: %q is missing in %s", n, want, text[:600])
		}
	}
}

// One sentence is for all classifiers whose label permutations cannot give a small p, however many there are.
func TestTooFewPermutationsOfMany(t *testing.T) {
	rows := make([]column.AccuracyRow, 0, 24)
	for i := range 24 {
		model := []string{"ridge", "svm"}[i%2]
		name := fmt.Sprintf("%s %d", column.Classifiers[model], i)
		rows = append(rows, column.AccuracyRow{Coords: []dag.Coord{{Axis: "model", Value: name}}, Name: name,
			Classifier: model, Test: column.Retrained, P: 0.01, AUCP: 0.01, AUC: 0.8, Least: 0.005,
			Permutations: 199, Level: "participant", Accuracy: 0.8, Low: 0.7, High: 0.9, Majority: 0.5,
			Participants: 40, Folds: 2})
	}
	rows[2].P = 0.2
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(column.Table(rows, "model"))}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Headline: []string{"model=ridge regression 2"}}, in)), " ")
	const want = "The label permutations cannot give p < 0.05 after Holm's correction for 24 settings of 2 classifiers (at best 0.120)."
	if n := strings.Count(text, "p < 0.05 after Holm's correction for 24 settings"); n != 1 || !strings.Contains(text, want) {
		t.Errorf("%d sentences, expected one, %q, in %s", n, want, text)
	}
}

// So does a test without retraining whose labels have too few different permutations: of 64 the smallest p is 0.016,
// four times that beside three classifiers.
func TestTooFewPermutationsForHolm(t *testing.T) {
	names := []string{"PR-GNN", "linear SVM", "ridge regression", "SVM (RBF)"}
	rows := lists.Map(names, func(name string) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "model", Value: name}}, Name: name, Level: "participant",
			Classifier: classifierNamed(name),
			Test:       column.PerFold, P: 0.017,
			Least: 1. / 64, Permutations: 9999, Accuracy: 1, Low: 0.9, High: 1, Majority: 0.5,
			Participants: 40, Folds: 2}
	})
	rows[0].P = 0.2
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
		"evaluation": {dag.InputOf(column.Table(rows, "model"))}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
	for _, want := range []string{"No other classifier is shown to be above chance (p with Holm's correction for 4 classifiers). The " +
		"fold-by-fold test cannot give p < 0.05 after Holm's correction for 4 classifiers (at best 0.062); retrain the models (docs/statistics.md)."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// Where two participants may be one person, no sentence gives an accuracy without saying so.
func TestSimilarScansQualifyTheResult(t *testing.T) {
	checks := encoding.NewTable(encoding.Column{Name: "check", Values: []string{fold.ScansCompared}},
		encoding.Column{Name: "of", Values: []int32{10}}, encoding.Column{Name: "found", Values: []int32{0}})
	row := func(stage, name string, accuracy, p float64) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "stage", Value: stage}}, Name: name,
			Classifier: classifierNamed(name),
			Test:       column.PerFold, P: p, Level: "participant", Accuracy: accuracy,
			Low: accuracy - 0.1, High: accuracy + 0.1,
			Majority: 0.5, Participants: 40, Folds: 2}
	}
	const doubt = "(too high if one person has two ids; "
	const why = " In 3 pairs of participants in different folds, the connectivity is as similar as in two scans of one person."
	for pairs, want := range map[string][]string{
		"3": {"Result: the accuracy per participant (PR-GNN) is 0.500 " + doubt + "pooled over 2 folds)", why,
			"One of the other classifiers is above chance " + doubt + "p with Holm's correction for 2 classifiers): linear SVM (accuracy 0.900, tested fold by fold)"},
		"": {"Result: the accuracy per participant", "classifiers): linear SVM (accuracy 0.900, tested fold by fold)"},
	} {
		checks.Meta = map[string]string{column.SimilarScans: pairs}
		evaluation := column.Table([]column.AccuracyRow{row("train", "PR-GNN", 0.5, 1),
			row("svm", "linear SVM", 0.9, 0.001)}, "stage")
		in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
			"evaluation": {dag.InputOf(evaluation)}, "leakage": {dag.InputOf(checks)}}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q: %q is missing in %s", pairs, w, text)
			}
		}
	}
}

// A leak that was let pass is told as one, and the row of its classifier is marked: of the other classifier it is not.
func TestAdmittedLeaks(t *testing.T) {
	every := []string{fold.ScansCompared, fold.SignalsCompared, fold.FeaturesCompared, fold.PredictionsCompared}
	checks := encoding.NewTable(encoding.Column{Name: "check", Values: every},
		encoding.Column{Name: "of", Values: []int32{10, 10, 10, 10}},
		encoding.Column{Name: "found", Values: make([]int32, 4)})
	row := func(stage, name string) column.AccuracyRow {
		return column.AccuracyRow{Coords: []dag.Coord{{Axis: "stage", Value: stage}}, Name: name, Level: "participant",
			Classifier: classifierNamed(name),
			Accuracy:   0.8, Low: 0.7, High: 0.9, Majority: 0.5, Participants: 40, Folds: 2}
	}
	for admitted, want := range map[string][]string{
		column.JSON([][]dag.Coord{{{Axis: "stage", Value: "train"}, {Axis: "fold", Value: "1"}},
			{{Axis: "stage", Value: "train"}, {Axis: "fold", Value: "2"}}}): {"Leakage checks: 4 checks, 40 comparisons, 2 admitted violations.",
			"PR-GNN (leakage, ", " linear SVM 0.800"},
		"": {"Leakage checks passed: 4 checks, 40 comparisons, 0 violations.", "PR-GNN 0.800", " linear SVM 0.800"},
	} {
		checks.Meta = map[string]string{column.AdmittedLeaks: admitted, column.AlikeByChance: `{"N":3,"Mean":0.8,"Filtered":0.65,"LeastMean":1e-9,"LeastFiltered":1e-8,"Any":1e-4,"Rarest":[{"First":"a","Later":"b","Filtered":true,"R":0.7,"Volumes":90,"Lag":2,"FirstInput":"x","LaterInput":"y"}]}`}
		want = append(want, "3 pairs of series of different participants correlate")
		evaluation := column.Table([]column.AccuracyRow{row("train", "PR-GNN"), row("svm", "linear SVM")}, "stage")
		in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(40, "ASD", "HC"))},
			"evaluation": {dag.InputOf(evaluation)}, "leakage": {dag.InputOf(checks)}}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{}, in)), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q is missing in %s", admitted, w, text)
			}
		}
	}
}

// classifierNamed is the classifier (column.Classifiers) that a name for people begins with; "" for none.
func classifierNamed(name string) string {
	for model, word := range column.Classifiers {
		if strings.HasPrefix(name, word) {
			return model
		}
	}
	return ""
}
