package results

import (
	"io"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/internal/words"
	"prgnn/pipelines/compare"
)

// printTable shows the first rows of a table to a person.
func printTable(w io.Writer, t *encoding.Table, rows int, indent string) {
	g := console.Grid{Indent: indent, Right: map[int]bool{}}
	var names []string
	for i := range t.Columns {
		c := &t.Columns[i]
		name := c.Name
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		names = append(names, name)
		_, isText := c.Values.([]string)
		g.Right[i] = !isText
	}
	g.Add(names...)
	n := min(rows, t.Rows())
	for r := range n {
		var cells []string
		for i := range t.Columns {
			text := "n/a"
			if v := compare.Cell(&t.Columns[i], r); v != nil {
				text = console.Clip(compare.Rounded(v), 40)
			}
			cells = append(cells, text)
		}
		g.Add(cells...)
	}
	g.Print(w)
	if more := t.Rows() - n; more > 0 {
		io.WriteString(w, indent+"… "+words.Count(more, "row")+" more\n")
	}
}
