// Package family divides and permutes whole units of participants, who are kept together.
package family

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/numeric/random"
)

// Connected gives each of n participants the first one to whom it is connected, itself or another: those who share a
// value in one of the lists, and those who are connected by others. Who has "" shares nothing.
func Connected(n int, shared [][]string) []int {
	parent := lists.UpTo(n) // of each one that is not behind it, or itself
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, values := range shared {
		first := map[string]int{} // of each value
		for i, value := range values {
			if value == "" {
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
	out := make([]int, n)
	for i := range out {
		out[i] = root(i)
	}
	return out
}

// A Share is how many members of a stratum a unit has.
type Share struct{ Stratum, N int }

// Balance gives each unit a fold, from 0, as StratifiedGroupKFold of scikit-learn does: the units whose shares of
// the strata vary most come first, and each goes where the standard deviation over the folds of the strata's shares is
// least on average; of equally good folds, into the smallest. Of units that vary as much, the largest come first. So
// folds differ by no more than the largest unit in each stratum if no unit has members of two strata. fixed has the
// folds of units that are in one already, −1 for the others; nil: none is.
func Balance(units [][]Share, sizes []int, folds int, fixed []int) []int {
	size := func(u []Share) (n int) {
		for _, s := range u {
			n += s.N
		}
		return n
	}
	varies := func(u []Share) (v int) { // the variance over the strata, times their squared number
		for _, s := range u {
			v += len(sizes) * s.N * s.N
		}
		return v - size(u)*size(u)
	}
	order := lists.UpTo(len(units))
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
	put := func(i, f int) {
		fold[i] = f
		filled[f] += size(units[i])
		for _, s := range units[i] {
			in[s.Stratum][f] += s.N
		}
	}
	free := func(i int) bool { return fixed == nil || fixed[i] < 0 }
	for i := range units {
		if !free(i) {
			put(i, fixed[i])
		}
	}
	for _, i := range order {
		if !free(i) {
			continue
		}
		best, least := -1, 0.0
		for f := range folds {
			change := 0.0
			for _, s := range units[i] {
				change -= deviation(s.Stratum)
				in[s.Stratum][f] += s.N
				change += deviation(s.Stratum)
				in[s.Stratum][f] -= s.N
			}
			equal := math.Abs(change-least) < 1e-9
			if best < 0 || !equal && change < least || equal && filled[f] < filled[best] {
				best, least = f, change
			}
		}
		put(i, best)
	}
	return fold
}

// A Content is what the units of a division are alike in: the groups of their members, a bit each, and how many they
// are, as far as a fold needs them.
type Content struct {
	Groups uint64
	N      int
}

func (c Content) with(d Content) Content { return Content{c.Groups | d.Groups, c.N + d.N} }

func (c Content) fills(needed Content) bool { return c.Groups == needed.Groups && c.N >= needed.N }

// Filled reports whether each fold has what it needs from the units in it.
func Filled(units []Content, needed Content, fold []int, folds int) bool {
	in := make([]Content, folds)
	for i, f := range fold {
		in[f] = in[f].with(units[i])
	}
	return !slices.ContainsFunc(in, func(c Content) bool { return !c.fills(needed) })
}

// SearchSteps bound the search for a division of whole units: a second at most. That for two groups needs few.
const SearchSteps = 200_000

// Fill finds units that give each of so many folds what it needs, and returns the fold of each of them, from 0, and −1
// for the others, which may be in any fold; nil if there is no such division, or none was found in SearchSteps, which
// complete reports. It tries all combinations of units of unlike content that have no more than a fold needs, of units
// of one content the largest first.
func Fill(units []Content, sizes []int, needed Content, folds int) (fold []int, complete bool) {
	kinds := slices.Clone(units)
	slices.SortFunc(kinds, func(a, b Content) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(b.Groups), bits.OnesCount64(a.Groups)), cmp.Compare(b.N, a.N),
			cmp.Compare(a.Groups, b.Groups))
	})
	kinds = slices.Compact(kinds)
	left := make([]int, len(kinds))
	for _, c := range units {
		left[slices.Index(kinds, c)]++
	}
	var chosen [][]int // the kinds of the units of each fold
	futile, steps := map[string]bool{}, 0
	var next func() bool
	var extend func(from int, has Content, kindsOfFold []int) bool
	next = func() bool {
		state := fmt.Sprint(len(chosen), left)
		if len(chosen) == folds || futile[state] {
			return len(chosen) == folds
		}
		for b := range bits.Len64(needed.Groups) { // each fold still needs one unit with this group
			have := 0
			for i, k := range kinds {
				have += left[i] * int(k.Groups>>b&1)
			}
			if have < folds-len(chosen) {
				return false
			}
		}
		found := extend(0, Content{}, nil)
		futile[state] = !found
		return found
	}
	extend = func(from int, has Content, kindsOfFold []int) bool {
		if steps++; steps > SearchSteps {
			return false
		}
		if has.fills(needed) {
			chosen = append(chosen, slices.Clone(kindsOfFold))
			if next() {
				return true
			}
			chosen = chosen[:len(chosen)-1]
			return false
		}
		for i := from; i < len(kinds); i++ {
			k := kinds[i]
			if left[i] == 0 || k.Groups&^has.Groups == 0 && has.N >= needed.N {
				continue
			}
			left[i]--
			if extend(i, has.with(k), append(kindsOfFold, i)) {
				return true
			}
			left[i]++
		}
		return false
	}
	if !next() {
		return nil, steps <= SearchSteps
	}
	fold = slices.Repeat([]int{-1}, len(units))
	for f, of := range chosen {
		for _, kind := range of {
			largest := -1
			for i, unit := range units {
				if fold[i] < 0 && unit == kinds[kind] && (largest < 0 || sizes[i] > sizes[largest]) {
					largest = i
				}
			}
			fold[largest] = f
		}
	}
	return fold, true
}

