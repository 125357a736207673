package differ

import (
	"fmt"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
)

// A pairing states which row of one table is which of another. Tables of results
// begin with the columns that name a row (participant, fold, region); by those a
// row is found again when others come or go.
type pairing struct {
	pairs       [][2]int // in the order of the first table
	lost, added []string // names of rows that only one has
	moved       bool     // the rows that both have stand in another order
	name        func(row int) string
}

// pairRows pairs by key where there is one, else row by row; false when the
// tables have no key and not the same number of rows. A key is the fewest columns
// from the left, of names and whole numbers, that distinguish all rows of both tables.
// It is none when it is all the columns, or when most of the rows would have no partner.
func pairRows(a, b *encoding.Table) (pairing, bool) {
	for n := 1; n < len(a.Columns) && canBeKey(&a.Columns[n-1]); n++ {
		x, inA := keysOf(a, a.Columns[:n])
		y, inB := keysOf(b, a.Columns[:n])
		if inA == nil || inB == nil {
			continue
		}
		if p := pairKeys(x, y, inA, inB); 2*len(p.pairs) >= max(a.Rows(), b.Rows()) {
			return p, true
		}
		break
	}
	p := pairing{name: func(row int) string { return fmt.Sprintf("row %d", row+1) }}
	for r := range a.Rows() {
		p.pairs = append(p.pairs, [2]int{r, r})
	}
	return p, a.Rows() == b.Rows()
}

func canBeKey(c *encoding.Column) bool {
	switch c.Values.(type) {
	case []string, []int64, []int32:
		return true
	}
	return false
}

// keysOf are the keys of the rows by columns of these names, and the rows by key; nil when two rows have one key, or
// one
// row has none.
func keysOf(t *encoding.Table, by []encoding.Column) ([]string, map[string]int) {
	keys, at := make([]string, t.Rows()), make(map[string]int, t.Rows())
	for r := range keys {
		parts := make([]string, len(by))
		for i := range by {
			c, _ := t.Column(by[i].Name)
			if !c.Has(r) {
				return nil, nil
			}
			parts[i] = c.Name + " " + Full(c.Value(r))
		}
		keys[r] = strings.Join(parts, ", ")
		if _, twice := at[keys[r]]; twice {
			return nil, nil
		}
		at[keys[r]] = r
	}
	return keys, at
}

func pairKeys(x, y []string, inX, inY map[string]int) pairing {
	p := pairing{name: func(row int) string { return x[row] }}
	last := -1
	for r, k := range x {
		if at, ok := inY[k]; ok {
			p.moved, last = p.moved || at < last, at
			p.pairs = append(p.pairs, [2]int{r, at})
		} else {
			p.lost = append(p.lost, k)
		}
	}
	for _, k := range y {
		if _, ok := inX[k]; !ok {
			p.added = append(p.added, k)
		}
	}
	return p
}

// text states which rows only one table has.
func (p pairing) text() string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s (%s)", what, words.Count(len(names), "row"),
				words.Some(names, 3)))
		}
	}
	add("lost", p.lost)
	add("new", p.added)
	if p.moved {
		parts = append(parts, "the rows are in another order")
	}
	return strings.Join(parts, "; ")
}
