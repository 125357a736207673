package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/connectivity/combat"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/fold"
	"prgnn/stages/region"
)

var combatKind = dag.Kind{
	Name: "combat",
	Doc: "learns what a scanner adds to connectivity matrices: ComBat, from those trained on\n" +
		"Every pair of regions has a shift and a scale at each site, shrunk towards those of the site's other pairs by empirical Bayes (Johnson et al. 2007; Fortin et al. 2017, 2018); what covariates explain is preserved. The kind harmonize takes it out of everybody's matrices. Only participants whom the fold does not test are learnt from, by draw 0, each of them once: fan out over the folds (matrix: { fold: [1..5] }), and everything after it too. " +
		"Connect fitted to the stage leakage, which checks that. The numbers are those of neuroHarmonize and neuroCombat.",
	New: func() dag.Stage {
		return &Combat{Fold: 1, Repeat: 1, Site: "site", Bayes: true, Minimum: 3, Few: "refuse", Transform: "fisher", Tolerance: 1e-4}
	},
	Most:   8,
	Memory: 64 << 20,
}

// Combat learns what sites add.
type Combat struct {
	Fold      int      `param:"fold" doc:"the fold whose participants are tested, and not learnt from" min:"1"`
	Repeat    int      `param:"repeat" doc:"the division into folds" min:"1"`
	Site      string   `param:"site" doc:"column of the participants: the site or scanner"`
	Preserve  []string `param:"preserve" doc:"columns whose effects are kept, such as [age, sex]: numbers as they are, texts by category. Never what is to be predicted: of those who are tested it must not be known"`
	Bayes     bool     `param:"empirical_bayes" doc:"shrink the shifts and scales of a site towards their mean over all pairs of regions; false: as they are"`
	MeanOnly  bool     `param:"mean_only" doc:"take out shifts only, and leave the scales"`
	Reference string   `param:"reference" doc:"the site that stays as it is, and that the others are brought to; without it, their mean"`
	Minimum   int      `param:"minimum" doc:"participants of a site that are enough to learn from" min:"2"`
	Few       string   `param:"few" doc:"a site of which fewer, or nobody, is trained on: refuse it; or keep its matrices as they are, and learn nothing from them" choices:"refuse|keep"`
	Transform string   `param:"transform" doc:"of the matrices, taken back afterwards: fisher, z = atanh r (|r| at most 0.9999999); none, when they are z already" choices:"fisher|none"`
	Tolerance float64  `param:"tolerance" doc:"relative change of the posterior means at which they have settled; 0.0001 in other programs" min:"1e-13" max:"0.1"`
}

// Ports are the stage's inputs and outputs.
func (*Combat) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{
			{Name: "matrices", Type: dag.NPY("<f8", "draw", "roi", "roi"), Gather: true, Doc: "each participant's matrices"},
			{Name: "folds", Type: dag.Arrow("participant_id", "group", "repeat", "fold"), Doc: "the division into folds"},
			{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "their sites and covariates"},
		},
		Out: []dag.Port{
			{Name: "fitted", Type: dag.Arrow("site", "source", "target", "fitted", "mean", "sd", "shift", "scale"), Doc: "what was learnt of each site and pair of regions, and in the metadata from whom"},
			{Name: "sites", Type: dag.Arrow("site", "participants", "harmonized", "shift", "shift_sd", "scale", "scale_sd", "steps"), Doc: "each site in numbers: mean and sd over the pairs of regions, before shrinking"},
		},
	}
}

// Run learns.
func (s *Combat) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	d, err := fold.Params{Fold: s.Fold, Repeat: s.Repeat}.Divide(t.In("folds"))
	if err != nil {
		return nil, err
	}
	book, err := s.read(t.In("participants"))
	if err != nil {
		return nil, err
	}
	who, values, nodes, err := s.trained(t, d)
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
		site, ok := slices.BinarySearch(book.Sites, book.site[id])
		if !ok {
			continue
		}
		x, err := book.row(id)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		sample.Values, sample.Site = append(sample.Values, values[i]), append(sample.Site, site)
		if x != nil {
			sample.Covariates = append(sample.Covariates, x)
		}
	}
	fit, err := combat.Learn(sample, combat.Options{
		Bayes: s.Bayes, MeanOnly: s.MeanOnly, Reference: slices.Index(book.Sites, s.Reference), Tolerance: s.Tolerance, Workers: t.Threads,
	})
	var which *combat.CovariateError
	switch {
	case errors.As(err, &which):
		return nil, fmt.Errorf("preserve: %s %w", book.Terms[which.Covariate], errors.Unwrap(err))
	case err != nil:
		return nil, err
	case !slices.Contains(fit.Fitted, true):
		return nil, fmt.Errorf("no pair of regions has values that differ at all of the sites %s: are these connectivity matrices?", strings.Join(book.Sites, ", "))
	}
	return dag.Outputs{"fitted": book.table(fit, ids), "sites": book.siteTable(fit, who)}, nil
}

