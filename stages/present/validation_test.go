package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/stagetest"
)

// unbroken removes the marks of what a line does not break.
var unbroken = strings.NewReplacer(`<span class="whole">`, "", "</span>", "", "<details><summary>", "", "</summary>", "")

// unbrokenPage is the page of a report without the marks of what is on one line.
func unbrokenPage(t *testing.T, in map[string][]dag.Input) string {
	t.Helper()
	return unbroken.Replace(string(stagetest.Encoded(t, stagetest.MustRun(t, stagetest.Fresh("report"), in)["page"])))
}

// The report has a section on another cohort, with its findings.
func TestValidationSection(t *testing.T) {
	none := math.NaN()
	out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"validation": {dag.InputOf(column.Table([]column.ValidationRow{
			{Measure: "auc", Value: 0.55, Low: 0.4, High: 0.7, N: 30, Training: 0.8, TrainingLow: 0.72,
				TrainingHigh: 0.87},
			{Measure: "accuracy", Value: 0.6, Low: 0.42, High: 0.75, N: 30},
			{Measure: "brier_scaled", Value: -0.1, Low: none, High: none, N: 30},
			{Measure: "slope", Value: none, Low: none, High: none, N: 30}}))},
		"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{Groups: []string{"ASD", "HC"},
			Counts: []int32{9, 21}, Positive: "ASD", Threshold: 0.5, Calibrated: true, Models: 2, Participants: 30,
			Trained: 100, TrainingShare: 0.5, ShiftInputs: 3486, ShiftMedian: 0.21, ShiftHigh: 0.64}}))},
		"validation_calibration": {dag.InputOf(column.Table([]column.ValidationBinRow{{Bin: 1, N: 3, Mean: 0.1, Share: 0.2,
			Low: 0.05, High: 0.4}}))},
		"validation_shift": {dag.InputOf(column.Table([]column.ValidationShiftRow{{Name: "age", Training: 10,
			TrainingSD: 1, Low: 8, High: 12, New: 15, NewSD: 2, Difference: 3.16, Outside: 0.75, N: 30},
			{Name: "kept", Training: 176, Low: 176, High: 176, New: 296, Difference: none, Outside: 1, N: 30},
			{Name: "mean_fd", Training: 0.0742, TrainingSD: 0.05, Low: 0.0216, High: 0.267, New: 0.16, NewSD: 0.2,
				Difference: 0.52, Outside: 0.5, N: 30}}))},
		"validation_people": {dag.InputOf(encoding.NewTable(
			encoding.Column{Name: "participant_id", Values: []string{"a", "b", "c", "d"}},
			encoding.Column{Name: "group", Values: []string{"ASD", "ASD", "HC", "HC"}},
			encoding.Column{Name: "probability", Values: []float64{0.9, 0.4, 0.5, 0.2}},
			encoding.Column{Name: "recalibrated", Values: []float64{0.8, 0.45, 0.5, 0.3}}))},
	})
	page := unbroken.Replace(string(stagetest.Encoded(t, out["page"])))
	for _, part := range []string{"Validation of stored models", "2 stored models, trained on 100 participants, were applied",
		"9 ASD, 21 HC", "median absolute", "0.400–0.700", "calibration slope", "0.050–0.400",
		"External validation: for 30 participants", "Question: do 2 stored models", "The stored models are not shown to", "another cohort, with an AUC of 0.550 (95% CI 0.400–0.700)", "60% of them correctly (accuracy 0.600, 95% CI 0.420–0.750)", "ROC curve on the new cohort", "Calibration on the new cohort",
		"outside the 95% interval of the cross-validated value", "75% of the new participants have age beyond the means of the five lowest",
		"have volumes kept other than that of the training participants (176)", "0.0742 (0.05)", "0.0216 to 0.267",
		"have mean framewise displacement beyond the means of the five lowest and five highest values in training (0.0216 and 0.267)",
		">5 lowest to 5 highest<",
		"blank where both variances are 0", "scaled Brier score: 1 − Brier score / (p (1 − p)), where p is the share of ASD among the new participants"} {
		if !strings.Contains(page, part) {
			t.Errorf("the report lacks %q", part)
		}
	}
	need.Equal(t, strings.Count(page, "not shown to be above chance"), 2) // headline and caution
}

