package present

import (
	"math"
	"slices"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/stagetest"
	"prgnn/stages/wording"
)

// In the summary, with a ranking of two settings.
func TestSummaryNamesTheRegionsOfTheHeadline(t *testing.T) {
	table, other := rankingOf("topk", "cuneus", "lingual"), rankingOf("sage", "insula", "lingual")
	for i, c := range table.Columns {
		table.Columns[i].Values = appended(c.Values, other.Columns[i].Values)
	}
	in := map[string][]dag.Input{"ranking": {dag.InputOf(table)}}
	a := newAuthor(section.NewWriter(dag.NewTask(in)), []string{"pool=sage"})
	a.top, a.Section.Title = 1, "Regions"
	a.regions()
	need.NoError(t, a.Err())
	a.Page.Sections = []report.Section{*a.Section}
	if text := a.Page.Text(); !strings.Contains(text, "of the headline (SAGE)") || !strings.Contains(text, "insula") ||
		strings.Contains(text, "cuneus") {
		t.Errorf("the regions are not those of the headline:\n%s", text)
	}
}

// An answer that a finding about the data may overturn refers to it; one that claims nothing, or a finding about a test
// alone, does not.
func TestAnswerQuestioned(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	for accuracy, want := range map[float64]bool{0.8: false, 1: true, 0.55: false} {
		evaluation, scores := stagetest.Evaluated(accuracy, accuracy-0.1, accuracy)
		page := reportText(t, map[string][]dag.Input{"participants": {dag.InputOf(people)},
			"evaluation": {dag.InputOf(evaluation)}, "scores": {dag.InputOf(scores)}})
		need.Equal(t, strings.Contains(page, "may be wrong: see the first caution."), want, accuracy)
	}
}

// A caution about the headline does not question the results of other classifiers, and one about these stands first.
func TestOthersQuestioned(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	row := func(name, model string, accuracy, sensitivity, p float64) column.AccuracyRow {
		return column.AccuracyRow{Name: name, Classifier: model, Level: "participant", Folds: 5,
			Participants: 40, Accuracy: accuracy, Low: accuracy - 0.05, High: accuracy, Majority: 0.6,
			AUC: math.NaN(), Sensitivity: sensitivity, Specificity: 1, Positive: "ASD", Test: column.PerFold, P: p,
			AUCP: math.NaN(), Permutations: 999, Least: 0.001}
	}
	for accuracy, questioned := range map[float64]bool{0.8: false, 1: true} {
		page := reportText(t, map[string][]dag.Input{"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(
			column.Table([]column.AccuracyRow{row("PR-GNN", column.PrGNN, 0.6, 0, 1),
				row("ridge", "ridge", accuracy, accuracy, 0.001)}))}})
		need.Equal(t, strings.Contains(page, "One of the other classifiers is above chance"), true)
		need.Equal(t, strings.Contains(page, "The results above chance may be wrong: see the first caution."), questioned)
		need.Equal(t, strings.Count(page, "may be wrong"), map[bool]int{true: 1}[questioned])
		nobody, perfect := strings.Index(page, "assigned no participant"), strings.Index(page, "is 1.000 for 40 participants")
		need.Equal(t, nobody > 0, true)
		need.Equal(t, perfect > 0 && perfect < nobody, questioned)
	}
}

// rankingOf is a ranking of two regions by one setting.
func rankingOf(pool, first, second string) *encoding.Table {
	columns := []encoding.Column{{Name: "pool", Values: []string{pool, pool}}, {Name: "rank", Values: []int32{1, 2}},
		{Name: "index", Values: []int32{1, 2}},
		{Name: "name", Values: []string{first, second}}, {Name: "abbreviation", Values: []string{first, second}}}
	for _, name := range []string{"score", "ci_low", "ci_high", "frequency", "contrast", "p", "q"} {
		columns = append(columns, encoding.Column{Name: name, Values: []float64{1, 2}})
	}
	return encoding.NewTable(columns...)
}

func appended(a, b any) any {
	switch a := a.(type) {
	case []string:
		return append(a, b.([]string)...)
	case []int32:
		return append(a, b.([]int32)...)
	}
	return append(a.([]float64), b.([]float64)...)
}

