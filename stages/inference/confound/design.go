// Package confound removes from data what covariates explain, by least squares fitted to training participants, and
// tests what is left of them in predictions.
//
// Products of matrices are fused as numeric/dense defines them.
package confound

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/dense"
	"prgnn/stages/inference"
)

// A Covariate has a value for each participant: a number (NaN if missing), or a category ("" if missing).
type Covariate struct {
	Name   string
	Number []float64
	Text   []string // nil for a number
}

// Missing reports whether participant i has no value.
func (c Covariate) Missing(i int) bool {
	if c.Text != nil {
		return c.Text[i] == ""
	}
	return math.IsNaN(c.Number[i]) || math.IsInf(c.Number[i], 0)
}

// Of is the covariate of some participants.
func (c Covariate) Of(who []int) Covariate {
	out := Covariate{Name: c.Name}
	for _, i := range who {
		if c.Text != nil {
			out.Text = append(out.Text, c.Text[i])
		} else {
			out.Number = append(out.Number, c.Number[i])
		}
	}
	return out
}

// Varies reports whether participants differ in it.
func (c Covariate) Varies() bool {
	return slices.ContainsFunc(c.Text, func(x string) bool { return x != c.Text[0] }) ||
		slices.ContainsFunc(c.Number, func(x float64) bool { return x != c.Number[0] })
}

// Options are how covariates enter the design.
type Options struct {
	Degree int `json:"degree"` // numbers: powers up to this one of their z-scores
	// Numbers: restricted cubic splines in place of powers.
	Spline bool `json:"spline,omitempty"`
	// A missing value is the training mean, or the reference category, and has a column of its own.
	Indicator bool `json:"indicator,omitempty"`
	// A category without participants in the fit counts as the reference category.
	Reference bool `json:"reference,omitempty"`
}

// A Term is one column of a design.
type Term struct {
	Covariate string `json:"covariate"`
	Form      string `json:"form"`            // "", ^2, spline 2 …, missing
	Level     string `json:"level,omitempty"` // of a category: whether it is this one
}

func (t Term) String() string {
	switch {
	case t.Level != "":
		return t.Covariate + "=" + t.Level
	case t.Form == Missing || strings.HasPrefix(t.Form, "spline"):
		return t.Covariate + " " + t.Form
	}
	return t.Covariate + t.Form
}

// Missing is the form of the column that marks missing values.
const Missing = "missing"

// A Design is the columns Z of a linear model, without the intercept, fitted to some of the participants: numbers are
// z-scored by their mean and SD (n), and the first category in sorted order is the reference.
type Design struct {
	Terms   []Term  `json:"terms"`
	Parts   []Part  `json:"parts"`
	Options Options `json:"options"`
}

// A Part is the columns of one covariate.
type Part struct {
	Covariate string    `json:"covariate"`
	Mean      float64   `json:"mean,omitempty"`
	SD        float64   `json:"sd,omitempty"`
	Knots     []float64 `json:"knots,omitempty"`   // z-scored
	Levels    []string  `json:"levels,omitempty"`  // of a category; the first is the reference
	Missing   bool      `json:"missing,omitempty"` // has a column for missing values
}

// knotShares are the quantiles of the knots of a spline (Harrell 2015, Regression Modeling Strategies, Table 2.3, k =
// 4).
var knotShares = []float64{0.05, 0.35, 0.65, 0.95}

