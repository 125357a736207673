package cli

import (
	"fmt"
	"io"

	"prgnn/pipelines/compare"
)

// compareContents tells how two contents of one port differ. Equal ones give nil.
func compareContents(a, b content) *compare.Difference {
	switch {
	case a.format != b.format:
		return &compare.Difference{Kind: "bytes", Text: fmt.Sprintf("%s became %s", a.format, b.format)}
	case a.array != nil && b.array != nil:
		return compare.Arrays(a.array, b.array, a.axes, b.axes)
	case a.table != nil && b.table != nil:
		return compare.Tables(a.table, b.table)
	case a.text != "" || b.text != "":
		return compare.Texts(a.text, b.text)
	}
	return &compare.Difference{Kind: "bytes", Text: "the bytes differ"}
}

// printDifference shows the first differing cells.
func printDifference(w io.Writer, d *compare.Difference, indent string) {
	g := grid{indent: indent}
	for _, p := range d.Pairs {
		a, b := p.Text()
		g.add(p.Where, clip(a, 60), "→", clip(b, 60))
	}
	g.print(w)
	if more := d.Cells - len(d.Pairs); more > 0 && len(d.Pairs) > 0 {
		fmt.Fprintf(w, "%s… %d more\n", indent, more)
	}
}
