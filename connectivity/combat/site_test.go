package combat

import (
	"math"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// A site of which the fit knows nothing beyond its participants is brought to the values that neuroHarmonize and
// neuroCombat give them.
func TestNewSiteAsOthers(t *testing.T) {
	f := load(t)
	for _, c := range f.Cases {
		s := f.sample(f.Train)
		if !c.Covariates {
			s.Covariates = nil
		}
		o := Options{Bayes: c.Bayes, MeanOnly: c.MeanOnly, Reference: c.Reference, Tolerance: 1e-4}
		fit := mustLearn(t, s, o)
		known := *fit
		known.Shift, known.Scale, known.Priors = nil, nil, nil
		for site := range 3 {
			if site == c.Reference {
				continue
			}
			var values, covariates [][]float64
			for j := range f.Train {
				if s.Site[j] == site {
					values = append(values, s.Values[j])
					if c.Covariates {
						covariates = append(covariates, s.Covariates[j])
					}
				}
			}
			new := need.Value(known.Site(values, covariates, o))(t)
			need.Equal(t, new.Priors[0].Steps, fit.Priors[site].Steps)
			largest := 0.0
			for j, want := range c.Want {
				if f.Site[j] != site {
					continue
				}
				got := slices.Clone(f.Values[j])
				var x []float64
				if c.Covariates {
					x = f.Covariates[j]
				}
				new.Apply(got, x, 0)
				for i := range want {
					largest = max(largest, math.Abs(got[i]-want[i]))
				}
			}
			if !(largest < 1e-10) {
				t.Errorf("%s, site %d: differs by %g", c.Name, site, largest)
			}
		}
	}
}

// The posterior means of a new site solve Johnson's equations, with the moments over its own features; a feature
// without values, or that was not fitted, stays.
func TestNewSiteByDefinition(t *testing.T) {
	f := load(t)
	fit := mustLearn(t, f.sample(f.Train), Options{Bayes: true, Reference: -1})
	fit.Fitted[1] = false
	values := make([][]float64, 5)
	for j := range values {
		values[j] = slices.Clone(f.Values[f.Train+j])
		for i := range values[j] {
			values[j][i] += 0.3 * float64(i%3)
		}
		if j > 0 {
			values[j][4] = math.NaN() // one value is left
		}
	}
	x := f.Covariates[f.Train:][:5]
	got := need.Value(fit.Site(values, x, Options{Bayes: true, Tolerance: 1e-13}))(t)
	var shift, scale []float64
	var at []int
	for i := range fit.Mean {
		if i == 1 || i == 4 {
			need.Equal(t, got.Fitted[i], false)
			continue
		}
		var z []float64
		sum := 0.0
		for j := range values {
			z = append(z, (values[j][i]-fit.Mean[i]-x[j][0]*fit.Slope[0][i]-x[j][1]*fit.Slope[1][i])/fit.SD[i])
			sum += z[j] / 5
		}
		square := 0.0
		for _, v := range z {
			square += (v - sum) * (v - sum) / 4
		}
		at, shift, scale = append(at, i), append(shift, sum), append(scale, square)
	}
	moment := func(v []float64) (mean, variance float64) {
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			variance += (x - mean) * (x - mean) / float64(len(v)-1)
		}
		return mean, variance
	}
	gm, gv := moment(shift)
	dm, dv := moment(scale)
	a, b := (2*dv+dm*dm)/dv, (dm*dv+dm*dm*dm)/dv
	for k, i := range at {
		g, d := 0.0, 1.0
		for range 10000 { // far more than it needs
			g = (5*gv*shift[k] + d*gm) / (5*gv + d)
			d = (b + (4*scale[k]+5*(shift[k]-g)*(shift[k]-g))/2) / (2.5 + a - 1)
		}
		if math.Abs(got.Shift[0][i]-g) > 1e-10 || math.Abs(got.Scale[0][i]-d) > 1e-10 {
			t.Errorf("feature %d: %v and %v, want %v and %v", i, got.Shift[0][i], got.Scale[0][i], g, d)
		}
	}
}
