package combat

import (
	"errors"
	"fmt"
	"math"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
)

// A Sample is what is known of some participants: Values has a row each of F features, NaN
// where one is missing; Site a number from 0, below Sites; Covariates a row each (or nil).
type Sample struct {
	Values     [][]float64
	Site       []int
	Sites      int
	Covariates [][]float64
}

// Options are how it is fitted.
type Options struct {
	Bayes     bool    // shrink shifts and scales toward those of the site's other features
	MeanOnly  bool    // shifts only: every scale is 1
	Reference int     // the site that stays as it is and that others are brought to; −1: their mean
	Tolerance float64 // of the posterior means: 1e-4 in other programs
	Workers   int
}

// A Fit is what was learnt: arrays over the features; Slope has a row a covariate,
// Shift (γ*) and Scale (δ*²) a row a site.
type Fit struct {
	Fitted       []bool
	Mean, SD     []float64
	Slope        [][]float64
	Shift, Scale [][]float64
	Priors       []Prior // of each site
	Reference    int     // the site that stays as it is; −1: none
}

// A Prior is what the features of a site have in common: mean and variance of γ, and of δ².
type Prior struct {
	Participants         int
	Shift, ShiftVariance float64
	Scale, ScaleVariance float64
	Steps                int // of the iteration
}

// Learn fits the model. It is an error when covariates are confounded with the sites.
func Learn(s Sample, o Options) (*Fit, error) {
	features, covariates := len(s.Values[0]), 0
	if s.Covariates != nil {
		covariates = len(s.Covariates[0])
	}
	f := &Fit{
		Fitted: make([]bool, features), Mean: make([]float64, features), SD: make([]float64, features),
		Slope: rows(covariates, features), Shift: rows(s.Sites, features), Scale: rows(s.Sites, features),
		Priors: make([]Prior, s.Sites), Reference: o.Reference,
	}
	everybody := make([]bool, len(s.Values))
	for j, site := range s.Site {
		everybody[j] = true
		f.Priors[site].Participants++
	}
	whole, err := newWithin(&s, everybody)
	if err != nil {
		return nil, err
	}
	r := &raw{&s, o, rows(s.Sites, features), rows(s.Sites, features)}
	dense.EachWith(o.Workers, features, func() func(int) {
		w := &leastSquares{r, whole, map[string]*within{}}
		return func(at int) { w.fit(f, at) }
	})
	for site := range s.Sites {
		if err := f.shrink(site, r); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func rows(n, of int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, of)
	}
	return out
}

// within are the covariates of the participants who have a value, less the mean of
// their site: least squares with one mean a site and common slopes (Frisch and Waugh 1933).
type within struct {
	who    []int
	count  []int       // of each site
	mean   [][]float64 // site × covariate
	x      [][]float64 // as who
	factor [][]float64 // Cholesky's, of xᵀx
}

var errCollinear = errors.New("does not vary within the sites, or is collinear with the covariates before it: their effects cannot be separated")

// CovariateError names the covariate, from 0, that Learn cannot use.
type CovariateError struct{ Covariate int }

func (e *CovariateError) Error() string {
	return fmt.Sprintf("covariate %d %v", e.Covariate+1, errCollinear)
}
func (e *CovariateError) Unwrap() error { return errCollinear }

// Separable tells by a CovariateError which covariate of a sample does not vary within the sites, or is collinear with
// those before it. The sample needs no values.
func Separable(s Sample) error {
	there := make([]bool, len(s.Site))
	for j := range there {
		there[j] = true
	}
	_, err := newWithin(&s, there)
	return err
}

