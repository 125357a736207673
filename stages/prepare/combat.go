package prepare

import (
	"context"
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
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
	"prgnn/stages/region/sitefit"
	"prgnn/stages/role"
)

var combatKind = dag.Kind{
	Name: "combat",
	Doc: "fits ComBat to connectivity matrices, on training participants only\n" +
		"Every pair of regions has a shift and a scale at each site, shrunk towards those of the site's other pairs by empirical Bayes (Johnson et al. 2007; Fortin et al. 2017, 2018); covariate effects are preserved. The kind harmonize applies the model to all participants. Only the training participants of the fold are used, with draw 0: fan out over the folds (matrix: { fold: all }), and all later stages too. Connect fitted to the stage leakage, which checks this. The results equal those of neuroHarmonize and neuroCombat.",
	New: func() dag.Stage {
		return &Combat{Fold: 1, Repeat: 1, Site: "site", Bayes: true, Minimum: 3, Few: "refuse",
			Transform: "fisher", Tolerance: 1e-4}
	},
	MaxThreads: 8,
	Memory:     64 << 20,
}

var (
	_ role.Fitter   = (*Combat)(nil)
	_ role.PortUser = (*Combat)(nil)
)

// Combat learns what sites add.
type Combat struct {
	Fold      int      `param:"fold" doc:"the test fold; ComBat is fitted on the other folds" min:"1"`
	Repeat    int      `param:"repeat" doc:"the assignment to folds" min:"1"`
	Site      string   `param:"site" doc:"column of the participants: the site or scanner"`
	Preserve  []string `param:"preserve" doc:"columns whose effects are preserved, such as [age, sex]: numbers linearly, texts as categories. Never the predicted label, which must be unknown for test participants, nor what stands for it (AUC or rank correlation from 0.95)"`
	Bayes     bool     `param:"empirical_bayes" doc:"shrink the shifts and scales of a site towards their mean over all pairs of regions; false: no shrinkage"`
	MeanOnly  bool     `param:"mean_only" doc:"remove shifts only, not scales"`
	Reference string   `param:"reference" doc:"the reference site, to which the others are harmonized; by default their mean"`
	Minimum   int      `param:"minimum" doc:"minimum number of training participants of a site" min:"2"`
	Few       string   `param:"few" doc:"a site with fewer training participants: refuse it, or keep its matrices unharmonized and out of the fit" choices:"refuse|keep"`
	Transform string   `param:"transform" doc:"transform of the matrices, inverted afterwards: fisher, z = atanh r (|r| at most 0.9999999); none, if they are z already" choices:"fisher|none"`
	Tolerance float64  `param:"tolerance" doc:"convergence criterion: relative change of the posterior means; 0.0001 in other programs" min:"1e-13" max:"0.1"`
}

// UsesPorts are the inputs that take one setting of each participant.
func (*Combat) UsesPorts() []role.PortUse {
	return role.OneSettingOf("matrices")
}

func (*Combat) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's matrices"},
			{Name: "folds", Type: fold.Folds(), Doc: "the assignment to folds"},
			{Name: "participants", Type: dag.Arrow("participant_id"), Doc: "their sites and covariates"},
		},
		Out: []dag.Port{
			{Name: "fitted", Type: column.Type[sitefit.Row](), Doc: "the fitted parameters of each pair of regions, including the shift and scale of each site; the metadata list the training participants"},
			{Name: "sites", Type: column.Type[siteRow](), Doc: "summary of each site: mean and SD over the pairs of regions, before shrinkage"},
		},
	}
}

// TestFold is the fold that is tested, and its repeat.
func (s *Combat) TestFold() (repeat, fold int) { return s.Repeat, s.Fold }

// Validate refuses to preserve what may not be: the sites, which are taken out, and the number to predict.
func (s *Combat) Validate() (wrong []error) {
	for i, name := range s.Preserve {
		switch {
		case name == s.Site:
			wrong = append(wrong, fmt.Errorf("preserve: %s names the sites, whose effects are removed: remove it from preserve, or set site to another column", name))
			if name != "site" { // the default stands on no line
				wrong = append(wrong, fmt.Errorf("site: %s is named in preserve too", name))
			}
		case name == targetColumn:
			wrong = append(wrong, leaksLabel(name))
		case slices.Contains(s.Preserve[:i], name):
			wrong = append(wrong, fmt.Errorf("preserve: %s is named twice: remove one of them", name))
		}
	}
	return wrong
}

