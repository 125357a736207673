package assess

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/role"
)

var covariatesKind = dag.Kind{
	Name: "covariates",
	Doc: "classification by age, sex, site, motion or scan length alone\n" +
		"A classifier may learn such a covariate instead of a difference between the brains. Each column of the participants table is tested, and with cleaning connected also the number of volumes, the motion and the repetition time of each scan, and the number of its regions without a usable series, and which they are (corrected over the regions): the area under the ROC curve of the covariate alone, and its p from permutations of the labels (within sites, if there are sites). Of a number to predict (label: target) it is the correlation with each covariate. Covariates are never used for classification or regression.",
	New: func() dag.Stage { return &Covariates{Label: "group", Within: "site", Permutations: 9999} },
}

var _ role.Reader = (*Covariates)(nil)

// Covariates tries covariates alone.
type Covariates struct {
	Label        string   `param:"label" doc:"what is predicted: group, or target, a number, for a cohort with the parameter target" choices:"group|target"`
	Columns      []string `param:"columns" doc:"columns of the participants table to test; by default all except identifiers"`
	Within       string   `param:"within" doc:"labels are permuted within the values of this column, if it exists"`
	Permutations int      `param:"permutations" doc:"number of label permutations" min:"99" max:"10000000"`
	Seed         uint64   `param:"seed" doc:"of the permutations"`
}

func (s *Covariates) Ports() dag.Ports {
	checks := column.Type[column.CovariateRow]()
	if s.Label == column.Target {
		checks = column.Type[column.NumberCovariateRow]()
	}
	return dag.Ports{
		In: []dag.Port{
			{Name: "participants", Type: dag.Arrow("participant_id", s.Label), Doc: "the participants, with their covariates"},
			{Name: "cleaning", Type: dag.Arrow("volumes", "kept", "mean_fd"), Gather: true, Optional: true, Doc: "denoise's quality for each participant: motion and length of the scans, and regions without a usable series"},
			{Name: "checks", Type: column.Type[fold.CheckRow](), Gather: true, Optional: true, Doc: "leakage checks that must have passed"},
		},
		Out: []dag.Port{{Name: "checks", Type: checks, Doc: "one row per covariate"}},
	}
}

// ReadsParticipants are the columns that its parameters name.
func (s *Covariates) ReadsParticipants() []role.Reading {
	read := []role.Reading{{Parameter: "within", Name: s.Within, Categories: true, Permutes: true}}
	for _, name := range s.Columns {
		read = append(read, role.Reading{Parameter: "columns", Name: name, Needed: true})
	}
	return read
}

