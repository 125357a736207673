package methods

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

// An exported file has age, sex and motion of the training participants, so a card lists none of these as missing.
func TestCardMissing(t *testing.T) {
	c := Card{Model: "logistic", Groups: []string{"A", "B"}, Files: []CardFile{{Name: "model.npz"}}}
	page := need.Value(c.Markdown())(t)
	for line := range strings.Lines(page) {
		missing := strings.Contains(line, "The files do not contain the ")
		if missing && (strings.Contains(line, " age") || strings.Contains(line, " sex")) {
			t.Errorf("the card: %s", line)
		}
	}
	if !strings.Contains(page, "repetition time") {
		t.Error("the card does not state that the file has no repetition time")
	}
	c.Described = []string{"age", "tr", "kept"}
	if page = need.Value(c.Markdown())(t); strings.Contains(page, "The files do not contain the ") {
		t.Errorf("the files have all, and the card lists what they lack:\n%s", page)
	}
	c.Described = []string{"tr"}
	need.Equal(t, strings.Contains(need.Value(c.Markdown())(t), "do not contain the number of volumes of the training participants, so a validation does not compare it."), true)
}

// A card states what the inputs are: states of connectivity are no regions, and models of states are for nobody else.
// Sensitivity is that of a group, which more than two groups do not have.
func TestCardInputs(t *testing.T) {
	for _, c := range []struct {
		card        Card
		has, hasNot []string
	}{
		{Card{Port: "states", States: 3, Atlas: "X"}, []string{"from 3 states of functional connectivity.",
			"Features of 3 connectivity states, which were fitted to the training participants, of regions of the atlas X.",
			"the models cannot be applied to other participants"}, []string{"3 regions", "validate", "of the atlas X. `names`"}},
		{Card{Port: "states", States: 3, Regions: 30, Named: true}, []string{"among 30 brain regions", "of 30 regions"}, nil},
		{Card{Port: "series", Regions: 30}, []string{"from the time series of 30 brain regions."}, []string{"from functional"}},
		{Card{Port: "pearson", Regions: 30, Column: "sex"}, []string{"(A or B; column sex) from functional connectivity among 30"}, nil},
		{Card{Port: "pearson", Regions: 30, Holds: column.Data{Measure: "pearson", Series: "denoised"},
			Made: `{"denoise.regress":"none"}`}, []string{"(from series without nuisance regression here; denoising before " +
			"this study is not stated)"}, []string{"denoised series"}},
		{Card{Port: "pearson", Regions: 30, Holds: column.Data{Measure: "pearson", Series: "denoised"},
			Made: `{"denoise.regress":"24P"}`}, []string{"(from denoised series)"}, nil},
		{Card{Regions: 30, Accuracy: []column.AccuracyRow{{Folds: 5, Participants: 60, Accuracy: 0.5}}},
			[]string{"(60 participants). Each"}, []string{"sensitivity is for"}},
	} {
		c.card.Groups, c.card.Files = []string{"A", "B"}, []CardFile{{Name: "1.npz"}, {Name: "2.npz"}}
		page := strings.Join(strings.Fields(need.Value(c.card.Markdown())(t)), " ")
		for _, want := range c.has {
			need.Equal(t, strings.Contains(page, want), true, want, page)
		}
		for _, no := range c.hasNot {
			need.Equal(t, strings.Contains(page, no), false, no, page)
		}
	}
}

// A card has the cautions of the report that overturn what the models show, without those that list participants, and
// states where a run has no report. A fit to one group is a limit.
func TestCardCautions(t *testing.T) {
	card := Card{Groups: []string{"A", "B"}, Files: []CardFile{{Name: "1.npz"}},
		Accuracy: []column.AccuracyRow{{Folds: 5, Participants: 60, Accuracy: 0.9}}}
	const none = "This run has no current summary, so the cautions of its report are not listed here. Read the report " +
		"before you rely on these measures."
	page := func() string { return strings.Join(strings.Fields(need.Value(card.Markdown())(t)), " ") }
	need.Equal(t, strings.Contains(page(), none), true)
	card.Judged = true
	need.Equal(t, strings.Contains(page(), none) || strings.Contains(page(), "caution"), false)
	card.Cautions = []CardCaution{{"noted.text", "Column fam_id: relatives"}, {Code: "leakage.shared"}}
	card.Deconfounded, card.FittedTo = []string{"age", "sex"}, "A_B"
	for _, want := range []string{"## Performance The report of this study has cautions that may overturn conclusions from " +
		"the measures below: - Column fam\\_id: relatives - The report lists participants in a caution " +
		"(`leakage.shared`) Measured in 5 test folds", "which were fitted in training to the group A\\_B alone, so",
		"- The effects of age and sex were fitted to the group A\\_B alone."} {
		need.Equal(t, strings.Contains(page(), want), true, want, page())
	}
}