// NewDesign fits the design of covariates to some participants.
func NewDesign(of []Covariate, fit []int, o Options) (*Design, error) {
	d := &Design{Options: o}
	var wrong []error
	for _, c := range of {
		p := Part{Covariate: c.Name}
		var known []float64
		seen := map[string]bool{}
		for _, i := range fit {
			switch {
			case c.Missing(i):
				p.Missing = o.Indicator
			case c.Text != nil:
				seen[c.Text[i]] = true
			default:
				known = append(known, c.Number[i])
			}
		}
		if len(seen) == 0 && len(known) == 0 {
			wrong = append(wrong, fmt.Errorf("%s has no value in the fit", c.Name))
			continue
		}
		if c.Text != nil {
			p.Levels = slices.Sorted(maps.Keys(seen))
			for _, level := range p.Levels[1:] {
				d.Terms = append(d.Terms, Term{Covariate: c.Name, Level: level})
			}
		} else if err := p.fitNumber(known, o); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", c.Name, err))
			continue
		} else {
			d.Terms = append(d.Terms, Term{Covariate: c.Name})
			for power := 2; power <= o.Degree && !o.Spline; power++ {
				d.Terms = append(d.Terms, Term{Covariate: c.Name, Form: fmt.Sprint("^", power)})
			}
			for k := range max(0, len(p.Knots)-2) {
				d.Terms = append(d.Terms, Term{Covariate: c.Name, Form: fmt.Sprint("spline ", k+2)})
			}
		}
		if p.Missing {
			d.Terms = append(d.Terms, Term{Covariate: c.Name, Form: Missing})
		}
		d.Parts = append(d.Parts, p)
	}
	return d, errors.Join(wrong...)
}

// fitNumber finds the mean, the SD and the knots of a number. Of equal numbers all columns are 0.
func (p *Part) fitNumber(known []float64, o Options) error {
	for _, v := range known {
		p.Mean += v
	}
	p.Mean /= float64(len(known))
	for _, v := range known {
		p.SD += float64((v - p.Mean) * (v - p.Mean))
	}
	if p.SD = math.Sqrt(p.SD / float64(len(known))); p.SD <= 1e-14*math.Abs(p.Mean) {
		p.SD = 0
	}
	if !o.Spline {
		return nil
	}
	z := lists.Map(known, p.scaled)
	slices.Sort(z)
	for _, share := range knotShares {
		p.Knots = append(p.Knots, inference.Quantile(z, share))
	}
	for k := range p.Knots[1:] {
		if p.Knots[k] >= p.Knots[k+1] {
			return errors.New("it has too few different values for a spline with knots at the 5, 35, 65 and 95% quantiles: leave out spline, or use degree: 2")
		}
	}
	return nil
}

func (p *Part) scaled(v float64) float64 {
	if p.SD == 0 {
		return 0
	}
	return (v - p.Mean) / p.SD
}

// UnseenError is a category that has nobody in the fit.
type UnseenError struct {
	Covariate, Level string
	Levels           []string
}

func (e *UnseenError) Error() string {
	return fmt.Sprintf("%s is %s, which no participant of the fit has (%s)", e.Covariate, e.Level, words.Some(e.Levels, 8))
}

// Row is the columns of participant i. few reports whether a category counts as the reference because nobody of the fit
// has it.
func (d *Design) Row(of []Covariate, i int) (z []float64, few []string, err error) {
	for k, c := range of {
		p := &d.Parts[k]
		if (c.Text == nil) != (p.Levels == nil) {
			return nil, nil, fmt.Errorf("%s has text values, but numbers in the fit", c.Name)
		}
		missing := c.Missing(i)
		if missing && !d.Options.Indicator {
			return nil, nil, fmt.Errorf("%s is missing", c.Name)
		}
		if c.Text != nil {
			level := c.Text[i]
			if !missing && !slices.Contains(p.Levels, level) {
				if !d.Options.Reference {
					return nil, nil, &UnseenError{c.Name, level, p.Levels}
				}
				few, level = append(few, c.Name+"="+level), p.Levels[0]
			}
			for _, l := range p.Levels[1:] {
				z = append(z, map[bool]float64{true: 1}[l == level])
			}
		} else {
			v := 0.0
			if !missing {
				v = p.scaled(c.Number[i])
			}
			z = append(z, v)
			power := v
			for n := 2; n <= d.Options.Degree && !d.Options.Spline; n++ {
				power = float64(power * v)
				z = append(z, power)
			}
			z = append(z, spline(v, p.Knots)...)
		}
		if p.Missing {
			z = append(z, map[bool]float64{true: 1}[missing])
		}
	}
	return z, few, nil
}

// Covariates are the names of the covariates, and of those that are categories.
func (d *Design) Covariates() (names, categories []string) {
	for _, p := range d.Parts {
		if names = append(names, p.Covariate); p.Levels != nil {
			categories = append(categories, p.Covariate)
		}
	}
	return names, categories
}