func (s *Covariates) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("participants")
	people, err := column.ReadPeople(in)
	if err != nil {
		return nil, err
	}
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	columns, err := s.columns(column.AsCategories(table, "site", s.Within))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	scans, err := scanCovariates(t, people.Ids)
	if err != nil {
		return nil, err
	}
	for _, c := range scans { // what the table says is not said twice
		if !slices.ContainsFunc(columns, func(d column.CovariateColumn) bool { return d.Name == c.Name }) {
			columns = append(columns, c)
		}
	}
	strata := make([]int, len(people.Ids))
	site, err := column.PermutedWithin(table, s.Within)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	if site != nil && s.Within != s.Label {
		strata, _ = column.Numbered(lists.Map(people.Ids, func(id string) string { return site[id] }))
	}
	if s.Label == column.Target {
		return dag.Outputs{"checks": s.ofNumber(people, columns, strata)}, nil
	}
	var groups []string
	group := make([]int, len(people.Ids))
	for _, id := range people.Ids {
		groups = append(groups, people.Group[id])
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	if len(groups) < 2 {
		return nil, fmt.Errorf("%s: all participants are in one group: nothing to classify; name another column by group, or select more participants", in.Name)
	}
	for i, id := range people.Ids {
		group[i], _ = slices.BinarySearch(groups, people.Group[id])
	}
	var rows []column.CovariateRow
	var p []float64
	oneGroup := map[string][]string{} // covariates that are known in a group only
	var apart []map[string]any        // covariates that separate the groups and are not tested within sites
	var lacking lackingValues         // covariates whose values may be missing more often in one group
	twin := map[int]int{}             // a covariate with the values of an earlier one is tested once
	for k, c := range columns {
		within := strata
		if c.Name == s.Within {
			within = make([]int, len(group))
		}
		of := covariateOf(c)
		if n, missing := known(of); n > 0 && missing > 0 && knownIn(of, group) < 0 {
			lacking.test(s, c.Name, of, missing, group, len(groups), within)
		}
		told := inference.Separation{AUC: math.NaN(), Chance: math.NaN(), P: math.NaN()}
		if only := knownIn(of, group); only < 0 {
			told = inference.Separate(of, group, len(groups), within, s.Permutations,
				random.New(s.Seed, "covariates", c.Name))
		} else { // nothing to compare with
			oneGroup[groups[only]] = append(oneGroup[groups[only]], c.Name)
		}
		fixed := varies(of) && c.Name != s.Within && told.Fixed
		if fixed { // within sites nothing is tested; over all participants site and covariate are not told apart
			all := inference.Separate(of, group, len(groups), make([]int, len(group)), s.Permutations,
				random.New(s.Seed, "covariates", "all", c.Name))
			if told.Chance, told.P = math.NaN(), math.NaN(); all.P < 0.05 {
				apart = append(apart, map[string]any{"Name": c.Name, "AUC": told.AUC, "Site": s.Within,
					"OneGroupEach": fold.OneGroupEach(group, within)})
			}
		}
		rows = append(rows, covariateRow(c, of, told, group, groups))
		p = append(p, told.P)
		first := slices.IndexFunc(columns[:k], func(d column.CovariateColumn) bool { return sameNumbers(c, d) })
		if first >= 0 {
			twin[k] = first
		}
		if first >= 0 || !varies(of) { // no test, and none to correct for
			p[k] = math.NaN()
		}
	}
	pattern, lacked, err := s.pattern(t, people.Ids, group, groups, strata)
	if err != nil {
		return nil, err
	}
	if pattern != nil {
		rows, p = append(rows, *pattern), append(p, pattern.P)
	}
	for i, q := range inference.FDR(p) {
		if first, ok := twin[i]; ok {
			q = rows[first].Q
		} else if math.IsNaN(q) && !math.IsNaN(rows[i].P) {
			q = 1
		}
		rows[i].Q, rows[i].Permutations = q, int32(s.Permutations)
	}
	checks := column.Table(rows)
	checks.Meta = s.meta(strata)
	note := func(key, text string) {
		if checks.Meta == nil {
			checks.Meta = map[string]string{}
		}
		checks.Meta[key] = text
	}
	found := apartFrom("covariate.apart", apart, oneGroup)
	if found.Add(lacking.differ(s.Permutations)...); found != nil {
		note(finding.Meta, finding.Written(found))
	}
	if lacked != nil {
		note(column.LackedRegions, column.JSON(lacked))
	}
	return dag.Outputs{"checks": checks}, nil
}

// lackingValues tests whether the values of covariates are missing more often in one group. Covariates that are missing
// in the same participants have one test.
type lackingValues struct {
	names   [][]string // of a test
	absent  [][]float64
	missing []int32
	p       []float64
}

func (l *lackingValues) test(s *Covariates, name string, of inference.Covariate, missing int32, group []int, groups int,
	within []int) {
	absent := lists.Map(of.Values, func(v float64) float64 {
		if math.IsNaN(v) {
			return 1
		}
		return 0
	})
	if at := slices.IndexFunc(l.absent, func(a []float64) bool { return slices.Equal(a, absent) }); at >= 0 {
		l.names[at] = append(l.names[at], name)
		return
	}
	m := inference.Separate(inference.Covariate{Values: absent}, group, groups, within, s.Permutations,
		random.New(s.Seed, "covariates", "missing", name))
	if m.Fixed { // it cannot reject, and is no test to correct for (Tarone 1990)
		return
	}
	l.names, l.absent = append(l.names, []string{name}), append(l.absent, absent)
	l.missing, l.p = append(l.missing, missing), append(l.p, m.P)
}

