package learn

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/random"
	"prgnn/internal/words"
	"prgnn/stages/column"
)

// relate finds who is kept together: the participants who share a value of one of the columns, and those who are
// connected by others. A unit has the name of its first member.
func (s *Split) relate(members []member, table *encoding.Table) error {
	at := map[string]int{}
	for i := range members {
		members[i].unit, at[members[i].id] = members[i].id, i
	}
	parent := make([]int, len(members)) // of each member one that is not behind it, or itself
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, name := range s.KeepTogether {
		_, values, err := column.ByParticipant(table, name)
		if err != nil {
			return fmt.Errorf("keep_together: %w", err)
		}
		if column.NamesOthers(values) {
			return fmt.Errorf("keep_together: the values of %s are ids of other participants: add a column with one value for each family, and name that", name)
		}
		first := map[string]int{} // of each value
		for i, m := range members {
			value := strings.TrimSpace(values[m.id])
			if column.UnrelatedBy(name, value) {
				continue
			}
			if j, there := first[value]; there {
				a, b := root(i), root(j)
				parent[max(a, b)] = min(a, b)
				continue
			}
			first[value] = i
		}
	}
	for i := range members {
		members[i].unit = members[root(i)].id
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

// A share is how many members of a stratum a unit has.
type share struct{ stratum, n int }

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
	shares := make([][]share, len(all))
	for i, p := range order {
		n := map[int]int{}
		for _, at := range all[p] {
			n[number[of(members[at])]]++
		}
		for _, stratum := range slices.Sorted(maps.Keys(n)) {
			shares[i] = append(shares[i], share{stratum, n[stratum]})
		}
	}
	folds := make([]int32, len(members))
	for i, fold := range balance(shares, sizes, s.Folds) {
		for _, at := range all[order[i]] {
			folds[at] = int32(fold + 1)
		}
	}
	return folds
}

// balance gives each unit a fold, from 0, as StratifiedGroupKFold of scikit-learn does: the units whose shares of
// the strata vary most come first, and each goes where the standard deviation over the folds of the strata's shares is
// least on average; of equally good folds, into the smallest. Of units that vary as much, the largest come first. So
// folds differ by no more than the largest unit in each stratum if no unit has members of two strata.
func balance(units [][]share, sizes []int, folds int) []int {
	size := func(u []share) (n int) {
		for _, s := range u {
			n += s.n
		}
		return n
	}
	varies := func(u []share) (v int) { // the variance over the strata, times their squared number
		for _, s := range u {
			v += len(sizes) * s.n * s.n
		}
		return v - size(u)*size(u)
	}
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(varies(units[b]), varies(units[a])), cmp.Compare(size(units[b]), size(units[a])))
	})
	in := make([][]int, len(sizes)) // stratum, fold → members
	for i := range in {
		in[i] = make([]int, folds)
	}
	deviation := func(stratum int) float64 { // of the shares of the stratum that the folds have
		sum, squares := 0, 0
		for _, n := range in[stratum] {
			sum, squares = sum+n, squares+n*n
		}
		return math.Sqrt(float64(folds*squares-sum*sum)) / float64(folds*sizes[stratum])
	}
	filled, fold := make([]int, folds), make([]int, len(units))
	for _, i := range order {
		best, least := -1, 0.0
		for f := range folds {
			change := 0.0
			for _, s := range units[i] {
				change -= deviation(s.stratum)
				in[s.stratum][f] += s.n
				change += deviation(s.stratum)
				in[s.stratum][f] -= s.n
			}
			equal := math.Abs(change-least) < 1e-9
			if best < 0 || !equal && change < least || equal && filled[f] < filled[best] {
				best, least = f, change
			}
		}
		fold[i] = best
		filled[best] += size(units[i])
		for _, s := range units[i] {
			in[s.stratum][best] += s.n
		}
	}
	return fold
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
	for fold := 1; fold <= count; fold++ {
		all := 0
		for _, n := range in[fold] {
			all += n
		}
		least := 1
		if s.number() {
			least = fewest
		}
		if all < least {
			return fmt.Errorf("%s: %d participants who are kept together by %s in %s are too few for %d folds: fold %d has %s; "+
				"set %s to fewer", name, used, columns, words.Count(len(related), "unit"), count, fold,
				words.Count(all, "participant"), s.foldsParam())
		}
		for _, g := range slices.Sorted(maps.Keys(groups)) {
			if s.Stratify && in[fold][g] == 0 {
				return fmt.Errorf("%s: fold %d has nobody of group %q, whose participants are kept together by %s in %s: set %s to "+
					"fewer, %s", name, fold, g, columns, words.Count(len(groups[g]), "unit"), s.foldsParam(), loosen)
			}
		}
	}
	return nil
}

// foldsParam is the parameter of the number of folds.
func (s *Split) foldsParam() string {
	if s.Outer > 0 {
		return "inner"
	}
	return "folds"
}

// alikeUnits are the units that may exchange labels: those of the same size, whose members are in the same blocks. The
// members of each are in the order of their blocks.
func alikeUnits(members []member, block func(i int) string) map[string][][]int {
	alike := map[string][][]int{}
	for _, unit := range units(members) {
		slices.SortStableFunc(unit, func(a, b int) int { return strings.Compare(block(a), block(b)) })
		where := strings.Join(lists.Map(unit, block), "\x00")
		alike[where] = append(alike[where], unit)
	}
	return alike
}

// exchangeUnits gives the labels of whole units to units of the same size and in the same blocks, and within each unit
// and block to other members, at random: what relatives share, they share under the null hypothesis too (Winkler et al.
// 2015, NeuroImage 123:253). It returns the place whose label each member receives.
func exchangeUnits(members []member, block func(i int) string, stream *random.Stream) []int {
	given := map[string][]int{} // by the first member of a unit, the order in which it gives its labels
	for _, unit := range units(members) {
		byBlock := func(a, b int) int { return strings.Compare(block(a), block(b)) }
		to := slices.SortedStableFunc(slices.Values(unit), byBlock)
		order := lists.Map(stream.Perm(len(unit)), func(p int) int { return to[p] })
		slices.SortStableFunc(order, byBlock)
		given[members[unit[0]].unit] = order
	}
	from, alike := make([]int, len(members)), alikeUnits(members, block)
	for _, where := range slices.Sorted(maps.Keys(alike)) {
		of := alike[where]
		for i, p := range stream.Perm(len(of)) {
			for place, at := range of[i] {
				from[at] = given[members[of[p][0]].unit][place]
			}
		}
	}
	return from
}

// unitsAreFixed reports whether no exchange of units changes a label.
func (s *Split) unitsAreFixed(members []member, site map[string]string) bool {
	for _, of := range alikeUnits(members, func(i int) string { return site[members[i].id] }) {
		for _, unit := range of {
			for place, at := range unit { // which labels this place may get
				m, first, before := members[at], members[of[0][place]], members[unit[max(place-1, 0)]]
				if site[m.id] == site[before.id] && (m.group != before.group || m.number != before.number) ||
					m.group != first.group || m.number != first.number {
					return false
				}
			}
		}
	}
	return true
}
