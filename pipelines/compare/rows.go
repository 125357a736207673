package compare

import (
	"fmt"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
)

// A pairing says which row of one table is which of another. Tables of results
// begin with the columns that name a row (participant, fold, region); by those a
// row is found again when others come or go.
type pairing struct {
	pairs     [][2]int // in the order of the first table
	lost, new []string // names of rows that only one has
	moved     bool     // the rows that both have stand in another order
	name      func(row int) string
}

// pairRows pairs by key where there is one, else row by row; false when the
// tables have no key and not the same number of rows.
func pairRows(a, b *encoding.Table) (pairing, bool) {
	if p, ok := pairByKey(a, b); ok {
		return p, true
	}
	p := pairing{name: func(row int) string { return fmt.Sprintf("row %d", row+1) }}
	for r := range a.Rows() {
		p.pairs = append(p.pairs, [2]int{r, r})
	}
	return p, a.Rows() == b.Rows()
}

// pairByKey uses the fewest columns from the left, of names and whole numbers,
// that tell all rows of both tables apart. They are no key when they are all there
// is, or when most of the rows would have no partner.
func pairByKey(a, b *encoding.Table) (pairing, bool) {
	for n := 1; n < len(a.Columns); n++ {
		if !canBeKey(&a.Columns[n-1]) {
			return pairing{}, false
		}
		x, okA := keysOf(a, a, n)
		y, okB := keysOf(b, a, n)
		if !okA || !okB {
			continue
		}
		return pairKeys(a, b, x, y, n)
	}
	return pairing{}, false
}

func canBeKey(c *encoding.Column) bool {
	switch c.Values.(type) {
	case []string, []int64, []int32:
		return true
	}
	return false
}

// keysOf are the rows by the text of the first n columns of "like"; false when two
// rows have one, or one has none.
func keysOf(t, like *encoding.Table, n int) (map[string]int, bool) {
	keys := make(map[string]int, t.Rows())
	for r := range t.Rows() {
		k, ok := keyOf(t, like, n, r)
		if _, twice := keys[k]; twice || !ok {
			return nil, false
		}
		keys[k] = r
	}
	return keys, true
}

func keyOf(t, like *encoding.Table, n, row int) (string, bool) {
	parts := make([]string, n)
	for i := range n {
		c, _ := t.Column(like.Columns[i].Name)
		if !Has(c, row) {
			return "", false
		}
		parts[i] = c.Name + " " + Full(Cell(c, row))
	}
	return strings.Join(parts, ", "), true
}

func pairKeys(a, b *encoding.Table, x, y map[string]int, n int) (pairing, bool) {
	p := pairing{name: func(row int) string {
		k, _ := keyOf(a, a, n, row)
		return k
	}}
	last := -1
	for r := range a.Rows() {
		k := p.name(r)
		at, ok := y[k]
		if !ok {
			p.lost = append(p.lost, k)
			continue
		}
		p.moved = p.moved || at < last
		last = at
		p.pairs = append(p.pairs, [2]int{r, at})
	}
	for r := range b.Rows() {
		if k, _ := keyOf(b, a, n, r); !hasKey(x, k) {
			p.new = append(p.new, k)
		}
	}
	return p, 2*len(p.pairs) >= max(a.Rows(), b.Rows())
}

func hasKey(m map[string]int, k string) bool {
	_, ok := m[k]
	return ok
}

// text says which rows only one table has.
func (p pairing) text() string {
	var parts []string
	for _, rows := range []struct {
		what  string
		names []string
	}{{"lost", p.lost}, {"new", p.new}} {
		if len(rows.names) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s (%s)", rows.what, rowsText(len(rows.names)),
				words.Some(rows.names, 3)))
		}
	}
	if p.moved {
		parts = append(parts, "the rows are in another order")
	}
	return strings.Join(parts, "; ")
}

func rowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