// differ are the findings about the covariates whose values are missing more often in one group, corrected by Holm.
func (l *lackingValues) differ(permutations int) (all finding.List) {
	for i, p := range inference.Holm(l.p) {
		if p < finding.Alpha {
			all.Add(finding.Finding{Code: "covariate.missing-differs", Weight: finding.Limits, Numbers: map[string]any{
				"Covariates": lists.Map(l.names[i], func(name string) map[string]any {
					return map[string]any{"Name": name}
				}),
				"Missing": l.missing[i], "P": p, "Draws": permutations, "Tests": len(l.p)}})
		}
	}
	return all
}

// apartFrom are the findings, of a code, about covariates that separate the groups or are associated with the number to
// predict and were not tested within sites, and about those that are known in one group only. Of the volumes scanned
// and kept there is one.
func apartFrom(code string, apart []map[string]any, oneGroup map[string][]string) (all finding.List) {
	is := func(name string) int {
		return slices.IndexFunc(apart, func(of map[string]any) bool { return of["Name"] == name })
	}
	if i := is("volumes"); i >= 0 && is("kept") >= 0 {
		apart = slices.Delete(apart, i, i+1)
		apart[is("kept")]["Name"] = "volumes_both"
	}
	for _, of := range apart {
		all.Add(finding.Finding{Code: code, Weight: finding.Overturns, Numbers: of})
	}
	for _, group := range slices.Sorted(maps.Keys(oneGroup)) {
		all.Add(finding.Finding{Code: "covariate.one-group", Weight: finding.Limits,
			Numbers: map[string]any{"Names": oneGroup[group], "Group": group}})
	}
	return all
}

// meta says within what labels were permuted, where that is not over all participants.
func (s *Covariates) meta(strata []int) map[string]string {
	if !slices.ContainsFunc(strata, func(n int) bool { return n != strata[0] }) {
		return nil
	}
	return map[string]string{"within": s.Within}
}

