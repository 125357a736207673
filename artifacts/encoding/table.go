package encoding

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// A Column is one named column of a Table. Values is one of []string,
// []float64, []float32, []int64, []int32 or []bool. Valid, when not nil, marks
// the rows that have a value. Unit and Doc travel in the Arrow field metadata.
type Column struct {
	Name   string
	Values any
	Valid  []bool
	Unit   string // "s", "mm", "Hz" …; empty for a plain number or a name
	Doc    string // one line
}

// A Table is a set of columns of equal length. As a Value it is an Arrow IPC
// file (uncompressed, one record batch, no dictionary): pyarrow, polars, duckdb
// and R arrow open it as it is.
type Table struct {
	Columns []Column
	Meta    map[string]string // schema metadata
}

// NewTable checks that all columns have one length and distinct names, and
// panics otherwise: that is a mistake of the stage, not of its user.
func NewTable(cols ...Column) *Table {
	t := &Table{Columns: cols}
	if err := t.Check(); err != nil {
		panic("encoding: " + err.Error())
	}
	return t
}

// Check reports why a table cannot be encoded.
func (t *Table) Check() error {
	seen := make(map[string]bool, len(t.Columns))
	for _, c := range t.Columns {
		n, err := c.len()
		switch {
		case err != nil:
			return err
		case seen[c.Name]:
			return fmt.Errorf("table: two columns named %q", c.Name)
		case n != t.Rows():
			return fmt.Errorf("table: column %q has %d rows, but column %q has %d", c.Name, n, t.Columns[0].Name, t.Rows())
		case c.Valid != nil && len(c.Valid) != n:
			return fmt.Errorf("table: column %q has %d rows, but %d validity flags", c.Name, n, len(c.Valid))
		}
		seen[c.Name] = true
	}
	return nil
}

func (c *Column) len() (int, error) {
	switch v := c.Values.(type) {
	case []string:
		return len(v), nil
	case []float64:
		return len(v), nil
	case []float32:
		return len(v), nil
	case []int64:
		return len(v), nil
	case []int32:
		return len(v), nil
	case []bool:
		return len(v), nil
	}
	return 0, fmt.Errorf("table: column %q holds a %T, which is not a column type", c.Name, c.Values)
}

// TypeName is what a column's elements are called.
func (c *Column) TypeName() string {
	switch c.Values.(type) {
	case []string:
		return "text"
	case []float64:
		return "float64"
	case []float32:
		return "float32"
	case []int64:
		return "int64"
	case []int32:
		return "int32"
	case []bool:
		return "bool"
	}
	return "of no column type"
}

// Has reports whether row i has a value.
func (c *Column) Has(i int) bool { return c.Valid == nil || c.Valid[i] }

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	n, err := t.Columns[0].len()
	if err != nil {
		panic("encoding: " + err.Error())
	}
	return n
}

// Column finds a column by name.
func (t *Table) Column(name string) (*Column, bool) {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i], true
		}
	}
	return nil, false
}

// Format is "arrow".
func (t *Table) Format() string { return "arrow" }

// Encode writes the table as an Arrow IPC file.
func (t *Table) Encode(w io.Writer) error { return writeArrow(w, t, false) }

// Concat stacks tables that have the same columns.
func Concat(ts ...*Table) (*Table, error) {
	if len(ts) == 0 {
		return nil, fmt.Errorf("concat: no tables, so the columns of the result are unknown")
	}
	out := &Table{Meta: maps.Clone(ts[0].Meta)}
	for i, c := range ts[0].Columns {
		parts := make([]*Column, len(ts))
		for j, t := range ts {
			if len(t.Columns) != len(ts[0].Columns) || t.Columns[i].Name != c.Name {
				return nil, fmt.Errorf("concat: table %d has the columns %q, but table 0 has %q", j, t.names(), ts[0].names())
			}
			if parts[j] = &t.Columns[i]; parts[j].TypeName() != c.TypeName() {
				return nil, fmt.Errorf("concat: column %q is %s in table %d, but %s in table 0", c.Name, parts[j].TypeName(), j, c.TypeName())
			}
		}
		switch c.Values.(type) {
		case []string:
			c.Values = concatValues[string](parts)
		case []float64:
			c.Values = concatValues[float64](parts)
		case []float32:
			c.Values = concatValues[float32](parts)
		case []int64:
			c.Values = concatValues[int64](parts)
		case []int32:
			c.Values = concatValues[int32](parts)
		case []bool:
			c.Values = concatValues[bool](parts)
		}
		c.Valid = concatValid(parts)
		out.Columns = append(out.Columns, c)
	}
	return out, out.Check()
}

func concatValues[T any](parts []*Column) []T {
	all := make([][]T, len(parts))
	for i, p := range parts {
		all[i] = p.Values.([]T)
	}
	return slices.Concat(all...)
}

func concatValid(parts []*Column) []bool {
	if !slices.ContainsFunc(parts, func(c *Column) bool { return c.Valid != nil }) {
		return nil
	}
	var valid []bool
	for _, c := range parts {
		n, _ := c.len()
		for i := range n {
			valid = append(valid, c.Has(i))
		}
	}
	return valid
}

func (t *Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