func newWithin(s *Sample, there []bool) (*within, error) {
	w := &within{count: make([]int, s.Sites)}
	for j, yes := range there {
		if yes {
			w.who = append(w.who, j)
			w.count[s.Site[j]]++
		}
	}
	if s.Covariates == nil {
		return w, nil
	}
	p := len(s.Covariates[0])
	w.mean = rows(s.Sites, p)
	for _, j := range w.who {
		for k, v := range s.Covariates[j] {
			w.mean[s.Site[j]][k] += v / float64(w.count[s.Site[j]])
		}
	}
	for _, j := range w.who {
		row := make([]float64, p)
		for k, v := range s.Covariates[j] {
			row[k] = v - w.mean[s.Site[j]][k]
		}
		w.x = append(w.x, row)
	}
	w.factor = rows(p, p)
	for a := range p {
		total := 0.0 // of the raw covariate: what is left of it is compared with this
		for _, j := range w.who {
			total += float64(s.Covariates[j][a] * s.Covariates[j][a])
		}
		for b := range a + 1 {
			sum := 0.0
			for _, row := range w.x {
				sum += float64(row[a] * row[b])
			}
			for k := range b {
				sum -= float64(w.factor[a][k] * w.factor[b][k])
			}
			if a != b {
				w.factor[a][b] = sum / w.factor[b][b]
				continue
			}
			if !(sum > 1e-12*total) {
				return nil, &CovariateError{a}
			}
			w.factor[a][a] = math.Sqrt(sum)
		}
	}
	return w, nil
}

// slopes solves (xᵀx)b = xᵀy.
func (w *within) slopes(y []float64) []float64 {
	p := len(w.factor)
	b := make([]float64, p)
	for a := range p {
		for i, row := range w.x {
			b[a] += float64(row[a] * y[i])
		}
		for k := range a {
			b[a] -= float64(w.factor[a][k] * b[k])
		}
		b[a] /= w.factor[a][a]
	}
	for a := p - 1; a >= 0; a-- {
		for k := a + 1; k < p; k++ {
			b[a] -= float64(w.factor[k][a] * b[k])
		}
		b[a] /= w.factor[a][a]
	}
	return b
}

// leastSquares fits one feature after the other. Features that lack the same
// participants share what belongs to these.
type leastSquares struct {
	*raw
	whole  *within
	others map[string]*within
}

// raw is what empirical Bayes begins with: how many values a site has of a feature, and
// the sum of their squares about the model, over σ².
type raw struct {
	s              *Sample
	o              Options
	count, squares [][]float64 // site × feature
}

func (l *leastSquares) withinOf(feature int) *within {
	there, key, all := make([]bool, len(l.s.Values)), make([]byte, len(l.s.Values)), true
	for j, row := range l.s.Values {
		if there[j] = !math.IsNaN(row[feature]); !there[j] {
			key[j], all = 1, false
		}
	}
	if all {
		return l.whole
	}
	w, known := l.others[string(key)]
	if !known {
		w, _ = newWithin(l.s, there) // nil when too few are left for the covariates
		l.others[string(key)] = w
	}
	return w
}

// fit finds mean, slopes and sd of one feature, and the raw shift and scale of each
// site.
func (l *leastSquares) fit(f *Fit, feature int) {
	least := 2
	if l.o.MeanOnly {
		least = 1
	}
	w := l.withinOf(feature)
	if w == nil {
		return
	}
	for _, n := range w.count {
		if n < least {
			return
		}
	}
	s := l.s
	intercept := make([]float64, s.Sites)
	for _, j := range w.who {
		intercept[s.Site[j]] += s.Values[j][feature] / float64(w.count[s.Site[j]])
	}
	y := lists.Map(w.who, func(j int) float64 { return s.Values[j][feature] - intercept[s.Site[j]] })
	slope := w.slopes(y)
	mean, square, over := 0.0, 0.0, 0
	for site := range intercept {
		for k, b := range slope {
			intercept[site] -= float64(w.mean[site][k] * b)
		}
		mean += float64(float64(w.count[site]) / float64(len(w.who)) * intercept[site])
	}
	if l.o.Reference >= 0 {
		mean = intercept[l.o.Reference]
	}
	for i, j := range w.who {
		for k, b := range slope {
			y[i] -= float64(w.x[i][k] * b)
		}
		if l.o.Reference < 0 || s.Site[j] == l.o.Reference {
			square += float64(y[i] * y[i])
			over++
		}
	}
	sd := math.Sqrt(square / float64(over))
	if !(sd > 1e-12*max(1, math.Abs(mean))) {
		return
	}
	f.Fitted[feature], f.Mean[feature], f.SD[feature] = true, mean, sd
	for k, b := range slope {
		f.Slope[k][feature] = b
	}
	for site, v := range intercept {
		f.Shift[site][feature], l.count[site][feature] = (v-mean)/sd, float64(w.count[site])
	}
	for i, j := range w.who { // residuals: their mean over a site is 0
		z := y[i] / sd
		l.squares[s.Site[j]][feature] += float64(z * z)
	}
}
