package assess

import (
	"fmt"
	"math"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding/quality"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
)

// groups are those of the participants: which one each is in, by its place among the names.
type groups struct {
	of    []int
	names []string
}

func groupsOf(people *column.People) groups {
	of, names := column.Numbered(lists.Map(people.Ids, func(id string) string { return people.Group[id] }))
	return groups{of, names}
}

// ofGroups tests how well each covariate alone distinguishes the groups.
func (s trial) ofGroups(t *dag.Task, people *column.People) (*encoding.Table, error) {
	g := groupsOf(people)
	if len(g.names) < 2 {
		return nil, fmt.Errorf("%s: all participants are in one group: nothing to classify; name another column by group, or select more participants", t.In("participants").Name)
	}
	var rows []column.CovariateRow
	var p []float64                   // of those that are corrected for
	oneGroup := map[string][]string{} // covariates that are known in a group only
	var apart []map[string]any        // covariates that separate the groups and are not tested within sites
	var numbers []quality.Number
	var lacking lackingValues // covariates whose values may be missing more often in one group
	for _, c := range s.columns {
		of, within := covariateOf(c), s.within(c)
		if n, missing := known(of); n > 0 && missing > 0 && g.only(of) < 0 {
			lacking.test(s, c, of, missing, g)
		}
		told := inference.Separation{AUC: math.NaN(), Within: math.NaN(), Chance: math.NaN(), P: math.NaN()}
		if only := g.only(of); only < 0 {
			told = inference.Separate(of, g.of, len(g.names), within, s.Permutations, s.stream(c.Name))
		} else { // nothing to compare with
			oneGroup[g.names[only]] = append(oneGroup[g.names[only]], c.Name)
		}
		if varies(of) && c.Name != s.Within && told.Fixed {
			// Within sites nothing is tested; over all participants site and covariate are not told apart.
			all := inference.Separate(of, g.of, len(g.names), s.one(), s.Permutations, s.stream("all", c.Name))
			if told.Chance, told.P = math.NaN(), math.NaN(); inference.Significant(all.P) {
				apart = append(apart, map[string]any{"Name": c.Name, "AUC": told.AUC, "Site": s.Within,
					"OneGroupEach": fold.OneGroupEach(g.of, within)})
			}
		}
		row := g.row(c, of, told)
		if c.Name != s.Within && len(s.sites) > 1 {
			row.Sites, row.SiteAUC, row.SiteP = s.bySite(c.Name, of, g)
		}
		rows = append(rows, row)
		if p = append(p, told.P); !varies(of) { // no test, and none to correct for
			p[len(p)-1] = math.NaN()
		}
	}
	pattern, lacked, err := s.pattern(t, g)
	if err != nil {
		return nil, err
	}
	if pattern != nil {
		rows, p = append(rows, *pattern), append(p, pattern.P)
	}
	for i, q := range s.corrected(p) {
		if math.IsNaN(q) && !math.IsNaN(rows[i].P) {
			q = 1
		}
		rows[i].Q, rows[i].Permutations = q, int32(s.Permutations)
	}
	correctSites(rows, func(r *column.CovariateRow) *[]float64 { return &r.SiteP })
	found := apartFrom("covariate.apart", apart, oneGroup)
	found.Add(lacking.differ(s.Permutations)...)
	for i, c := range s.columns { // of those that alone do not distinguish the groups
		if of := covariateOf(c); !of.Category && g.only(of) < 0 && !inference.Significant(rows[i].P) {
			numbers = append(numbers, quality.Number{Name: c.Name, Values: of.Values, Strata: s.within(c)})
		}
	}
	found.Add(quality.Farther(numbers, g.of, len(g.names), s.Permutations, s.stream)...)
	found.Add(s.series().Groups(g.of, g.names)...)
	checks := s.checked(column.Table(rows), found)
	if lacked != nil {
		checks.Meta[column.LackedRegions] = column.JSON(lacked)
	}
	return checks, nil
}

// bySite are the sites where a covariate may distinguish the groups, with its AUC there and p before the correction:
// differences at one site can disappear among all, or have another direction there. Sites whose participants cannot
// give p < 0.05 are left out.
func (s trial) bySite(name string, of inference.Covariate, g groups) (sites []string, auc, p []float64) {
	for k, site := range s.sites {
		alone, who := s.atSite(of, k)
		in := lists.Map(who, func(i int) int { return g.of[i] })
		here := slices.Compact(slices.Sorted(slices.Values(in)))
		for i, group := range in {
			in[i] = slices.Index(here, group)
		}
		one := make([]int, len(in))
		if !varies(alone) || inference.Powerless(1/inference.Arrangements(in, one, inference.LeastPermutations)) {
			continue
		}
		told := inference.Separate(alone, in, len(here), one, s.Permutations, s.stream("site", name, site))
		sites, auc, p = append(sites, site), append(auc, told.AUC), append(p, told.P)
	}
	return sites, auc, p
}

// atSite is a covariate of the participants of a site who have it, and who these are.
func (s trial) atSite(of inference.Covariate, site int) (alone inference.Covariate, who []int) {
	alone.Category = of.Category
	for i, at := range s.strata {
		if at == site && !math.IsNaN(of.Values[i]) {
			alone.Values, who = append(alone.Values, of.Values[i]), append(who, i)
		}
	}
	return alone, who
}

// correctSites corrects the p of single sites, which a row has, for all of them (Holm).
func correctSites[R any](rows []R, of func(*R) *[]float64) {
	var p []float64
	for i := range rows {
		p = append(p, *of(&rows[i])...)
	}
	p = inference.Holm(p)
	for i := range rows {
		own := of(&rows[i])
		*own, p = p[:len(*own)], p[len(*own):]
	}
}

// only is the only group of which a covariate is known; −1 for several or none.
func (g groups) only(of inference.Covariate) int {
	only := -1
	for i, v := range of.Values {
		switch {
		case math.IsNaN(v) || only == g.of[i]:
		case only >= 0:
			return -1
		default:
			only = g.of[i]
		}
	}
	return only
}

// row is the row of one covariate, but for q: its test, and its values in each group.
func (g groups) row(c column.CovariateColumn, of inference.Covariate, s inference.Separation) column.CovariateRow {
	r := column.CovariateRow{Name: c.Name, Kind: kindOf(of), Groups: g.names, AUC: s.AUC, Within: s.Within,
		Chance: s.Chance, P: s.P}
	r.N, r.Missing = known(of)
	if of.Category {
		_, names := column.Numbered(c.Text)
		r.Levels = slices.DeleteFunc(names, func(level string) bool { return level == "" })
		r.Counts = make([]int32, len(g.names)*len(r.Levels))
		for i, level := range c.Text {
			if at := slices.Index(r.Levels, level); at >= 0 {
				r.Counts[g.of[i]*len(r.Levels)+at]++
			}
		}
		return r
	}
	for k := range g.names {
		var v []float64
		for i, x := range of.Values {
			if g.of[i] == k && !math.IsNaN(x) {
				v = append(v, x)
			}
		}
		mean, sd := column.MeanSD(v)
		if len(v) < 2 {
			sd = math.NaN()
		}
		r.Means, r.SDs = append(r.Means, mean), append(r.SDs, sd)
	}
	return r
}
