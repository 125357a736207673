package assess

import (
	"fmt"
	"math"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/inference"
)

// ofNumber correlates covariates with the number to predict.
func (s trial) ofNumber(people *column.People) *encoding.Table {
	target := lists.Map(people.Ids, func(id string) float64 { return people.Numbers[id] })
	rows, p := make([]column.NumberCovariateRow, len(s.columns)), make([]float64, len(s.columns))
	var apart []map[string]any // covariates that are associated with the number and are not tested within sites
	for k, c := range s.columns {
		of := covariateOf(c)
		r := column.NumberCovariateRow{Name: c.Name, Kind: kindOf(of), Permutations: int32(s.Permutations)}
		r.N, r.Missing = known(of)
		r.R, r.Within, r.P = inference.Associate(of, target, s.within(c), s.Permutations, s.stream(c.Name))
		if !math.IsNaN(r.R) && math.IsNaN(r.P) {
			_, _, all := inference.Associate(of, target, s.one(), s.Permutations, s.stream("all", c.Name))
			if inference.Significant(all) {
				apart = append(apart, map[string]any{"Name": c.Name, "Number": people.Target, "Category": of.Category,
					"R": r.R, "P": all, "Draws": s.Permutations, "Site": s.Within})
			}
		}
		if c.Name != s.Within && len(s.sites) > 1 {
			r.Sites, r.SiteR, r.SiteP = s.numberBySite(c.Name, of, target)
		}
		rows[k], p[k] = r, r.P
	}
	correctSites(rows, func(r *column.NumberCovariateRow) *[]float64 { return &r.SiteP })
	for i, q := range s.corrected(p) {
		rows[i].Q = q
	}
	found := apartFrom("covariate.apart-of-number", apart, nil)
	found.Add(s.series().Number(target, people.Target)...)
	return s.checked(column.Table(rows), found)
}

// numberBySite is bySite for a number to predict, with r or η in place of the AUC.
func (s trial) numberBySite(name string, of inference.Covariate, target []float64) (sites []string, r, p []float64) {
	for k, site := range s.sites {
		alone, who := s.atSite(of, k)
		y := lists.Map(who, func(i int) float64 { return target[i] })
		level, _ := column.Numbered(lists.Map(y, func(v float64) string { return fmt.Sprint(v) }))
		one := make([]int, len(who))
		if inference.Powerless(1 / inference.Arrangements(level, one, inference.LeastPermutations)) {
			continue
		}
		own, _, chance := inference.Associate(alone, y, one, s.Permutations, s.stream("site", name, site))
		if !math.IsNaN(own) {
			sites, r, p = append(sites, site), append(r, own), append(p, chance)
		}
	}
	return sites, r, p
}
