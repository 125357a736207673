package split

import (
	"cmp"
	"context"
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
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/fold"
	"prgnn/stages/inference"
	"prgnn/stages/learn/family"
	"prgnn/stages/role"
)

var splitKind = dag.Kind{
	Name: "split",
	Doc: "assigns the participants to folds for cross-validation\n" +
		"Each participant is tested in one fold of every repeat; all draws of a participant are on one side. Folds are balanced within each group (stratified) and in size, to within one participant; with stratify_by also within each group at each site. With keep_together, relatives are in one fold, and a label permutation exchanges the labels of whole families of one size, and those within a family. A number to predict (label: target) is balanced by its order: of the smallest as many as there are folds, each is tested in another fold, and so on.",
	New: func() dag.Stage {
		return &Split{Folds: 5, Repeats: 1, Stratify: true, Inner: 4, Label: "group", Within: "site"}
	},
}

var _ role.Divider = (*Split)(nil)

// Split divides participants into folds.
type Split struct {
	Folds        int      `param:"folds" doc:"number of folds" min:"2"`
	Repeats      int      `param:"repeats" doc:"number of repeats of the cross-validation" min:"1" max:"10000"`
	Stratify     bool     `param:"stratify" doc:"spread each group, or the values of a number to predict, evenly over the folds"`
	StratifyBy   []string `param:"stratify_by" doc:"further columns of the participants table, such as [site]: each group is spread evenly over the folds within each of their values. A warning follows if most strata have fewer participants than there are folds, as with a column of numbers"`
	LeaveOut     string   `param:"leave_out" doc:"a column of the participants table, such as site: each of its values is one fold, and folds and stratify are ignored"`
	KeepTogether []string `param:"keep_together" doc:"columns of the participants table, such as [Family_ID]: participants who share a value of one of them are in one fold of every repeat (the groups of scikit-learn's StratifiedGroupKFold); without a value, a participant is related to nobody. Groups are then spread as evenly as whole families allow"`
	Permutation  int      `param:"permutation" doc:"0: the true labels; n: the n-th random permutation of the labels, for a permutation test (matrix: {permutation: [0..100]})" min:"0"`
	Outer        int      `param:"outer" doc:"0: the outer folds; n: inner folds of the training participants of outer fold n, for choosing parameters (nested cross-validation); its test participants get fold 0 and are not used" min:"0"`
	Inner        int      `param:"inner" doc:"number of inner folds" min:"2"`
	Label        string   `param:"label" doc:"column of the participants table to predict: group; target, a number, for a cohort with the parameter target; or another one, such as site, to test whether the data predict it"`
	Within       string   `param:"within" doc:"labels are permuted within the values of this column, if it exists and is not the label: participants of different sites are not exchangeable"`
	Permutations int      `param:"permutations" doc:"number of label permutations in permuted" zero:"999, or 199 for more than 5,000 participants" min:"0" max:"100000"`
	Seed         uint64   `param:"seed" doc:"seed of the random assignment"`
}

func (s *Split) Ports() dag.Ports {
	label, folds := "group", column.Type[fold.Member]()
	if s.number() {
		label, folds = column.Target, column.Type[fold.NumberMember]()
	}
	out := []dag.Port{{Name: "folds", Type: folds, Doc: "the test fold of each participant, from 1, for each repeat"},
		{Name: "permuted", Type: fold.PermutedSets(), Doc: "label permutations for a permutation test with retrained models: whose label each participant receives, by its row from 0 in folds; within the folds of the first repeat, within and stratify_by; row 0 has the true labels. With permutation or outer, row 0 alone"}}
	if s.StratifyBy != nil {
		out = append(out, dag.Port{Name: "strata", Type: column.Type[strataRow](), Doc: "the strata of stratify_by in one row"})
	}
	return dag.Ports{
		In:  []dag.Port{{Name: "participants", Type: dag.Arrow("participant_id", label), Doc: "the participants, with their groups, or with the number to predict"}},
		Out: out,
	}
}