// Alike are the units that may exchange labels: those of the same size, whose members are in the same blocks. The
// members of each are in the order of their blocks.
func Alike(units [][]int, block func(i int) string) map[string][][]int {
	of := map[string][][]int{}
	for _, unit := range units {
		unit = slices.SortedStableFunc(slices.Values(unit), by(block))
		where := strings.Join(lists.Map(unit, block), "\x00")
		of[where] = append(of[where], unit)
	}
	return of
}

func by(block func(i int) string) func(a, b int) int {
	return func(a, b int) int { return strings.Compare(block(a), block(b)) }
}

// Exchange gives the labels of whole units to units of the same size and in the same blocks, and within each unit
// and block to other members, at random: what relatives share, they share under the null hypothesis too (Winkler et al.
// 2015, NeuroImage 123:253). It returns the place whose label each of n members receives.
func Exchange(n int, units [][]int, block func(i int) string, stream *random.Stream) []int {
	of := make([]int, n)               // whose a member is
	given := make([][]int, len(units)) // the order in which a unit gives its labels
	for u, unit := range units {
		to := slices.SortedStableFunc(slices.Values(unit), by(block))
		given[u] = lists.Map(stream.Perm(len(unit)), func(p int) int { return to[p] })
		slices.SortStableFunc(given[u], by(block))
		for _, at := range unit {
			of[at] = u
		}
	}
	from, alike := make([]int, n), Alike(units, block)
	for _, where := range slices.Sorted(maps.Keys(alike)) {
		same := alike[where]
		for i, p := range stream.Perm(len(same)) {
			for place, at := range same[i] {
				from[at] = given[of[same[p][0]]][place]
			}
		}
	}
	return from
}

// Fixed reports whether no exchange of units changes a label; equal reports whether two members have the same.
func Fixed(units [][]int, block func(i int) string, equal func(i, j int) bool) bool {
	for _, of := range Alike(units, block) {
		for _, unit := range of {
			for place, at := range unit { // which labels this place may get
				first, before := of[0][place], unit[max(place-1, 0)]
				if !equal(at, first) || block(at) == block(before) && !equal(at, before) {
					return false
				}
			}
		}
	}
	return true
}