// The first sentence states which interval is above chance where that of the accuracy includes the majority-class rate.
func TestValidationAnswerOfAUC(t *testing.T) {
	for low, includes := range map[float64]bool{0.496: true, 0.58: false} {
		out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
			"validation": {dag.InputOf(column.Table([]column.ValidationRow{
				{Measure: "auc", Value: 0.66, Low: 0.55, High: 0.76, N: 100},
				{Measure: "accuracy", Value: 0.61, Low: low, High: 0.715, N: 100}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{
				Groups: []string{"ASD", "HC"}, Counts: []int32{57, 43}, Positive: "ASD", Threshold: 0.5,
				Calibrated: true, Models: 2, Participants: 100, Trained: 100}}))}})
		page := strings.Join(strings.Fields(unbroken.Replace(string(stagetest.Encoded(t, out["page"])))), " ")
		want := map[bool]string{true: "(95% CI 0.550–0.760, above 0.5). The accuracy is not shown to exceed the " +
			"majority-class rate: they classify 61%", false: "(95% CI 0.550–0.760, above 0.5): they classify 61%"}
		need.Equal(t, strings.Contains(page, want[includes]), true, page)
		need.Equal(t, strings.Contains(page, "so the models are not shown to classify better than"), includes)
	}
}

// Question and answer list the groups of the new cohort, and a caution those that it lacks.
func TestValidationAnswerOfPresentGroups(t *testing.T) {
	for count, groups := range map[int32]string{0: "HC from PAT", 5: "HC, MCI and PAT"} {
		out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
			"validation": {dag.InputOf(column.Table([]column.ValidationRow{
				{Measure: "accuracy", Value: 0.7, Low: 0.521, High: 0.833, N: 30 + count}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{
				Groups: []string{"HC", "MCI", "PAT"}, Counts: []int32{15, count, 15}, Models: 4,
				Participants: 30 + count, Trained: 40}}))}})
		page := strings.Join(strings.Fields(unbroken.Replace(string(stagetest.Encoded(t, out["page"])))), " ")
		for _, part := range []string{"do 4 stored models of another study distinguish " + groups + " in these",
			"The stored models distinguish " + groups + " better than chance in participants of another cohort"} {
			need.Equal(t, strings.Contains(page, part), true, part)
		}
		need.Equal(t, strings.Contains(page, "The new cohort has no participant in the group MCI"), count == 0)
	}
}

// The report counts the participants of each group by the predicted one.
func TestValidationAssigned(t *testing.T) {
	out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"validation": {dag.InputOf(column.Table([]column.ValidationRow{
			{Measure: "accuracy", Value: 0.7, Low: 0.6, High: 0.8, N: 40}}))},
		"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{
			Groups: []string{"AD", "HC", "MCI"}, Counts: []int32{15, 15, 10}, Models: 4, Participants: 40, Trained: 40,
			Assigned: []int32{14, 1, 0, 1, 14, 0, 5, 5, 0}}}))}})
	page := strings.Join(strings.Fields(unbroken.Replace(string(stagetest.Encoded(t, out["page"])))), " ")
	for _, part := range []string{"Participants by group and by predicted group", "5 AD, 5 HC, 0 MCI", "They do not recognize MCI.",
		"The models do not recognize MCI: they assigned 0 of 10 participants of MCI to this group, and 0 of the 30 " +
			"others"} {
		need.Equal(t, strings.Contains(page, part), true, part)
	}
}

// Models that predict the same number for everybody have no r, and their first sentence has the mean absolute error.
func TestValidationOfMean(t *testing.T) {
	none := math.NaN()
	page := func(of column.ValidationSummaryRow, rows ...column.ValidationRow) string {
		out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
			"validation":         {dag.InputOf(column.Table(rows))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{of}))}})
		return strings.Join(strings.Fields(unbroken.Replace(string(stagetest.Encoded(t, out["page"])))), " ")
	}
	mean := page(column.ValidationSummaryRow{Models: 2, Participants: 30, Trained: 100, Calibrated: true},
		column.ValidationRow{Measure: "r", Value: none, Low: none, High: none, N: 30},
		column.ValidationRow{Measure: "mae", Value: 4, Low: 3, High: 5, N: 30})
	for _, c := range [][2]string{
		{mean, "stored models had a mean absolute error of 4.000 (3.000–5.000), and predicted the same number for everybody, so r is undefined."},
		{mean, "The stored models are not shown to"},
	} {
		if !strings.Contains(c[0], c[1]) {
			t.Errorf("the report lacks %q", c[1])
		}
	}
}