// ReadsParticipants are the columns that its parameters name.
func (s *Combat) ReadsParticipants() []role.Reading {
	read := []role.Reading{{Parameter: "site", Name: s.Site, Needed: true, Categories: true, Removes: true}}
	for _, name := range s.Preserve {
		read = append(read, role.Reading{Parameter: "preserve", Name: name, Needed: true})
	}
	return read
}

func (s *Combat) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	d, err := fold.Params{Fold: s.Fold, Repeat: s.Repeat}.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	book, err := s.read(t.In("participants"), t.In("folds"))
	if err != nil {
		return nil, err
	}
	var who []string
	var values [][]float64
	nodes, err := trainedOn(t, d, func(r fold.Row, m connectivity.Matrix) error {
		v, err := region.Entries(m, s.Transform, "combat")
		who, values = append(who, r.Id), append(values, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := book.choose(s, who); err != nil {
		return nil, err
	}
	book.Nodes = nodes
	sample := combat.Sample{Sites: len(book.Sites)}
	var ids []string
	for i, id := range who {
		site, ok := slices.BinarySearch(book.Sites, book.Site[id])
		if !ok {
			continue
		}
		x, err := book.Row(id)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		sample.Values, sample.Site = append(sample.Values, values[i]), append(sample.Site, site)
		if x != nil {
			sample.Covariates = append(sample.Covariates, x)
		}
	}
	fit, err := combat.Learn(sample, book.Options(t.Threads))
	var which *combat.CovariateError
	switch {
	case errors.As(err, &which):
		return nil, fmt.Errorf("preserve: %s %w", book.Terms[which.Covariate], errors.Unwrap(err))
	case err != nil:
		return nil, err
	case !slices.Contains(fit.Fitted, true):
		return nil, fmt.Errorf("no pair of regions varies at each of the sites %s: are these connectivity matrices?", strings.Join(book.Sites, ", "))
	}
	return dag.Outputs{"fitted": sitefit.Table(&book.Facts, fit, ids), "sites": book.siteTable(fit, who)}, nil
}

// siteTable has a row a site, those that are kept among them.
func (b *combatBook) siteTable(f *combat.Fit, who []string) *encoding.Table {
	count := map[string]int{}
	for _, id := range who {
		count[b.Site[id]]++
	}
	var rows []siteRow
	for _, name := range slices.Sorted(maps.Keys(count)) {
		r := siteRow{Site: name, Participants: int32(count[name]), Shift: math.NaN(), ShiftSD: math.NaN(),
			Scale: math.NaN(), ScaleSD: math.NaN()}
		if at, ok := slices.BinarySearch(b.Sites, name); ok {
			p := f.Priors[at]
			r.Harmonized, r.Steps = true, int32(p.Steps)
			r.Shift, r.ShiftSD, r.Scale, r.ScaleSD = p.Shift, math.Sqrt(p.ShiftVariance), p.Scale,
				math.Sqrt(p.ScaleVariance)
		}
		rows = append(rows, r)
	}
	return column.Table(rows)
}

// A siteRow says how far one site differs from the others.
type siteRow struct {
	Site         string  `column:"site"`
	Participants int32   `column:"participants" doc:"trained on"`
	Harmonized   bool    `column:"harmonized" doc:"false: too few participants, not harmonized (few: keep)"`
	Shift        float64 `column:"shift,missing" doc:"mean over the pairs of regions of γ, in units of their sd"`
	ShiftSD      float64 `column:"shift_sd,missing" doc:"SD over the pairs of regions: size of the site effect"`
	Scale        float64 `column:"scale,missing" doc:"mean over the pairs of regions of δ²; 1: as for all sites pooled"`
	ScaleSD      float64 `column:"scale_sd,missing" doc:"sd over the pairs of regions"`
	Steps        int32   `column:"steps" doc:"iterations until convergence; 0 without iteration"`
}