// A strataRow tells of the strata of stratify_by.
type strataRow struct {
	Strata  int32  `column:"strata" doc:"number of strata: the groups within each value of stratify_by, or these values where a number is predicted"`
	Small   int32  `column:"small" doc:"strata with fewer participants than there are folds"`
	Warning string `column:"warning" doc:"what the row warns of, for programs: a JSON list of findings; empty if none"`
}

// number reports whether a number is predicted.
func (s *Split) number() bool { return s.Label == column.Target }

// Divisions is how many repeats and folds the table will have; 0 folds: leave_out takes them
// from the participants.
func (s *Split) Divisions() (repeats, folds int) {
	switch {
	case s.LeaveOut != "":
		return 1, 0
	case s.Outer > 0:
		return s.Repeats, s.Inner
	}
	return s.Repeats, s.Folds
}

// Divides is the column of the participants that is predicted.
func (s *Split) Divides() string { return cmp.Or(s.Label, "group") }

// LeavesOut is the column whose values are the folds; "" where the number of folds is a parameter.
func (s *Split) LeavesOut() string { return s.LeaveOut }

// OuterFold is the fold outside which inner folds divide the participants; 0: these are outer folds.
func (s *Split) OuterFold() int { return s.Outer }

// within is the column within whose values labels are permuted; "" where it is the label itself.
func (s *Split) within() string {
	if s.Within == s.Label {
		return ""
	}
	return s.Within
}

// ReadsParticipants are the columns that its parameters name.
func (s *Split) ReadsParticipants() []role.Reading {
	read := []role.Reading{{Parameter: "leave_out", Name: s.LeaveOut, Categories: true, Needed: true}}
	within := role.Reading{Parameter: "within", Name: s.within(), Categories: true, Permutes: true}
	switch {
	case s.Permutation > 0:
		read = append(read, within)
	case s.Outer == 0:
		within.Output = "permuted"
		read = append(read, within)
	}
	for _, name := range s.StratifyBy {
		read = append(read, role.Reading{Parameter: "stratify_by", Name: name, Categories: true})
	}
	for _, name := range s.KeepTogether {
		read = append(read, role.Reading{Parameter: "keep_together", Name: name, Needed: true})
	}
	return read
}

// KeepsTogether are the columns whose values are never divided.
func (s *Split) KeepsTogether() []string { return s.KeepTogether }

func (s *Split) Validate() []error {
	if !s.Stratify && s.StratifyBy != nil {
		return []error{errors.New("stratify_by needs stratify: true")}
	}
	return nil
}

// A member is a participant and its group.
type member struct {
	id, group string
	number    float64 // to predict, in place of a group
	within    string  // the values of stratify_by
	unit      string  // of keep_together: the first participant of those who stay in one fold
}

// stratum is what is spread evenly over the folds. Those of a group stand together when they are sorted.
func (m member) stratum() string { return m.group + m.within }

func (s *Split) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("participants")
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	members, err := s.members(table, in.Name)
	if err != nil {
		return nil, err
	}
	folds, err := s.divideAll(members, table, in.Name)
	if err != nil {
		return nil, err
	}
	out := dag.Outputs{"folds": folds}
	if out["permuted"], err = s.permuted(members, folds, table, in.Name); err != nil {
		return nil, err
	}
	if s.StratifyBy != nil {
		out["strata"] = column.Table([]strataRow{s.strata(members)})
	}
	return out, nil
}

// strata warns of strata that are nearly empty: with a participant or two each, stratify_by spreads nothing. Permuted
// labels and inner folds have strata that nobody chose.
func (s *Split) strata(members []member) strataRow {
	of := member.stratum
	if s.number() {
		of = func(m member) string { return m.within }
	}
	names, n := count(members, of)
	row := strataRow{Strata: int32(len(names))}
	for _, name := range names {
		if n[name] < s.Folds {
			row.Small++
		}
	}
	if 2*row.Small > row.Strata && s.LeaveOut == "" && s.Permutation == 0 && s.Outer == 0 {
		row.Warning = finding.Written(finding.List{finding.Warning("folds.small-strata",
			map[string]any{"Columns": s.StratifyBy,
				"Small": row.Small, "Strata": row.Strata, "Folds": s.Folds})})
	}
	return row
}

