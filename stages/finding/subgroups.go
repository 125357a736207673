package finding

import (
	"fmt"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// Subgroups are the findings about groups of participants: for each column and measure the classifiers that differ
// between groups after Holm's correction for all comparisons, those together whose same group is higher than the same
// other one, and how many groups are suppressed. notes are those of the loader; within is the column within whose
// values groups of other columns were permuted, "" for none.
func Subgroups(groups []column.SubgroupRow, tests []column.SubgroupTestRow, notes []column.Note,
	within string) (all List) {
	noted := slices.ContainsFunc(notes, func(n column.Note) bool { return n.Doubt == column.DoubtIndependence })
	differ := slices.DeleteFunc(slices.Clone(tests), func(r column.SubgroupTestRow) bool {
		return !inference.Significant(r.Holm)
	})
	of := func(r column.SubgroupTestRow) [5]string {
		return [5]string{r.Column, r.Measure, r.High, r.Low, fmt.Sprint(r.Difference <= 0)}
	}
	for _, by := range lists.By(differ, of) {
		first := by.All[0]
		all.Study("subgroups.differ", Limits, values{"Name": first.Column, "Measure": first.Measure,
			"Higher": first.High, "Lower": first.Low, "Difference": first.Difference, "Low": first.DiffLow,
			"High": first.DiffHigh, "Expected": first.Expected, "Reversed": first.Difference <= 0,
			"Includes": first.Difference > 0 && first.DiffLow <= 0,
			"Classes":  !ofNumber(first), "Within": map[bool]string{true: within}[first.Column != within],
			"P": first.Holm, "Draws": int(first.Permutations), "Classifier": first.Name,
			"Also": lists.Map(by.All[1:], func(r column.SubgroupTestRow) string { return r.Name })})
	}
	compared := 0
	for _, r := range tests {
		if !math.IsNaN(r.P) {
			compared++
		}
	}
	if compared > 0 && inference.Powerless(float64(compared)/float64(tests[0].Permutations+1)) {
		all.Study("subgroups.powerless", Limits, values{"Draws": int(tests[0].Permutations), "Compared": compared,
			"Needed": 20 * compared, "Number": ofNumber(tests[0])})
	}
	if !noted && slices.ContainsFunc(tests, func(r column.SubgroupTestRow) bool { return r.Related }) {
		all.Study("subgroups.related", Limits, nil)
	}
	hidden := map[[2]string]bool{} // the same in all classifiers
	for _, r := range groups {
		if r.Suppressed != "" {
			hidden[[2]string{r.Column, r.Group}] = true
		}
	}
	if len(hidden) > 0 {
		all.Study("subgroups.suppressed", Notes, values{"N": len(hidden)})
	}
	return all
}

// OtherPositive is the finding about subgroups whose sensitivity is that of another group than in the evaluation; ""
// and n/a are no group.
func OtherPositive(evaluated, own string) (all List) {
	if own != "" && evaluated != "" && evaluated != "n/a" && own != evaluated {
		all.Study("subgroups.other-positive", Limits, values{"Evaluated": evaluated, "Own": own})
	}
	return all
}

// ofNumber reports whether a test is of predictions of a number.
func ofNumber(r column.SubgroupTestRow) bool {
	return slices.Contains([]string{"r", "mae", "mean_error"}, r.Measure)
}
