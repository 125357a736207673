package subgroup

import (
	"math"
	"slices"

	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// What a group needs to be shown, each of its classes for AUC, sensitivity and specificity, and for a calibration
// slope (as in the kind validate).
const (
	leastShown    = 10
	leastClass    = 5
	leastForSlope = 10
)

// The measures that are compared.
const (
	accuracy    = "accuracy"
	auc         = "auc"
	sensitivity = "sensitivity"
	specificity = "specificity"
)

var measures = []string{accuracy, auc, sensitivity, specificity}

// rows are the measures of the groups of a column.
func (x *tested) rows(name string, d division, complementary bool) []column.SubgroupRow {
	rows, why := make([]column.SubgroupRow, len(d.names)), d.suppressed(complementary)
	areas := x.areas.Of(d.group, len(d.names))
	for g := range rows {
		r := emptyRow()
		r.Coords, r.Name, r.Column, r.Group, r.Suppressed = x.coords, x.name, name, d.names[g], why[g]
		if why[g] == "" {
			r.From, r.To = d.from[g], d.to[g]
			x.fill(&r, d.group, g, areas[g])
		}
		rows[g] = r
	}
	return rows
}

// emptyRow is a row whose numbers are missing.
func emptyRow() (r column.SubgroupRow) {
	for _, v := range []*float64{&r.From, &r.To, &r.N, &r.Positive, &r.Accuracy, &r.Low, &r.High, &r.AUC, &r.AUCLow,
		&r.AUCHigh, &r.Sensitivity, &r.SensLow, &r.SensHigh, &r.Specificity, &r.SpecLow, &r.SpecHigh, &r.Score,
		&r.Brier, &r.BrierLow, &r.BrierHigh, &r.Large, &r.LargeLow, &r.LargeHigh, &r.Intercept, &r.InterLow,
		&r.InterHigh, &r.Slope, &r.SlopeLow, &r.SlopeHigh} {
		*v = math.NaN()
	}
	return r
}

// fill measures one group.
func (x *tested) fill(r *column.SubgroupRow, group []int, g int, area float64) {
	var p, y, losses, logits []float64
	var outcome []bool
	n, positive := 0.0, 0.0
	for i, of := range group {
		if of != g {
			continue
		}
		n++
		is := x.label[i] == x.positive
		if is {
			positive++
		}
		outcome = append(outcome, is)
		p, y = append(p, x.probability[i]), append(y, map[bool]float64{true: 1}[is])
		losses, logits = append(losses, x.brier[i]), append(logits, x.logit[i])
	}
	r.N, r.Accuracy = n, x.measure(0, group, g+1)[g]
	r.Low, r.High = inference.Wilson(r.Accuracy, n)
	if x.positive < 0 {
		return
	}
	r.Positive = positive
	if min(positive, n-positive) >= leastClass {
		r.AUC = area
		r.AUCLow, r.AUCHigh = x.areas.Interval(area, group, g)
		r.Sensitivity, r.Specificity = x.measure(2, group, g+1)[g], x.measure(3, group, g+1)[g]
		r.SensLow, r.SensHigh = inference.Wilson(r.Sensitivity, positive)
		r.SpecLow, r.SpecHigh = inference.Wilson(r.Specificity, n-positive)
	}
	if !x.calibrated {
		return
	}
	whole := inference.Validation{Test: []float64{n}, Train: []float64{math.Inf(1)}} // given the models
	r.Score, r.Brier = mean(p), mean(losses)
	r.BrierLow, r.BrierHigh = whole.Brier(r.Brier, [][]float64{losses})
	c := inference.CompareNumbers(p, y, math.NaN())
	r.Large, r.LargeLow, r.LargeHigh = -c.Error, -c.ErrorHigh, -c.ErrorLow
	if min(positive, n-positive) < leastForSlope {
		return
	}
	of := inference.Recalibrate(logits, outcome)
	const z = 1.959963984540054
	r.Intercept, r.Slope = of.Intercept, of.Slope
	r.InterLow, r.InterHigh = of.Intercept-float64(z*of.InterceptSE), of.Intercept+float64(z*of.InterceptSE)
	r.SlopeLow, r.SlopeHigh = of.Slope-float64(z*of.SlopeSE), of.Slope+float64(z*of.SlopeSE)
}

func mean(v []float64) float64 {
	m, _ := column.MeanSD(v)
	return m
}

// counts reports whether a participant counts for a share, a place in measures, and with how much.
func (x *tested) counts(measure, i int) (bool, float64) {
	switch measures[measure] {
	case sensitivity:
		return x.label[i] == x.positive, x.called[i]
	case specificity:
		return x.label[i] != x.positive, 1 - x.called[i]
	}
	return true, x.correct[i]
}

// measure is one of measures in each group; NaN where nobody counts.
func (x *tested) measure(measure int, group []int, groups int) []float64 {
	if measures[measure] == auc {
		return x.areas.Of(group, groups)
	}
	sum, n := make([]float64, groups), make([]float64, groups)
	for i, g := range group {
		if g < 0 || g >= groups {
			continue
		}
		if is, v := x.counts(measure, i); is {
			sum[g], n[g] = sum[g]+v, n[g]+1
		}
	}
	for g := range sum {
		sum[g] /= n[g]
	}
	return sum
}

// pooled is a share over some participants, and how many count.
func (x *tested) pooled(measure int, who []int) (share, n float64) {
	for _, i := range who {
		if is, v := x.counts(measure, i); is {
			share, n = share+v, n+1
		}
	}
	return share / n, n
}

// expected are the measures of groups that their strata alone give, each over all participants with the weights of the
// group (inference.SharesOfStrata).
func (x *tested) expected(weights [][]float64) [][]float64 {
	all := make([][]float64, len(measures))
	for m := range measures {
		for _, weight := range weights {
			if measures[m] == auc {
				all[m] = append(all[m], x.areas.Weighted(weight))
				continue
			}
			sum, n := 0.0, 0.0
			for i, w := range weight {
				if is, v := x.counts(m, i); is {
					sum, n = sum+float64(w*v), n+w
				}
			}
			all[m] = append(all[m], sum/n)
		}
	}
	return all
}

// heterogeneity is χ² of the accuracies of the groups against the expected ones.
func (x *tested) heterogeneity(group []int, expected []float64) float64 {
	groups := len(expected)
	n, share, of := make([]float64, groups), x.measure(0, group, groups), slices.Clone(expected)
	for _, g := range group {
		if g >= 0 {
			n[g]++
		}
	}
	for g := range share {
		if n[g] == 0 {
			share[g], of[g] = 0, 0
		}
	}
	return inference.Heterogeneity(share, of, n)
}

// within has scores without the effects of the groups, which leaves the area of each group: the area of participants of
// several groups does not contain how much their scores differ in all classes.
func (x *tested) within(group, stratum []int, groups int) *tested {
	y := *x
	y.scored = make([][]inference.ScoredCase, len(x.scored))
	var scores []float64
	var groupOf, stratumOf []int
	for _, fold := range x.scored {
		for _, c := range fold {
			scores = append(scores, c.Score)
			groupOf, stratumOf = append(groupOf, group[c.Person]), append(stratumOf, stratum[c.Person])
		}
	}
	if scores == nil {
		return &y
	}
	effect := effects(scores, groupOf, stratumOf, groups)
	for f, fold := range x.scored {
		y.scored[f] = slices.Clone(fold)
		for i, c := range fold {
			if g := group[c.Person]; g >= 0 && effect[g]-effect[g] == 0 { // finite
				y.scored[f][i].Score -= effect[g]
			}
		}
	}
	y.areas = inference.NewGroupAreas(y.scored, x.areas.Repeats)
	return &y
}

// values are the measures of the rows; NaN where one is not shown.
func (x *tested) values(rows []column.SubgroupRow) [][]float64 {
	all := make([][]float64, len(measures))
	for m, measure := range measures {
		for _, r := range rows {
			all[m] = append(all[m], intervalOf(measure, r)[0])
		}
	}
	return all
}

// intervalOf is a measure of a row with its interval.
func intervalOf(measure string, r column.SubgroupRow) [3]float64 {
	switch measure {
	case accuracy:
		return [3]float64{r.Accuracy, r.Low, r.High}
	case auc:
		return [3]float64{r.AUC, r.AUCLow, r.AUCHigh}
	case sensitivity:
		return [3]float64{r.Sensitivity, r.SensLow, r.SensHigh}
	}
	return [3]float64{r.Specificity, r.SpecLow, r.SpecHigh}
}

// casesOf is the number of participants that a share of a row is of.
func casesOf(measure string, r column.SubgroupRow) float64 {
	switch measure {
	case sensitivity:
		return r.Positive
	case specificity:
		return r.N - r.Positive
	}
	return r.N
}

// less are values less what is expected.
func less(v, expected []float64) []float64 {
	out := make([]float64, len(v))
	for g := range v {
		out[g] = v[g] - expected[g]
	}
	return out
}

// spread is the largest difference of two values; NaN of fewer than two.
func spread(v []float64) float64 {
	if low, high := extremes(v); low >= 0 {
		return v[high] - v[low]
	}
	return math.NaN()
}

// expectedDifference is that of two groups; 0 where rounding alone makes them differ. A mean error can be 0 in both, so
// what is rounding depends on their values, too.
func expectedDifference(values, expected []float64, high, low int) float64 {
	e := expected[high] - expected[low]
	if math.Abs(e) > 1e-12*max(math.Abs(expected[high]), math.Abs(values[high]), math.Abs(values[low])) {
		return e
	}
	return 0
}

// extremes are the places of the smallest and the largest value; −1 of fewer than two values.
func extremes(v []float64) (low, high int) {
	low, high = -1, -1
	for i, x := range v {
		if math.IsNaN(x) {
			continue
		}
		if low < 0 || x < v[low] {
			low = i
		}
		if high < 0 || x > v[high] {
			high = i
		}
	}
	switch {
	case len(column.Known(v)) < 2:
		return -1, -1
	case low == high: // all are equal: the first two
		for i := high + 1; i < len(v); i++ {
			if !math.IsNaN(v[i]) {
				return i, high
			}
		}
	}
	return low, high
}
