package finding

import (
	"fmt"
	"math"
	"testing"

	"prgnn/internal/need"
	"prgnn/stages/column"
)

func TestValidationFindings(t *testing.T) {
	none := math.NaN()
	type row = column.ValidationRow
	auc := func(low float64) row { return row{Measure: "auc", Value: 0.7, Low: low, High: 0.8} }
	p := func(v float64) row { return row{Measure: "calibration_p", Value: v} }
	again := func(v float64) row { return row{Measure: "calibration_p_recalibrated", Value: v} }
	recalibrated := row{Measure: "brier_recalibrated", Value: 0.2, N: 89}
	slope := row{Measure: "slope", Value: 0.5, Low: 0.2, High: 0.8}
	for _, c := range []struct {
		counts     [2]int32
		calibrated bool
		separated  bool
		rows       []row
		want       string
	}{
		{[2]int32{50, 80}, true, false, []row{auc(0.6), p(0.3), slope}, ""},
		{[2]int32{50, 80}, true, false, []row{auc(0.5), p(0.3), slope}, "validation.by-chance validation.slope"},
		{[2]int32{50, 80}, true, false, []row{auc(none), p(none)}, ""},
		{[2]int32{50, 49}, true, false, []row{auc(0.6), p(0.3), slope}, "validation.few"},
		{[2]int32{9, 80}, true, false, []row{auc(0.6), p(none)}, "validation.no-slope"},
		{[2]int32{50, 80}, true, true, []row{auc(0.6), p(none)}, "validation.separated"},
		{[2]int32{50, 80}, true, false, []row{auc(0.6), p(0.01), slope}, "validation.miscalibrated"},
		{[2]int32{9, 80}, false, false, []row{auc(0.6)}, "validation.decision-values"},
		{[2]int32{60, 80}, false, false, []row{auc(0.6), again(0.3)}, "validation.decision-values"},
		{[2]int32{60, 80}, false, false, []row{auc(0.6), again(0.01)},
			"validation.miscalibrated validation.decision-values"},
		{[2]int32{49, 80}, false, false, []row{auc(0.6), recalibrated, again(0.3)},
			"validation.few validation.decision-values"},
		{[2]int32{9, 80}, false, false, []row{auc(0.6), recalibrated, again(none)},
			"validation.no-slope validation.decision-values"},
		{[2]int32{60, 80}, false, true, []row{auc(0.6), recalibrated, again(none)},
			"validation.separated validation.decision-values"},
		{[2]int32{50, 80}, true, false, []row{auc(0.6), p(0.3), {Measure: "slope", Value: 0.5, Low: -0.1, High: 1.1}},
			"validation.slope"},
		{[2]int32{50, 80}, true, false, []row{auc(0.5), p(0.3), {Measure: "slope", Value: none, Low: none, High: none}},
			"validation.by-chance"},
		{[2]int32{60, 80}, false, false, []row{auc(0.6), recalibrated, again(0.3),
			{Measure: "slope_recalibrated", Value: 0.5, Low: -0.1, High: 1.1}}, "validation.slope validation.decision-values"},
	} {
		s := column.ValidationSummaryRow{Positive: "A", Counts: c.counts[:], Calibrated: c.calibrated,
			Separated: c.separated}
		need.Equal(t, codes(Validation(s, c.rows, nil)), c.want, c)
	}
	need.Equal(t, codes(Validation(column.ValidationSummaryRow{Counts: []int32{1, 1, 1}}, nil, nil)), "")
}

// Groups of the models without a participant in the new cohort are a caution.
func TestValidationAbsentGroups(t *testing.T) {
	s := column.ValidationSummaryRow{Groups: []string{"HC", "MCI", "PAT"}, Counts: []int32{15, 0, 15}}
	need.Equal(t, codes(Validation(s, nil, nil)), "validation.absent")
	s.Counts[1] = 1
	need.Equal(t, codes(Validation(s, nil, nil)), "")
}

// A group that models above the majority-class rate do not recognize limits that they distinguish all groups.
func TestValidationUnrecognizedGroups(t *testing.T) {
	for _, c := range []struct {
		low      float64
		assigned []int32
		want     string
	}{
		{0.6, []int32{14, 1, 0, 1, 14, 0, 5, 5, 0}, "validation.group-not-recognized"},
		{0.6, []int32{14, 1, 0, 1, 14, 0, 5, 2, 3}, ""},
		{0.3, []int32{14, 1, 0, 1, 14, 0, 5, 5, 0}, ""}, // nobody claims that they distinguish any
	} {
		s := column.ValidationSummaryRow{Groups: []string{"AD", "HC", "MCI"}, Counts: []int32{15, 15, 10},
			Assigned: c.assigned}
		found := Validation(s, []column.ValidationRow{{Measure: "accuracy", Value: 0.7, Low: c.low, High: 0.8}}, nil)
		need.Equal(t, codes(found), c.want, c)
		need.Equal(t, questions(found), 0, c)
	}
}

// An AUC above chance beside an accuracy that may be the majority-class rate is a caution.
func TestValidationIncludesMajority(t *testing.T) {
	for _, c := range []struct {
		auc, low float64
		want     string
	}{
		{0.6, 0.496, "validation.interval-includes-majority"},
		{0.6, 0.57, "validation.interval-includes-majority"},
		{0.6, 0.571, ""},
		{0.5, 0.496, "validation.by-chance"},
	} {
		rows := []column.ValidationRow{{Measure: "auc", Value: 0.7, Low: c.auc, High: 0.8},
			{Measure: "accuracy", Value: 0.61, Low: c.low, High: 0.715}, {Measure: "calibration_p", Value: math.NaN()}}
		s := column.ValidationSummaryRow{Positive: "A", Counts: []int32{570, 430}, Calibrated: true}
		need.Equal(t, codes(Validation(s, rows, nil)), c.want, c)
	}
}