// A Removal is what covariates explain of a number, as it was fitted, for other participants.
type Removal struct {
	Design
	Coefficients []float64 `json:"coefficients"` // the intercept first
}

// Explained is what the columns of a participant explain.
func (r *Removal) Explained(z []float64) (explained float64, err error) {
	if len(z) != len(r.Coefficients)-1 {
		return 0, fmt.Errorf("the fit has %d coefficients, but %d columns and an intercept", len(r.Coefficients), len(z))
	}
	explained = r.Coefficients[0]
	for k, v := range z {
		explained += float64(v * r.Coefficients[k+1])
	}
	return explained, nil
}

// spline is the columns of a restricted cubic spline beyond the linear one (Harrell 2015, Equation 2.25), each over the
// squared distance of the outer knots.
func spline(x float64, knots []float64) (out []float64) {
	k := len(knots)
	cube := func(v float64) float64 { v = max(0, v); return float64(float64(v*v) * v) }
	for j := range max(0, k-2) {
		last, before := knots[k-1], knots[k-2]
		v := cube(x-knots[j]) - float64(cube(x-before)*((last-knots[j])/(last-before))) +
			float64(cube(x-last)*((before-knots[j])/(last-before)))
		out = append(out, v/float64((last-knots[0])*(last-knots[0])))
	}
	return out
}

// A Solver finds least-squares coefficients of the columns Z = [1, design] with minimum norm: Z = QR with orthonormal
// columns of Q, R = LP with orthonormal rows of P, β = Pᵀ L⁻¹ Qᵀ y. Of columns that are linear combinations of those
// before them (relative cutoff 1e-10), Q has none.
type Solver struct {
	Columns int   // with the intercept
	Dropped []int // columns of the design, from 0

	n    int
	q    []float64   // rank × n
	l    [][]float64 // lower triangle, rank × rank
	p    [][]float64 // rank × Columns
	mean []float64   // of the columns
}

// dependent is what is left of a column, as a share of its length, that depends on those before it.
const dependent = 1e-10

// NewSolver decomposes the design of the participants in the fit, a row for each.
func NewSolver(rows [][]float64) *Solver {
	s := &Solver{n: len(rows), Columns: 1 + len(rows[0])}
	columns := make([][]float64, s.Columns)
	for k := range columns {
		columns[k] = make([]float64, s.n)
		sum := 0.0
		for i, z := range rows {
			columns[k][i] = 1
			if k > 0 {
				columns[k][i] = z[k-1]
			}
			sum += columns[k][i]
		}
		s.mean = append(s.mean, sum/float64(s.n))
	}
	var basis [][]float64
	for k, c := range columns {
		if unit, _, ok := inference.Remainder(basis, c, dependent); ok {
			basis = append(basis, unit)
		} else {
			s.Dropped = append(s.Dropped, k-1)
		}
	}
	for _, unit := range basis {
		s.q = append(s.q, unit...)
		r := make([]float64, s.Columns)
		for k, c := range columns {
			r[k] = dense.Inner(unit, c)
		}
		row, _, _ := inference.Remainder(s.p, r, 0)
		s.p = append(s.p, row)
		l := lists.Map(s.p, func(p []float64) float64 { return dense.Inner(p, r) })
		s.l = append(s.l, l)
	}
	return s
}

// Solve returns the coefficients of each edge of y (participant × edge): column × edge, the intercept first.
func (s *Solver) Solve(y []float64, edges, threads int) []float64 {
	rank := len(s.l)
	v := make([]float64, rank*edges)
	dense.Multiply(v, edges, dense.Rows(s.q, s.n), dense.Rows(y, edges), rank, s.n, edges, false, threads)
	for i := range rank {
		row := v[i*edges:][:edges]
		for j := range i {
			dense.Axpy(row, -s.l[i][j], v[j*edges:][:edges])
		}
		for e := range row {
			row[e] /= s.l[i][i]
		}
	}
	beta := make([]float64, s.Columns*edges)
	for k := range s.Columns {
		for i := range rank {
			dense.Axpy(beta[k*edges:][:edges], s.p[i][k], v[i*edges:][:edges])
		}
	}
	return beta
}

// Means are the means of the columns over the fit, without the intercept.
func (s *Solver) Means() []float64 { return s.mean[1:] }
