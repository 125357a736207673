package quality

import (
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// drawsOfSpread are the permutations of its p, with a fixed seed. At no site of ABIDE does the spread separate the
// groups with an AUC above 0.63, but at three of twenty it separates ages, with an AUC of up to 0.86: apartOfNumber is
// beyond.
const drawsOfSpread, apartOfNumber = 9999, 0.9

// muchRepeated is how much larger the share of repeated values is on one side where a finding states it.
const muchRepeated = 0.02

// SpreadsDiffer are the findings about matrices whose correlations spread more widely, or repeat values more often, in
// one group, or for higher or lower values of the number to predict: the spread as of shorter scans or of series with
// more autocorrelation, repeated values as after rounding or a threshold. Where the means are apart, too, stronger
// connectivity can explain the spread, and where it is not far apart, age. Participants are compared within sites.
func SpreadsDiffer(forms []Form, people *column.People, site map[string]string) (all finding.List) {
	if people == nil {
		return nil
	}
	for _, of := range lists.By(forms, func(f Form) string { return f.Port }) {
		spread, mean, repeated := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
		for _, f := range of.All {
			if repeated[f.Participant] = append(repeated[f.Participant], f.Repeated); f.Spread > 0 {
				spread[f.Participant] = append(spread[f.Participant], f.Spread)
				mean[f.Participant] = append(mean[f.Participant], f.Mean)
			}
		}
		sides := sidesOf{of.Key, "repeated", people, site}
		if numbers, _ := sides.differ(repeated); numbers != nil {
			shares := lists.Map(numbers["Groups"].([]GroupMean), func(g GroupMean) float64 { return g.Mean })
			if slices.Max(shares)-slices.Min(shares) >= muchRepeated {
				all.Study("matrices.values-repeat", finding.Overturns, numbers)
			}
		}
		sides.measure = "spread"
		numbers, auc := sides.differ(spread)
		if numbers == nil {
			continue
		}
		meanAUC, _, meanP := sides.apart(mean, drawsOfSpread)
		both := meanAUC >= finding.Apart && inference.Significant(meanP)
		usual, weight := both || people.Numbers != nil && auc < apartOfNumber, finding.Overturns
		if usual {
			weight = finding.Limits
		}
		numbers["Usual"], numbers["MeanAUC"], numbers["Means"] = usual, meanAUC, both
		all.Study("matrices.spread-differs", weight, numbers)
	}
	return all
}

// sidesOf are the groups, or lower and higher values of the number to predict, of the participants who have a measure
// of the matrices at a port.
type sidesOf struct {
	port, measure string
	people        *column.People
	site          map[string]string
}

// of are the participants with a measure, their means of it, and their groups by number and name.
func (s sidesOf) of(by map[string][]float64) (ids []string, v []float64, group []int, names []string) {
	ids = slices.DeleteFunc(slices.Clone(s.people.Ids), func(id string) bool { return by[id] == nil })
	v = lists.Map(ids, func(id string) float64 {
		mean, _ := column.MeanSD(by[id])
		return mean
	})
	group, names = column.Numbered(lists.Map(ids, func(id string) string { return s.people.Group[id] }))
	return ids, v, group, names
}

// apart is the AUC of a measure within sites for the groups, or for the division of the number from which it is
// largest, and its p.
func (s sidesOf) apart(by map[string][]float64, draws int) (auc, from, p float64) {
	ids, v, group, names := s.of(by)
	strata, _ := column.Numbered(lists.Map(ids, func(id string) string { return s.site[id] }))
	stream := random.New(0, s.measure, s.port)
	if s.people.Numbers != nil {
		numbers := lists.Map(ids, func(id string) float64 { return s.people.Numbers[id] })
		cut := inference.CutBest(v, numbers, strata, draws, stream)
		return cut.AUC, cut.From, cut.P
	}
	one := inference.Covariate{Values: v}
	told := inference.Separate(one, group, len(names), strata, draws, stream)
	return SeriesTrial{Strata: strata}.best(one, group, len(names)), 0, told.P
}

// differ are the numbers of a finding about a measure that separates the sides, and its AUC; nil where it does not.
func (s sidesOf) differ(by map[string][]float64) (numbers values, auc float64) {
	if auc, _, _ := s.apart(by, 0); !(auc >= finding.Apart) {
		return nil, auc
	}
	auc, from, p := s.apart(by, drawsOfSpread)
	if !(p <= strictP) {
		return nil, auc
	}
	ids, v, sides, names := s.of(by)
	if s.people.Numbers != nil {
		sides, names = make([]int, len(ids)), make([]string, 2)
		for i, id := range ids {
			if s.people.Numbers[id] >= from {
				sides[i] = 1
			}
		}
	}
	groups := means(v, sides, names)
	return values{"Port": s.port, "AUC": auc, "P": p, "Draws": drawsOfSpread, "Groups": groups,
		"Number": s.people.Target, "From": from, "Low": groups[0].Mean, "High": groups[1].Mean,
		"Higher": groups[1].Mean > groups[0].Mean}, auc
}
