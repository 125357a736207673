package confound

import (
	"cmp"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/inference"
)

// Caliper is how far the numbers of a pair may differ, in SDs (n − 1) of all participants (Austin 2011 has 0.2 SD of
// the propensity score).
const Caliper = 0.2

// Match pairs each member of a group with the nearest one of the others in the first covariate, without replacement, in
// falling order of its value. Other numbers of a pair differ by at most the caliper, and categories are the same.
func Match(group []bool, of []Covariate) (pairs [][2]int) {
	var caliper []float64
	for _, c := range of {
		_, sd := moments(c.Number)
		caliper = append(caliper, Caliper*sd)
	}
	var first, others []int
	for i, in := range group {
		switch {
		case slices.ContainsFunc(of, func(c Covariate) bool { return c.Missing(i) }):
		case in:
			first = append(first, i)
		default:
			others = append(others, i)
		}
	}
	v := of[0].Number
	slices.SortStableFunc(first, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	slices.Reverse(first)
	for _, i := range first {
		at, least := -1, math.Inf(1)
		for k, j := range others {
			fits := true
			for c := range of {
				if of[c].Text != nil {
					fits = fits && of[c].Text[i] == of[c].Text[j]
				} else {
					fits = fits && math.Abs(of[c].Number[i]-of[c].Number[j]) <= caliper[c]
				}
			}
			if d := math.Abs(v[i] - v[j]); fits && !inference.AsLarge(d, least) {
				at, least = k, d
			}
		}
		if at >= 0 {
			pairs = append(pairs, [2]int{i, others[at]})
			others = slices.Delete(others, at, at+1)
		}
	}
	return pairs
}

// moments are the mean and the SD (n − 1) of the known values.
func moments(v []float64) (mean, sd float64) {
	return exact.MeanSD(slices.DeleteFunc(slices.Clone(v), math.IsNaN))
}

// Difference is the standardized difference of the means of two groups: over the root of the mean of their variances
// (n − 1). NaN where neither group varies.
func Difference(a, b []float64) float64 {
	ma, sa := moments(a)
	mb, sb := moments(b)
	if sa == 0 && sb == 0 {
		return math.NaN()
	}
	return (ma - mb) / math.Sqrt(float64(float64(sa*sa)+float64(sb*sb))/2)
}

// AUC is the area under the ROC curve of scores, ties counting half; NaN without both groups.
func AUC(score []float64, positive []bool) float64 {
	n, sum := 0, 0.0
	for i, r := range inference.Ranks(lists.Map(score, func(x float64) float64 { return -x })) {
		if positive[i] {
			sum += r
			n++
		}
	}
	others := len(score) - n
	if n == 0 || others == 0 {
		return math.NaN()
	}
	return (sum - float64(float64(n*(n+1))/2)) / float64(n*others)
}
