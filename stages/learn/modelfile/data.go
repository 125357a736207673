package modelfile

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/column"
)

// dataKeys are the names under which allow accepts differences of data.
func dataKeys() []string { return []string{"measure", "denoised", "estimator"} }

// dataDiffers are the differences of data from those of a training, by the names under which allow accepts them. made
// are the parameters that differ: what they state is not stated twice.
func dataDiffers(is, was column.Data, made []column.Difference) (all []column.Difference) {
	if is.Text() != was.Text() {
		all = append(all, column.Difference{Key: "measure", Text: fmt.Sprintf("the inputs are %s, not %s (measure)",
			is.Text(),
			was.Text())})
	}
	stated := func(prefix string) bool {
		return slices.ContainsFunc(made, func(m column.Difference) bool { return strings.HasPrefix(m.Key, prefix) })
	}
	known := func(d column.Data) string {
		if d.Series == column.AsGiven {
			return "series of unknown processing"
		}
		return d.SeriesText()
	}
	if is.Series != was.Series && !stated("denoise.") {
		all = append(all, column.Difference{Key: "denoised",
			Text: fmt.Sprintf("they come from %s, not from %s (denoised)",
				known(is),
				known(was))})
	}
	if is.Measure == was.Measure && is.Estimator != was.Estimator && is.Estimator != "" && was.Estimator != "" &&
		!stated("connectivity.") && !stated("matrices.") {
		all = append(all, column.Difference{Key: "estimator",
			Text: fmt.Sprintf("the estimator is %s, not %s (estimator)",
				is.Estimator, was.Estimator)})
	}
	return all
}

// Settings are the parameters that the origins of all models state: those with one value, and the values of the others
// but fold and repeat. They are nil where the first model has no origin.
func Settings(of []*Origin) (one map[string]string, differing map[string][]string) {
	if of[0] == nil {
		return nil, nil
	}
	one, differing = map[string]string{}, map[string][]string{}
	for name := range of[0].Parameters {
		var all []string
		for _, o := range of {
			value, stated := "", false
			if o != nil {
				value, stated = o.Parameters[name]
			}
			if !stated {
				all = nil
				break
			}
			all = lists.Add(all, value)
		}
		if len(all) == 1 {
			one[name] = all[0]
		} else if len(all) > 1 && name != "fold" && name != "repeat" {
			differing[name] = all
		}
	}
	return one, differing
}
