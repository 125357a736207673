package edges

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/exact"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/inference/edgewise"
	"prgnn/stages/learn/family"
	"prgnn/stages/region"
)

// The designs, as the summary states them.
const (
	twoGroups     = "groups"
	severalGroups = "several groups"
	number        = "number"
	change        = "change"
)

// meanFD is the covariate that cleaning has.
const meanFD = "mean_fd"

// edgeData are the edges of each participant.
type edgeData struct {
	regions int
	values  map[string][]float64 // of the pairs (1, 2), (1, 3) … (n−1, n); NaN for a missing one
	motion  map[string]float64   // mean_fd, or its change
	apart   map[string]bool      // participants without one of the two sessions
}

// session is the place of a member among the two sessions: 0 without sessions, −1 for another one.
func (s *Edges) session(in dag.Input) int {
	if len(s.Sessions) == 0 {
		return 0
	}
	plain := func(name string) string { return strings.TrimPrefix(name, "ses-") }
	return slices.IndexFunc(s.Sessions, func(name string) bool { return plain(name) == plain(in.Coord(session)) })
}

// read reads matrices: the mean over the runs of a session, and the difference of two sessions.
func (s *Edges) read(t *dag.Task, matrices []dag.Input) (*edgeData, error) {
	d := &edgeData{values: map[string][]float64{}, motion: map[string]float64{}, apart: map[string]bool{}}
	sums, known := [2]map[string][]float64{{}, {}}, map[string]bool{} // a participant's settings
	counts := [2]map[string][]float64{{}, {}}
	var ids []string
	other := map[string]string{} // axis → value, of axes that are no scans of a participant
	sessions := map[string]bool{}
	for i, in := range matrices {
		id := in.Coord(column.Subject)
		if id == "" {
			return nil, fmt.Errorf("%s: the participant of the matrices is unknown: connect a stage with each: subject", in.Name)
		}
		for _, c := range in.Coords {
			if c.Axis == column.Subject || c.Axis == session || c.Axis == "run" {
				continue
			}
			if v, ok := other[c.Axis]; ok && v != c.Value {
				return nil, fmt.Errorf("matrices of several settings (%s %s and %s) are connected: fan this stage out over %s too, or connect one of them", c.Axis, v, c.Value, c.Axis)
			}
			other[c.Axis] = c.Value
		}
		at := s.session(in)
		if at < 0 {
			sessions[in.Coord(session)] = true
			continue
		}
		z, regions, err := edgesOf(in, s.Transform)
		switch {
		case err != nil:
			return nil, err
		case d.regions != 0 && d.regions != regions:
			return nil, fmt.Errorf("%s: %d regions, but others have %d: use the same atlas for all", in.Name, regions, d.regions)
		}
		d.regions = regions
		if !known[id] {
			known[id], ids = true, append(ids, id)
		}
		if sums[at][id] == nil {
			sums[at][id], counts[at][id] = make([]float64, len(z)), make([]float64, len(z))
		}
		for e, v := range z {
			if !math.IsNaN(v) {
				sums[at][id][e] += v
				counts[at][id][e]++
			}
		}
		t.Progress(i+1, len(matrices), "reading")
	}
	if len(ids) == 0 {
		have := words.Some(slices.Sorted(maps.Keys(sessions)), 8)
		if sessions[""] {
			have = "matrices of no session"
		}
		return nil, fmt.Errorf("sessions: no matrices of %s are connected, but %s: connect those of each session, such as connectivity[*].pearson, and not their mean; without several sessions leave out sessions",
			strings.Join(s.Sessions, " and "), have)
	}
	for _, id := range ids {
		for at := range max(1, len(s.Sessions)) {
			if sums[at][id] == nil {
				d.apart[id] = true
				continue
			}
			for e, n := range counts[at][id] {
				sums[at][id][e] /= n // NaN where no run has the edge
			}
		}
		if d.apart[id] {
			continue
		}
		d.values[id] = sums[0][id]
		if len(s.Sessions) == 2 {
			for e, first := range sums[0][id] {
				sums[1][id][e] -= first
			}
			d.values[id] = sums[1][id]
		}
	}
	return d, s.readMotion(t, d)
}

