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
	add := func(code string, weight Weight, numbers map[string]any) {
		all.Add(Finding{code, weight, Subject{}, numbers})
	}
	of := map[string]column.ValidationRow{}
	for _, m := range measures {
		of[m.Measure] = m
	}
	if s.Positive == "" {
		return nil
	}
	if a := of["auc"]; a.Low <= 0.5 { // false of NaN
		add("validation.by-chance", Limits, map[string]any{"AUC": a.Value, "Low": a.Low, "High": a.High})
	}
	if !s.Calibrated {
		add("validation.decision-values", Notes, nil)
		return all
	}
	fewest := min(s.Counts[0], s.Counts[1])
	switch {
	case s.Separated:
		add("validation.separated", Limits, nil)
	case fewest < leastForSlopes:
		add("validation.no-slope", Limits, map[string]any{"N": int(fewest), "Least": leastForSlopes})
	case fewest < fewCalibrated:
		add("validation.few", Limits, map[string]any{"N": int(fewest)})
	}
	if p := of["calibration_p"].Value; p < Alpha { // false of NaN
		add("validation.miscalibrated", Limits, map[string]any{"P": p, "Intercept": of["intercept"].Value,
			"Slope": of["slope"].Value})
	}
	return all
}