// sameNumbers reports whether two covariates are numbers, and the same ones: volumes, and those that were kept.
func sameNumbers(c, d column.CovariateColumn) bool {
	return c.Text == nil && d.Text == nil && slices.EqualFunc(c.Number, d.Number, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// ofNumber correlates covariates with the number to predict.
func (s *Covariates) ofNumber(people *column.People, columns []column.CovariateColumn, strata []int) *encoding.Table {
	target := lists.Map(people.Ids, func(id string) float64 { return people.Numbers[id] })
	rows, p := make([]column.NumberCovariateRow, len(columns)), make([]float64, len(columns))
	var apart []map[string]any // covariates that are associated with the number and are not tested within sites
	twin := map[int]int{}      // a covariate with the values of an earlier one is tested once
	for k, c := range columns {
		within := strata
		if c.Name == s.Within {
			within = make([]int, len(strata))
		}
		of := covariateOf(c)
		r := column.NumberCovariateRow{Name: c.Name, Kind: kindOf(of), Permutations: int32(s.Permutations)}
		r.N, r.Missing = known(of)
		r.R, r.P = inference.Associate(of, target, within, s.Permutations, random.New(s.Seed, "covariates", c.Name))
		if !math.IsNaN(r.R) && math.IsNaN(r.P) {
			_, all := inference.Associate(of, target, make([]int, len(strata)), s.Permutations,
				random.New(s.Seed, "covariates", "all", c.Name))
			if all < finding.Alpha {
				apart = append(apart, map[string]any{"Name": c.Name, "Number": people.Target, "Category": of.Category,
					"R": r.R, "P": all, "Draws": s.Permutations, "Site": s.Within})
			}
		}
		rows[k], p[k] = r, r.P
		first := slices.IndexFunc(columns[:k], func(d column.CovariateColumn) bool { return sameNumbers(c, d) })
		if first >= 0 {
			twin[k], p[k] = first, math.NaN()
		}
	}
	for i, q := range inference.FDR(p) {
		if first, ok := twin[i]; ok {
			q = rows[first].Q
		}
		rows[i].Q = q
	}
	checks := column.Table(rows)
	checks.Meta = s.meta(strata)
	if found := apartFrom("covariate.apart-of-number", apart, nil); found != nil {
		checks.Meta[finding.Meta] = finding.Written(found) // there are strata, so there is metadata
	}
	return checks
}

// covariateOf is a covariate as numbers; a category by its place in the order of their names.
func covariateOf(c column.CovariateColumn) inference.Covariate {
	if c.Text == nil {
		return inference.Covariate{Values: c.Number}
	}
	level, _ := column.Numbered(c.Text)
	of := inference.Covariate{Values: make([]float64, len(level)), Category: true}
	for i, l := range level {
		of.Values[i] = float64(l)
		if c.Text[i] == "" {
			of.Values[i] = math.NaN()
		}
	}
	return of
}

// varies reports whether participants differ in a covariate.
func varies(of inference.Covariate) bool {
	known := slices.DeleteFunc(slices.Clone(of.Values), math.IsNaN)
	return slices.ContainsFunc(known, func(v float64) bool { return v != known[0] })
}

// knownIn is the only group of which a covariate is known; −1 for several or none.
func knownIn(of inference.Covariate, group []int) int {
	only := -1
	for i, v := range of.Values {
		switch {
		case math.IsNaN(v) || only == group[i]:
		case only >= 0:
			return -1
		default:
			only = group[i]
		}
	}
	return only
}

func kindOf(of inference.Covariate) string {
	if of.Category {
		return "category"
	}
	return "number"
}

// known counts the participants with a value, and those without.
func known(of inference.Covariate) (n, missing int32) {
	for _, v := range of.Values {
		if math.IsNaN(v) {
			missing++
		} else {
			n++
		}
	}
	return n, missing
}

// columns reads the covariates of the participants' table: those that were named,
// or all but identifiers, which tell everybody apart.
func (s *Covariates) columns(t *encoding.Table) ([]column.CovariateColumn, error) {
	var out []column.CovariateColumn
	for _, name := range s.Columns {
		if _, ok := t.Column(name); !ok || name == "participant_id" || name == s.Label {
			_, err := t.Strings(name)
			if err == nil {
				err = fmt.Errorf("columns: %s is not a covariate", name)
			}
			return nil, err
		}
	}
	for _, c := range t.Columns {
		named := slices.Contains(s.Columns, c.Name)
		if c.Name == "participant_id" || c.Name == s.Label || c.Name == "simulated" || len(s.Columns) > 0 && !named {
			continue
		}
		v, err := column.ReadCovariate(t, c.Name)
		if err != nil {
			return nil, err
		}
		if named || !v.Identifies() {
			out = append(out, v)
		}
	}
	return out, nil
}

// pattern compares which regions are missing or constant between the groups, not only how many; nil where all
// participants have the same regions.
func (s *Covariates) pattern(t *dag.Task, ids []string, group []int, groups []string, strata []int) (
	*column.CovariateRow, []column.LackedRegion, error) {
	at, absent := map[string]int{}, map[int][]bool{}
	for i, id := range ids {
		at[id] = i
	}
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
				absent[r] = make([]bool, len(ids))
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
	p := inference.Absences(of, group, len(groups), strata, s.Permutations,
		random.New(s.Seed, "covariates", column.UnusablePattern))
	least := 0
	var differ []int
	for k := range p {
		if p[k] < p[least] {
			least = k
		}
		if p[k] < 0.05 {
			differ = append(differ, k)
		}
	}
	if differ == nil {
		differ = []int{least}
	}
	slices.SortStableFunc(differ, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	lacked := lists.Map(differ, func(k int) column.LackedRegion {
		return column.LackedRegion{Region: regions[k], Groups: lackedBy(of[k], group, groups)}
	})
	alone := inference.Covariate{Values: make([]float64, len(ids)), Category: true}
	for i, a := range of[least] {
		if a {
			alone.Values[i] = 1
		}
	}
	told := inference.Separate(alone, group, len(groups), strata, s.Permutations,
		random.New(s.Seed, "covariates", column.UnusablePattern, "alone"))
	row := &column.CovariateRow{Name: column.UnusablePattern, Kind: "category", N: int32(len(ids)), AUC: told.AUC,
		Chance: told.Chance, P: p[least]}
	if fixedWithin(of, group, strata) { // as of covariates that are constant within sites
		row.Chance, row.P = math.NaN(), math.NaN()
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

// lackedBy is how many participants of each group lack a region.
func lackedBy(absent []bool, group []int, groups []string) []column.LackingIn {
	all := lists.Map(groups, func(name string) column.LackingIn { return column.LackingIn{Group: name} })
	for i, g := range group {
		if all[g].Of++; absent[i] {
			all[g].N++
		}
	}
	return all
}

// scanCovariates are the volumes, the motion, and the regions without a usable series of each participant's scan.
func scanCovariates(t *dag.Task, ids []string) ([]column.CovariateColumn, error) {
	if !t.Has("cleaning") {
		return nil, nil
	}
	names := []string{"mean_fd", "volumes", "kept", column.UnusableRegions}
	out := make([]column.CovariateColumn, len(names))
	for k, name := range names {
		out[k] = column.CovariateColumn{Name: name, Number: make([]float64, len(ids))}
		for i := range ids {
			out[k].Number[i] = math.NaN()
		}
	}
	tr := slices.Repeat([]float64{math.NaN()}, len(ids))
	at := map[string]int{}
	for i, id := range ids {
		at[id] = i
	}
	seen := make([]bool, len(ids))
	for _, in := range t.All("cleaning") {
		i, ok := at[in.Coord("subject")]
		if !ok {
			return nil, fmt.Errorf("%s: %q is not among the participants", in.Name, in.Coord("subject"))
		}
		if seen[i] {
			return nil, fmt.Errorf("%s is a second table of %s: for participants with several runs or sessions, connect join's quality", in.Name, ids[i])
		}
		seen[i] = true
		table, err := in.Table()
		if err != nil {
			return nil, err
		}
		for k, name := range names {
			var v []float64
			if name == column.UnusableRegions {
				v, err = unusable(table)
			} else {
				v, err = table.Floats(name)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			if len(v) != 1 {
				return nil, fmt.Errorf("%s: %d rows, want one", in.Name, len(v))
			}
			out[k].Number[i] = v[0]
		}
		if _, there := table.Column("tr"); there {
			v, err := table.Floats("tr")
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			tr[i] = v[0]
		}
	}
	return append(slices.DeleteFunc(out, func(c column.CovariateColumn) bool {
		// Without confounds the motion is unknown; where all have every region, there is nothing to test.
		return !slices.ContainsFunc(c.Number, func(v float64) bool {
			return !math.IsNaN(v) && (c.Name != column.UnusableRegions || v > 0)
		})
	}), protocol(tr)...), nil
}

// protocol is the repetition time (s, to a ms; NaN if unknown) as a covariate: a category, as protocols have no order.
// Where all scans have the same one, there is nothing to test.
func protocol(tr []float64) []column.CovariateColumn {
	c := column.CovariateColumn{Name: "tr", Text: make([]string, len(tr))}
	used := map[string]bool{}
	for i, v := range tr {
		if !math.IsNaN(v) {
			c.Text[i] = fmt.Sprintf("%g s", math.Round(1000*v)/1000)
			used[c.Text[i]] = true
		}
	}
	if len(used) < 2 {
		return nil
	}
	return []column.CovariateColumn{c}
}

// unusable counts the regions of a scan that are missing or constant; not known of a table without these columns, which
// a user's program may have made.
func unusable(quality *encoding.Table) ([]float64, error) {
	sum := make([]float64, quality.Rows())
	for _, name := range []string{"missing", "constant"} {
		if _, ok := quality.Column(name); !ok {
			return slices.Repeat([]float64{math.NaN()}, quality.Rows()), nil
		}
		v, err := quality.Floats(name)
		if err != nil {
			return nil, err
		}
		for i, x := range v {
			sum[i] += x
		}
	}
	return sum, nil
}

// covariateRow is the row of one covariate, but for q.
func covariateRow(c column.CovariateColumn, of inference.Covariate, s inference.Separation, group []int,
	groups []string) column.CovariateRow {
	r := column.CovariateRow{Name: c.Name, Kind: kindOf(of), AUC: s.AUC, Chance: s.Chance, P: s.P}
	r.N, r.Missing = known(of)
	var parts []string
	for g, text := range c.Describe(group, len(groups)) {
		parts = append(parts, groups[g]+" "+text)
	}
	r.Values = strings.Join(parts, " · ")
	return r
}
