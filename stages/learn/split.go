package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/random"
	"prgnn/stages/column"
	"prgnn/stages/fold"
)

var splitKind = dag.Kind{
	Name: "split",
	Doc: "assigns the participants to folds for cross-validation\n" +
		"Each participant is tested in one fold of every repeat; all draws of a participant are on one side. Folds are balanced within each group (stratified) and in size, to within one participant; with stratify_by also within each group at each site.",
	New: func() dag.Stage {
		return &Split{Folds: 5, Repeats: 1, Stratify: true, Inner: 4, Label: "group", Within: "site"}
	},
}

// Split divides participants into folds.
type Split struct {
	Folds       int      `param:"folds" doc:"number of folds" min:"2"`
	Repeats     int      `param:"repeats" doc:"number of repeats of the cross-validation" min:"1" max:"10000"`
	Stratify    bool     `param:"stratify" doc:"spread each group evenly over the folds"`
	StratifyBy  []string `param:"stratify_by" doc:"further columns of the participants table, such as [site]: each group is spread evenly over the folds within each of their values"`
	LeaveOut    string   `param:"leave_out" doc:"a column of the participants table, such as site: each of its values is one fold, and folds and stratify are ignored"`
	Permutation int      `param:"permutation" doc:"0: the true labels; n: the n-th random permutation of the labels, for a permutation test (matrix: {permutation: [0..100]})" min:"0"`
	Outer       int      `param:"outer" doc:"0: the outer folds; n: inner folds of the training participants of outer fold n, for choosing parameters (nested cross-validation); its test participants get fold 0 and are not used" min:"0"`
	Inner       int      `param:"inner" doc:"number of inner folds" min:"2"`
	Label       string   `param:"label" doc:"column of the participants table to predict: group, or another one, such as site, to test whether the data predict it"`
	Within      string   `param:"within" doc:"labels are permuted within the values of this column, if it exists: participants of different sites are not exchangeable"`
	Seed        uint64   `param:"seed" doc:"seed of the random assignment"`
}

func (*Split) Ports() dag.Ports {
	return dag.Ports{
		In: []dag.Port{{Name: "participants", Type: dag.Arrow("participant_id", "group"), Doc: "the participants, with their groups"}},
		Out: []dag.Port{{Name: "folds", Type: column.Type[fold.Member](),
			Doc: "the test fold of each participant, from 1, for each repeat"}},
	}
}

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

// Validate checks parameters against each other.
func (s *Split) Validate() []error {
	if !s.Stratify && s.StratifyBy != nil {
		return []error{errors.New("stratify_by needs stratify: true")}
	}
	return nil
}

// A member is a participant and its group.
type member struct {
	id, group string
	within    string // the values of stratify_by
}

// stratum is what is spread evenly over the folds. Those of a group stand together when they are sorted.
func (m member) stratum() string { return m.group + m.within }

func (s *Split) Run(_ context.Context, t *dag.Task) (dag.Outputs, error) {
	in := t.In("participants")
	table, err := in.Table()
	if err != nil {
		return nil, err
	}
	members, err := readMembers(table, s.Divides(), in.Name)
	if err != nil {
		return nil, err
	}
	if s.Permutation > 0 {
		if err := s.permute(members, table); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	for _, name := range s.StratifyBy {
		_, values, err := column.ByParticipant(table, name)
		if err != nil {
			return nil, fmt.Errorf("%s: stratify_by: %w", in.Name, err)
		}
		for i, m := range members {
			members[i].within += "\x00" + values[m.id]
		}
	}
	var site map[string]string
	repeats := s.Repeats
	if s.LeaveOut != "" {
		if _, site, err = column.ByParticipant(table, s.LeaveOut); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		repeats = 1 // there is only one such division
	} else if err := s.enough(members, in.Name); err != nil {
		return nil, err
	}
	var rows []fold.Member
	for r := range repeats {
		folds := s.divide(members, r+1)
		if site != nil {
			if folds, err = bySite(members, site, s.LeaveOut, in.Name); err != nil {
				return nil, err
			}
		}
		if s.Outer > 0 {
			if err := s.inside(members, folds, r+1, in.Name); err != nil {
				return nil, err
			}
		}
		for i, m := range members {
			rows = append(rows, fold.Member{ID: m.id, Group: m.group, Repeat: int32(r + 1), Fold: folds[i]})
		}
	}
	out := column.Table(rows)
	if site != nil && s.Outer == 0 { // the folds inside an outer one leave out no site
		out.Columns = append(out.Columns, fold.LeftOutColumn(rows, site))
	}
	return dag.Outputs{"folds": out}, nil
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
		if g := strings.TrimSpace(groups[id]); g == "" || strings.EqualFold(g, "n/a") {
			lost = append(lost, id)
		}
		members = append(members, member{id: id, group: groups[id]})
	}
	if lost != nil {
		slices.Sort(lost)
		return nil, fmt.Errorf("%s: no %s for %s: a classifier needs one; fill it in, or exclude them", name, label, strings.Join(lost, ", "))
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.id, b.id) })
	for i := 1; i < len(members); i++ {
		if members[i].id == members[i-1].id {
			return nil, fmt.Errorf("%s: participant %s appears twice", name, members[i].id)
		}
	}
	return members, nil
}