// Plan is the first repeat of the table of the folds, before anything runs.
func (s *Split) Plan(participants *encoding.Table) (*encoding.Table, error) {
	first := *s
	first.Repeats = 1
	return first.Divide(participants, "cohort.participants")
}

// Divide is the table of the folds of these participants, whose table has a name.
func (s *Split) Divide(table *encoding.Table, name string) (*encoding.Table, error) {
	members, err := s.members(table, name)
	if err != nil {
		return nil, err
	}
	return s.divideAll(members, table, name)
}

// members are the participants with what is spread over the folds.
func (s *Split) members(table *encoding.Table, name string) ([]member, error) {
	members, err := readMembers(table, s.Divides(), name)
	if err == nil && s.number() {
		err = readNumbers(members, table)
	}
	if err != nil {
		return nil, err
	}
	if s.KeepTogether != nil {
		if err := s.relate(members, table); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if s.Permutation > 0 {
		if err := s.permute(members, table); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, by := range s.StratifyBy {
		_, values, err := column.ByParticipant(table, by)
		if err != nil {
			return nil, fmt.Errorf("%s: stratify_by: %w", name, err)
		}
		for i, m := range members {
			members[i].within += "\x00" + values[m.id]
		}
	}
	return members, nil
}

// divideAll divides the members in each repeat.
func (s *Split) divideAll(members []member, table *encoding.Table, name string) (*encoding.Table, error) {
	var site map[string]string
	var err error
	repeats := s.Repeats
	if s.LeaveOut != "" {
		if _, site, err = column.ByParticipant(table, s.LeaveOut); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		repeats = 1 // there is only one such division
	} else if err := s.enough(members, name, "folds", "stratify to false"); err != nil {
		if missing, _ := column.MetaOf[[]string](table.Meta, column.MissingGroups); missing != nil {
			err = fmt.Errorf("%w. Read as missing: %s; if one is a group, write another name for it in the table", err,
				words.Some(missing, 6))
		}
		return nil, err
	}
	var rows []fold.Member
	var together []string
	var numbers []fold.NumberMember
	for r := range repeats {
		folds := s.divide(members, r+1)
		if site != nil {
			if folds, err = bySite(members, site, s.LeaveOut, name); err != nil {
				return nil, err
			}
		}
		if s.Outer > 0 {
			if err := s.inside(members, folds, r+1, name); err != nil {
				return nil, err
			}
		}
		if s.KeepTogether != nil {
			if err := s.whole(members, folds, name); err != nil {
				return nil, err
			}
		}
		for i, m := range members {
			together = append(together, m.unit)
			rows = append(rows, fold.Member{ID: m.id, Group: m.group, Repeat: int32(r + 1), Fold: folds[i]})
			numbers = append(numbers,
				fold.NumberMember{ID: m.id, Target: m.number, Repeat: int32(r + 1), Fold: folds[i]})
		}
	}
	out := column.Table(rows)
	if s.number() {
		out = column.Table(numbers)
	}
	if of := column.NameOf(table, s.Divides()); of != "group" {
		out.Meta = map[string]string{column.Predicts: of}
	}
	if site != nil && s.Outer == 0 { // the folds inside an outer one leave out no site
		out.Columns = append(out.Columns, fold.LeftOutColumn(rows, site))
	}
	if s.KeepTogether != nil {
		out.Columns = append(out.Columns, fold.TogetherColumn(together))
	}
	return out, nil
}

// readMembers reads a participants table, sorted by id, and reports everyone
// who is named twice or has no label. The label is the group from here on.
func readMembers(t *encoding.Table, label, name string) ([]member, error) {
	ids, groups, err := column.ByParticipant(t, label)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var members []member
	var lost []string
	for _, id := range ids {
		if cell.Missing(groups[id]) {
			lost = append(lost, id)
		}
		members = append(members, member{id: id, group: groups[id]})
	}
	if lost != nil {
		slices.Sort(lost)
		return nil, fmt.Errorf("%s: no %s for %s: each participant needs one; fill it in, or exclude them", name, label, strings.Join(lost, ", "))
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.id, b.id) })
	for i := 1; i < len(members); i++ {
		if members[i].id == members[i-1].id {
			return nil, fmt.Errorf("%s: participant %s appears twice", name, members[i].id)
		}
	}
	return members, nil
}

