package combat

import (
	"fmt"
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
)

// Site estimates the shift and the scale of one new site, with the means, slopes and SDs as they were fitted: a Fit of
// this site alone, which brings it to the sites that f was fitted on. The rows are participants of that site; no site
// of f is needed. A feature of which too few have a value is not fitted.
func (f *Fit) Site(values, covariates [][]float64, o Options) (*Fit, error) {
	features, n := len(f.Mean), len(values)
	g := &Fit{Fitted: make([]bool, features), Mean: f.Mean, SD: f.SD, Slope: f.Slope, Shift: rows(1, features),
		Scale: rows(1, features), Priors: []Prior{{Participants: n}}, Reference: -1}
	o.Reference = -1
	r := &raw{o: o, count: rows(1, features), squares: rows(1, features)}
	least := 2.0
	if o.MeanOnly {
		least = 1
	}
	fitted := make([]bool, features)
	dense.Each(o.Workers, features, func(i int) {
		if !f.Fitted[i] {
			return
		}
		z := make([]float64, 0, n)
		for j, row := range values {
			if math.IsNaN(row[i]) {
				continue
			}
			model := f.Mean[i]
			for k := range f.Slope {
				model += float64(covariates[j][k] * f.Slope[k][i])
			}
			z = append(z, (row[i]-model)/f.SD[i])
		}
		count, mean := float64(len(z)), 0.0
		if count < least {
			return
		}
		for _, v := range z {
			mean += v / count
		}
		for _, v := range z {
			r.squares[0][i] += float64((v - mean) * (v - mean))
		}
		fitted[i], g.Shift[0][i], r.count[0][i] = true, mean, count
	})
	g.Fitted = fitted
	some := lists.Count(fitted, func(is bool) bool { return is })
	if some < 2 {
		return nil, fmt.Errorf("%d of %d features have values of %g or more participants", some, features, least)
	}
	return g, g.shrink(0, r)
}