// trained reads the matrices of those whom the fold does not test.
func (s *Combat) trained(t *dag.Task, d *fold.Division) (who []string, values [][]float64, nodes int, err error) {
	tested := 0
	for i, in := range t.All("matrices") {
		r, err := d.Row(in)
		if err != nil {
			return nil, nil, 0, err
		}
		if r.Side == 1 {
			tested++
		}
		if r.Side != 0 {
			continue
		}
		draws, err := region.ReadDraws(in, "draw, roi, roi")
		if err != nil {
			return nil, nil, 0, err
		}
		m := draws[0]
		switch {
		case m.Rows != m.Cols || m.Rows < 3:
			return nil, nil, 0, fmt.Errorf("%s: %d × %d numbers, want a matrix of three regions or more", in.Name, m.Rows, m.Cols)
		case nodes == 0:
			nodes = m.Rows
		case nodes != m.Rows:
			return nil, nil, 0, fmt.Errorf("%s: %d regions, other participants have %d: all must be made with the same atlas", in.Name, m.Rows, nodes)
		}
		v, err := pairsOf(m, s.Transform)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s: %w", in.Name, err)
		}
		who, values = append(who, r.Id), append(values, v)
		t.Progress(i+1, len(t.All("matrices")), "reading")
	}
	if tested == 0 {
		return nil, nil, 0, fmt.Errorf("%s: nobody is tested in fold %d of repeat %d: what is learnt from everybody knows whom any fold tests", d.Name, s.Fold, s.Repeat)
	}
	if who == nil {
		return nil, nil, 0, fmt.Errorf("%s: nobody is left to learn from outside fold %d", d.Name, s.Fold)
	}
	return who, values, nodes, nil
}

// table has a row a site and pair of regions.
func (b *combatBook) table(f *combat.Fit, ids []string) *encoding.Table {
	n := len(b.Sites) * len(f.Mean)
	site, source, target, fitted := make([]string, 0, n), make([]int32, 0, n), make([]int32, 0, n), make([]bool, 0, n)
	numbers := make([][]float64, 4+len(f.Slope))
	for s, name := range b.Sites {
		at := 0
		for i := range b.Nodes {
			for j := i + 1; j < b.Nodes; j++ {
				site, source, target, fitted = append(site, name), append(source, int32(i+1)), append(target, int32(j+1)), append(fitted, f.Fitted[at])
				row := []float64{f.Mean[at], f.SD[at], f.Shift[s][at], f.Scale[s][at]}
				for _, slope := range f.Slope {
					row = append(row, slope[at])
				}
				for k, v := range row {
					numbers[k] = append(numbers[k], v)
				}
				at++
			}
		}
	}
	cols := []encoding.Column{
		{Name: "site", Values: site},
		{Name: "source", Values: source, Doc: "node, from 1"},
		{Name: "target", Values: target, Doc: "node, from 1; above source"},
		{Name: "fitted", Values: fitted, Doc: "false where a site has too few values, or none differ: such pairs stay as they are"},
		{Name: "mean", Values: numbers[0], Doc: "α: of all sites, or of the reference, without covariates"},
		{Name: "sd", Values: numbers[1], Doc: "σ of the residuals (n)"},
		{Name: "shift", Values: numbers[2], Doc: "γ* of the site, in units of sd"},
		{Name: "scale", Values: numbers[3], Doc: "δ*² of the site"},
	}
	for k, term := range b.Terms {
		cols = append(cols, encoding.Column{Name: "slope_" + term.String(), Values: numbers[4+k], Doc: "β: what is preserved"})
	}
	return column.WithMeta(encoding.NewTable(cols...), map[string]string{"participants": column.JSON(ids), "combat": column.JSON(b.combatFacts)})
}

// siteTable has a row a site, those that are kept among them.
func (b *combatBook) siteTable(f *combat.Fit, who []string) *encoding.Table {
	count := map[string]int{}
	for _, id := range who {
		count[b.site[id]]++
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	slices.Sort(names)
	n := len(names)
	people, steps, in := make([]int32, n), make([]int32, n), make([]bool, n)
	v := [4][]float64{}
	for i, name := range names {
		people[i] = int32(count[name])
		row := [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		if at, ok := slices.BinarySearch(b.Sites, name); ok {
			p := f.Priors[at]
			in[i], steps[i] = true, int32(p.Steps)
			row = [4]float64{p.Shift, math.Sqrt(p.ShiftVariance), p.Scale, math.Sqrt(p.ScaleVariance)}
		}
		for k := range v {
			v[k] = append(v[k], row[k])
		}
	}
	return encoding.NewTable(
		encoding.Column{Name: "site", Values: names},
		encoding.Column{Name: "participants", Values: people, Doc: "trained on"},
		encoding.Column{Name: "harmonized", Values: in, Doc: "false: too few, and left as they are (few: keep)"},
		column.Optional("shift", "mean over the pairs of regions of γ, in units of their sd", v[0]),
		column.Optional("shift_sd", "sd over the pairs of regions: how much the site differs", v[1]),
		column.Optional("scale", "mean over the pairs of regions of δ²; 1 is as all sites together", v[2]),
		column.Optional("scale_sd", "sd over the pairs of regions", v[3]),
		encoding.Column{Name: "steps", Values: steps, Doc: "until the posterior means had settled; 0 where nothing is iterated"},
	)
}