// readNumbers reads the numbers to predict. They have no groups: those of a member is "".
func readNumbers(members []member, t *encoding.Table) error {
	rows, err := column.Rows[column.TargetRow](t)
	if err != nil {
		return err
	}
	of := map[string]float64{}
	for _, r := range rows {
		of[r.ID] = r.Target
	}
	for i := range members {
		members[i].number, members[i].group = of[members[i].id], ""
	}
	return nil
}

// quantiles puts members of a study of numbers into groups of as many as there are folds, next to each other in the
// order of the numbers, within the values of stratify_by: each group then has one member in each fold.
func quantiles(members []member, folds int) []member {
	out := slices.Clone(members)
	order := lists.UpTo(len(out))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(out[a].number, out[b].number), cmp.Compare(out[a].id, out[b].id))
	})
	seen := map[string]int{}
	for _, i := range order {
		m := &out[i]
		m.group = fmt.Sprintf("%06d", seen[m.within]/folds)
		seen[m.within]++
	}
	return out
}

// permute gives the groups to other participants: as many of each, at random, within
// each site. The bare order of the members decides, and nothing else that is known of them.
func (s *Split) permute(members []member, t *encoding.Table) error {
	site, err := s.blocks(t)
	if err != nil {
		return err
	}
	if arrangements(members, site, 1) == 1 && arrangements(members, nil, 1) > 1 {
		return fmt.Errorf("permutation %d: labels are permuted within the values of %s, in each of which all participants have the same %s: no permutation changes a label; set within to another column, or to \"\" to permute over all participants",
			s.Permutation, s.within(), s.Divides())
	}
	return s.permuteWithin(members, site)
}

// permuteWithin permutes the labels within sites.
func (s *Split) permuteWithin(members []member, site map[string]string) error {
	stream := random.New(s.Seed, "permutation", s.Permutation)
	if s.KeepTogether != nil {
		fixed := family.Fixed(units(members), func(i int) string { return site[members[i].id] }, func(i, j int) bool {
			return members[i].group == members[j].group && members[i].number == members[j].number
		})
		if fixed {
			return fmt.Errorf("permutation %d: no permutation changes a label: whoever is kept together by %s has one %s, and no other unit of as many members has another one",
				s.Permutation, strings.Join(s.KeepTogether, ", "), s.Divides())
		}
		stream = random.New(s.Seed, "permutation", s.Permutation, "together")
	}
	old := slices.Clone(members)
	for i, from := range s.exchange(members, func(i int) string { return site[members[i].id] }, stream) {
		members[i].group, members[i].number = old[from].group, old[from].number
	}
	return nil
}

// exchange gives each member the place of the one whose label it receives: within each block at random, with
// keep_together by whole units.
func (s *Split) exchange(members []member, block func(i int) string, stream *random.Stream) []int {
	if s.KeepTogether != nil {
		return family.Exchange(len(members), units(members), block, stream)
	}
	at := map[string][]int{}
	for i := range members {
		at[block(i)] = append(at[block(i)], i)
	}
	from := make([]int, len(members))
	for _, name := range slices.Sorted(maps.Keys(at)) {
		places := at[name]
		for i, p := range stream.Perm(len(places)) {
			from[places[i]] = places[p]
		}
	}
	return from
}

// blocks are the values within which labels are permuted, by participant; none where all are one block.
func (s *Split) blocks(t *encoding.Table) (map[string]string, error) {
	return column.PermutedWithin(t, s.within())
}

