package fold

import (
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// Validation is the design of the cross-validation that tested a setting. Where predictions do not list the
// participants that were trained on, they are those that other folds test.
func Validation(folds []Tested) inference.Validation {
	all := float64(len(Distinct(folds)))
	var v inference.Validation
	for _, f := range folds {
		test, train := float64(len(f.Participants)), float64(len(f.trained))
		if train == 0 {
			train = all - test
		}
		if train == 0 {
			train = math.NaN() // nothing is known, and there is no interval
		}
		v.Test, v.Train = append(v.Test, test), append(v.Train, train)
	}
	return v
}

// Intervals adds to the measures of a setting their confidence intervals. The number of cases is that of participants,
// also where graphs count.
func Intervals(r *column.AccuracyRow, folds []Tested, groups, positive int) {
	v := Validation(folds)
	shares := func(is func(Case) bool, right func(Case) bool) (of, n []float64) {
		for _, f := range folds {
			hit, all, people := 0.0, 0.0, 0.0
			for _, c := range f.Cases(r.Level) {
				if is(c) {
					all++
					if right(c) {
						hit++
					}
				}
			}
			for _, c := range f.Participants {
				if is(c) {
					people++
				}
			}
			of, n = append(of, hit/all), append(n, people)
		}
		return of, n
	}
	correct := func(c Case) bool { return c.Predicted == c.Label }
	of, n := shares(func(Case) bool { return true }, correct)
	r.Low, r.High = v.Share(r.Accuracy, of, n)

	var recall, low, high []float64
	for g := range groups {
		of, n := shares(func(c Case) bool { return c.Label == g }, correct)
		if mean, _ := column.MeanSD(column.Known(of)); !math.IsNaN(mean) {
			l, h := v.Share(mean, of, n)
			recall, low, high = append(recall, mean), append(low, l), append(high, h)
		}
	}
	r.BalancedLow, r.BalancedHigh = inference.MeanOfShares(r.Balanced, recall, low, high)

	missing := math.NaN()
	r.AUCLow, r.AUCHigh, r.Brier, r.BrierLow, r.BrierHigh = missing, missing, missing, missing, missing
	r.SensLow, r.SensHigh, r.SpecLow, r.SpecHigh = missing, missing, missing, missing
	if positive < 0 {
		return
	}
	is := func(c Case) bool { return c.Label == positive }
	not := func(c Case) bool { return c.Label != positive }
	of, positives := shares(is, func(c Case) bool { return c.Predicted == positive })
	r.SensLow, r.SensHigh = v.Share(r.Sensitivity, of, positives)
	of, negatives := shares(not, func(c Case) bool { return c.Predicted != positive })
	r.SpecLow, r.SpecHigh = v.Share(r.Specificity, of, negatives)
	areas := lists.Map(folds, func(f Tested) float64 { return Score(f.Cases(r.Level), positive).Auc })
	r.AUCLow, r.AUCHigh = v.AUC(r.AUC, areas, dense.Sum(positives), dense.Sum(negatives))
	if r.Level != "participant" || !folds[0].Calibrated() {
		return
	}
	losses := lists.Map(folds, func(f Tested) []float64 {
		return lists.Map(f.Participants, func(c Case) float64 {
			d := c.Probability[positive]
			if is(c) {
				d--
			}
			return float64(d * d)
		})
	})
	total, count := 0.0, 0.0
	for _, f := range losses {
		total, count = total+dense.Sum(f), count+float64(len(f))
	}
	r.Brier = total / count
	r.BrierLow, r.BrierHigh = v.Brier(r.Brier, losses)
}
