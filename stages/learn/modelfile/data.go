package modelfile

import (
	"fmt"
	"strings"

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
		for _, m := range made {
			if strings.HasPrefix(m.Key, prefix) {
				return true
			}
		}
		return false
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