// arrangements is how many different labellings permutations of the labels within sites can give, exactly up to enough.
func arrangements(members []member, site map[string]string, enough float64) float64 {
	label, _ := column.Numbered(lists.Map(members, func(m member) string { return fmt.Sprint(m.group, m.number) }))
	block, _ := column.Numbered(lists.Map(members, func(m member) string { return site[m.id] }))
	return inference.Arrangements(label, block, enough)
}

// Arrangements is how many different labellings its permutations of these participants can give, exactly up to enough;
// 0 where there can be none, which Plan tells.
func (s *Split) Arrangements(people *encoding.Table, enough float64) float64 {
	as := *s
	as.Permutation, as.StratifyBy = 0, nil
	members, err := as.members(people, "")
	site, unplaced := s.blocks(people)
	if err != nil || unplaced != nil {
		return 0
	}
	return arrangements(members, site, enough)
}

// count counts the members by what of names: sorted, and how many each.
func count(members []member, of func(member) string) ([]string, map[string]int) {
	n := map[string]int{}
	for _, m := range members {
		n[of(m)]++
	}
	return slices.Sorted(maps.Keys(n)), n
}

// enough refuses divisions in which a fold would lack a group. param is the parameter of their number, or another
// setting that helps.
func (s *Split) enough(members []member, name, param, or string) error {
	names, n := count(members, func(m member) string { return m.group })
	if s.number() {
		return s.enoughNumbers(members, name, param)
	}
	if len(members) == 0 {
		return fmt.Errorf("%s: no participant is usable: correct the cause that they share", name)
	}
	if len(names) == 1 && names[0] == "" {
		return fmt.Errorf("%s: no participant has a group: name the column of the groups by group, under the cohort", name)
	}
	if len(names) < 2 {
		return fmt.Errorf("%s: %s in the group %q: a classifier needs two groups; name another column by group, or select more participants", name,
			words.Verb(len(members), "the only participant is", fmt.Sprintf("all %d participants are", len(members))), strings.Join(names, ""))
	}
	also := func(before string) string {
		if or == "" {
			return ""
		}
		return before + or
	}
	smallest := names[0]
	for _, g := range names {
		if n[g] < n[smallest] {
			smallest = g
		}
	}
	if s.Stratify && n[smallest] == 1 {
		return fmt.Errorf("%s: group %q has only one participant, who cannot be in the training and the test set: add participants, exclude the group by select%s",
			name, smallest, also(", or set "))
	}
	if s.Stratify && n[smallest] < s.Folds {
		return fmt.Errorf("%s: group %q has %s, too few for %d folds with one of each group: set %s to %d or less%s",
			name, smallest, words.Count(n[smallest], "participant"), s.Folds, param, n[smallest], also(", or "))
	}
	if len(members) < s.Folds {
		return fmt.Errorf("%s: %s, too few for %d folds: set %s to %d or less", name, words.Count(len(members), "participant"), s.Folds, param, len(members))
	}
	return nil
}

// Targets with a span of less than fewestDigits of their size are rounded to six digits or fewer; the squares of those
// beyond largestTarget, or closer together than its inverse, may overflow or underflow.
const fewestDigits, largestTarget = 1e-10, 1e100

// fewest participants of a test fold: predictions of two numbers always correlate by 1 or −1.
const fewest = 3

// enoughNumbers refuses a number that does not vary, and folds in which predictions could not be compared with it.
func (s *Split) enoughNumbers(members []member, name, param string) error {
	most := len(members) / fewest
	if most < 2 {
		return fmt.Errorf("%s: %s %s too few to predict a number: each test fold needs %d, so at least %d participants", name,
			words.Count(len(members), "participant"), words.Verb(len(members), "is", "are"), fewest, 2*fewest)
	}
	numbers := lists.Map(members, func(m member) float64 { return m.number })
	least, largest := slices.Min(numbers), slices.Max(numbers)
	size := max(math.Abs(least), math.Abs(largest))
	switch span := largest - least; {
	case span == 0:
		return fmt.Errorf("%s: all %d participants have the same number to predict, %v: set target to a column that varies", name, len(members), members[0].number)
	case span < fewestDigits*size:
		return fmt.Errorf("%s: the numbers to predict differ by %v at most, and are of the size %v: too few digits are left for a correlation; subtract a constant from all", name, span, size)
	case span < 1/largestTarget || size > largestTarget:
		return fmt.Errorf("%s: the numbers to predict differ by %v at most, and are of the size %v: their squares are beyond the range of numbers; give them in another unit", name, span, size)
	case s.Folds > most:
		return fmt.Errorf("%s: %d participants are too few for %d folds of at least %d: set %s to %d or less", name, len(members), s.Folds, fewest, param, most)
	}
	return nil
}