// The regions that a model does not use are listed and not counted as used.
func TestCardLeftOut(t *testing.T) {
	for _, c := range []struct {
		out    []string
		among  int
		listed string
	}{{nil, 84, ""}, {[]string{"5 (l.A)"}, 83, "1 region of these was excluded for all participants and is not used by the model: 5 (l.A)."},
		{[]string{"5 (l.A)", "14 (r.B)"}, 82, "2 regions of these were excluded for all participants and are not used by the model: 5 (l.A) and 14 (r.B)."},
	} {
		card := Card{Model: "logistic", Groups: []string{"A", "B"}, Regions: 84, LeftOut: c.out, Atlas: "X",
			Files: []CardFile{{Name: "model.npz"}}}
		page := strings.Join(strings.Fields(need.Value(card.Markdown())(t)), " ")
		for _, want := range []string{fmt.Sprintf("among %d brain regions.", c.among), "of 84 regions of the atlas X.", c.listed} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in\n%s", want, page)
			}
		}
		need.Equal(t, strings.Contains(page, "excluded"), c.out != nil)
	}
}

// Balanced accuracy and AUC have their chance levels, unless test folds lack a group. Hubs read exact metrics, and none
// of a study whose report questions them, or of numbers that the models do not predict.
func TestCardMeasures(t *testing.T) {
	none := math.NaN()
	row := column.AccuracyRow{Folds: 5, Participants: 60, Accuracy: 2. / 3, Low: 0.5, High: 0.8, Majority: 0.55,
		Balanced: 0.65, BalancedLow: none, AUC: 0.7, AUCLow: 0.6, AUCHigh: 0.8, Sensitivity: none, Specificity: none,
		AUCFolds: 5, SensFolds: 5, SpecFolds: 5, Positive: "A"}
	with := func(change func(r *column.AccuracyRow)) Card {
		r := row
		change(&r)
		return Card{Model: "ridge", Groups: []string{"A", "B", "C", "D"}[:2+2*int(min(r.Incomplete, 1))],
			Files: []CardFile{{Name: "1.npz"}}, Accuracy: []column.AccuracyRow{r}}
	}
	plain := with(func(*column.AccuracyRow) {})
	questioned, twice := plain, plain
	questioned.Questioned, questioned.Cautions = true, []CardCaution{{"a.b", "A caution"}}
	twice.Accuracy = append(twice.Accuracy, twice.Accuracy[0])
	other := row
	other.Participants = 30
	several := plain
	several.Accuracy = append(several.Accuracy, other)
	of := Card{Model: "ridge", Target: "score", Files: []CardFile{{Name: "1.npz"}},
		Regression: []column.RegressionRow{{Folds: 5, Participants: 60, R: 0.5, R2: 0.25, MAE: 0.00012345,
			MAELow: 0.00011, MAEHigh: 0.00013}}}
	residual := of
	residual.Removed = []string{"age"}
	scored := residual
	scored.Scored = true
	for name, c := range map[string]struct {
		card        Card
		has, hasNot string
		times       int
	}{
		"levels": {plain, "| measure | value | 95% interval | chance level | | --- | --- | --- | --- | " +
			"| accuracy | 0.667 | 0.500–0.800 | 0.550 | | balanced accuracy | 0.650 | | 0.500 | | AUC | 0.700 | 0.600–0.800 | 0.500 |",
			"sensitivity |", 1},
		"exact": {plain, "- { type: accuracy, value: 0.6666666666666666 }", "means over 5", 1},
		"one class": {with(func(r *column.AccuracyRow) { r.AUCFolds, r.SensFolds = 3, 3 }), "| balanced accuracy | 0.650 | | | | " +
			"AUC | 0.700 | 0.600–0.800 | 0.500 |", "contains no metrics", 1},
		"one class, in words": {with(func(r *column.AccuracyRow) { r.AUCFolds, r.SensFolds = 3, 3 }),
			"The AUC is a mean over 3, the sensitivity over 3, and the specificity over 5 of 5 folds.", "lack a group", 1},
		"groups": {with(func(r *column.AccuracyRow) { r.Incomplete, r.Positive = 2, "" }), "In 2 of 5 folds, the test participants lack " +
			"a group; the balanced accuracy and the AUC of such a fold are means over the groups that it has.", "sensitivity is for", 1},
		"groups, without levels": {with(func(r *column.AccuracyRow) { r.Incomplete, r.Positive = 2, "" }),
			"| balanced accuracy | 0.650 | | | | AUC | 0.700 | 0.600–0.800 | |", "0.250", 1},
		"questioned": {questioned, "from the measures below, so the metadata for model hubs contains no metrics: - A caution",
			"model-index", 1},
		"twice":    {twice, "Measured in 5 test folds", "", 1},
		"several":  {several, "Measured in 5 test folds", "", 2},
		"number":   {of, "| mean absolute error | 0.000123 | 0.00011–0.00013 |", "chance level", 1},
		"residual": {residual, "The measures compare predictions with score as observed", "model-index", 1},
		"scored":   {scored, "- { type: mae, value: 0.00012345 }", "with score as observed", 1},
	} {
		page := strings.Join(strings.Fields(need.Value(c.card.Markdown())(t)), " ")
		need.Equal(t, strings.Count(page, c.has), c.times, name, c.has, page)
		need.Equal(t, c.hasNot != "" && strings.Contains(page, c.hasNot), false, name, c.hasNot, page)
	}
}
