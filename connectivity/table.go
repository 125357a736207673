package connectivity

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ReadMatrix reads a square matrix from a text: TSV, CSV or white space, gzipped or
// not, with names over the columns, before the rows, or neither (XCP-D's relmat has
// both, with "Node" in the corner; giga_connectome counts columns from 0; MRtrix and
// the Brain Connectivity Toolbox have none). names is nil when there are none. Where
// rows and columns have names, they must be the same in the same order.
func ReadMatrix(r io.Reader) (names []string, m Matrix, err error) {
	b, err := Decompress(r)
	if err != nil {
		return nil, Matrix{}, err
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, Matrix{}, errors.New("this is not a text; matrices are TSV, CSV, npy or MATLAB files")
	}
	rows, lines, err := cells(string(b))
	if err != nil {
		return nil, Matrix{}, err
	}
	header, labelled := false, false
	for j, f := range rows[0] {
		if _, ok := parseNumber(f); (!ok || strings.TrimSpace(f) == "") && (j > 0 || len(rows[0]) == 1) {
			header = true
		}
	}
	if len(rows) > 1 {
		first := rows[1][0]
		_, number := parseNumber(first)
		labelled = !number
	}
	// A row more than columns, or a row and a column more than the other has: names
	// that are numbers.
	n := len(rows)
	header = header || n == len(rows[0])+1 || (n == len(rows[0]) && strings.EqualFold(rows[0][0], "node"))
	if header {
		n--
	}
	labelled = labelled || len(rows[0]) == n+1 || (header && strings.EqualFold(rows[0][0], "node"))
	if header {
		names = rows[0]
		if labelled {
			names = names[1:]
		}
		rows, lines = rows[1:], lines[1:]
	}
	var labels []string
	if labelled {
		for i := range rows {
			labels = append(labels, rows[i][0])
			rows[i] = rows[i][1:]
		}
	}
	if len(rows) == 0 || len(rows[0]) != len(rows) {
		width := 0
		if len(rows) > 0 {
			width = len(rows[0])
		}
		return nil, Matrix{}, fmt.Errorf("%d rows of %d numbers; a matrix of connectivity is square", len(rows), width)
	}
	if names == nil {
		names = labels
	}
	for i, l := range labels {
		if l != names[i] {
			return nil, Matrix{}, fmt.Errorf("row %d is named %q, and column %d %q", i+1, l, i+1, names[i])
		}
	}
	m = NewMatrix(len(rows), len(rows))
	for i, row := range rows {
		for j, f := range row {
			v, ok := parseNumber(f)
			if !ok {
				return nil, Matrix{}, fmt.Errorf("line %d, column %d: %q is not a number", lines[i], j+1, f)
			}
			m.Row(i)[j] = v
		}
	}
	return names, m, checkNames(names)
}

// cells splits a text into its fields, with the number of each line.
func cells(s string) (rows [][]string, lines []int, err error) {
	var split func(string) []string
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(s, "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if split == nil {
			split = splitter(line)
		}
		fields := split(line)
		for j, f := range fields {
			fields[j] = strings.Trim(strings.TrimSpace(f), `"`)
		}
		if rows != nil && len(fields) != len(rows[0]) {
			return nil, nil, fmt.Errorf("line %d has %d columns, and the first has %d", number, len(fields), len(rows[0]))
		}
		rows, lines = append(rows, fields), append(lines, number)
	}
	if rows == nil {
		return nil, nil, errors.New("the file has no numbers")
	}
	return rows, lines, nil
}

// Symmetric checks and completes a matrix of correlations (or partial correlations)
// that others made. Differences between the triangles that printing explains (1e-6)
// are averaged. The diagonal, which tools fill with 1, 0 or n/a, becomes 1. A region
// whose row and column are NaN throughout is missing: it becomes 0. It returns the
// number of missing regions.
func Symmetric(m Matrix) (Matrix, int, error) {
	if m.Rows != m.Cols {
		return Matrix{}, 0, fmt.Errorf("%d rows of %d numbers; a matrix of connectivity is square", m.Rows, m.Cols)
	}
	n := m.Rows
	out := NewMatrix(n, n)
	gone := make([]bool, n)
	missing := 0
	for i := range n {
		gone[i] = n > 1
		for j := range n {
			if i != j && !(math.IsNaN(m.At(i, j)) && math.IsNaN(m.At(j, i))) {
				gone[i] = false
			}
		}
		if gone[i] {
			missing++
		}
	}
	var errs []error
	for i := range n {
		out.Data[i*n+i] = 1
		for j := range i {
			a, b := m.At(i, j), m.At(j, i)
			switch {
			case gone[i] || gone[j]:
				continue
			case !finite(a) || !finite(b):
				errs = append(errs, fmt.Errorf("the entry of regions %d and %d is not a number; a missing region has n/a in its whole row and column", j+1, i+1))
			case math.Abs(a-b) > 1e-6:
				errs = append(errs, fmt.Errorf("the matrix is not symmetric: regions %d and %d have %g one way and %g the other", j+1, i+1, b, a))
			case math.Abs(a) > 1+1e-6:
				errs = append(errs, fmt.Errorf("regions %d and %d have the correlation %g; is it Fisher's z, or a covariance?", j+1, i+1, a))
			}
			v := max(-1, min(1, (a+b)/2))
			out.Data[i*n+j], out.Data[j*n+i] = v, v
		}
	}
	const most = 5
	if len(errs) > most {
		errs = append(errs[:most], fmt.Errorf("and %d more", len(errs)-most))
	}
	return out, missing, errors.Join(errs...)
}
