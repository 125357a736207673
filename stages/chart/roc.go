package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Case is one tested participant.
type Case struct {
	Score    float64 // the higher, the more positive
	Positive bool
}

// A Rate is a point of a ROC curve.
type Rate struct{ False, True float64 }

// Rates is the ROC curve, one point for each distinct score, from (0, 0) to (1, 1);
// nil when one side is empty.
func Rates(cases []Case) (rates []Rate) {
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b Case) int { return cmp.Compare(a.Score, b.Score) })
	scores, positive, found := make([]float64, len(sorted)), make([]bool, len(sorted)), 0
	for i, c := range sorted {
		if scores[i], positive[i] = c.Score, c.Positive; c.Positive {
			found++
		}
	}
	if found == 0 || found == len(sorted) {
		return nil
	}
	right, wrong, _ := stat.ROC(nil, scores, positive, nil)
	for i := range right {
		rates = append(rates, Rate{wrong[i], right[i]})
	}
	return rates
}

// Points are the coordinates of a curve.
func Points(rates []Rate) (x, y []float64) {
	for _, r := range rates {
		x, y = append(x, r.False), append(y, r.True)
	}
	return x, y
}

// MeanRates is the mean of the folds' ROC curves: at each false positive rate the mean of
// their true positive rates (vertical averaging, Fawcett 2006), and the same less and plus their SD, within 0 and 1.
// Scores of different folds are never compared, and the area of the mean is the mean of the folds' areas. Folds that
// lack one side have no curve; nil when all do.
func MeanRates(folds [][]Case) (mean, low, high []Rate) {
	var curves [][]Rate
	var at []float64
	for _, fold := range folds {
		if rates := Rates(fold); rates != nil {
			curves = append(curves, rates)
			for _, r := range rates {
				at = append(at, r.False)
			}
		}
	}
	slices.Sort(at)
	add := func(x float64, values []float64) {
		m, sd := stat.MeanStdDev(values, nil)
		if len(values) < 2 {
			sd = 0
		}
		mean = append(mean, Rate{x, m})
		low, high = append(low, Rate{x, max(m-sd, 0)}), append(high, Rate{x, min(m+sd, 1)})
	}
	for _, x := range slices.Compact(at) {
		var from, to []float64
		for _, rates := range curves {
			a, b := trueRates(rates, x)
			from, to = append(from, a), append(to, b)
		}
		if add(x, from); !slices.Equal(from, to) {
			add(x, to)
		}
	}
	return mean, low, high
}

// trueRates are the lowest and the highest true positive rate of a curve at x.
func trueRates(rates []Rate, x float64) (low, high float64) {
	i := slices.IndexFunc(rates, func(r Rate) bool { return r.False >= x })
	if b := rates[i]; b.False > x {
		a := rates[i-1]
		y := a.True + float64((b.True-a.True)*(x-a.False)/(b.False-a.False))
		return y, y
	}
	low, high = rates[i].True, rates[i].True
	for ; i < len(rates) && rates[i].False == x; i++ {
		high = rates[i].True
	}
	return low, high
}
