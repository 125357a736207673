package column

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"prgnn/artifacts/encoding"
)

// Spread chooses n of the participants: as many of each group as its share, at least one while places last, and of a
// group evenly over the list. So neither a list sorted by group nor one that alternates loses a group.
func Spread(ids []string, group map[string]string, n int) map[string]bool {
	members := map[string][]string{}
	for _, id := range ids {
		members[group[id]] = append(members[group[id]], id)
	}
	groups := slices.Sorted(maps.Keys(members))
	places := make([]int, len(groups))
	for range min(n, len(ids)) { // the next place goes to the group with the smallest share of its members in
		next := 0
		for g := range groups {
			if places[g]*len(members[groups[next]]) < places[next]*len(members[groups[g]]) {
				next = g
			}
		}
		places[next]++
	}
	kept := map[string]bool{}
	for g, name := range groups {
		all := len(members[name])
		for at, id := range members[name] {
			if at*places[g]/all < (at+1)*places[g]/all {
				kept[id] = true
			}
		}
	}
	return kept
}

// KeepRows keeps the members of that name, which the column id has.
func KeepRows(t *encoding.Table, id string, keep map[string]bool) *encoding.Table {
	ids, err := t.Strings(id)
	if err != nil {
		panic(fmt.Sprintf("column: a cohort's participants: %v", err)) // every roster has the column
	}
	columns := make([]encoding.Column, len(t.Columns))
	for c, col := range t.Columns {
		from := reflect.ValueOf(col.Values)
		to := reflect.MakeSlice(from.Type(), 0, len(keep))
		var valid []bool
		for i, id := range ids {
			if keep[id] {
				to = reflect.Append(to, from.Index(i))
				if col.Valid != nil {
					valid = append(valid, col.Valid[i])
				}
			}
		}
		col.Values, col.Valid = to.Interface(), valid
		columns[c] = col
	}
	out := encoding.NewTable(columns...)
	out.Meta = t.Meta
	return out
}
