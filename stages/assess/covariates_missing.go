package assess

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/inference"
)

// lackingValues tests whether the values of covariates are missing more often in one group. Covariates that are missing
// in the same participants have one test.
type lackingValues struct {
	names   [][]string // of a test
	absent  [][]float64
	missing []int32
	p       []float64
}

func (l *lackingValues) test(s trial, c column.CovariateColumn, of inference.Covariate, missing int32, g groups) {
	absent := lists.Map(of.Values, func(v float64) float64 {
		if math.IsNaN(v) {
			return 1
		}
		return 0
	})
	if at := slices.IndexFunc(l.absent, func(a []float64) bool { return slices.Equal(a, absent) }); at >= 0 {
		l.names[at] = append(l.names[at], c.Name)
		return
	}
	m := inference.Separate(inference.Covariate{Values: absent}, g.of, len(g.names), s.within(c), s.Permutations,
		s.stream("missing", c.Name))
	if m.Fixed { // it cannot reject, and is no test to correct for (Tarone 1990)
		return
	}
	l.names, l.absent = append(l.names, []string{c.Name}), append(l.absent, absent)
	l.missing, l.p = append(l.missing, missing), append(l.p, m.P)
}

// differ are the findings about the covariates whose values are missing more often in one group, corrected by Holm.
func (l *lackingValues) differ(permutations int) (all finding.List) {
	for i, p := range inference.Holm(l.p) {
		if inference.Significant(p) {
			all.Add(finding.Finding{Code: "covariate.missing-differs", Weight: finding.Limits, Numbers: map[string]any{
				"Covariates": lists.Map(l.names[i], func(name string) map[string]any {
					return map[string]any{"Name": name}
				}),
				"Missing": l.missing[i], "P": p, "Draws": permutations, "Tests": len(l.p)}})
		}
	}
	return all
}

// pattern compares which regions are missing or constant between the groups, not only how many; nil where all
// participants have the same regions.
func (s trial) pattern(t *dag.Task, g groups) (*column.CovariateRow, []column.LackedRegion, error) {
	at, absent := lists.Places(s.ids), map[int][]bool{}
	for _, in := range t.All("cleaning") {
		rows, err := column.Read[struct {
			Unusable []int32 `column:"unusable,optional"`
		}](in)
		if err != nil {
			return nil, nil, err
		}
		for _, place := range rows[0].Unusable {
			r := int(place)
			if absent[r] == nil {
				absent[r] = make([]bool, len(s.ids))
			}
			absent[r][at[in.Coord("subject")]] = true
		}
	}
	var regions []int // some have them, and some do not
	var of [][]bool
	for _, r := range slices.Sorted(maps.Keys(absent)) {
		if slices.Contains(absent[r], false) {
			regions, of = append(regions, r), append(of, absent[r])
		}
	}
	if of == nil {
		return nil, nil, nil
	}
	p := inference.Absences(of, g.of, len(g.names), s.strata, s.Permutations, s.stream(column.UnusablePattern))
	least := 0
	var differ []int
	for k := range p {
		if p[k] < p[least] {
			least = k
		}
		if inference.Significant(p[k]) {
			differ = append(differ, k)
		}
	}
	if differ == nil {
		differ = []int{least}
	}
	slices.SortStableFunc(differ, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	lacked := lists.Map(differ, func(k int) column.LackedRegion {
		return column.LackedRegion{Region: regions[k], Groups: g.lacking(of[k])}
	})
	alone := inference.Covariate{Values: make([]float64, len(s.ids)), Category: true}
	for i, a := range of[least] {
		if a {
			alone.Values[i] = 1
		}
	}
	told := inference.Separate(alone, g.of, len(g.names), s.strata, s.Permutations,
		s.stream(column.UnusablePattern, "alone"))
	row := &column.CovariateRow{Name: column.UnusablePattern, Kind: "category", N: int32(len(s.ids)), AUC: told.AUC,
		Within: told.Within, Chance: told.Chance, P: p[least]}
	if fixedWithin(of, g.of, s.strata) { // as of covariates that are constant within sites
		row.Within, row.Chance, row.P = math.NaN(), math.NaN(), math.NaN()
	}
	return row, lacked, nil
}

// fixedWithin reports whether no permutation of the groups within strata changes in which group a region is absent.
func fixedWithin(absent [][]bool, group, strata []int) bool {
	for _, at := range inference.ByStratum(strata) {
		other := func(i int) bool { return group[i] != group[at[0]] }
		varies := func(a []bool) bool {
			return slices.ContainsFunc(at, func(i int) bool { return a[i] != a[at[0]] })
		}
		if slices.ContainsFunc(at, other) && slices.ContainsFunc(absent, varies) {
			return false
		}
	}
	return true
}

// lacking is how many participants of each group lack a region.
func (g groups) lacking(absent []bool) []column.LackingIn {
	all := lists.Map(g.names, func(name string) column.LackingIn { return column.LackingIn{Group: name} })
	for i, of := range g.of {
		if all[of].Of++; absent[i] {
			all[of].N++
		}
	}
	return all
}