// The value in training is questioned as the report of that study does, and a fit to one group questions the answer.
func TestValidationOfQuestionedModels(t *testing.T) {
	for _, c := range []struct {
		questioned            []string
		fitted                string
		training, may, listed bool
	}{
		{nil, "", false, false, false}, // "Data" has all; 40 were tested
		{[]string{"noted.text"}, "", true, false, true},
		{nil, "HC", false, true, false},
	} {
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a"}},
			encoding.Column{Name: "group", Values: []string{"ASD"}})
		people.Meta = finding.Applied{Models: 2, Groups: []string{"ASD", "HC"}, Questioned: c.questioned,
			FittedTo: c.fitted, Deconfounded: []string{"age"}}.Meta()
		out := stagetest.MustRun(t, stagetest.Fresh("summary"), map[string][]dag.Input{
			"participants":      {dag.InputOf(stagetest.SomeParticipants(60, "ASD", "HC"))},
			"validation_people": {dag.InputOf(people)},
			"warnings":          {dag.InputOf(people)},
			"validation": {dag.InputOf(column.Table([]column.ValidationRow{{Measure: "auc", Value: 0.76, Low: 0.6,
				High: 0.9, N: 40, Training: 0.77, TrainingLow: 0.5, TrainingHigh: 0.9}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{
				Groups: []string{"ASD", "HC"}, Counts: []int32{20, 20}, Positive: "ASD", Calibrated: true, Models: 2,
				Participants: 40, Trained: 100}}))}})
		page := strings.Join(strings.Fields(string(stagetest.Encoded(t, out["text"]))), " ")
		need.Equal(t, strings.Contains(page, "0.770 (0.500–0.900), which the report of that study questions."), c.training, page)
		need.Equal(t, strings.Contains(page, "This result may be wrong: see the first caution."), c.may, page)
		need.Equal(t, strings.Contains(page, "The report of the training study questions"), c.listed, page)
		need.Equal(t, strings.Contains(page, "(30 ASD and 30 HC); 40 were tested."), true, page)
	}
}

// The first sentence of a page has R² and the error where the values of a number are not predicted.
func TestValidationOffScale(t *testing.T) {
	for r2, want := range map[float64]string{-26.1: "an r of 0.953 (95% CI 0.900–0.980), but R² is −26.100 and the " +
		"mean absolute error 1097 (3.8 in cross-validation of the training study), so the models do not predict the values.",
		0.4: "an r of 0.953 (95% CI 0.900–0.980)."} {
		training := map[bool]float64{true: 3.8, false: 1000}[r2 < 0]
		out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
			"validation": {dag.InputOf(column.Table([]column.ValidationRow{
				{Measure: "r", Value: 0.953, Low: 0.9, High: 0.98, N: 40, Training: math.NaN()},
				{Measure: "r2", Value: r2, Low: math.NaN(), High: math.NaN(), N: 40, Training: math.NaN()},
				{Measure: "mae", Value: 1097, Low: 1000, High: 1200, N: 40, Training: training}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{Models: 2, Participants: 40,
				Trained: 100}}))}})
		page := strings.Join(strings.Fields(unbroken.Replace(string(stagetest.Encoded(t, out["page"])))), " ")
		need.Equal(t, strings.Contains(page, want), true, page)
	}
}

// A harmonization on the test participants questions the accuracy where the shares of the groups differ.
func TestValidationOfHarmonizedInputs(t *testing.T) {
	for asd, differ := range map[int32]bool{20: true, 33: false} {
		people := encoding.NewTable(encoding.Column{Name: "participant_id", Values: []string{"a"}},
			encoding.Column{Name: "group", Values: []string{"ASD"}})
		people.Meta = finding.Applied{Models: 2, Groups: []string{"ASD", "HC"},
			NewSites: &column.NewSites{Sites: []string{"NYU"}, Sizes: []int32{65}}}.Meta()
		out := stagetest.MustRun(t, stagetest.Fresh("summary"), map[string][]dag.Input{
			"validation_people": {dag.InputOf(people)},
			"warnings":          {dag.InputOf(people)},
			"validation": {dag.InputOf(column.Table([]column.ValidationRow{{Measure: "auc", Value: 0.76, Low: 0.6,
				High: 0.9, N: 65}, {Measure: "accuracy", Value: 0.7, Low: 0.6, High: 0.8, N: 65}}))},
			"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{
				Groups: []string{"ASD", "HC"}, Counts: []int32{asd, 65 - asd}, Positive: "ASD", Calibrated: true,
				Models: 2, Participants: 65, Trained: 100, TrainingShare: 0.5}}))}})
		page := strings.Join(strings.Fields(string(stagetest.Encoded(t, out["text"]))), " ")
		need.Equal(t, strings.Contains(page, "harmonization on the test participants shifts predictions"), differ, page)
		need.Equal(t, strings.Contains(page, "The share of ASD is 31% here and 50% in the training study, so part of the "+
			"difference to predict was removed"), differ, page)
		need.Equal(t, strings.Contains(page, "removed little of the difference to predict"), !differ, page)
		need.Equal(t, strings.Contains(page, "distribution of the number"), false)
	}
}
