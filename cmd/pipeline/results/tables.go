package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/cmd/pipeline/console"
	"prgnn/internal/words"
	"prgnn/pipelines/differ"
	"prgnn/stages/column"
	"prgnn/stages/wording"
)

// printTable shows the first rows of a table to a person.
func printTable(a *console.Console, t *encoding.Table, rows int, indent string) {
	g := console.Grid{Indent: indent, Right: map[int]bool{}, Wide: a.Wide()}
	var names []string
	for i := range t.Columns {
		c := &t.Columns[i]
		name := c.Name
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		names = append(names, name)
		_, isText := c.Values.([]string)
		g.Right[i] = !isText && !c.IsArrow()
	}
	g.Add(names...)
	n := min(rows, t.Rows())
	draws := drawsOf(t)
	for r := range n {
		var cells []string
		for i := range t.Columns {
			text := "n/a"
			if v := t.Columns[i].Value(r); v != nil {
				if cell, ok := v.(string); ok && cell != "" && t.Columns[i].Name == column.Warning {
					v = strings.Join(wording.Warned(cell), "; ")
				}
				text = console.Clip(differ.Rounded(v), 40)
				if p, ok := v.(float64); ok && draws != nil && slices.Contains(drawnP, t.Columns[i].Name) {
					text = cmp.Or(words.LeastP(p, int(draws[r])), text)
				}
			}
			cells = append(cells, text)
		}
		g.Add(cells...)
	}
	g.Print(a.Out)
	if more := t.Rows() - n; more > 0 {
		io.WriteString(a.Out, indent+"… "+words.Count(more, "row")+" more\n")
	}
}

// drawnP are the columns with the p of a test by random draws.
var drawnP = []string{"p", "auc_p", "p_any"}

// drawsOf are the random draws of the tests of a table, a row each; nil where it does not say them.
func drawsOf(t *encoding.Table) []int64 {
	for _, name := range []string{"permutations", "choices"} {
		if _, ok := t.Column(name); ok {
			if draws, err := t.Ints(name); err == nil {
				return draws
			}
		}
	}
	return nil
}

// PrintDifference shows the first differing cells.
func PrintDifference(w io.Writer, d *differ.Difference, indent string) {
	g := console.Grid{Indent: indent}
	for _, p := range d.Pairs {
		a, b := p.Text()
		g.Add(p.Where, console.Clip(a, 60), "→", console.Clip(b, 60))
	}
	g.Print(w)
	if more := d.Cells - len(d.Pairs); more > 0 && len(d.Pairs) > 0 {
		fmt.Fprintf(w, "%s… %d more\n", indent, more)
	}
}
