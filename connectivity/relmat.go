package connectivity

import (
	"bytes"
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
	b, err := Decompress(r)
	if err != nil {
		return nil, Matrix{}, err
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, Matrix{}, fmt.Errorf("this is not a text; matrices are TSV, CSV, txt, npy or mat files")
	}
	b, rows := cutRowNames(strings.TrimPrefix(string(b), "\ufeff"))
	if names, x, err = ReadText(bytes.NewReader(b)); err != nil {
		return nil, Matrix{}, err
	}
	if x.Rows != x.Cols {
		return nil, Matrix{}, fmt.Errorf("%d rows and %d columns; a matrix of regions by regions is square", x.Rows, x.Cols)
	}
	if rows != nil && names == nil {
		return nil, Matrix{}, fmt.Errorf("its rows have names (%s …) and its columns have none", rows[0])
	}
	for i, row := range rows {
		if row != names[i] {
			return nil, Matrix{}, fmt.Errorf("row %d is %q and column %d is %q: rows and columns must be in the same order", i+1, row, i+1, names[i])
		}
	}
	return names, x, nil
}

// cutRowNames cuts a first column of names off: one that is headed Node or by nothing,
// or that is no number in the first row.
func cutRowNames(s string) (rest []byte, rows []string) {
	var lines [][]string
	var split func(string) []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if split == nil {
			split = splitter(line)
		}
		lines = append(lines, split(line))
	}
	if len(lines) < 2 || len(lines[0]) < 2 {
		return []byte(s), nil
	}
	head := strings.TrimSpace(strings.Trim(lines[0][0], `"`))
	_, number := parseNumber(lines[1][0])
	if head != "" && !strings.EqualFold(head, "Node") && number {
		return []byte(s), nil
	}
	var b bytes.Buffer
	for i, fields := range lines {
		if i > 0 {
			rows = append(rows, strings.Trim(strings.TrimSpace(fields[0]), `"`))
		}
		b.WriteString(strings.Join(fields[1:], "\t") + "\n")
	}
	if head == "" && numbered(rows) { // the index of pandas names nothing
		rows = nil
	}
	return b.Bytes(), rows
}

// numbered tells whether names are 0, 1, 2 …
func numbered(names []string) bool {
	for i, n := range names {
		if n != fmt.Sprint(i) {
			return false
		}
	}
	return true
}
