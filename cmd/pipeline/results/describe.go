package results

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/dag"
	"prgnn/internal/regular"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
)

// A Content is what the bytes of an artifact hold, to be shown.
type Content struct{ differ.Content }

// Read reads an artifact.
func Read(store artifacts.Reader, ref artifacts.Ref, typ dag.Type) (Content, error) {
	c, err := differ.Read(store, ref, typ)
	return Content{c}, err
}

type columnJSON struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit,omitempty"`
	Doc  string `json:"doc,omitempty"`
}

// Columns describes the columns of a table for --json.
func Columns(t *encoding.Table) []columnJSON {
	cols := []columnJSON{}
	for i := range t.Columns {
		c := &t.Columns[i]
		cols = append(cols, columnJSON{c.Name, c.FileTypeName(), c.Unit, c.Doc})
	}
	return cols
}

// A ContentJSON is a Content for --json; fields of other formats are omitted.
type ContentJSON struct {
	Rows    *int         `json:"rows,omitempty"`
	Columns []columnJSON `json:"columns,omitempty"`
	DType   string       `json:"dtype,omitempty"`
	Shape   []int        `json:"shape,omitempty"`
	Axes    []string     `json:"axes,omitempty"`
	Stats   *stats       `json:"stats,omitempty"`
	Head    []any        `json:"head,omitempty"` // the first rows of a table, each a list; the first elements of an array
	Text    *string      `json:"text,omitempty"`
}

// JSON is the content for --json, with its first rows or elements.
func (c Content) JSON(rows int) ContentJSON {
	var out ContentJSON
	switch {
	case c.Table != nil:
		n := c.Table.Rows()
		out.Rows, out.Columns = &n, Columns(c.Table)
		for r := range min(rows, n) {
			row := make([]any, len(c.Table.Columns))
			for i := range row {
				row[i] = differ.JSON(c.Table.Columns[i].Value(r))
			}
			out.Head = append(out.Head, row)
		}
	case c.Array != nil:
		out.DType, out.Shape, out.Axes = c.Array.FileDType(), c.Array.Shape, c.Axes
		if c.Array.IsComplex() {
			parts := c.Array.Parts()
			for i := range min(rows, c.Array.Len()) {
				out.Head = append(out.Head, complexText(parts[2*i:], -1))
			}
			return out
		}
		values := c.Array.Float64s()
		out.Stats = summarize(values)
		for _, v := range values[:min(rows, len(values))] {
			out.Head = append(out.Head, differ.JSON(v))
		}
	case c.Text != "":
		out.Text = &c.Text
	}
	return out
}

// Print shows a content to a person: its shape, then its beginning.
func (c Content) Print(a *console.Console, rows int, indent string) {
	w := a.Out
	switch {
	case c.Table != nil:
		fmt.Fprintf(w, "%s%s × %s\n", indent, words.Count(c.Table.Rows(), "row"),
			words.Count(len(c.Table.Columns), "column"))
		printTable(a, c.Table, rows, indent)
	case c.Array != nil:
		c.printArray(w, a.Wide(), indent)
	case c.Text != "":
		for line := range strings.SplitSeq(strings.TrimRight(c.Text, "\n"), "\n") {
			fmt.Fprintln(w, strings.TrimRight(indent+line, " "))
		}
	}
}

func (c Content) printArray(w io.Writer, wide int, indent string) {
	a := c.Array
	if a.IsComplex() {
		fmt.Fprintf(w, "%s%s %s\n", indent, a.FileDType(), differ.Shape(a.Shape, c.Axes))
		parts := a.Parts()
		printCorners(w, wide, a.Len(), func(i int) string { return complexText(parts[2*i:], 6) }, a.Shape, indent)
		return
	}
	values := a.Float64s()
	fmt.Fprintf(w, "%s%s %s", indent, a.FileDType(), differ.Shape(a.Shape, c.Axes))
	if s := summarize(values); len(values) != 1 {
		fmt.Fprintf(w, "; min %v, median %v, max %v, mean %v, sd %v", s.Min, s.Median, s.Max, s.Mean, s.SD)
		if s.NaN > 0 {
			fmt.Fprintf(w, ", %d NaN", s.NaN)
		}
	}
	fmt.Fprintln(w)
	printCorners(w, wide, len(values), func(i int) string { return fmt.Sprintf("%.6g", values[i]) }, a.Shape, indent)
}

// complexText is a complex number as Python writes it, with so many digits; -1 for all.
func complexText(parts []float64, digits int) string {
	re, im := strconv.FormatFloat(parts[0], 'g', digits, 64), strconv.FormatFloat(parts[1], 'g', digits, 64)
	if !strings.HasPrefix(im, "-") && !strings.HasPrefix(im, "+") {
		im = "+" + im
	}
	return re + im + "j"
}

// printCorners shows the first matrix of an array: all of it, or its corners when it is large, which are narrower where
// a terminal of wide columns has no room.
func printCorners(w io.Writer, wide, n int, text func(i int) string, shape []int, indent string) {
	if n == 0 {
		return
	}
	rows, columns := 1, 1
	if n := len(shape); n > 0 {
		columns = shape[n-1]
		if n > 1 {
			rows = shape[n-2]
		}
	}
	for size := 4; ; size-- {
		g := console.Grid{Indent: indent, Right: map[int]bool{}}
		shown := corner(columns, size)
		for i := range shown {
			g.Right[i] = true
		}
		for _, r := range corner(rows, 4) {
			var cells []string
			for _, c := range shown {
				if r < 0 || c < 0 {
					cells = append(cells, "…")
				} else {
					cells = append(cells, text(r*columns+c))
				}
			}
			g.Add(cells...)
		}
		if size == 1 || wide == 0 || g.Width() <= wide {
			g.Print(w)
			return
		}
	}
}

// corner lists the first n numbers or, of more than two beside those of both ends, as many of the first and the last
// with -1 for what is left out.
func corner(n, ends int) []int {
	var all []int
	for i := range n {
		switch {
		case n <= 2*ends+2 || i < ends || i >= n-ends:
			all = append(all, i)
		case i == ends:
			all = append(all, -1)
		}
	}
	return all
}

// FormatOf is npy, arrow or parquet by the first bytes of a file, else image.
func FormatOf(magic []byte) string {
	for _, m := range []struct{ start, format string }{{"\x93NUMPY", "npy"}, {"ARROW1", "arrow"}, {"PAR1", "parquet"}} {
		if bytes.HasPrefix(magic, []byte(m.start)) {
			return m.format
		}
	}
	return "image"
}

// ReadHead reads the first 64 bytes of a file.
func ReadHead(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 64)
	n, err := f.Read(b)
	return b[:n], err
}
