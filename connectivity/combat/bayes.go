package combat

import (
	"fmt"
	"math"
)

// shrink turns the raw shifts of a site into γ*, and finds δ*².
func (f *Fit) shrink(site int, r *raw) error {
	shift, scale, p := f.Shift[site], f.Scale[site], &f.Priors[site]
	variance := make([]float64, len(shift)) // raw, δ̂²
	for i := range variance {
		scale[i] = 1
		if !f.Fitted[i] || r.o.MeanOnly {
			continue
		}
		if v := r.squares[site][i] / (r.count[site][i] - 1); v > 0 { // all values alike: nothing to scale
			scale[i] = v
		}
	}
	copy(variance, scale)
	p.Shift, p.ShiftVariance = moments(shift, f.Fitted)
	p.Scale, p.ScaleVariance = moments(variance, f.Fitted)
	if site == f.Reference {
		for i := range shift {
			shift[i], scale[i] = 0, 1
		}
		return nil
	}
	switch {
	case !r.o.Bayes:
		return nil
	case r.o.MeanOnly:
		for i, g := range shift {
			if f.Fitted[i] {
				shift[i] = posteriorShift(g, p.Shift, 1, 1, p.ShiftVariance)
			}
		}
		return nil
	}
	return f.iterate(site, r)
}

// moments are the mean and the variance (n−1) of what is fitted.
func moments(v []float64, fitted []bool) (mean, variance float64) {
	n := 0.0
	for i, x := range v {
		if fitted[i] {
			mean += x
			n++
		}
	}
	mean /= n
	for i, x := range v {
		if fitted[i] {
			variance += float64((x - mean) * (x - mean))
		}
	}
	return mean, variance / (n - 1)
}

// posteriorShift is the mean of γ given δ² (Johnson et al., eq. 3.1).
func posteriorShift(raw, prior, n, scale, variance float64) float64 {
	return (float64(variance*n*raw) + float64(scale*prior)) / (float64(variance*n) + scale)
}

// iterate finds the posterior means of γ and δ², which depend on each other.
func (f *Fit) iterate(site int, r *raw) error {
	p, shift, scale := &f.Priors[site], f.Shift[site], f.Scale[site]
	// The inverse gamma distribution with these moments.
	a := (float64(2*p.ScaleVariance) + float64(p.Scale*p.Scale)) / p.ScaleVariance
	b := (float64(p.Scale*p.ScaleVariance) + float64(p.Scale*p.Scale*p.Scale)) / p.ScaleVariance
	if !(p.ShiftVariance > 0) || math.IsNaN(a) || math.IsInf(a, 0) {
		return fmt.Errorf("site %d: its shifts or scales do not differ between the features, so no prior can be estimated", site+1)
	}
	hat := append([]float64(nil), shift...)
	const most = 100_000
	for p.Steps = 1; ; p.Steps++ {
		change := 0.0
		for i, g := range hat {
			if !f.Fitted[i] {
				continue
			}
			n := r.count[site][i]
			next := posteriorShift(g, p.Shift, n, scale[i], p.ShiftVariance)
			squares := r.squares[site][i] + float64(n*(g-next)*(g-next))
			wider := (float64(0.5*squares) + b) / (n/2 + a - 1)
			if d := math.Abs(next-shift[i]) / shift[i]; d > change { // signed, as elsewhere: see the package
				change = d
			}
			if d := math.Abs(wider-scale[i]) / scale[i]; d > change {
				change = d
			}
			shift[i], scale[i] = next, wider
		}
		if change <= r.o.Tolerance {
			return nil
		}
		if p.Steps == most {
			return fmt.Errorf("site %d: the posterior means have not converged after %d steps (largest relative change %g): use a larger tolerance", site+1, most, change)
		}
	}
}
