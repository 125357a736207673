package modelfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity"
	"prgnn/connectivity/combat"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/region"
	"prgnn/stages/region/sitefit"
)

// A Harmonized is the fit of ComBat by which the matrices of the training were harmonized.
type Harmonized struct {
	Fit string `json:"fit"` // digest of combat's table
	sitefit.Facts
}

// harmonizeKey is what the metadata made of harmonized matrices have.
const harmonizeKey = "harmonize" + column.FittedSuffix

// Harmonizes reports whether harmonize changed matrices that were made so.
func Harmonizes(made string) bool { return column.Made(made)[harmonizeKey] != nil }

// HarmonizedBy reports whether harmonize applied this fit alone to matrices that were made so.
func HarmonizedBy(made, fit string) bool {
	return slices.Equal(column.MadeValue[[]string](made, harmonizeKey), []string{fit})
}

// beforeHarmonization is how matrices were made before harmonize.
func beforeHarmonization(made string) string {
	all := maps.Clone(column.Made(made))
	delete(all, harmonizeKey)
	return column.JSON(all)
}

// harmonizedArrays are the numbers of a fit.
func harmonizedArrays(h *Harmonized, f *combat.Fit) []Array {
	fitted := lists.Map(f.Fitted, func(is bool) int32 { return map[bool]int32{true: 1}[is] })
	n := h.Pairs()
	all := []Array{{"harmonized_fitted", encoding.NewArray(fitted, n)},
		{"harmonized_mean", encoding.NewArray(f.Mean, n)},
		{"harmonized_sd", encoding.NewArray(f.SD, n)},
		{"harmonized_shift", encoding.NewArray(slices.Concat(f.Shift...), len(h.Sites), n)},
		{"harmonized_scale", encoding.NewArray(slices.Concat(f.Scale...), len(h.Sites), n)}}
	if h.Terms != nil {
		all = append(all, Array{"harmonized_slopes", encoding.NewArray(slices.Concat(f.Slope...), len(h.Terms), n)})
	}
	return all
}

// restoreHarmonized puts the fit of a file that may come from anywhere together.
func (m *Model) restoreHarmonized(take func(name, dtype string, shape ...int) *encoding.Array) error {
	h := m.Harmonized
	if err := h.Check(); err != nil || h.Nodes != m.Matrices.Nodes || !m.Matrices.pairs() || m.Matrices.Tangent() ||
		m.Removed != nil || !(h.Tolerance > 0) || !Harmonizes(m.Matrices.Made) {
		return cmp.Or(err, errors.New("model.json: harmonized does not fit the matrices of this model"))
	}
	n, sites := h.Pairs(), len(h.Sites)
	f := &combat.Fit{Fitted: make([]bool, n), Reference: slices.Index(h.Sites, h.Reference)}
	parts := map[string][]float64{}
	for _, p := range []struct {
		name string
		rows int
	}{{"mean", 0}, {"sd", 0}, {"shift", sites}, {"scale", sites}, {"slopes", len(h.Terms)}} {
		shape := []int{n}
		if p.rows > 0 {
			shape = []int{p.rows, n}
		} else if p.name == "slopes" {
			continue
		}
		a := take("harmonized_"+p.name, "<f8", shape...)
		if a == nil || !slices.Equal(a.Shape, shape) || a.DType() != "<f8" {
			return fmt.Errorf("harmonized_%s is not %v numbers", p.name, shape)
		}
		parts[p.name] = a.Float64s()
		if slices.ContainsFunc(parts[p.name], notFinite) {
			return fmt.Errorf("harmonized_%s: a number is not finite", p.name)
		}
	}
	fitted := take("harmonized_fitted", "<i4", n)
	if fitted == nil || fitted.DType() != "<i4" || !slices.Equal(fitted.Shape, []int{n}) {
		return fmt.Errorf("harmonized_fitted is not %d numbers", n)
	}
	f.Mean, f.SD = parts["mean"], parts["sd"]
	for e, is := range fitted.Values().([]int32) {
		if f.Fitted[e] = is != 0; f.Fitted[e] && !(f.SD[e] > 0) {
			return fmt.Errorf("harmonized_sd: %v", f.SD[e])
		}
	}
	split := func(v []float64) (rows [][]float64) {
		for row := range slices.Chunk(v, n) {
			rows = append(rows, row)
		}
		return rows
	}
	f.Shift, f.Scale, f.Slope = split(parts["shift"]), split(parts["scale"]), split(parts["slopes"])
	if slices.ContainsFunc(parts["scale"], func(v float64) bool { return !(v > 0) }) {
		return errors.New("harmonized_scale: a scale is not above 0")
	}
	m.sites = f
	return nil
}

// Sites are those of new participants, each estimated on the matrices of some of them, as one model takes them.
type Sites struct {
	model *Model
	book  *sitefit.Book
	fit   map[string]*combat.Fit
}

// A SiteSize is a site, and the number of participants on whose matrices it was estimated.
type SiteSize struct {
	Site string
	N    int
}

// ErrRegions is the error for matrices of a number of regions that is not the model's.
var ErrRegions = errors.New("the matrices have a different number of regions")

