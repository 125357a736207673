package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/stages/assess"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

// By hand: as it is, three of four are right; in the permutations four, two and one.
func TestPermutationByHand(t *testing.T) {
	ins := slices.Concat(
		stagetest.NumberedFolds(0, [4]int{0, 1, 0, 1}, 0.1, 0.9, 0.2, 0.4),
		stagetest.NumberedFolds(1, [4]int{1, 0, 0, 1}, 0.9, 0.1, 0.2, 0.8),
		stagetest.NumberedFolds(2, [4]int{0, 1, 1, 0}, 0.1, 0.9, 0.2, 0.8),
		stagetest.NumberedFolds(10, [4]int{1, 0, 1, 0}, 0.1, 0.9, 0.2, 0.4),
	)
	out := stagetest.MustRun(t, &assess.Permutation{}, map[string][]dag.Input{"predictions": ins})
	test := out["test"].(*encoding.Table)
	chance := []float64{1, 0.5, 0.25}
	mean, sd := column.MeanSD(chance)
	aucs := []float64{1, 0.5, 0}
	aucMean, aucSD := column.MeanSD(aucs)
	for column, want := range map[string][]float64{
		"observed": {0.75, 0.75, 1}, "chance_mean": {mean, mean, aucMean}, "chance_sd": {sd, sd, aucSD},
		"chance_95":    {0.95, 0.95, 0.95},
		"permutations": {3, 3, 3}, "p": {0.5, 0.5, 0.5},
	} {
		if got := stagetest.FloatsOf(t, test, column); !stagetest.Near(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
	null := out["null"]
	for column, want := range map[string][]float64{"permutation": {0, 1, 2, 10}, "accuracy": {0.75, 1, 0.5, 0.25},
		"auc": {1, 1, 0.5, 0}} {
		if got := stagetest.FloatsOf(t, null, column); !stagetest.Near(got, want) {
			t.Errorf("null %s: %v, want %v", column, got, want)
		}
	}
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	in["permutation"] = []dag.Input{dag.InputOf(test)}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"accuracy 0.750 0.583 0.950 3 0.500", "AUC 1.000 0.500 0.950 3 0.500", "The permutation test cannot be significant, because 3 label permutations cannot give a p below 0.25 (p < 0.05 needs at least 20)", "The permutation test retrained a model whose result with the true labels differs from that of the evaluated model (accuracy 0.750 with the true labels). Its p is not attributed to any evaluated model, and no result above chance is reported for the model (accuracy 0.800)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestPermutationsOfClassifiersTooFew: one caution names all classifiers with the same number of label permutations.
func TestPermutationsOfClassifiersTooFew(t *testing.T) {
	in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
	var test []column.PermutationTestRow
	for _, c := range []struct {
		name  string
		draws int32
	}{{"SVM", 9}, {"ridge", 9}, {"MLP", 3}} {
		test = append(test, column.PermutationTestRow{Name: c.name, Measure: "auc", Observed: 0.8, Mean: 0.5,
			Quantile95: 0.6, Permutations: c.draws, P: 0.5})
	}
	in["permutation"] = []dag.Input{dag.InputOf(column.Table(test))}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	for _, want := range []string{"The permutation test of SVM and ridge cannot be significant, because 9 label permutations",
		"The permutation test of MLP cannot be significant, because 3 label permutations"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, text)
		}
	}
}

// The smallest p of 19 permutations is written as a bound, in the table and the sentence; with 99 the test can be
// significant, or not.
func TestPermutationAtItsFloor(t *testing.T) {
	rows := func(p float64, permutations int32) string {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		var test []column.PermutationTestRow
		for i, measure := range []string{"auc", "accuracy"} {
			test = append(test, column.PermutationTestRow{Measure: measure, Observed: 0.8, Mean: 0.5, Quantile95: 0.6,
				Permutations: permutations, P: p + float64(1-i)/50})
		}
		in["permutation"] = []dag.Input{dag.InputOf(column.Table(test))}
		return strings.Join(strings.Fields(summaryText(t, &Summary{Top: 10}, in)), " ")
	}
	for _, c := range []struct {
		p            float64
		permutations int32
		want         []string
	}{
		{1.0 / 20, 19, []string{"0.800 0.500 0.600 19 ≤ 0.05", "p ≤ 0.05 (models retrained on 19 label permutations; p cannot be below 0.05)", "19 label permutations cannot give a p below 0.05 (p < 0.05 needs at least 20)"}},
		{0.31, 99, []string{"0.800 0.500 0.600 99 0.310", "p = 0.310 (models", "The permutation test is not significant (p = 0.310 for the accuracy, α = 0.05), so the accuracy may be due to chance"}},
	} {
		text := rows(c.p, c.permutations)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
	if text := rows(0.01, 99); strings.Contains(text, "permutation test is not") || strings.Contains(text, "cannot") {
		t.Errorf("p is 0.01\n%s", text)
	}
}

// A permutation test of another training than the one that was evaluated says so: by the settings where they are
// connected, else by the accuracy with the true labels.
func TestPermutationOfAnotherTraining(t *testing.T) {
	const said = "The model: the permutation test "
	setting := func(stage string, tasks int32, parameter string, value ...string) finding.Parameter {
		return finding.Parameter{Stage: stage, Kind: "train", Tasks: tasks, Parameter: parameter, Value: value,
			Default: value}
	}
	settings := func(epochs, pool string) []finding.Parameter {
		return []finding.Parameter{setting("permuted", 100, "epochs", epochs), setting("permuted", 100, "pool", pool),
			setting("permuted", 100, "scores_of", "test"), setting("permuted", 100, "orders", "0"),
			setting("train", 5, "orders", "5"), setting("train", 5, "epochs", "20"),
			setting("train", 5, "pool", "topk"), setting("train", 5, "pool", "sage"), setting("train", 5,
				"scores_of", "all")}
	}
	for _, c := range []struct {
		name               string
		settings           []finding.Parameter
		observed           float64
		how, caution, tell string // "" for none
	}{
		{"the same", settings("20", "sage"), 0.8, "p = 0.310 (models retrained on 99 label permutations)", "", ""},
		{"fewer epochs", settings("4", "topk"), 0.55,
			"The model distinguishes ASD from HC better than chance",
			said + "retrained the model with epochs 4 instead of 20. It tests that training (accuracy 0.550 with the true labels), not the evaluated model (accuracy 0.800). Its p is not used for the evaluated model, whose result differs",
			"For this test, the model was trained with epochs 4 instead of 20."},
		{"two settings, the same accuracy", settings("4", "none"), 0.8,
			"(models retrained on 99 label permutations with epochs 4 instead of 20, pool none instead of topk; sage)",
			said + "retrained the model with epochs 4 instead of 20, pool none instead of topk; sage. It tests that training (accuracy 0.800 with the true labels)",
			"trained with epochs 4 instead of 20, pool none instead of topk; sage."},
		{"unknown settings", nil, 0.55, "the accuracy is not reported as above chance, because a permutation test cannot be attributed to it",
			"The permutation test retrained a model whose result with the true labels differs from that of the evaluated model (accuracy 0.550 with the true labels). Its p is not attributed to any evaluated model, and no result above chance is reported for the model (accuracy 0.800)", ""},
	} {
		in := summaryInputs(t, stagetest.SomeParticipants(40, "ASD", "HC"))
		in["permutation"] = []dag.Input{dag.InputOf(column.Table([]column.PermutationTestRow{
			{Measure: "accuracy", Observed: c.observed, Permutations: 99, P: 0.31}}))}
		if c.settings != nil {
			rows := c.settings
			for _, kind := range []string{"permutation", "evaluate", "report"} {
				rows = append(rows, finding.Parameter{Stage: kind, Kind: kind, Tasks: 1})
			}
			table := settingsTable(rows...)
			table.Meta = links("evaluate predictions train.predictions", "permutation predictions permuted.predictions",
				"report evaluation evaluate.summary", "report permutation permutation.test")
			in["settings"] = []dag.Input{dag.InputOf(table)}
		}
		page := need.Value((&Report{Top: 5}).Page(dag.NewTask(in)))(t)
		text := page.Answer + "\n" + strings.Join(slices.Concat(page.Abstract, page.Results), "\n")
		if !strings.Contains(text, c.how) {
			t.Errorf("%s: no %q in %s", c.name, c.how, text)
		}
		cautions := strings.Join(page.Cautions, "\n")
		if !strings.Contains(cautions, c.caution) ||
			strings.Contains(strings.ReplaceAll(cautions, "The permutation test is not significant", ""), "permutation test") != (c.caution != "") {
			t.Errorf("%s: want %q in\n%s", c.name, c.caution, cautions)
		}
		methods, all := "", ""
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				if s.ID == "methods" {
					methods += b.Text + "\n"
				}
				if b.Table != nil && b.Table.Note != "" && strings.Contains(b.Table.Note, "every permutation") {
					other := strings.Contains(b.Table.Note, "The models were retrained with epochs 4 instead of 20")
					need.Equal(t, other, c.tell != "", c.name, b.Table.Note)
				}
				all += fmt.Sprintf("%+v %+v\n", b, b.Table)
			}
		}
		if !strings.Contains(methods, c.tell) || strings.Contains(methods, "For this test") != (c.tell != "") {
			t.Errorf("%s: want %q in\n%s", c.name, c.tell, methods)
		}
		counts := strings.Contains(c.how, "(models retrained on") // its p is the one that the abstract gives
		if strings.Contains(all, "the p that counts is that of a permutation") != counts {
			t.Errorf("%s: the note of the table does not follow the headline in\n%s", c.name, all)
		}
	}
}

