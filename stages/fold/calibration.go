package fold

// A CalibrationBin holds the cases whose predicted probability lies in (Low, High]; the first bin includes 0.
type CalibrationBin struct {
	Low, High float64
	N         int
	Mean      float64 // predicted probability; NaN without cases
	Share     float64 // of the cases that are positive; NaN without cases
}

// Calibrate compares predicted probabilities with what happened: in bins of equal width (scikit-learn's
// calibration_curve, strategy uniform), and by the Brier score, the mean of (probability − outcome)² (Brier 1950).
func Calibrate(probability []float64, positive []bool, bins int) (all []CalibrationBin, brier float64) {
	all = make([]CalibrationBin, bins)
	for k := range all {
		all[k].Low, all[k].High = float64(k)/float64(bins), float64(k+1)/float64(bins)
	}
	for i, p := range probability {
		k := 0
		for k < bins-1 && p > all[k].High {
			k++
		}
		b := &all[k]
		b.N++
		b.Mean += p
		difference := p
		if positive[i] {
			b.Share++
			difference = p - 1
		}
		brier += float64(difference * difference)
	}
	for k := range all {
		all[k].Mean /= float64(all[k].N) // 0/0 is NaN
		all[k].Share /= float64(all[k].N)
	}
	return all, brier / float64(len(probability))
}
