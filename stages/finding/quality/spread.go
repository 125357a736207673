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

// SpreadsDiffer are the findings about matrices whose correlations spread more widely in one group, or for higher or
// lower values of the number to predict, as of shorter scans or of series with more autocorrelation. Where their means
// are apart, too, stronger connectivity can explain it, and where the spread is not far apart, age. Participants are
// compared within sites.
func SpreadsDiffer(forms []Form, people *column.People, site map[string]string) (all finding.List) {
	if people == nil {
		return nil
	}
	for _, of := range lists.By(forms, func(f Form) string { return f.Port }) {
		spread, mean := map[string][]float64{}, map[string][]float64{}
		for _, f := range of.All {
			if f.Spread > 0 {
				spread[f.Participant] = append(spread[f.Participant], f.Spread)
				mean[f.Participant] = append(mean[f.Participant], f.Mean)
			}
		}
		ids := slices.DeleteFunc(slices.Clone(people.Ids), func(id string) bool { return spread[id] == nil })
		eachOf := func(by map[string][]float64) []float64 {
			return lists.Map(ids, func(id string) float64 {
				v, _ := column.MeanSD(by[id])
				return v
			})
		}
		group, names := column.Numbered(lists.Map(ids, func(id string) string { return people.Group[id] }))
		var number []float64
		if people.Numbers != nil {
			number = lists.Map(ids, func(id string) float64 { return people.Numbers[id] })
		}
		strata, _ := column.Numbered(lists.Map(ids, func(id string) string { return site[id] }))
		apart := func(v []float64, draws int) (auc, from, p float64) {
			stream := random.New(0, "spread", of.Key)
			if number != nil {
				cut := inference.CutBest(v, number, strata, draws, stream)
				return cut.AUC, cut.From, cut.P
			}
			one := inference.Covariate{Values: v}
			told := inference.Separate(one, group, len(names), strata, draws, stream)
			return SeriesTrial{Strata: strata}.best(one, group, len(names)), 0, told.P
		}
		if auc, _, _ := apart(eachOf(spread), 0); !(auc >= finding.Apart) {
			continue
		}
		auc, from, p := apart(eachOf(spread), drawsOfSpread)
		if !(p <= strictP) {
			continue
		}
		sides, weight := group, finding.Overturns
		if number != nil {
			sides, names = make([]int, len(ids)), make([]string, 2)
			for i, v := range number {
				if v >= from {
					sides[i] = 1
				}
			}
		}
		meanAUC, _, meanP := apart(eachOf(mean), drawsOfSpread)
		both := meanAUC >= finding.Apart && inference.Significant(meanP)
		usual := both || number != nil && auc < apartOfNumber
		if usual {
			weight = finding.Limits
		}
		by := means(eachOf(spread), sides, names)
		all.Study("matrices.spread-differs", weight, values{"Port": of.Key, "AUC": auc, "P": p, "Draws": drawsOfSpread,
			"Usual": usual, "MeanAUC": meanAUC, "Means": both, "Groups": by, "Number": people.Target, "From": from,
			"Low": by[0].Mean, "High": by[1].Mean, "Higher": by[1].Mean > by[0].Mean})
	}
	return all
}