// divide deals the shuffled members of each stratum out to the folds in turn; each
// stratum goes on where the one before it stopped, which keeps the folds even, in their groups and in size.
//
// Every permutation is divided anew. If all were dealt out by one stream, members who stand
// in the same part of the list would meet in the same folds in every permutation, and not
// with the true labels, which stand in the list one after the other: the permutations
// would be more like each other than like what they are compared with.
func (s *Split) divide(members []member, repeat int) []int32 {
	if s.Permutation > 0 {
		return s.deal(members, "split", repeat, "permutation", s.Permutation)
	}
	return s.deal(members, "split", repeat)
}

// deal divides by the stream of this name.
func (s *Split) deal(members []member, stream ...any) []int32 {
	folds := make([]int32, len(members))
	if s.number() {
		members = quantiles(members, s.Folds)
	}
	of := member.stratum
	if !s.Stratify {
		of = func(member) string { return "" }
	}
	if s.KeepTogether != nil {
		return s.dealUnits(members, of, stream)
	}
	strata, _ := count(members, of)
	dealt := 0
	for _, stratum := range strata {
		var at []int
		for i, m := range members {
			if of(m) == stratum {
				at = append(at, i)
			}
		}
		for _, p := range random.New(s.Seed, append(slices.Clone(stream), stratum)...).Perm(len(at)) {
			folds[at[p]] = int32(dealt%s.Folds + 1)
			dealt++
		}
	}
	return folds
}

// inside divides those whom the outer fold does not test once more, and puts the
// others, who must not be seen while parameters are chosen, into fold 0.
func (s *Split) inside(members []member, folds []int32, repeat int, name string) error {
	if s.Outer > int(slices.Max(folds)) {
		return fmt.Errorf("%s: outer is %d, but there are %d folds", name, s.Outer, slices.Max(folds))
	}
	inner := &Split{Folds: s.Inner, Stratify: s.Stratify, Seed: s.Seed, Label: s.Label, KeepTogether: s.KeepTogether}
	var rest []member
	for i, m := range members {
		if int(folds[i]) != s.Outer {
			rest = append(rest, m)
		}
	}
	name = fmt.Sprintf("%s, inside fold %d", name, s.Outer)
	if err := inner.enough(rest, name, "inner", "stratify to false"); err != nil {
		return err
	}
	again := inner.deal(rest, "inner", repeat, s.Outer, "permutation", s.Permutation)
	for i := range folds {
		if int(folds[i]) == s.Outer {
			folds[i] = 0
			continue
		}
		folds[i], again = again[0], again[1:]
	}
	return nil
}

// bySite numbers the values of a column, sorted.
func bySite(members []member, site map[string]string, column, name string) ([]int32, error) {
	values := map[string]bool{}
	var lack []string
	for _, m := range members {
		if v := site[m.id]; cell.Missing(v) {
			lack = append(lack, m.id)
		} else {
			values[v] = true
		}
	}
	if lack != nil {
		return nil, fmt.Errorf("%s: no value in column %q, which defines the folds, for %s: fill it in, or exclude the participants",
			name, column, words.Some(lack, 8))
	}
	sorted := slices.Sorted(maps.Keys(values))
	if len(sorted) < 2 {
		return nil, fmt.Errorf("%s: column %q has a single value, %q: leaving it out leaves no training participants", name, column, sorted[0])
	}
	folds := make([]int32, len(members))
	for i, m := range members {
		at, _ := slices.BinarySearch(sorted, site[m.id])
		folds[i] = int32(at + 1)
	}
	return folds, nil
}