// The methods name the models that were retrained, on how many permutations, and within what the labels were permuted.
func TestMethodsNameTheRetrainedModels(t *testing.T) {
	const one, kept = "lab", "family_id" // of one value; that no participant has
	for within, want := range map[string]string{
		kept: "on 99 permutations of the labels over all participants (the labels of participants who shared family_id or twin " +
			"were exchanged as a block with those of as many other participants, and among each other) [",
		"group": "on 99 permutations of the labels within values of group (the labels of participants who shared family_id or " +
			"twin were exchanged as a block with those of as many other participants, and among each other) [",
		one:    "A permutation test retrained SVM (permuted svm) and ridge (permuted ridge) on 99 permutations of the labels over all participants [",
		"age":  "A permutation test retrained SVM (permuted svm) and ridge (permuted ridge) on 99 permutations of the labels within values of age [",
		"site": "A permutation test retrained SVM (permuted svm) and ridge (permuted ridge) on 99 permutations of the labels over all participants [",
	} {
		in := stagetest.ReportInputs("sub-01", "ASD", "HC")
		people := *need.Value(in["participants"][0].Table())(t)
		people.Columns = append(people.Columns, encoding.Column{Name: one, Values: []string{"x", "x", "x"}})
		in["participants"] = []dag.Input{dag.InputOf(&people)}
		var tests []column.PermutationTestRow
		var rows []finding.Parameter
		for _, name := range []string{"SVM", "ridge"} {
			stage := "permuted_" + strings.ToLower(name)
			tests = append(tests, column.PermutationTestRow{Name: name, Measure: "accuracy", Permutations: 99, P: 0.5,
				Coords: []dag.Coord{{Axis: "stage", Value: stage}}})
			rows = append(rows, finding.Parameter{Stage: stage, Kind: "baseline", Parameter: "fold",
				Value: []string{"1"}},
				finding.Parameter{Stage: stage, Kind: "baseline", Parameter: "fold", Value: []string{"2"}})
		}
		in["permutation"] = []dag.Input{dag.InputOf(column.Table(tests, "stage"))}
		rows = append(rows, finding.Parameter{Stage: "folds", Kind: "split", Parameter: "within",
			Value: []string{within}})
		if within == kept || within == "group" {
			rows = append(rows, finding.Parameter{Stage: "folds", Kind: "split", Parameter: "keep_together",
				Value: []string{"family_id", "twin"}})
		}
		table := settingsTable(rows...)
		table.Meta = links("permuted_svm folds folds.folds", "permuted_ridge folds folds.folds")
		in["settings"] = []dag.Input{dag.InputOf(table)}
		page := need.Value((&Report{Top: 5}).Page(dag.NewTask(in)))(t)
		methods := ""
		for _, s := range page.Sections {
			for _, b := range s.Blocks {
				methods += b.Text + "\n"
			}
		}
		if !strings.Contains(methods, want) {
			t.Errorf("within %s: no %q in %s", within, want, methods)
		}
	}
}

// links are connections as metadata of the settings: stage, port and source of each.
func links(of ...string) map[string]string {
	return map[string]string{column.SettingLinks: column.JSON(lists.Map(of, func(link string) column.Link {
		words := strings.Fields(link)
		return column.Link{Stage: words[0], Port: words[1], From: column.Results(words[2])[0]}
	}))}
}