// Folds that leave out a site have the cautions of other folds, and the first page compares them: an accuracy equal to
// the majority-class rate is no evidence, however small its p.
func TestLeftOutOnFirstPage(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	inside, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	for _, c := range []struct {
		accuracy, low float64
		state, found  string
	}{
		{0.6, 0.5, "higher than with permuted labels, but not higher than the majority-class rate",
			"The model with each group left out: the accuracy (0.600) is higher than with permuted labels, but not higher"},
		{0.7, 0.5, "above chance, but the 95% CI includes the majority-class rate",
			"The model with each group left out: the permutation test is significant, but the 95% CI"},
		{0.75, 0.65, "above chance", ""},
	} {
		beyond, _ := stagetest.Evaluated(c.accuracy, c.low, 0.9)
		page := strings.Join(strings.Fields(tag.ReplaceAllString(unbroken.Replace(reportText(t, map[string][]dag.Input{
			"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(inside)}, "scores": {dag.InputOf(scores)},
			"left_out": {dag.InputOf(beyond)}})), " ")), " ")
		for _, want := range []string{"majority-class rate 0.600): the model has an accuracy of " +
			report.Share(c.accuracy) + " (" + report.Share(c.low) + "–0.900) with p &lt; 0.001, " + c.state +
			", and an AUC of 0.800 with p = 0.020 (in the folds of all participants: accuracy 0.800, AUC 0.800). No test compares",
			c.found, "majority rate p AUC AUC p"} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in\n%s", want, page)
			}
		}
		need.Equal(t, strings.Contains(page, "group left out: the"), c.found != "", c.accuracy)
	}
}

// Models that predict another column have a sentence on the first page and a table; of several that were tested, above
// chance is what Holm's correction leaves.
func TestOtherLabelOnFirstPage(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	inside, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	one, _ := stagetest.Evaluated(0.75, 0.65, 0.9)
	two, _ := stagetest.Evaluated(0.7, 0.62, 0.9)
	both := need.Value(encoding.Concat(one, two))(t)
	both.Columns = slices.Insert(both.Columns, 0,
		encoding.Column{Name: "model", Values: []string{"b", "b", "c", "c"}})
	for i, c := range both.Columns {
		if c.Name == "p" {
			both.Columns[i].Values = []float64{0.01, 0.01, 0.04, 0.04}
		}
	}
	for _, lost := range []bool{false, true} {
		if lost {
			for i, c := range both.Columns {
				if c.Name == "p" {
					both.Columns[i].Values = []float64{0.03, 0.03, 0.04, 0.04}
				}
			}
		}
		page := strings.Join(strings.Fields(tag.ReplaceAllString(unbroken.Replace(reportText(t, map[string][]dag.Input{
			"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(inside)}, "scores": {dag.InputOf(scores)},
			"other_label": {dag.InputOf(both)}})), " ")), " ")
		state := map[bool]string{false: "above chance, and an AUC",
			true: "not significantly above chance after Holm&#39;s correction for 2 classifiers, and an AUC"}[lost]
		for _, want := range []string{"In the same participants, another column was predicted (majority-class rate 0.600):",
			"0.700 (0.620–0.900) with p = 0.040, " + state, "Prediction of another column"} {
			need.Equal(t, strings.Contains(page, want), true, want, page)
		}
	}
}

// Of folds that leave out a site and divide relatives, the first page states why their results are not above chance.
func TestLeftOutWithRelatives(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	inside, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	beyond, _ := stagetest.Evaluated(0.75, 0.65, 0.9)
	for _, doubt := range []string{column.DoubtRelated, column.DoubtIndependence} {
		page := strings.Join(strings.Fields(tag.ReplaceAllString(unbroken.Replace(reportText(t, map[string][]dag.Input{
			"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(inside)}, "scores": {dag.InputOf(scores)},
			"notes":    {dag.InputOf(column.Table([]column.Note{{Text: "a note", Doubt: doubt}}))},
			"left_out": {dag.InputOf(beyond)}})), " ")), " ")
		for _, want := range []string{"not reported as above chance, and an AUC", "AUC 0.800). These p values are not valid, " +
			"because the tests assume independent participants, and relatives or scans of one person may be in training " +
			"and test data (see Cautions). No test compares", "This result may be wrong"} {
			is := doubt == column.DoubtRelated && !strings.Contains(want, "wrong")
			need.Equal(t, strings.Contains(page, want), is, doubt, want, page)
		}
	}
}