// EstimateSites estimates the shift and the scale of each site of these participants on draw 0 of their matrices, with
// the means, SDs and slopes of the training: no label is read. Sites of fewer participants than least are refused.
func (m *Model) EstimateSites(in dag.Input, ids []string, of []Person, least, threads int) (*Sites, error) {
	s := &Sites{m, &sitefit.Book{Facts: m.Harmonized.Facts}, map[string]*combat.Fit{}}
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	known := s.book.Column
	at := slices.IndexFunc(table.Columns, func(c encoding.Column) bool { return c.Name == known })
	if at < 0 {
		at = slices.IndexFunc(table.Columns, func(c encoding.Column) bool { return SameVariable(c.Name, known) })
	}
	if at < 0 {
		return nil, fmt.Errorf("%s has no column %s, the site column of the ComBat fit: add it, with the site or scanner of each participant (one name if all were scanned on one scanner)", in.Name, known)
	}
	s.book.Column = table.Columns[at].Name
	if err := s.book.Read(table, in.Name, m.Harmonized.Covariates()); err != nil {
		return nil, fmt.Errorf("%w; in training, ComBat preserved the effects of %s, so these covariates are also needed here", err,
			strings.Join(m.Harmonized.Covariates(), ", "))
	}
	for _, term := range m.Harmonized.Terms {
		var known []float64
		for _, id := range ids {
			if v, there := s.book.Number[term.Column][id]; there && !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		if err := refuseUnits(term.Column, known, term.Mean, term.SD); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	values, covariates := map[string][][]float64{}, map[string][][]float64{}
	for i, p := range of {
		if p.Nodes() != m.Harmonized.Nodes {
			return nil, ErrRegions
		}
		site := s.book.Site[ids[i]]
		if site == "" {
			return nil, fmt.Errorf("%s: %s of %s is unknown: fill it in, or exclude the participant", in.Name, s.book.Column, ids[i])
		}
		x, err := s.book.Row(ids[i])
		if err != nil {
			return nil, err
		}
		v, err := region.Entries(p.zero, m.Harmonized.Transform, "combat")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		values[site], covariates[site] = append(values[site], v), append(covariates[site], x)
	}
	var few []string
	for _, site := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[site]); n < least {
			few = append(few, fmt.Sprintf("%s (%d)", site, n))
			continue
		}
		if s.fit[site], err = m.sites.Site(values[site], covariates[site], m.Harmonized.Options(threads)); err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.book.Column, site, err)
		}
	}
	if few != nil {
		return nil, fmt.Errorf("the shift and scale of a site need the matrices of %d participants, but there are fewer for %s %s: exclude these sites under cohort, or predict without harmonization (harmonize: none) with models of matrices that were not harmonized",
			least, s.book.Column, words.Some(few, 10))
	}
	return s, nil
}

// Column is that of the sites, of the new participants.
func (s *Sites) Column() string { return s.book.Column }

// Sizes are the sites with the numbers of participants on whom they were estimated.
func (s *Sites) Sizes() (all []SiteSize) {
	for _, site := range slices.Sorted(maps.Keys(s.fit)) {
		all = append(all, SiteSize{site, s.fit[site].Priors[0].Participants})
	}
	return all
}

// Harmonized is a participant without the effect of its site.
func (s *Sites) Harmonized(p Person, id string) (Person, error) {
	site := s.book.Site[id]
	fit := s.fit[site]
	if fit == nil {
		return p, fmt.Errorf("%s is from %s %s, which has no controls, so the site effect is unknown: exclude the participants of this site under cohort, or mark controls of it",
			id, s.book.Column, cmp.Or(site, "n/a"))
	}
	x, err := s.book.Row(id)
	if err != nil {
		return p, err
	}
	p.of = slices.Clone(p.of)
	for i := range p.of {
		if p.of[i], err = s.harmonize(p.of[i], p, fit, x, 0); err != nil {
			return p, err
		}
	}
	p.zero, err = s.harmonize(p.zero, p, fit, x, 0)
	return p, err
}

func (s *Sites) harmonize(matrix connectivity.Matrix, p Person, fit *combat.Fit, x []float64,
	site int) (connectivity.Matrix, error) {
	entries, err := region.Entries(matrix, s.book.Transform, "combat")
	if err != nil {
		return matrix, fmt.Errorf("%s: %w", p.name, err)
	}
	return sitefit.Harmonize(matrix, entries, s.book.Transform, fit, x, site), nil
}

// AsTrained are the data of a participant as the training would have seen them, harmonized by each of its sites: a
// training participant under another id is among them.
func (s *Sites) AsTrained(p Person, id string) (all []Data) {
	x, err := s.book.Row(id)
	if err != nil {
		return nil // refused where it is harmonized
	}
	for site := range s.model.sites.Shift {
		m, err := s.harmonize(p.zero, p, s.model.sites, x, site)
		if err != nil {
			return nil
		}
		all = append(all, DataOf(m.Data))
	}
	return append(all, DataOf(p.zero.Data)) // of a site whose matrices are kept as they are
}
