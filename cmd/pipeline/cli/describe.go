package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/dag"
	"prgnn/pipelines/compare"
)

// A content is what the bytes of an artifact hold, as far as this program reads
// it: one of a table, an array, a text, or nothing more than bytes.
type content struct {
	format string
	table  *artifacts.Table
	array  *artifacts.Array
	axes   []string // of the array, when they are known
	text   string
}

// decode reads an artifact.
func decode(b []byte, format string, typ dag.Type) (content, error) {
	c := content{format: format, axes: typ.Axes}
	var err error
	switch format {
	case "arrow":
		c.table, err = artifacts.ReadTable(bytes.NewReader(b))
	case "npy":
		c.array, err = artifacts.ReadArray(bytes.NewReader(b))
	case "text", "json", "tsv", "csv", "markdown", "log":
		if !utf8.Valid(b) {
			return c, errors.New("the text is not UTF-8")
		}
		c.text = string(b)
	}
	return c, err
}

// A columnJSON describes a column of a table.
type columnJSON struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit,omitempty"`
	Doc  string `json:"doc,omitempty"`
}

func columnsJSON(t *artifacts.Table) []columnJSON {
	cols := []columnJSON{}
	for i := range t.Columns {
		c := &t.Columns[i]
		cols = append(cols, columnJSON{c.Name, c.TypeName(), c.Unit, c.Doc})
	}
	return cols
}

// A contentJSON is a content for --json; the fields of what it is not are left out.
type contentJSON struct {
	Rows    *int         `json:"rows,omitempty"`
	Columns []columnJSON `json:"columns,omitempty"`
	DType   string       `json:"dtype,omitempty"`
	Shape   []int        `json:"shape,omitempty"`
	Axes    []string     `json:"axes,omitempty"`
	Stats   *statsJSON   `json:"stats,omitempty"`
	Head    []any        `json:"head,omitempty"` // the first rows of a table, each a list; the first elements of an array
	Text    *string      `json:"text,omitempty"`
}

func (c content) json(rows int) contentJSON {
	var out contentJSON
	switch {
	case c.table != nil:
		n := c.table.Rows()
		out.Rows, out.Columns = &n, columnsJSON(c.table)
		for r := range min(rows, n) {
			row := make([]any, len(c.table.Columns))
			for i := range row {
				row[i] = compare.JSON(compare.Cell(&c.table.Columns[i], r))
			}
			out.Head = append(out.Head, row)
		}
	case c.array != nil:
		out.DType, out.Shape, out.Axes = c.array.DType(), c.array.Shape, c.axes
		values := c.array.Float64s()
		out.Stats = summarize(values).json()
		for _, v := range values[:min(rows, len(values))] {
			out.Head = append(out.Head, compare.JSON(v))
		}
	case c.text != "":
		out.Text = &c.text
	}
	return out
}

// print shows a content to a person: its shape, then its beginning.
func (c content) print(w io.Writer, rows int, indent string) {
	switch {
	case c.table != nil:
		fmt.Fprintf(w, "%s%s × %s\n", indent, count(c.table.Rows(), "row"), count(len(c.table.Columns), "column"))
		printTable(w, c.table, rows, indent)
	case c.array != nil:
		c.printArray(w, indent)
	case c.text != "":
		lines := strings.Split(strings.TrimRight(c.text, "\n"), "\n")
		for _, line := range lines {
			fmt.Fprintln(w, strings.TrimRight(indent+line, " "))
		}
	}
}

func (c content) printArray(w io.Writer, indent string) {
	a := c.array
	values := a.Float64s()
	s := summarize(values)
	fmt.Fprintf(w, "%s%s %s; min %s, median %s, max %s, mean %s, sd %s", indent, a.DType(), compare.Shape(a.Shape, c.axes),
		compare.Rounded(s.min), compare.Rounded(s.median), compare.Rounded(s.max), compare.Rounded(s.mean), compare.Rounded(s.sd))
	if s.nan > 0 {
		fmt.Fprintf(w, ", %d NaN", s.nan)
	}
	fmt.Fprintln(w)
	if len(values) == 0 {
		return
	}
	// The corners of the first matrix.
	first := values
	shape := a.Shape
	if n := len(shape); n > 2 {
		shape = shape[n-2:]
		first = values[:shape[0]*shape[1]]
	}
	preview := strings.TrimRight(artifacts.NewArray(first, shape...).Preview(), "\n")
	fmt.Fprintln(w, indent+strings.ReplaceAll(preview, "\n", "\n"+indent))
}
