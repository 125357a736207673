package column

import (
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/cell"
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
	for _, pair := range inTwoSpellings(maps.Keys(groups)) {
		notes = append(notes, Doubtf(pair.Doubt, "column %s: %s: if they are one, write them alike in the table", name, pair.Text))
	}
	if !alone || len(all) < 2 || Categories(table, name) == 0 {
		return notes
	}
	each, what := "site (column "+name+")", "sites"
	switch {
	case name == "site":
		each = "site"
	case !NamesSite(name):
		each, what = "value of "+name, "values of "+name
	}
	return append(notes, Doubtf(DoubtOneGroup, "each %s has participants of one group only: differences between groups and between %s cannot be told apart", each, what))
}

// inTwoSpellings are the pairs of values that may be one, and how they differ.
func inTwoSpellings(values iter.Seq[string]) (pairs []Note) {
	spelled := map[string]string{}
	for _, v := range slices.Sorted(values) {
		if twin, there := spelled[Spelling(v)]; there {
			doubt := Twins(twin, v)
			pairs = append(pairs, Doubtf(doubt, "%s and %s %s", Shown(twin), Shown(v), Differ[doubt]))
		}
		spelled[Spelling(v)] = v
	}
	return pairs
}