// Where some sites have one group, the AUC is of the others, in the sentence of the first page and in the table.
func TestLeftOutOfOneGroup(t *testing.T) {
	people := stagetest.SomeParticipants(40, "ASD", "HC")
	inside, scores := stagetest.Evaluated(0.8, 0.7, 0.9)
	for _, c := range []struct {
		auc            int32 // folds that have an AUC
		sentence, note string
	}{
		{1, "an AUC of 0.800 with p = 0.020 in the 1 of 3 groups with both groups (in",
			"The AUC and its p are of the 1 of 3 groups of participants with both groups; the others have no AUC."},
		{2, "an AUC of 0.800 with p = 0.020 in the 2 of 3 groups with both groups (in",
			"The AUC and its p are of the 2 of 3 "},
		{3, "an AUC of 0.800 with p = 0.020 (in", ""},
	} {
		beyond, _ := stagetest.Evaluated(0.75, 0.65, 0.9)
		for _, name := range []string{"auc_folds", "sensitivity_folds", "specificity_folds"} {
			beyond.Columns = append(beyond.Columns, encoding.Column{Name: name, Values: []int32{c.auc, c.auc}})
		}
		page := strings.Join(strings.Fields(tag.ReplaceAllString(unbroken.Replace(reportText(t, map[string][]dag.Input{
			"participants": {dag.InputOf(people)}, "evaluation": {dag.InputOf(inside)}, "scores": {dag.InputOf(scores)},
			"left_out": {dag.InputOf(beyond)}})), " ")), " ")
		for _, want := range []string{c.sentence, c.note} {
			need.Equal(t, strings.Contains(page, want), true, want, page)
		}
		need.Equal(t, strings.Contains(page, "The AUC and its p are of"), c.note != "", c.auc)
	}
}

// Each tile has the interval of its measures, where one is known.
func TestTilesHaveIntervals(t *testing.T) {
	of := values{"AUC": 0.441, "AUCLow": 0.306, "AUCHigh": 0.587, "Positive": "ASD", "SensLow": 0.016,
		"SensHigh": 0.794, "SpecLow": 0.206, "SpecHigh": 0.984, "Lacks": false, "Many": false}
	need.Equal(t, need.Value(wording.Text("tile.auc.note", of))(t),
		"95% CI 0.306–0.587 · mean over the folds · chance level 0.5")
	need.Equal(t, need.Value(wording.Text("tile.sensitivity.note", of))(t),
		"95% CI 0.016–0.794 / 0.206–0.984 · for ASD · mean over the folds")
	number := values{"Residual": false, "Low": 0.42, "High": 0.795, "R2": 0.376, "MAE": "3.73", "RFolds": 0,
		"Folds": 5, "RWithin": math.NaN(), "Site": "site", "Headline": false,
		"TileP": math.NaN(), "Draws": 0, "Least": math.NaN()}
	need.Equal(t, need.Value(wording.Text("tile.r.note", number))(t),
		"95% CI 0.420–0.795 · R² 0.376 · MAE 3.73 · means over the folds")
	number["RWithin"] = 0.31
	need.Equal(t, need.Value(wording.Text("tile.r.note", number))(t),
		"95% CI 0.420–0.795 · within sites r = 0.310 · R² 0.376 · MAE 3.73 · means over the folds")
	number["Headline"], number["TileP"], number["Draws"] = true, 0.001, 999 // R² and the error have tiles of their own
	need.Equal(t, need.Value(wording.Text("tile.r.note", number))(t),
		"95% CI 0.420–0.795 · within sites r = 0.310 · p ≤ 0.001 · means over the folds")
	for least, want := range map[float64]string{5.0 / 3000: " · p ≤ 0.0017", math.NaN(): " · p = 0.002",
		0.001: " · p = 0.002"} {
		p := values{"TileP": 5.0 / 3000, "Draws": 999, "Least": least} // of five folds
		need.Equal(t, need.Value(wording.Text("tile.p", p))(t), want)
	}
}

