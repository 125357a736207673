package combat

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"prgnn/internal/need"
)

// A fixture is what testdata/combat.py wrote.
type fixture struct {
	Values     [][]float64
	Site       []int
	Covariates [][]float64
	Train      int
	Cases      []struct {
		Name       string
		Bayes      bool
		Reference  int
		MeanOnly   bool `json:"mean_only"`
		Covariates bool
		Want       [][]float64
	}
}

func load(t *testing.T) *fixture {
	t.Helper()
	b := need.Value(os.ReadFile("testdata/combat.json"))(t)
	f := &fixture{}
	need.NoError(t, json.Unmarshal(b, f))
	return f
}

func (f *fixture) sample(n int) Sample {
	return Sample{Values: f.Values[:n], Site: f.Site[:n], Sites: 3, Covariates: f.Covariates[:n]}
}

func mustLearn(t *testing.T, s Sample, o Options) *Fit {
	t.Helper()
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	fit := need.Value(Learn(s, o))(t)
	return fit
}

// The numbers of neuroHarmonize and neuroCombat, of those who were learnt from and of
// others.
func TestAsOthers(t *testing.T) {
	f := load(t)
	for _, c := range f.Cases {
		s := f.sample(f.Train)
		if !c.Covariates {
			s.Covariates = nil
		}
		fit := mustLearn(t, s, Options{Bayes: c.Bayes, MeanOnly: c.MeanOnly, Reference: c.Reference})
		if len(c.Want) < f.Train {
			t.Fatalf("%s: the fixture has %d participants", c.Name, len(c.Want))
		}
		largest := 0.0
		for j, want := range c.Want {
			got := slices.Clone(f.Values[j])
			var x []float64
			if c.Covariates {
				x = f.Covariates[j]
			}
			fit.Apply(got, x, f.Site[j])
			for i := range want {
				largest = max(largest, math.Abs(got[i]-want[i]))
			}
		}
		t.Logf("%s: %d participants, largest difference %.1e", c.Name, len(c.Want), largest)
		if !(largest < 1e-10) {
			t.Errorf("%s: differs by %g", c.Name, largest)
		}
	}
}

// At a small tolerance both posterior means solve their equations.
func TestFixedPoint(t *testing.T) {
	f := load(t)
	fit := mustLearn(t, f.sample(f.Train), Options{Bayes: true, Reference: -1, Tolerance: 1e-13})
	rawFit := mustLearn(t, f.sample(f.Train), Options{Reference: -1})
	for site, p := range fit.Priors {
		a := 2 + p.Scale*p.Scale/p.ScaleVariance
		b := p.Scale * (a - 1)
		n := float64(p.Participants)
		for i := range fit.Mean {
			g, d := fit.Shift[site][i], fit.Scale[site][i]
			hat := rawFit.Shift[site][i]
			squares := rawFit.Scale[site][i]*(n-1) + n*(hat-g)*(hat-g)
			if want := (n*p.ShiftVariance*hat + d*p.Shift) / (n*p.ShiftVariance + d); math.Abs(g-want) > 1e-9 {
				t.Errorf("site %d, feature %d: shift %g, its posterior mean %g", site, i, g, want)
			}
			if want := (b + squares/2) / (n/2 + a - 1); math.Abs(d-want) > 1e-9 {
				t.Errorf("site %d, feature %d: scale %g, its posterior mean %g", site, i, d, want)
			}
		}
	}
}

// A missing value is as if that participant were not there, for that feature.
func TestMissing(t *testing.T) {
	f := load(t)
	s := f.sample(f.Train)
	s.Values = slices.Clone(s.Values)
	s.Values[2] = slices.Clone(s.Values[2])
	s.Values[2][5] = math.NaN()
	got := mustLearn(t, s, Options{Reference: -1})
	without := f.sample(f.Train)
	without.Values, without.Site, without.Covariates = slices.Delete(slices.Clone(without.Values), 2, 3),
		slices.Delete(slices.Clone(without.Site), 2, 3), slices.Delete(slices.Clone(without.Covariates), 2, 3)
	want, all := mustLearn(t, without, Options{Reference: -1}), mustLearn(t, f.sample(f.Train), Options{Reference: -1})
	for i := range got.Mean {
		of := all
		if i == 5 {
			of = want
		}
		if got.Mean[i] != of.Mean[i] || got.SD[i] != of.SD[i] || got.Shift[0][i] != of.Shift[0][i] ||
			got.Scale[2][i] != of.Scale[2][i] || got.Slope[1][i] != of.Slope[1][i] {
			t.Errorf("feature %d is fitted otherwise", i)
		}
	}
}

// Features of which a site has one value, or that do not vary, stay as they are.
func TestNotFitted(t *testing.T) {
	f := load(t)
	s := f.sample(f.Train)
	s.Values = make([][]float64, f.Train)
	left := false
	for j := range s.Values {
		s.Values[j] = slices.Clone(f.Values[j])
		s.Values[j][0] = 0.25
		if s.Site[j] == 1 {
			if left {
				s.Values[j][3] = math.NaN()
			}
			left = true
		}
	}
	fit := mustLearn(t, s, Options{Bayes: true, Reference: -1})
	row := slices.Clone(s.Values[0])
	fit.Apply(row, s.Covariates[0], 0)
	for i := range row {
		if stays := i == 0 || i == 3; fit.Fitted[i] == stays || (row[i] == s.Values[0][i]) != stays {
			t.Errorf("feature %d: fitted %v, %g becomes %g", i, fit.Fitted[i], s.Values[0][i], row[i])
		}
	}
	if fit = mustLearn(t, s, Options{Bayes: true, MeanOnly: true, Reference: -1}); !fit.Fitted[3] {
		t.Error("a shift needs one value only")
	}
}

func TestWorkers(t *testing.T) {
	f := load(t)
	s := f.sample(f.Train)
	for j := range s.Values {
		s.Values[j] = slices.Repeat(s.Values[j], 40) // several blocks
	}
	one, many := mustLearn(t, s, Options{Bayes: true, Reference: -1, Workers: 1}),
		mustLearn(t, s, Options{Bayes: true, Reference: -1, Workers: 7})
	for site := range one.Shift {
		if !slices.Equal(one.Shift[site], many.Shift[site]) || !slices.Equal(one.Scale[site], many.Scale[site]) {
			t.Errorf("site %d: seven workers give other bits than one", site)
		}
	}
}

// A covariate that says the same as the site, or as another one, is refused by name.
func TestCollinear(t *testing.T) {
	f := load(t)
	for name, of := range map[string]func(j int) []float64{
		"site": func(j int) []float64 { return []float64{f.Covariates[j][0], 3 + float64(f.Site[j])} },
		"other": func(j int) []float64 {
			return []float64{f.Covariates[j][0],
				2*f.Covariates[j][0] - float64(f.Site[j])}
		},
	} {
		s := f.sample(f.Train)
		s.Covariates = nil
		for j := range s.Values {
			s.Covariates = append(s.Covariates, of(j))
		}
		_, err := Learn(s, Options{Bayes: true, Reference: -1, Tolerance: 1e-4})
		var which *CovariateError
		if !errors.As(err, &which) || which.Covariate != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
