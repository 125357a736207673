package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// The section on covariates has the increment, a table of models and one of tests, and its cautions.
func TestConfounds(t *testing.T) {
	nan := math.NaN()
	in := map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"confounders": {dag.InputOf(column.Table([]column.ConfounderRow{
			{Name: "ridge regression", Covariate: "mean_fd", Participants: 40, Association: 0.31, Partial: 0.002,
				PartialHolm: 0.004, Prediction: 0.61, Full: 0.2, FullHolm: 0.2, FullLeast: 0.001, FullDraws: 999,
				Detectable: 0.18, Permutations: 999, Chance: 0.1, FullChance: 0.6},
			{Name: "ridge regression", Covariate: "site", Participants: 39, Association: nan, Partial: nan,
				PartialHolm: nan, FullHolm: nan, Prediction: nan, Full: nan, FullLeast: nan,
				Detectable: 0.18, Permutations: 999, Chance: nan, FullChance: nan, Why: "all values are equal"}}))},
		"confound_models": {dag.InputOf(column.Table([]column.ConfoundModelRow{
			{Features: "edges", Sample: "all", Participants: 40, Score: 0.66, Low: 0.5, High: 0.8},
			{Features: "deconfounded edges", Sample: "all", Participants: 40, Score: 0.68, Low: 0.5, High: 0.8},
			{Features: "edges", Sample: "matched test", Participants: 24, Score: 0.61, Low: nan, High: nan}}))},
		"confound_summary": {dag.InputOf(column.Table([]column.ConfoundSummaryRow{{Covariates: []string{"age",
			"mean_fd"},
			Measure: "AUC", Positive: "A", Participants: 40, Alone: 0.64, Both: 0.71, Increment: 0.07,
			Low: -0.02, High: 0.16, Removal: 0.02, RemovalLow: 0.01, RemovalHigh: 0.03,
			P: 0.12, Permutations: 199, Resamples: 40, Pairs: 12, Match: []string{"mean_fd"}}}))},
		"confound_matching": {dag.InputOf(column.Table([]column.ConfoundMatchRow{{Covariate: "mean_fd", Before: 1.08,
			After: 0.06}, {Covariate: "site=K_I", Before: 0.4, After: 0.3}}))},
	}
	page := unbrokenPage(t, in)
	text := strings.Join(strings.Fields(page), " ")
	for _, want := range []string{"mean AUC of 0.64", "0.71", "12 pairs", "Deconfounded edges", "1.08",
		"depend on mean framewise displacement beyond what the label explains (partial confounder test, ",
		" after Holm&#39;s correction for 2 confounder tests)", "p = 0.12", ">p (partial, Holm)<", ">0.004<",
		"predict better (AUC 0.68) than the original edges (0.66), a difference of 0.02", "fewer than 20", "R² of 0.18",
		">site K_I<", ">mean framewise displacement<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for doubt, valid := range map[string]bool{column.DoubtSite: true, column.DoubtRelated: false} {
		in["notes"] = []dag.Input{dag.InputOf(column.Table([]column.Note{{Text: "a note", Doubt: doubt}}))}
		page := unbrokenPage(t, in)
		need.Equal(t, strings.Contains(page, "In ridge regression, the edges hold no demonstrated information about"), valid, doubt)
		need.Equal(t, strings.Contains(page, "The p is not valid, because relatives"), !valid, doubt)
	}
	need.Equal(t, strings.Contains(text, "edges add"), false) // the interval includes 0
	need.Equal(t, strings.Contains(text, ">p (full)<"), true)
	for _, want := range []string{"The difference is 0.070 (95% CI −0.020 to 0.160, over resamples of the " +
		"participants), " +
		"so the edges are not shown to increase the AUC. A permutation test of whether the edges hold information about " +
		"the label beyond linear effects of the covariates gives p ", "information about the label beyond linear effects " +
		"of age and mean framewise displacement ("} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	sound := in["confound_summary"]
	delete(in, "notes")
	for alone, want := range map[float64]string{
		0.5: "The edges add 0.300 (95% CI 0.200–0.450, over resamples of the participants).",
		0.4: "The edges add 0.300 (95% CI 0.200–0.450, over resamples of the participants). The covariates alone score " +
			"below the chance level (0.5), which cross-validation with few participants can cause; the difference from " +
			"chance is 0.200.",
		0.25: "so the edges are not shown to increase the AUC. The covariates alone score below the chance level",
	} {
		in["confound_summary"] = []dag.Input{dag.InputOf(column.Table([]column.ConfoundSummaryRow{{
			Covariates: []string{"age"}, Measure: "AUC", Positive: "A", Participants: 40, Alone: alone,
			Both: alone + 0.3, Increment: 0.3, Low: 0.2, High: 0.45, P: 0.01, Permutations: 199, Resamples: 40,
			Pairs: -1}}))}
		page := strings.Join(strings.Fields(unbrokenPage(t, in)), " ")
		need.Equal(t, strings.Contains(page, want), true, want, page)
		need.Equal(t, strings.Contains(page, "includes a difference that covariates below the chance level explain"),
			alone == 0.25)
	}
	in["confound_summary"] = sound
	summary := stagetest.MustRun(t, stagetest.Fresh("summary"), in)["text"].(artifacts.Bytes)
	if !strings.Contains(string(summary.Data), "partial") {
		t.Error("the summary lacks the tests")
	}
	in["confounders"] = []dag.Input{dag.InputOf(column.Table([]column.ConfounderRow{{Name: "ridge regression",
		Model: "ridge", Covariate: "site", Participants: 40, Association: nan, Chance: nan, Partial: nan,
		PartialHolm: nan, Detectable: nan, Prediction: nan, FullChance: nan, Full: nan, FullHolm: nan, FullLeast: nan,
		Permutations: 999,
		Why:          "constant within folds"}}))}
	page = unbrokenPage(t, in)
	need.Equal(t, strings.Contains(page, ">p (full)<") || strings.Contains(page, ">not tested<"), false)
	need.Equal(t, strings.Contains(strings.Join(strings.Fields(page), " "),
		"The full test of ridge regression needs retrained models: add a stage of the kind permute-given"), true)
	need.Equal(t, strings.Contains(page, "has no partial test"), true)
	need.Equal(t, strings.Contains(page, "with a power of"), false)
	const differs = "can differ from its interval in the tables of performance"
	need.Equal(t, strings.Contains(strings.Join(strings.Fields(page), " "), differs), false)
	for model, want := range map[string]bool{"ridge": true, "svm": false} { // the same classifier with two intervals
		in["evaluation"] = []dag.Input{dag.InputOf(column.Table([]column.AccuracyRow{{Name: "one", Classifier: model,
			Level: "participant", Folds: 5, Participants: 40, Accuracy: 0.7, AUC: 0.66, Positive: "A"}}))}
		page = unbrokenPage(t, in)
		need.Equal(t, strings.Contains(strings.Join(strings.Fields(page), " "), differs), want, model)
	}
	for name := range in {
		if name != "participants" {
			delete(in, name)
		}
	}
	page = unbrokenPage(t, in)
	need.Equal(t, strings.Contains(page, "Models and covariates"), false)
}

