package connectivity

import (
	"fmt"
	"io"
	"strings"
)

// ReadRelmat reads a matrix of regions by regions as text: BIDS-style TSV with names
// (XCP-D: a first column Node), with numbers for names (giga_connectome: 0, 1, 2 …), or
// plain numbers (BCT, MRtrix, np.savetxt); the separators are those of ReadText. names is
// nil where the columns have none. Where rows are named they must be named as the columns
// are, in the same order.
func ReadRelmat(r io.Reader) (names []string, x Matrix, err error) {
	t := &text{square: true}
	if names, x, err = readLines(r, t, "matrices are TSV, CSV, txt, npy or mat files"); err != nil {
		return nil, Matrix{}, err
	}
	rows := t.rowNames
	if t.unnamed && numbered(rows) { // the index of pandas names nothing
		rows = nil
	}
	if x.Rows != x.Cols {
		order := ""
		if min(x.Rows, x.Cols) == 1 {
			order = "; for the triangle of one, set order: upper_rows or lower_rows"
		}
		return nil, Matrix{}, fmt.Errorf("%d rows and %d columns; a matrix of regions by regions is square%s", x.Rows, x.Cols, order)
	}
	if rows != nil && names == nil {
		return nil, Matrix{}, fmt.Errorf("its rows have names, but its columns have none")
	}
	for i, row := range rows {
		if row != names[i] {
			return nil, Matrix{}, fmt.Errorf("row %d is %q and column %d is %q: rows and columns must be in the same order", i+1, row, i+1, names[i])
		}
	}
	return names, x, nil
}

// cutName cuts the name of a row off. The second line decides whether rows have names: when
// their column is headed Node or by nothing, or holds no number there.
func (t *text) cutName(fields []string) []string {
	if t.rows == 0 && t.rowNames == nil && t.width > 1 {
		head := strings.TrimSpace(strings.Trim(t.first[0], `"`))
		cell := fields[0]
		if len(fields) > 1 && unquoted(fields[1]) != fields[1] { // marks around every number
			cell = unquoted(cell)
		}
		if _, number := parseNumber(cell); head == "" || strings.EqualFold(head, "Node") || !number {
			t.rowNames, t.unnamed = []string{}, head == ""
			t.first, t.width, t.comment = t.first[1:], t.width-1, ""
		}
	}
	if t.rowNames == nil {
		return fields
	}
	if len(t.rowNames) <= t.width { // with more rows it is no square
		t.rowNames = append(t.rowNames, strings.Trim(strings.TrimSpace(fields[0]), `"`))
	}
	return fields[1:]
}

// numbered reports whether names are 0, 1, 2 …
func numbered(names []string) bool {
	for i, n := range names {
		if n != fmt.Sprint(i) {
			return false
		}
	}
	return true
}