// readMotion reads mean_fd of cleaning: the mean over runs, and the difference of two sessions.
func (s *Edges) readMotion(t *dag.Task, d *edgeData) error {
	type run struct {
		FD float64 `column:"mean_fd,missing"`
	}
	all := [2]map[string][]float64{{}, {}}
	for _, in := range t.All("cleaning") {
		row, err := column.One[run](in)
		if err != nil {
			return err
		}
		if at := s.session(in); at >= 0 {
			id := in.Coord(column.Subject)
			all[at][id] = append(all[at][id], row.FD)
		}
	}
	for id, first := range all[0] {
		d.motion[id], _ = column.MeanSD(first)
		if len(s.Sessions) == 2 {
			second, _ := column.MeanSD(all[1][id])
			d.motion[id] = second - d.motion[id]
		}
	}
	return nil
}

// edgesOf are the edges of one scan: draw 0. Those of a region without a signal, which has 0 in its row, are NaN.
func edgesOf(in dag.Input, transform string) (z []float64, regions int, err error) {
	draws, err := region.ReadDraws(in, "draw, roi, roi")
	if err != nil {
		return nil, 0, err
	}
	m := draws[0]
	n := m.Rows
	if n != m.Cols || n < 3 {
		return nil, 0, fmt.Errorf("%s: %d × %d numbers, want a matrix of three regions or more", in.Name, m.Rows, m.Cols)
	}
	lacks, zeros := make([]bool, n), 0
	for i := range n {
		lacks[i] = true
		for j := range n {
			lacks[i] = lacks[i] && (i == j || m.At(i, j) == 0 || math.IsNaN(m.At(i, j)))
		}
		if m.At(i, i) == 0 {
			zeros++
		}
	}
	if transform == "fisher" && zeros == n {
		return nil, 0, fmt.Errorf("%s: the diagonal is 0, as of Fisher's z: set transform: none", in.Name)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			v := m.At(i, j)
			switch {
			case lacks[i] || lacks[j]:
				v = math.NaN()
			case v != m.At(j, i):
				return nil, 0, fmt.Errorf("%s: it is %v from node %d to %d and %v in the other direction: a symmetric matrix is needed", in.Name, v, i+1, j+1, m.At(j, i))
			case v-v != 0:
				return nil, 0, fmt.Errorf("%s: the connectivity of nodes %d and %d is %v: exclude the participant or the nodes", in.Name, i+1, j+1, v)
			case transform == "fisher" && math.Abs(v) > 1+1e-9:
				return nil, 0, fmt.Errorf("%s: the connectivity of nodes %d and %d is %v, and correlations are at most 1: set transform: none", in.Name, i+1, j+1, v)
			case transform == "fisher":
				v = exact.Atanh(max(-0.9999999, min(0.9999999, v)))
			}
			z = append(z, v)
		}
	}
	return z, n, nil
}

// An edgeStudy is the participants who are tested, and the design.
type edgeStudy struct {
	name       string // of the table of participants
	test       string
	kind       string
	ids        []string
	left       []string     // without a covariate or a session
	found      finding.List // about the design
	within     string       // the column within whose values participants are exchanged; "" for none
	listed     []string     // covariates of the file
	covariates []string     // the same, and within
	groups     []string
	counts     []int32
	design     edgewise.Design
	terms      []string // of the nuisance columns
	block      []string // value of within of each participant
	units      [][]int  // families; nil without them
	regions    int

	values            []float64 // participant × edge
	missing, constant int
	lacked            []int32
}