// A number to predict is no label.
func TestConfoundsOfNumber(t *testing.T) {
	nan := math.NaN()
	out := stagetest.MustRun(t, stagetest.Fresh("summary"), map[string][]dag.Input{
		"participants": {dag.InputOf(stagetest.SomeParticipants(40, "A", "B"))},
		"confounders": {dag.InputOf(column.Table([]column.ConfounderRow{
			{Name: "ridge regression", Covariate: "mean_fd", Participants: 40, Partial: 0.002, PartialHolm: 0.004,
				Full: 0.2, FullHolm: 0.2, FullLeast: 0.001, FullDraws: 999, Permutations: 999},
			{Setting: "[model=rbf-svr]", Name: "SVR (RBF)", Model: "rbf-svr", Covariate: "mean_fd", Participants: 40,
				Partial: nan, PartialHolm: nan, Full: nan, FullHolm: nan, FullLeast: nan, Prediction: nan,
				Permutations: 999},
			{Setting: "[model=kernel-ridge]", Name: "kernel ridge regression", Model: "kernel-ridge", Covariate: "mean_fd",
				Participants: 40, Partial: nan, PartialHolm: nan, Full: nan, FullHolm: nan, FullLeast: nan,
				Prediction: nan, Permutations: 999}}))},
		"confound_models": {dag.InputOf(column.Table([]column.ConfoundModelRow{
			{Features: "edges", Sample: "all", Participants: 40, Score: 0.3, Low: 0.1, High: 0.4}}))},
		"confound_summary": {dag.InputOf(column.Table([]column.ConfoundSummaryRow{{Covariates: []string{"age"},
			Measure: "r", Participants: 40, Increment: 0.07, Low: -0.02, High: 0.16, P: 0.01, Permutations: 199,
			Resamples: 40, Pairs: -1, RemovalLow: nan}}))}})
	text := strings.Join(strings.Fields(string(out["text"].(artifacts.Bytes).Data)), " ")
	need.Equal(t, strings.Contains(text, "label"), false, text)
	for _, want := range []string{"ridge regression depend on mean framewise displacement beyond a linear effect of the target",
		"hold no demonstrated information about the target beyond linear effects of mean framewise displacement",
		"The full test of kernel ridge regression needs retrained models: connect given of regression for",
		"The edges hold information about the target beyond linear effects of age"} {
		need.Equal(t, strings.Contains(text, want), true, want, text)
	}
}

// What differs after matching has its difference before: matching can make it larger.
func TestUnbalancedBeforeAndAfter(t *testing.T) {
	text, err := wording.Text("confounds.unbalanced", values{"Covariates": []values{{"Name": "age", "Before": 0.09,
		"After": 0.25}}, "Most": 0.1})
	need.NoError(t, err)
	need.Equal(t, text, "After matching, the groups differ in age by 0.25 SD (0.09 before matching); a standardized "+
		"difference should be at most 0.1")
}