// permute gives the groups to other participants: as many of each, at random, within
// each site. The bare order of the members decides, and nothing else that is known of them.
func (s *Split) permute(members []member, t *encoding.Table) error {
	site := map[string]string{}
	if _, ok := t.Column(s.Within); ok {
		var err error
		if _, site, err = column.ByParticipant(t, s.Within); err != nil {
			return err
		}
	}
	at := map[string][]int{}
	for i, m := range members {
		at[site[m.id]] = append(at[site[m.id]], i)
	}
	stream := random.New(s.Seed, "permutation", s.Permutation)
	groups := make([]string, len(members))
	for _, name := range slices.Sorted(maps.Keys(at)) {
		places := at[name]
		for i, p := range stream.Perm(len(places)) {
			groups[places[i]] = members[places[p]].group
		}
	}
	for i := range members {
		members[i].group = groups[i]
	}
	return nil
}

// count counts the members by what of names: sorted, and how many each.
func count(members []member, of func(member) string) ([]string, map[string]int) {
	n := map[string]int{}
	for _, m := range members {
		n[of(m)]++
	}
	return slices.Sorted(maps.Keys(n)), n
}

// enough refuses divisions in which a fold would lack a group.
func (s *Split) enough(members []member, name string) error {
	names, n := count(members, func(m member) string { return m.group })
	if len(names) < 2 {
		return fmt.Errorf("%s: all %d participants are in the group %q: a classifier needs two groups", name, len(members), strings.Join(names, ""))
	}
	smallest := names[0]
	for _, g := range names {
		if n[g] < n[smallest] {
			smallest = g
		}
	}
	if s.Stratify && n[smallest] == 1 {
		return fmt.Errorf("%s: group %q has only one participant, who cannot be in the training and the test set: add participants, exclude the group by select, or set stratify: false",
			name, smallest)
	}
	if s.Stratify && n[smallest] < s.Folds {
		return fmt.Errorf("%s: group %q has %d participants, too few for %d folds with one of each group: set folds to %d or less, or stratify: false",
			name, smallest, n[smallest], s.Folds, n[smallest])
	}
	if len(members) < s.Folds {
		return fmt.Errorf("%s: %d participants, too few for %d folds: set folds to %d or less", name, len(members), s.Folds, len(members))
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
	of := member.stratum
	if !s.Stratify {
		of = func(member) string { return "" }
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
	inner := &Split{Folds: s.Inner, Stratify: s.Stratify, Seed: s.Seed}
	var rest []member
	for i, m := range members {
		if int(folds[i]) != s.Outer {
			rest = append(rest, m)
		}
	}
	if err := inner.enough(rest, fmt.Sprintf("%s, inside fold %d", name, s.Outer)); err != nil {
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
	for _, m := range members {
		v := site[m.id]
		if v == "" || v == "n/a" {
			return nil, fmt.Errorf("%s: participant %s has no value in column %q, which defines the folds", name, m.id, column)
		}
		values[v] = true
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