// Exchanged groups give an AUC below chance, and numbers of the other sign an r.
func TestValidationBelowChance(t *testing.T) {
	for _, name := range []string{"auc", "r"} {
		rows := []column.ValidationRow{{Measure: name, Value: -0.2, Low: -0.5, High: -0.1},
			{Measure: "calibration_p", Value: math.NaN()}}
		s := column.ValidationSummaryRow{Positive: map[string]string{"auc": "A"}[name], Counts: []int32{50, 50},
			Calibrated: true}
		need.Equal(t, codes(Validation(s, rows, nil)), "validation.below-chance", name)
	}
}

// Each measure at the stored threshold is compared with its interval in training, where its own interval does not
// include the value of training.
func TestValidationUnlikeTraining(t *testing.T) {
	for _, name := range []string{"auc", "accuracy", "sensitivity", "specificity", "r", "mae"} {
		rows := []column.ValidationRow{{Measure: name, Value: 0.3, Low: 0.2, High: 0.6, Training: 0.7, TrainingLow: 0.6,
			TrainingHigh: 0.8}}
		need.Equal(t, codes(Validation(column.ValidationSummaryRow{}, rows, nil)), "validation.unlike-training", name)
		rows[0].High = 0.75
		need.Equal(t, codes(Validation(column.ValidationSummaryRow{}, rows, nil)), "", name)
	}
}

// A category that training lacks is a caution with the categories of the same variable in training.
func TestValidationCategory(t *testing.T) {
	found := Validation(column.ValidationSummaryRow{}, nil, []column.ValidationShiftRow{
		{Name: "sex", Category: "F", New: 0.5}, {Name: "sex", Category: "female", Training: 0.4},
		{Name: "gender", Category: "X", Training: 1}, {Name: "site", Category: "PITT", New: 1}})
	need.Equal(t, codes(found), "validation.category")
	need.Equal(t, fmt.Sprint(found[0].Values()["Known"]), "[female]")
}

// Numbers in other units have a negative R² or a mean error beyond 0; groups have neither.
func TestValidationOffScale(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		r2, low, high float64
		want          string
	}{
		{0.3, -1, 1, ""},
		{none, none, none, ""},
		{-0.1, -1, 1, "validation.off-scale"},
		{0.3, 0.5, 1, "validation.off-scale"},
		{-29090, -104, -101, "validation.off-scale"},
	} {
		rows := []column.ValidationRow{{Measure: "r2", Value: c.r2}, {Measure: "mean_error", Low: c.low, High: c.high}}
		need.Equal(t, codes(Validation(column.ValidationSummaryRow{}, rows, nil)), c.want, c)
	}
}

// Of few training participants, more of the same kind lie outside the means of the five extremes.
func TestValidationOutside(t *testing.T) {
	for _, c := range []struct {
		trained int32
		want    string
	}{{16, ""}, {100, "validation.outside"}} {
		found := Validation(column.ValidationSummaryRow{Trained: c.trained}, nil,
			[]column.ValidationShiftRow{{Name: "age", Outside: 0.3, Low: 8, High: 12}})
		codes := ""
		for _, f := range found {
			codes += f.Code
		}
		if codes != c.want {
			t.Errorf("%d: %q, want %q", c.trained, codes, c.want)
		}
	}
}

// The values of a number are not predicted if the mean of the new cohort is as good, or the error is several times that
// of training.
func TestScale(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		r2, mae, training float64
		wrong             bool
	}{{-26, 1097, 3.8, true}, {0, 4, 3.8, true}, {0.4, 4, 3.8, false}, {0.4, 12, 3.8, true}, {0.4, 12, none, false},
		{none, none, none, false}} {
		s := ScaleOf([]column.ValidationRow{{Measure: "r2", Value: c.r2, Training: none},
			{Measure: "mae", Value: c.mae, Training: c.training}})
		need.Equal(t, s.Wrong, c.wrong, c)
		need.Equal(t, fmt.Sprint(s.R2, s.Error, s.Trained), fmt.Sprint(c.r2, c.mae, c.training))
	}
	need.Equal(t, ScaleOf(nil).Wrong, false)
}

// The shares of a group are known for two groups with a positive one.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		s    column.ValidationSummaryRow
		want Shares
	}{
		{column.ValidationSummaryRow{Groups: []string{"ASD", "HC"}, Counts: []int32{20, 45}, Positive: "ASD",
			Participants: 65, TrainingShare: 0.5}, Shares{"ASD", 20. / 65, 0.5, true}},
		{column.ValidationSummaryRow{Groups: []string{"ASD", "HC"}, Counts: []int32{20, 21}, Positive: "HC",
			Participants: 41, TrainingShare: 0.5}, Shares{"HC", 21. / 41, 0.5, false}},
		{column.ValidationSummaryRow{Groups: []string{"ASD", "HC"}, Counts: []int32{20, 21}, Positive: "HC",
			Participants: 41, TrainingShare: math.NaN()}, Shares{Differ: true}},
		{column.ValidationSummaryRow{Groups: []string{"a", "b", "c"}, Counts: []int32{1, 2, 3}, TrainingShare: 0.2},
			Shares{Differ: true}},
	} {
		need.Equal(t, SharesOf(c.s), c.want)
	}
}
