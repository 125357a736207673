package finding

import "prgnn/stages/column"

// What limits a validation: so few participants of a group that calibration is uncertain, or has no slope (Vergouwe et
// al. 2005 want 100 of each).
const (
	fewCalibrated  = 50
	leastForSlopes = 10
)

// Validation are the findings about models on another cohort.
func Validation(s column.ValidationSummaryRow, measures []column.ValidationRow) (all List) {
	of := map[string]column.ValidationRow{}
	for _, m := range measures {
		of[m.Measure] = m
	}
	if s.Positive == "" {
		return nil
	}
	if a := of["auc"]; a.Low <= 0.5 { // false of NaN
		all.study("validation.by-chance", Limits, values{"AUC": a.Value, "Low": a.Low, "High": a.High})
	}
	if !s.Calibrated {
		all.study("validation.decision-values", Notes, nil)
		return all
	}
	fewest := min(s.Counts[0], s.Counts[1])
	switch {
	case s.Separated:
		all.study("validation.separated", Limits, nil)
	case fewest < leastForSlopes:
		all.study("validation.no-slope", Limits, values{"N": int(fewest), "Least": leastForSlopes})
	case fewest < fewCalibrated:
		all.study("validation.few", Limits, values{"N": int(fewest)})
	}
	if p := of["calibration_p"].Value; p < Alpha { // false of NaN
		all.study("validation.miscalibrated", Limits, values{"P": p, "Intercept": of["intercept"].Value,
			"Slope": of["slope"].Value})
	}
	return all
}