// The answer states which of several groups the headline does not recognize.
func TestAnswerUnrecognized(t *testing.T) {
	for _, groups := range [][]string{nil, {"10"}} {
		one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
		var found finding.List
		for _, group := range groups {
			found.Add(finding.Finding{Code: finding.GroupUnrecognized, Weight: finding.Limits,
				Numbers: values{"Group": group, "N": 10, "Right": 2, "Others": 20, "Else": 5}})
		}
		one.Meta = map[string]string{finding.Meta: finding.Written(found)}
		text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, map[string][]dag.Input{
			"participants": {dag.InputOf(stagetest.SomeParticipants(30, "1", "10", "2"))},
			"evaluation":   {dag.InputOf(one)}})), " ")
		need.Equal(t, strings.Contains(text, " It does not recognize 10 (see the confusion matrix)."), groups != nil, text)
		need.Equal(t, strings.Contains(text, "does not show that every two of the groups are distinguished (see the "+
			"confusion matrix)."), groups == nil, text)
		need.Equal(t, strings.Contains(text, "may be wrong"), false, text)
	}
}

// Groups that are numbers are listed in the order of the numbers.
func TestGroupsInTheirOrder(t *testing.T) {
	one, _ := stagetest.Evaluated(0.81, 0.7, 0.9)
	in := map[string][]dag.Input{"participants": {dag.InputOf(stagetest.SomeParticipants(30, "1", "10", "2"))},
		"evaluation": {dag.InputOf(one)}}
	text := strings.Join(strings.Fields(summaryText(t, &Summary{Top: 5}, in)), " ")
	need.Equal(t, strings.Contains(text, "distinguish 1, 2 and 10 in participants"), true, text)
	need.Equal(t, strings.Contains(text, "(10 labeled 1, 10 labeled 2 and 10 labeled 10)"), true, text)
}

// The result of a headline among models of a number has its p, which decides, and those of others the corrected p.
func TestHeadlineIsNotCorrected(t *testing.T) {
	of := values{"Among": 4, "Corrected": 0.063, "P": 0.031, "Least": 0.001}
	for headline, want := range map[bool]string{
		true:  ", not corrected for 4 tests of r, because this is the headline",
		false: ", 0.063 after Holm's correction for 4 tests of r"} {
		of["Headline"] = headline
		need.Equal(t, need.Value(wording.Text("chance.corrected-r", of))(t), want)
	}
}

// An accuracy of the majority-class rate or less is not described as one that might be above chance; the p values of
// models of a number are corrected for all of them.
func TestNotHigherThanMajority(t *testing.T) {
	of := values{"Classifier": "PR-GNN", "Below": true, "Accuracy": 0.619, "Majority": 0.714, "P": 0.3, "Draws": 9999,
		"Least": 0.0002, "Shuffled": false, "Retrained": false, "Within": "", "First": math.NaN()}
	for below, want := range map[bool]string{
		true: "PR-GNN: the accuracy (0.619) is not higher than the majority-class rate (0.714), p = 0.300 (fold by fold, models " +
			"not retrained)",
		false: "PR-GNN: accuracy is not significantly above chance, p = 0.300 (fold by fold, models not retrained)"} {
		of["Below"] = below
		need.Equal(t, need.Value(wording.Text("accuracy.not-above-chance", of))(t), want)
	}
	text := need.Value(wording.Text("methods.holm", values{"Headline": "PR-GNN", "Where": "", "Label": "",
		"Compared": finding.Values(finding.Counted{Settings: 4})}))(t)
	need.Equal(t, strings.HasPrefix(text, "The p values of r were corrected by Holm's method"), true, text)
	need.Equal(t, strings.HasSuffix(text, "for 4 tests of r; those of the MAE were not corrected. Whether r of the headline, "+
		"PR-GNN, is above chance was decided by its uncorrected p."), true, text)
}
