package column

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/cell"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// Coded reports whether a column has a few integers as its values.
func Coded(t *encoding.Table, name string) bool {
	_, err := t.Floats(name)
	return err == nil && HasCategories(t, name)
}

// HasCategories reports whether the values of a column may be categories: few texts, or few integers.
func HasCategories(t *encoding.Table, name string) bool {
	values, err := t.Floats(name)
	return Categories(t, name) > 0 && (err != nil || !slices.ContainsFunc(values, func(x float64) bool {
		return !math.IsNaN(x) && x != math.Trunc(x)
	}))
}

// Categories is how many values a column of few values has; 0 for one of identifiers or of many numbers.
func Categories(t *encoding.Table, name string) int {
	values, err := t.Strings(name)
	seen := map[string]bool{}
	for _, v := range values {
		if v = strings.TrimSpace(v); !cell.Missing(v) {
			seen[v] = true
		}
	}
	if err != nil || 2*len(seen) > t.Rows() {
		return 0
	}
	return len(seen)
}

// DoubtSites names sites, the values of a column of the participants, that are one by mistake, and sites that cannot be
// told from the groups.
func DoubtSites(table *encoding.Table, name string) (notes []Note) {
	values, err := table.Strings(name)
	if err != nil {
		return nil
	}
	group, err := table.Strings("group")
	if err != nil { // a number is predicted
		group = make([]string, len(values))
	}
	groups := map[string]map[string]bool{} // of each site
	all := map[string]bool{}
	for i, v := range values {
		if v = strings.TrimSpace(v); cell.Missing(v) {
			continue
		}
		if groups[v] == nil {
			groups[v] = map[string]bool{}
		}
		groups[v][group[i]], all[group[i]] = true, true
	}
	alone := true
	for _, of := range groups {
		alone = alone && len(of) == 1
	}
	notes = DoubtTwins(name, values)
	if !alone || len(all) < 2 || Categories(table, name) == 0 {
		return notes
	}
	return append(notes, Doubtful(DoubtOneGroup, "noted.sites-of-one-group", Values{"Column": name, "Site": NamesSite(name)}))
}

// DoubtTwins is a note about the values of a column that may be one category in several ways: in two spellings (F and
// f), in two words (F and female), or as words and numbers (F, M and 1, 2).
func DoubtTwins(name string, values []string) []Note {
	times := map[string]int{}
	for _, v := range values {
		if v = strings.TrimSpace(v); !cell.Missing(v) {
			times[v]++
		}
	}
	distinct := slices.Sorted(maps.Keys(times))
	groups := Synonyms(distinct)
	pairs, beside := inTwoSpellings(maps.Keys(times)), CodesBesideWords(distinct)
	note := Values{"Column": name, "Pairs": pairs}
	switch {
	case pairs == nil && groups == nil && beside == nil:
		return nil
	case groups == nil && beside == nil:
		return []Note{Doubtful(doubtOf(pairs), "noted.spelled", note)}
	}
	var ways []Values // each a list of values and how many rows have them
	for _, group := range groups {
		ways = append(ways, Values{"Values": lists.Map(group, func(v string) Values {
			return Values{"Value": Shown(v), "N": times[v]}
		})})
	}
	note["Ways"], note["Beside"] = ways, beside
	return []Note{Doubtful(DoubtAlike, "noted.ways", note)}
}

// A Pair is two values that may be one, and the doubt by which they differ.
type Pair struct{ First, Second, Doubt string }

// doubtOf is the doubt about pairs: that of names that are alike, if some are more than two cases.
func doubtOf(pairs []Pair) string {
	if slices.ContainsFunc(pairs, func(p Pair) bool { return p.Doubt != DoubtCase }) {
		return DoubtAlike
	}
	return DoubtCase
}

// inTwoSpellings are the pairs of values that may be one, and how they differ.
func inTwoSpellings(values iter.Seq[string]) (pairs []Pair) {
	spelled := map[string]string{}
	for _, v := range slices.Sorted(values) {
		if twin, there := spelled[Spelling(v)]; there {
			pairs = append(pairs, Pair{Shown(twin), Shown(v), Twins(twin, v)})
		}
		spelled[Spelling(v)] = v
	}
	return pairs
}

// Unplaced are the participants without a value in a column where others have one, sorted: within which of its values
// their labels may be permuted is unknown. It is nil where there is no such column, or nobody has a value.
func Unplaced(t *encoding.Table, by string) (ids []string) {
	all, value, err := ByParticipant(t, by)
	if err != nil {
		return nil
	}
	for _, id := range all {
		if cell.Missing(value[id]) {
			ids = append(ids, id)
		}
	}
	if len(ids) == len(all) {
		return nil
	}
	slices.Sort(ids)
	return ids
}

// PermutedWithin is the value of each participant in the column within whose values labels are permuted; nil where
// there is no such column, or nobody has a value. It refuses participants without a value beside others with one:
// missing values are no site, and whether their labels may be exchanged with anybody's is unknown.
func PermutedWithin(t *encoding.Table, by string) (map[string]string, error) {
	if _, ok := t.Column(by); !ok {
		return nil, nil
	}
	ids, value, err := ByParticipant(t, by)
	if err != nil {
		return nil, err
	}
	if lack := Unplaced(t, by); lack != nil {
		return nil, fmt.Errorf("within: no value of %s for %s: labels are permuted within its values, so each participant needs one; "+
			"fill it in, exclude the participants, or set within: \"\" to permute over all participants", by, words.Some(lack, 8))
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !cell.Missing(value[id]) }) {
		return value, nil
	}
	return nil, nil
}
