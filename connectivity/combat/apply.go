package combat

import "math"

// Apply removes the site effect from the values of one participant, in place. Features that were not fitted, missing
// values and the reference site stay as they are.
func (f *Fit) Apply(values, covariates []float64, site int) {
	if site == f.Reference {
		return
	}
	shift, scale := f.Shift[site], f.Scale[site]
	for i, y := range values {
		if !f.Fitted[i] {
			continue
		}
		model := f.Mean[i]
		for k, x := range covariates {
			model += float64(x * f.Slope[k][i])
		}
		z := ((y-model)/f.SD[i] - shift[i]) / math.Sqrt(scale[i])
		values[i] = float64(z*f.SD[i]) + model
	}
}
