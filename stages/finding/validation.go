package finding

import (
	"math"
	"slices"
	"strings"

	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// What limits a validation: so few participants of a group that calibration is uncertain, or has no slope (Vergouwe et
// al. 2005 want 100 of each).
const (
	fewCalibrated  = 50
	leastForSlopes = 10
	mostOutside    = 0.1 // share of participants outside the range of the training, beyond what is expected
	trainedP       = 0.001
	fewOutside     = 8 // times 1/n: share of like participants outside the means of five extremes of n in each fold
)

// Validation are the findings about models on another cohort.
func Validation(s column.ValidationSummaryRow, measures []column.ValidationRow,
	shift []column.ValidationShiftRow) (all List) {
	of := map[string]column.ValidationRow{}
	for _, m := range measures {
		of[m.Measure] = m
	}
	for _, name := range []string{"auc", "accuracy", "sensitivity", "specificity", "r", "mae"} {
		m, there := of[name]
		chance, tested := map[string]float64{"auc": 0.5, "r": 0}[name]
		if there && tested && m.High < chance { // false of NaN
			all.Study("validation.below-chance", Limits, values{"Measure": name, "Value": m.Value, "Low": m.Low,
				"High": m.High, "Chance": chance})
		}
		likely := m.Low <= m.Training && m.Training <= m.High // in the new cohort; false of NaN
		if m.TrainingLow < m.TrainingHigh && (m.Value < m.TrainingLow || m.Value > m.TrainingHigh) && !likely {
			all.Study("validation.unlike-training", Limits, values{"Measure": name, "Value": m.Value,
				"Training": m.Training, "Low": m.TrainingLow, "High": m.TrainingHigh})
		}
	}
	if s.HeldOutT > 0 && s.HeldOutP < trainedP { // false of NaN
		all.Study("validation.held-out", Overturns, values{"Models": s.Models, "N": s.Participants, "T": s.HeldOutT,
			"P": s.HeldOutP})
	}
	for _, r := range shift {
		if r.Outside > mostOutside+fewOutside/float64(max(1, s.Trained)) {
			all.Study("validation.outside", Limits, values{"Name": r.Name, "Share": r.Outside, "Low": r.Low,
				"High": r.High})
		}
		of := strings.HasPrefix(strings.ToLower(r.Name), "site") // another cohort has other sites
		if r.Category != "" && r.Training == 0 && r.New > 0 && !of {
			var known []string
			for _, o := range shift {
				if o.Name == r.Name && o.Training > 0 {
					known = append(known, o.Category)
				}
			}
			all.Study("validation.category", Limits, values{"Name": r.Name, "Category": r.Category, "Share": r.New,
				"Known": known})
		}
	}
	most, total := int32(0), int32(0)
	for _, n := range s.Counts {
		most, total = max(most, n), total+n
	}
	majority := float64(most) / float64(total)
	for _, r := range Unrecognized(s.Groups, s.Assigned) {
		if of["accuracy"].Low > majority {
			all.Study("validation.group-not-recognized", Limits, r)
		}
	}
	if present, absent := Represented(s); absent != nil {
		all.Study("validation.absent", Limits, values{"Present": present, "Absent": absent})
	}
	if s.Positive == "" {
		r2, e := of["r2"], of["mean_error"]
		if biased := e.Low > 0 || e.High < 0; len(s.Groups) == 0 && (r2.Value < 0 || biased) { // false of NaN
			all.Study("validation.off-scale", Limits, values{"R2": r2.Value, "Negative": r2.Value < 0, "Biased": biased,
				"Error": e.Value, "Low": e.Low, "High": e.High})
		}
		return all
	}
	if a := of["auc"]; a.Low <= 0.5 && a.High >= 0.5 { // false of NaN
		all.Study("validation.by-chance", Limits, values{"AUC": a.Value, "Low": a.Low, "High": a.High})
	}
	if a := of["accuracy"]; of["auc"].Low > 0.5 && a.Measure != "" && a.Low <= majority { // false of NaN
		all.Study("validation.interval-includes-majority", Limits, values{"Low": a.Low, "High": a.High,
			"Majority": majority, "Below": a.High < majority})
	}
	miscalibrated := func(of func(measure string) column.ValidationRow, recalibrated bool) {
		if p := of("calibration_p"); p.Measure != "" && inference.Significant(p.Value) { // false of NaN
			all.Study("validation.miscalibrated", Limits, values{"P": p.Value, "Intercept": of("intercept").Value,
				"Slope": of("slope").Value, "Recalibrated": recalibrated})
		}
	}
	recalibrated := of["brier_recalibrated"].N > 0
	if s.Calibrated {
		miscalibrated(func(measure string) column.ValidationRow { return of[measure] }, false)
	} else {
		all.Study("validation.decision-values", Notes, values{"Recalibrated": recalibrated})
		miscalibrated(func(measure string) column.ValidationRow { return of[measure+"_recalibrated"] }, true)
	}
	slope := of["slope"]
	if !s.Calibrated {
		slope = of["slope_recalibrated"]
	}
	zero, chance := slope.Low <= 0 && slope.High >= 0, of["auc"].Measure != "" && of["auc"].Low <= 0.5
	if slope.Measure != "" && !math.IsNaN(slope.Low) && (zero || chance) {
		all.Study("validation.slope", Limits, values{"Slope": slope.Value, "Low": slope.Low, "High": slope.High,
			"Zero": zero})
	}
	fewest := min(s.Counts[0], s.Counts[1])
	switch {
	case !s.Calibrated && !recalibrated:
	case s.Separated:
		all.Study("validation.separated", Limits, nil)
	case fewest < leastForSlopes:
		all.Study("validation.no-slope", Limits, values{"N": int(fewest), "Least": leastForSlopes})
	case fewest < fewCalibrated:
		all.Study("validation.few", Limits, values{"N": int(fewest)})
	}
	return all
}

// Alone is how well a variable, without a model, distinguishes the positive group of a validation: the AUC, at least
// 0.5, with its standard error.
type Alone struct {
	Name                string
	AUC, SE             float64
	Positive, Negatives int
}

// AloneOf is that of the values of both groups.
func AloneOf(name string, positive, negative []float64) Alone {
	auc, se := inference.DeLong(positive, negative)
	return Alone{name, max(auc, 1-auc), se, len(positive), len(negative)}
}

// covariatesAlone are the findings about variables whose interval excludes 0.5 after Bonferroni's correction.
func covariatesAlone(rows []Alone) (all List) {
	wider := inference.NormalQuantile(1-0.025/float64(max(1, len(rows)))) / inference.NormalQuantile(0.975)
	for _, r := range rows {
		low, high := inference.LogitInterval(r.AUC, r.SE, r.Positive, r.Negatives)
		if least, _ := inference.LogitInterval(r.AUC, wider*r.SE, r.Positive, r.Negatives); least > 0.5 {
			all.Study("validation.covariate", Overturns, values{"Name": r.Name, "AUC": r.AUC, "Low": low, "High": high,
				"Tests": len(rows)})
		}
	}
	return all
}

// mostUnlike is the largest difference of the shares of a group that shifts predictions little.
const mostUnlike = 0.05

// Shares are those of one of two groups in a new cohort and in training.
type Shares struct {
	Group         string // "" where they are not known
	New, Training float64
	Differ        bool // or may: a harmonization without labels then shifts predictions
}

// SharesOf are those of the positive group of a validation.
func SharesOf(s column.ValidationSummaryRow) Shares {
	at := slices.Index(s.Groups, s.Positive)
	if at < 0 || !(s.TrainingShare > 0) { // NaN
		return Shares{Differ: true}
	}
	share := float64(s.Counts[at]) / float64(s.Participants)
	return Shares{s.Positive, share, s.TrainingShare, math.Abs(share-s.TrainingShare) > mostUnlike}
}

// timesTraining is how many times the mean absolute error in training shows that the values are not predicted.
const timesTraining = 3

// A Scale is how well models predict the values of a number, beside their order.
type Scale struct {
	Wrong              bool    // the mean of the new cohort is as good, or the error is several times that of training
	R2, Error, Trained float64 // NaN: not known
}

// ScaleOf is that of the measures of a validation.
func ScaleOf(measures []column.ValidationRow) Scale {
	s := Scale{R2: math.NaN(), Error: math.NaN(), Trained: math.NaN()}
	for _, m := range measures {
		switch m.Measure {
		case "r2":
			s.R2 = m.Value
		case "mae":
			s.Error, s.Trained = m.Value, m.Training
		}
	}
	s.Wrong = s.R2 <= 0 || s.Error >= timesTraining*s.Trained // false of NaN
	return s
}

// Represented are the groups of stored models that the new cohort has, and those that it lacks.
func Represented(s column.ValidationSummaryRow) (present, absent []string) {
	for i, g := range s.Groups {
		if s.Counts[i] > 0 {
			present = append(present, g)
		} else {
			absent = append(absent, g)
		}
	}
	return present, absent
}
