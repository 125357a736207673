package split

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/words"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/learn/family"
)

// relate finds who is kept together: the participants who share a value of one of the columns, and those who are
// connected by others. A unit has the name of its first member.
func (s *Split) relate(members []member, table *encoding.Table) error {
	var shared [][]string
	for _, name := range s.KeepTogether {
		_, values, err := column.ByParticipant(table, name)
		if err != nil {
			return fmt.Errorf("keep_together: %w", err)
		}
		if column.NamesOthers(values) {
			return fmt.Errorf("keep_together: the values of %s are ids of other participants: add a column with one value for each family, and name that", name)
		}
		shared = append(shared, lists.Map(members, func(m member) string {
			value := strings.TrimSpace(values[m.id])
			if column.UnrelatedBy(name, value) {
				return ""
			}
			return value
		}))
	}
	for i, first := range family.Connected(len(members), shared) {
		members[i].unit = members[first].id
	}
	return nil
}

// units are the places of the members of each unit, the units in the order of their names.
func units(members []member) [][]int {
	at := map[string][]int{}
	for i, m := range members {
		at[m.unit] = append(at[m.unit], i)
	}
	return lists.Map(slices.Sorted(maps.Keys(at)), func(name string) []int { return at[name] })
}

// dealUnits divides whole units. The strata of the members are numbered.
func (s *Split) dealUnits(members []member, of func(member) string, stream []any) []int32 {
	strata, totals := count(members, of)
	number := map[string]int{}
	sizes := make([]int, len(strata))
	for i, name := range strata {
		number[name], sizes[i] = i, totals[name]
	}
	all := units(members)
	order := random.New(s.Seed, append(slices.Clone(stream), "together")...).Perm(len(all))
	shares := make([][]family.Share, len(all))
	for i, p := range order {
		n := map[int]int{}
		for _, at := range all[p] {
			n[number[of(members[at])]]++
		}
		for _, stratum := range slices.Sorted(maps.Keys(n)) {
			shares[i] = append(shares[i], family.Share{Stratum: stratum, N: n[stratum]})
		}
	}
	shuffled := lists.Map(order, func(p int) []int { return all[p] })
	made := family.Balance(shares, sizes, s.Folds, nil)
	if of, needed, _ := s.contents(members, shuffled); !family.Filled(of, needed, made, s.Folds) {
		if fixed, _ := s.fill(members, shuffled, s.Folds); fixed != nil {
			made = family.Balance(shares, sizes, s.Folds, fixed)
		}
	}
	folds := make([]int32, len(members))
	for i, fold := range made {
		for _, at := range shuffled[i] {
			folds[at] = int32(fold + 1)
		}
	}
	return folds
}

// contents are those of each unit, and what each fold needs: each group, where they are spread over the folds, and
// enough participants. ok is false for more groups than there are bits.
func (s *Split) contents(members []member, all [][]int) (of []family.Content, needed family.Content, ok bool) {
	needed.N = s.fewestInFold()
	bit := map[string]uint64{}
	for _, unit := range all {
		c := family.Content{N: min(len(unit), needed.N)}
		for _, at := range unit {
			if g := members[at].group; s.Stratify && !s.number() {
				if bit[g] == 0 {
					bit[g] = 1 << len(bit)
				}
				c.Groups |= bit[g]
			}
		}
		of = append(of, c)
		needed.Groups |= c.Groups
	}
	return of, needed, len(bit) <= 64
}

// fill finds units that give each fold what it needs, as family.Fill does.
func (s *Split) fill(members []member, all [][]int, folds int) (fold []int, complete bool) {
	of, needed, ok := s.contents(members, all)
	if !ok {
		return nil, false
	}
	return family.Fill(of, lists.Map(all, func(unit []int) int { return len(unit) }), needed, folds)
}

// fewestInFold is how many participants a fold needs.
func (s *Split) fewestInFold() int {
	if s.number() {
		return fewest
	}
	return 1
}

// whole asserts that no unit is in two folds, and that whole units fill the folds: with each group, where that is
// asked for, or with enough participants to predict a number.
func (s *Split) whole(members []member, folds []int32, name string) error {
	count := s.Folds
	if s.Outer > 0 {
		count = s.Inner
	} else if s.LeaveOut != "" {
		count = int(slices.Max(folds))
	}
	columns, used := strings.Join(s.KeepTogether, ", "), 0
	in := make([]map[string]int, count+1) // fold → members of each group
	for i := range in {
		in[i] = map[string]int{}
	}
	groups, related := map[string]map[string]bool{}, map[string]bool{} // units of each group
	for _, unit := range units(members) {
		for _, at := range unit {
			m := members[at]
			if first := unit[0]; folds[at] != folds[first] {
				return fmt.Errorf("%s: keep_together: %s and %s share a value of %s, but are in fold %d and fold %d: exclude one "+
					"of them, or name no column by leave_out", name, members[first].id, m.id, columns, folds[first], folds[at])
			}
			if groups[m.group] == nil {
				groups[m.group] = map[string]bool{}
			}
			if folds[at] == 0 { // a test participant of the outer fold
				continue
			}
			groups[m.group][m.unit], related[m.unit] = true, true
			in[folds[at]][m.group]++
			used++
		}
	}
	if s.LeaveOut != "" && s.Outer == 0 {
		return nil
	}
	if s.Permutation > 0 {
		name += fmt.Sprintf(", permutation %d", s.Permutation)
	}
	if s.Outer > 0 {
		name += fmt.Sprintf(", inside fold %d", s.Outer)
	}
	loosen := "or stratify to false"
	if s.StratifyBy != nil { // it needs stratify
		loosen = "leave out stratify_by, or leave it out and set stratify to false"
	}
	fewer := "set " + s.foldsParam() + " to fewer"
	if count == 2 || len(related) < 2 { // there are no fewer folds than two
		fewer = "correct " + columns + ", or leave it out of keep_together"
	}
	for fold := 1; fold <= count; fold++ {
		all := 0
		for _, n := range in[fold] {
			all += n
		}
		if all < s.fewestInFold() {
			return fmt.Errorf("%s: %d participants who are kept together by %s in %s are too few for %d folds: fold %d has %s, "+
				"and %s; %s", name, used, columns, words.Count(len(related), "unit"), count, fold,
				words.Count(all, "participant"), s.searched(members, folds, count), fewer)
		}
		for _, g := range slices.Sorted(maps.Keys(groups)) {
			if s.Stratify && in[fold][g] == 0 {
				return fmt.Errorf("%s: fold %d has nobody of group %q, whose participants are kept together by %s in %s, and %s: "+
					"%s, %s", name, fold, g, columns, words.Count(len(groups[g]), "unit"),
					s.searched(members, folds, count), fewer, loosen)
			}
		}
	}
	return nil
}

// searched reports what a search for a division of whole units has found, where it has found none.
func (s *Split) searched(members []member, folds []int32, count int) string {
	divided := slices.DeleteFunc(units(members), func(unit []int) bool { return folds[unit[0]] == 0 })
	if _, complete := s.fill(members, divided, count); !complete {
		return fmt.Sprintf("a search bounded to %d steps found no division without such a fold", family.SearchSteps)
	}
	return "an exact search found no division without such a fold"
}

// foldsParam is the parameter of the number of folds.
func (s *Split) foldsParam() string {
	if s.Outer > 0 {
		return "inner"
	}
	return "folds"
}
