package present

import (
	"math"
	"strings"
	"testing"

	"prgnn/dag"
	"prgnn/internal/need"
	"prgnn/stages/column"
	"prgnn/stages/stagetest"
)

// The report has a section on another cohort, with its findings.
func TestValidationSection(t *testing.T) {
	none := math.NaN()
	out := stagetest.MustRun(t, stagetest.Fresh("report"), map[string][]dag.Input{
		"validation": {dag.InputOf(column.Table([]column.ValidationRow{
			{Measure: "auc", Value: 0.55, Low: 0.4, High: 0.7, N: 30},
			{Measure: "slope", Value: none, Low: none, High: none, N: 30}}))},
		"validation_summary": {dag.InputOf(column.Table([]column.ValidationSummaryRow{{Groups: []string{"ASD", "HC"},
			Counts: []int32{9, 21}, Positive: "ASD", Threshold: 0.5, Calibrated: true, Models: 2, Participants: 30,
			Trained: 100, TrainingShare: 0.5, ShiftInputs: 3486, ShiftMedian: 0.21, ShiftHigh: 0.64}}))},
		"validation_calibration": {dag.InputOf(column.Table([]column.ValidationBinRow{{Bin: 1, N: 3, Mean: 0.1, Share: 0.2,
			Low: 0.05, High: 0.4}}))},
	})
	page := string(stagetest.Encoded(t, out["page"]))
	for _, part := range []string{"Validation of stored models", "2 stored models, trained on 100 participants, were applied",
		"9 ASD, 21 HC", "median absolute", "0.400 to 0.700", "calibration slope", "0.050–0.400"} {
		if !strings.Contains(page, part) {
			t.Errorf("the report lacks %q", part)
		}
	}
	need.Equal(t, strings.Count(page, "is not shown to be above chance"), 1)
}