// study chooses the participants and makes the design. It refuses participants without a value, unless they are to be
// skipped.
func (s *Edges) study(t *dag.Task, d *edgeData) (*edgeStudy, error) {
	in := t.In("participants")
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	st := &edgeStudy{name: in.Name, regions: d.regions, test: s.Test}
	if st.test == "" {
		st.test = column.LabelOf(table)
	}
	if slices.Contains(s.Covariates, st.test) {
		return nil, fmt.Errorf("covariates: %s is what is tested", st.test)
	}
	table = column.AsCategories(table, "site", s.Within, s.Family)
	all, err := table.Strings("participant_id")
	if err != nil {
		return nil, err
	}
	for id := range d.values {
		if !slices.Contains(all, id) {
			return nil, fmt.Errorf("%s: %s is not among the participants", in.Name, id)
		}
	}
	columns, err := s.columns(st, table, all, d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	var keep []int
	lack := map[string][]string{} // of a column
	for i, id := range all {
		if d.apart[id] {
			st.left = append(st.left, id)
			continue
		}
		if d.values[id] == nil {
			continue // its data are missing, which the cohort reports
		}
		complete := true
		for _, c := range columns {
			if c.Text != nil && c.Text[i] == "" || c.Text == nil && math.IsNaN(c.Number[i]) {
				lack[c.Name], complete = append(lack[c.Name], id), false
			}
		}
		if complete {
			keep = append(keep, i)
		} else {
			st.left = append(st.left, id)
		}
	}
	if s.Missing == "refuse" && len(lack) > 0 {
		var wrong []error
		for _, c := range columns {
			if who := lack[c.Name]; who != nil {
				wrong = append(wrong, fmt.Errorf("%s: no value of %s for %s: fill it in, exclude the participants, or set missing: skip", in.Name, c.Name, words.Some(who, 8)))
			}
		}
		return nil, errors.Join(wrong...)
	}
	if len(keep) < 4 {
		return nil, fmt.Errorf("%s with %s: too few to test%s", words.Count(len(keep), "participant"),
			strings.Join(s.needed(columns), ", "), d.without(st.left))
	}
	for _, i := range keep {
		st.ids = append(st.ids, all[i])
	}
	for k := range columns {
		columns[k] = kept(columns[k], keep)
		if columns[k].Name == st.within {
			st.block = columns[k].Text
		}
	}
	if err := s.tested(st, columns); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	st.pool(table)
	return st, s.families(st, table)
}

// pool finds that the change is tested over the participants of several groups together.
func (st *edgeStudy) pool(table *encoding.Table) {
	_, group, err := column.ByParticipant(table, "group")
	if st.kind != change || err != nil {
		return
	}
	count := map[string]int{}
	for _, id := range st.ids {
		if g := group[id]; !cell.Missing(g) {
			count[g]++
		}
	}
	if len(count) > 1 {
		st.found.Study(finding.GroupsPooled, finding.Limits, map[string]any{"Groups": lists.Map(
			slices.SortedFunc(maps.Keys(count), dag.CompareValues), func(g string) finding.GroupSize {
				return finding.GroupSize{Name: g, N: count[g]}
			}), "Sessions": st.groups})
	}
}

// needed is what a participant must have to be tested.
func (s *Edges) needed(columns []column.CovariateColumn) []string {
	needed := []string{"matrices"}
	if len(s.Sessions) > 0 {
		needed[0] += " of the sessions " + strings.Join(s.Sessions, " and ")
	}
	return append(needed, lists.Map(columns, func(c column.CovariateColumn) string { return c.Name })...)
}

// without lists the participants who are left out: those without one of the sessions, and those without a value.
func (d *edgeData) without(left []string) (text string) {
	var session, value []string
	for _, id := range left {
		if d.apart[id] {
			session = append(session, id)
		} else {
			value = append(value, id)
		}
	}
	if session != nil {
		text += "; only one of the sessions: " + words.Some(session, 8)
	}
	if value != nil {
		text += "; without a value: " + words.Some(value, 8)
	}
	return text
}

// kept are the values of some participants.
func kept(c column.CovariateColumn, at []int) column.CovariateColumn {
	out := column.CovariateColumn{Name: c.Name}
	for _, i := range at {
		if c.Text != nil {
			out.Text = append(out.Text, c.Text[i])
		} else {
			out.Number = append(out.Number, c.Number[i])
		}
	}
	return out
}

// blockedBy is the column within whose values participants are exchanged; "" where the table has no such column or one
// value of it, where it is what is tested, and for a change, whose sign is exchanged with nobody.
func (s *Edges) blockedBy(test string, table *encoding.Table) string {
	if test == s.Within || test == session {
		return ""
	}
	_, value, err := column.ByParticipant(table, s.Within)
	distinct := map[string]bool{}
	for _, v := range value {
		if !cell.Missing(v) {
			distinct[strings.TrimSpace(v)] = true
		}
	}
	if err != nil || len(distinct) < 2 {
		return ""
	}
	return s.Within
}

// columns reads the tested column, unless the change is tested, and then the covariates.
func (s *Edges) columns(st *edgeStudy, table *encoding.Table, ids []string, d *edgeData) (
	all []column.CovariateColumn, err error) {
	st.listed, st.covariates = s.Covariates, s.Covariates
	if st.within = s.blockedBy(st.test, table); st.within != "" && !slices.Contains(s.Covariates, st.within) {
		st.covariates = append(slices.Clone(s.Covariates), st.within)
	}
	names := st.covariates
	if st.test != session {
		names = append([]string{st.test}, names...)
	}
	for _, name := range names {
		_, there := table.Column(name)
		if len(s.Sessions) > 0 && name == meanFD {
			if there = false; len(d.motion) == 0 {
				return nil, errors.New("covariates: the participants have one mean_fd for both sessions, but a change is " +
					"adjusted for the change of mean_fd: connect cleaning, such as clean[*].quality of denoise, or leave out mean_fd")
			}
		}
		if !there && name == meanFD && len(d.motion) > 0 {
			c := column.CovariateColumn{Name: name}
			for _, id := range ids {
				v, known := d.motion[id]
				if !known {
					v = math.NaN()
				}
				c.Number = append(c.Number, v)
			}
			all = append(all, c)
			continue
		}
		if _, err := table.Strings(name); err != nil {
			return nil, err
		}
		c, err := column.ReadCovariate(table, name)
		if err != nil {
			return nil, err
		}
		if c.Identifies() {
			return nil, fmt.Errorf("%s identifies participants: it is neither a group nor a covariate", name)
		}
		all = append(all, c)
	}
	return all, nil
}

// tested makes the columns of the design from those of the participants.
func (s *Edges) tested(st *edgeStudy, columns []column.CovariateColumn) error {
	n := len(st.ids)
	one := slices.Repeat([]float64{1}, n)
	if st.test == session {
		st.kind, st.groups = change, s.Sessions
		st.design.Tested = [][]float64{one}
	} else {
		c := columns[0]
		columns = columns[1:]
		if err := st.standIn(c, columns); err != nil {
			return err
		}
		st.design.Nuisance, st.terms = [][]float64{one}, []string{"the constant"}
		if err := s.effect(st, c); err != nil {
			return err
		}
	}
	for _, c := range columns {
		values, names := dummies(c)
		for k, v := range values {
			if st.kind == change && c.Name != meanFD { // the change at the mean of the covariates, and at equal motion
				mean, _ := column.MeanSD(v)
				v = lists.Map(v, func(x float64) float64 { return x - mean })
			}
			st.design.Nuisance, st.terms = append(st.design.Nuisance, v), append(st.terms, names[k])
		}
	}
	return nil
}

// labelName is the name of a tested column in sentences.
func labelName(name string) string {
	switch name {
	case "group":
		return "the group"
	case column.Target:
		return "the number to predict"
	}
	return name
}

// standIn refuses covariates that stand for what is tested, by the rule of deconfound: adjusting for them removes the
// effect. It finds those that are closely tied to it.
func (st *edgeStudy) standIn(tested column.CovariateColumn, covariates []column.CovariateColumn) error {
	name := labelName(tested.Name)
	labels := []fold.Label{fold.LabelOfColumn(name, tested, st.ids)}
	var refused []error
	for _, c := range covariates {
		switch _, how, much := fold.Tied(c, labels, st.ids); {
		case !slices.Contains(st.listed, c.Name): // within, which the permutations keep
		case much >= fold.StandsFor:
			refused = append(refused, fmt.Errorf("covariates: %s stands for %s (%s %.3f, refused from %g), so adjusting for it would remove what is tested: list other covariates, or compare participants with similar values of %[1]s",
				c.Name, name, how, much, fold.StandsFor))
		case much >= fold.CloselyTied:
			st.found.Study("edges.tied", finding.Limits, struct {
				Covariate, Test, Measure string
				Value, Refused           float64
			}{c.Name, name, how, much, fold.StandsFor})
		}
	}
	return errors.Join(refused...)
}

// Half of a value that is fitted to a participant is its own from a leverage of 0.5 on (Huber 1981, Robust Statistics,
// section 7.2), and more than half of the variance of a tested column is that of all covariates from 0.5 on.
const influential, explained = 0.5, 0.5

// influence finds participants who determine their own fitted values, such as the only two of a category, those whose
// value of what is tested decides all coefficients, and covariates that explain what is tested together, though none
// does alone.
func (st *edgeStudy) influence(m *edgewise.Model) {
	var alone, few, decide []string
	tested, largest := m.LeverageOfTested(), 0.0
	for i, h := range m.Leverage() {
		switch {
		case h > 1-1e-9:
			alone = append(alone, st.ids[i])
		case tested[i] >= influential-1e-9:
			decide, largest = append(decide, st.ids[i]), max(largest, tested[i])
		case h >= influential-1e-9:
			few = append(few, st.ids[i])
		}
	}
	if alone != nil {
		st.found.Among(alone, "edges.alone", finding.Limits, map[string]any{"N": len(alone)})
	}
	if decide != nil {
		st.found.Among(decide, "edges.decided", finding.Overturns, map[string]any{"N": len(decide),
			"Least": influential, "Largest": largest, "Test": labelName(st.test)})
	}
	if few != nil {
		st.found.Among(few, "edges.influential", finding.Limits, map[string]any{"N": len(few), "Least": influential})
	}
	tied := slices.ContainsFunc(st.found, func(f finding.Finding) bool { return f.Code == "edges.tied" })
	if share := m.Explained(st.design.Tested[0]); share >= explained && !tied {
		st.found.Study("edges.explained", finding.Limits, map[string]any{"Share": share, "Test": labelName(st.test),
			"Covariates": st.covariates, "Listed": len(st.listed)})
	}
}

// effect makes the tested columns of groups or of a number.
func (s *Edges) effect(st *edgeStudy, c column.CovariateColumn) error {
	if c.Text == nil {
		st.kind, st.design.Tested, st.design.Each = number, [][]float64{c.Number}, s.Variance == unequal
		if s.Positive != "" {
			return fmt.Errorf("positive: %s is a number, and has no groups", c.Name)
		}
		if least := slices.Min(c.Number); least == slices.Max(c.Number) {
			return fmt.Errorf("all participants have %s %v: nothing to compare", c.Name, least)
		}
		return nil
	}
	of, names := column.Numbered(c.Text)
	if len(names) < 2 {
		return fmt.Errorf("all participants have %s %s: nothing to compare", c.Name, strings.Join(names, ""))
	}
	if s.Variance == unequal {
		st.design.Group = of
	}
	st.counts = make([]int32, len(names))
	for _, g := range of {
		st.counts[g]++
	}
	for g, size := range st.counts {
		if size < 2 {
			return fmt.Errorf("%s %s has one participant: two are needed", c.Name, names[g])
		}
	}
	indicator := func(g int) []float64 {
		return lists.Map(of, func(k int) float64 {
			if k == g {
				return 1
			}
			return 0
		})
	}
	if len(names) > 2 {
		if s.Positive != "" {
			return fmt.Errorf("positive: %s has %d groups, whose F has no sign", c.Name, len(names))
		}
		st.kind, st.groups = severalGroups, names
		for g := 1; g < len(names); g++ {
			st.design.Tested = append(st.design.Tested, indicator(g))
		}
		return nil
	}
	positive, _, err := fold.PositiveGroup(s.Positive, names)
	if err != nil {
		return err
	}
	st.kind, st.design.Tested = twoGroups, [][]float64{indicator(positive)}
	st.groups = []string{names[1-positive], names[positive]}
	st.counts = []int32{st.counts[1-positive], st.counts[positive]}
	return nil
}

// dummies are the columns of a covariate: its numbers, or an indicator of each category but the first.
func dummies(c column.CovariateColumn) (values [][]float64, names []string) {
	if c.Text == nil {
		return [][]float64{c.Number}, []string{c.Name}
	}
	of, levels := column.Numbered(c.Text)
	for k := 1; k < len(levels); k++ {
		v := make([]float64, len(of))
		for i, level := range of {
			if level == k {
				v[i] = 1
			}
		}
		values, names = append(values, v), append(names, c.Name+" "+levels[k])
	}
	return values, names
}

// families are the units that are exchanged as wholes.
func (s *Edges) families(st *edgeStudy, table *encoding.Table) (err error) {
	st.units, err = familiesOf(st.ids, table, s.Family)
	if err != nil {
		return fmt.Errorf("%s: family: %w", st.name, err)
	}
	return nil
}

// familiesOf are the members of each family, by their place among the participants; nil without a column of families.
func familiesOf(ids []string, table *encoding.Table, name string) ([][]int, error) {
	if name == "" {
		return nil, nil
	}
	_, values, err := column.ByParticipant(table, name)
	switch {
	case err != nil:
		return nil, err
	case column.NamesOthers(values):
		return nil, fmt.Errorf("the values of %s are ids of other participants: add a column with one value for each family, and name that", name)
	}
	shared := lists.Map(ids, func(id string) string {
		if v := strings.TrimSpace(values[id]); !column.UnrelatedBy(name, v) {
			return v
		}
		return ""
	})
	units := map[int][]int{}
	var order []int
	for i, first := range family.Connected(len(shared), [][]string{shared}) {
		if units[first] == nil {
			order = append(order, first)
		}
		units[first] = append(units[first], i)
	}
	return lists.Map(order, func(first int) []int { return units[first] }), nil
}

// leastDistinct is how many different permutations a test needs: fewer cannot give p < 0.05.
const leastDistinct = 21

// permutations draws them: of participants within blocks, whole families with families of the same size, or of the
// signs of changes. The b-th one follows from the seed and b.
func (st *edgeStudy) permutations(s *Edges) (func(b int) edgewise.Permutation, error) {
	n := len(st.ids)
	own := lists.UpTo(n)
	if st.block == nil {
		st.block = make([]string, n)
	}
	level, _ := column.Numbered(st.block)
	strata := inference.ByStratum(level)
	draw := func(b int) edgewise.Permutation {
		stream := random.New(s.Seed, "edges", b)
		switch {
		case st.kind == change:
			sign := make([]float64, n)
			units := st.units
			if units == nil {
				units = lists.Map(own, func(i int) []int { return []int{i} })
			}
			for _, unit := range units {
				v := float64(2*stream.IntN(2) - 1)
				for _, i := range unit {
					sign[i] = v
				}
			}
			return edgewise.Permutation{From: own, Sign: sign}
		case st.units != nil:
			return edgewise.Permutation{From: family.Exchange(n, st.units,
				func(i int) string { return st.block[i] }, stream)}
		}
		from := slices.Clone(own)
		inference.Permute(from, strata, stream)
		return edgewise.Permutation{From: from}
	}
	seen := map[string]bool{}
	for b := 1; b <= 20*leastDistinct && len(seen) < leastDistinct; b++ {
		p := draw(b)
		var of strings.Builder
		for i, from := range p.From {
			for _, x := range st.design.Tested {
				v := x[from]
				if p.Sign != nil {
					v = p.Sign[i]
				}
				fmt.Fprint(&of, v, " ")
			}
		}
		seen[of.String()] = true
	}
	if len(seen) >= leastDistinct {
		return draw, nil
	}
	within := ""
	switch {
	case st.within != "" && s.Family != "":
		within = fmt.Sprintf(" within %s and by whole families (%s)", st.within, s.Family)
	case st.within != "":
		within = " within " + st.within
	case s.Family != "":
		within = " by whole families (" + s.Family + ")"
	}
	if len(seen) == 1 {
		return nil, fmt.Errorf("no permutation%s changes %s: its effect and theirs cannot be separated%s", within, st.test, st.unblocked())
	}
	return nil, fmt.Errorf("there are %d different permutations of %s%s, and p cannot be below 0.05 with fewer than %d: more participants are needed, or fewer restrictions%s", len(seen), st.test, within, leastDistinct, st.unblocked())
}

// edges lays the edges that can be tested side by side, participant × edge, and returns their network and their places
// among all pairs.
func (st *edgeStudy) edges(d *edgeData) (*edgewise.Network, []int) {
	pairs := st.regions * (st.regions - 1) / 2
	all := make([]bool, pairs) // everybody has them
	for e := range all {
		all[e] = true
	}
	lacks := make([]bool, st.regions)
	for _, id := range st.ids {
		v := d.values[id]
		has := make([]bool, st.regions)
		e := 0
		for i := range st.regions {
			for j := i + 1; j < st.regions; j++ {
				there := !math.IsNaN(v[e])
				all[e] = all[e] && there
				has[i], has[j] = has[i] || there, has[j] || there
				e++
			}
		}
		for i, there := range has {
			lacks[i] = lacks[i] || !there
		}
	}
	for i, lacked := range lacks {
		if lacked {
			st.lacked = append(st.lacked, int32(i+1))
		}
	}
	varies := make([]bool, pairs)
	first := d.values[st.ids[0]]
	for _, id := range st.ids {
		for e, v := range d.values[id] {
			varies[e] = varies[e] || math.Abs(v-first[e]) > 1e-12*math.Abs(first[e])
		}
	}
	var places []int
	var source, target []int32
	e := 0
	for i := range st.regions {
		for j := i + 1; j < st.regions; j++ {
			switch {
			case !all[e]:
				st.missing++
			case !varies[e]:
				st.constant++
			default:
				places, source, target = append(places, e), append(source, int32(i)), append(target, int32(j))
			}
			e++
		}
	}
	st.values = make([]float64, 0, len(st.ids)*len(places))
	for _, id := range st.ids {
		v := d.values[id]
		for _, e := range places {
			st.values = append(st.values, v[e])
		}
		delete(d.values, id)
	}
	return edgewise.NewNetwork(st.regions, source, target), places
}

// With one variance, a test of two groups of unequal sizes rejects too often where the smaller one varies more, from
// these ratios on (Boneau 1960, The effects of violations of assumptions underlying the t test): the permutations
// exchange participants as if all varied alike (Huang, Xu, Calian and Hsu 2006, To permute or not to permute).
const unequalSizes, unequalSpread = 1.5, 1.4

// unequalGroups finds that the smaller of two groups has residuals of a larger variance, over the edges.
func (st *edgeStudy) unequalGroups(f *edgewise.Fit) {
	if st.kind != twoGroups || st.design.Group != nil {
		return
	}
	small := 0
	if st.counts[1] < st.counts[0] {
		small = 1
	}
	if float64(st.counts[1-small]) < unequalSizes*float64(st.counts[small]) {
		return
	}
	level := make([]int, len(st.ids))
	for i, x := range st.design.Tested[0] {
		if x > 0 == (small == 1) { // the second group is the positive one
			level[i] = 1
		}
	}
	of := f.BlockVariances(level, 2)
	if ratio := of[1] / of[0]; ratio >= unequalSpread {
		st.found.Study("edges.smaller-varies", finding.Overturns, map[string]any{"Ratio": ratio, "Group": st.groups[small],
			"N": st.counts[small], "Other": st.groups[1-small], "Others": st.counts[1-small]})
	}
}

// varianceRatio compares the residual variances of the blocks with five participants or more; NaN of fewer than two.
func (st *edgeStudy) varianceRatio(f *edgewise.Fit) float64 {
	level, names := column.Numbered(st.block)
	counts := make([]int, len(names))
	for _, l := range level {
		counts[l]++
	}
	var of []float64
	for b, v := range f.BlockVariances(level, len(names)) {
		if counts[b] >= 5 {
			of = append(of, v)
		}
	}
	if len(of) < 2 {
		return math.NaN()
	}
	return slices.Max(of) / slices.Min(of)
}
