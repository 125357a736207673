// Package sitefit has ComBat's fit to connectivity matrices: the table that the stage combat writes, and what applies
// it.
package sitefit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/combat"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/exact"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// Facts are what a fit has besides its numbers; they stand in its metadata.
type Facts struct {
	Fold      int                 `json:"fold"`
	Repeat    int                 `json:"repeat"`
	Column    string              `json:"site"` // of the participants
	Sites     []string            `json:"sites"`
	Reference string              `json:"reference,omitempty"`
	Minimum   int                 `json:"minimum"`
	Few       string              `json:"few"`
	Transform string              `json:"transform"`
	Bayes     bool                `json:"empirical_bayes"`
	MeanOnly  bool                `json:"mean_only"`
	Tolerance float64             `json:"tolerance"`
	Nodes     int                 `json:"nodes"`
	Terms     []Term              `json:"preserved,omitempty"`
	Levels    map[string][]string `json:"levels,omitempty"` // of the categories, the first of which is what slopes start from
}

// A Term is one covariate of the model: a number, with the mean and SD of those who are trained on, or whether a
// category is this one.
type Term struct {
	Column string  `json:"column"`
	Level  string  `json:"level,omitempty"`
	Mean   float64 `json:"mean,omitempty"`
	SD     float64 `json:"sd,omitempty"`
}

func (t Term) String() string {
	if t.Level == "" {
		return t.Column
	}
	return t.Column + " " + t.Level
}

// Covariates are the columns of the terms.
func (f *Facts) Covariates() (names []string) {
	for _, t := range f.Terms {
		names = lists.Add(names, t.Column)
	}
	return names
}

// Pairs is the number of pairs of regions.
func (f *Facts) Pairs() int { return f.Nodes * (f.Nodes - 1) / 2 }

// Options are those by which a site is estimated as the sites of the fit were.
func (f *Facts) Options(workers int) combat.Options {
	return combat.Options{Bayes: f.Bayes, MeanOnly: f.MeanOnly, Reference: slices.Index(f.Sites, f.Reference),
		Tolerance: f.Tolerance, Workers: workers}
}

// A Row is the fit of one pair of regions. The slopes and the shift and scale of each site stand behind it.
type Row struct {
	Source int32   `column:"source" doc:"node, from 1"`
	Target int32   `column:"target" doc:"node, from 1; above source"`
	Fitted bool    `column:"fitted" doc:"false if a site has too few values, or constant ones: such pairs are not harmonized"`
	Mean   float64 `column:"mean" doc:"α: of all sites, or of the reference, without covariates"`
	SD     float64 `column:"sd" doc:"σ of the residuals (n)"`
}

// slopeColumn names the column of a term that is preserved, shiftColumn and scaleColumn those of a site.
func slopeColumn(t Term) string {
	if t.Level == "" {
		return "slope_" + t.Column
	}
	return "slope_" + t.Column + "=" + t.Level
}

func shiftColumn(site string) string { return "shift_" + site }
func scaleColumn(site string) string { return "scale_" + site }

// Table has a row a pair of regions. What is of one site stands in columns of its own: harmonize reads the table once
// for each participant, and a row a site and pair has four times the bytes.
func Table(facts *Facts, f *combat.Fit, ids []string) *encoding.Table {
	rows := make([]Row, 0, len(f.Mean))
	for i := range facts.Nodes {
		for j := i + 1; j < facts.Nodes; j++ {
			at := len(rows)
			rows = append(rows, Row{int32(i + 1), int32(j + 1), f.Fitted[at], f.Mean[at], f.SD[at]})
		}
	}
	cols := column.Columns(rows)
	for k, term := range facts.Terms {
		cols = append(cols, encoding.Column{Name: slopeColumn(term), Values: f.Slope[k], Doc: "β: the preserved effect"})
	}
	for s, name := range facts.Sites {
		cols = append(cols,
			encoding.Column{Name: shiftColumn(name), Values: f.Shift[s], Doc: "γ* of the site, in units of sd"},
			encoding.Column{Name: scaleColumn(name), Values: f.Scale[s], Doc: "δ*² of the site"})
	}
	return column.WithMeta(encoding.NewTable(cols...), map[string]string{"participants": column.JSON(ids),
		"combat": column.JSON(facts)})
}

// Read reads what combat wrote.
func Read(in dag.Input) (*Facts, *combat.Fit, error) {
	facts, table, err := region.ReadFit[Facts](in, "combat")
	if err != nil {
		return nil, nil, err
	}
	if err := facts.Check(); err != nil || table.Rows() != facts.Pairs() {
		return nil, nil, fmt.Errorf("%s: %d rows and %d sites, want a row for each pair of %d regions: run the stage combat again", in.Name, table.Rows(), len(facts.Sites), facts.Nodes)
	}
	rows, err := column.Rows[Row](table)
	errs := []error{err}
	numbers := func(name string) []float64 {
		v, err := table.Floats(name)
		errs = append(errs, err)
		return v
	}
	f := &combat.Fit{Reference: slices.Index(facts.Sites, facts.Reference)}
	for _, r := range rows {
		f.Mean, f.SD, f.Fitted = append(f.Mean, r.Mean), append(f.SD, r.SD), append(f.Fitted, r.Fitted)
	}
	for _, term := range facts.Terms {
		f.Slope = append(f.Slope, numbers(slopeColumn(term)))
	}
	for _, site := range facts.Sites {
		f.Shift, f.Scale = append(f.Shift, numbers(shiftColumn(site))), append(f.Scale, numbers(scaleColumn(site)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return facts, f, nil
}

// Check refuses facts that no fit has.
func (f *Facts) Check() error {
	if f.Nodes < 2 || f.Nodes > 1<<15 || len(f.Sites) == 0 || !slices.IsSorted(f.Sites) {
		return fmt.Errorf("a fit of ComBat to %d sites and %d regions", len(f.Sites), f.Nodes)
	}
	return nil
}

// Harmonize is a participant's matrix without the effect of a site of the fit. The diagonal stays, and so does what was
// not fitted. before are its entries, as region.Entries has them.
func Harmonize(m connectivity.Matrix, before []float64, transform string, fit *combat.Fit, covariates []float64,
	site int) connectivity.Matrix {
	m = m.Clone()
	after := slices.Clone(before)
	fit.Apply(after, covariates, site)
	k := 0
	for i := range m.Rows {
		for j := i + 1; j < m.Cols; j++ {
			if v := after[k]; v != before[k] && !math.IsNaN(v) { // what stays does so to the bit
				if transform == "fisher" {
					v = exact.Tanh(v)
				}
				m.Data[i*m.Cols+j], m.Data[j*m.Cols+i] = v, v
			}
			k++
		}
	}
	return m
}
