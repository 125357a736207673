package quality

import (
	"slices"

	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// A LeftOutValue is a value that a fold leaves out, such as a site, with its participants of each class.
type LeftOutValue struct {
	Value  string
	Counts []int
}

// OppositeRatios is that values which folds leave out in turn, of the column where, have the classes in opposite ratios
// to the other values: another class is the largest, and its share differs by Fisher's exact test (Holm's correction
// for the values). Predictions that follow the ratio of the training participants are then wrong in the test
// participants, and never better than the majority-class rate (stratification bias: Parker, Günter and Bedo 2007, BMC
// Bioinformatics 8:326).
func OppositeRatios(where string, classes []string, of []LeftOutValue) (all finding.List) {
	total := make([]int, len(classes))
	for _, v := range of {
		for k, n := range v.Counts {
			total[k] += n
		}
	}
	sum := func(counts []int) (n int) {
		for _, c := range counts {
			n += c
		}
		return n
	}
	everybody := sum(total)
	type class struct {
		Name        string
		N, Training int
	}
	var opposite []values
	var p []float64
	right := 0
	for _, v := range of {
		training := make([]int, len(classes))
		for k, n := range v.Counts {
			training[k] = total[k] - n
		}
		n, largest := sum(v.Counts), slices.Index(training, slices.Max(training))
		right += v.Counts[largest]
		own := slices.Index(v.Counts, slices.Max(v.Counts))
		is := v.Counts[own] > v.Counts[largest] && training[own] < training[largest]
		p = append(p, inference.Fisher(v.Counts[own], n, training[own], everybody-n))
		var shares []class
		for _, k := range []int{own, largest} {
			shares = append(shares, class{classes[k], v.Counts[k], training[k]})
		}
		opposite = append(opposite, values{"Value": v.Value, "N": n, "Training": everybody - n, "Is": is,
			"Class": shares[0], "Largest": shares[1]})
	}
	var shown []values
	for i, holm := range inference.Holm(p) {
		if opposite[i]["Is"] == true && inference.Significant(holm) {
			opposite[i]["P"] = holm
			shown = append(shown, opposite[i])
		}
	}
	if shown != nil {
		all.Study("folds.opposite-ratios", finding.Limits, values{"Where": where, "Values": shown,
			"Right": float64(right) / float64(everybody), "Majority": float64(slices.Max(total)) / float64(everybody)})
	}
	return all
}
