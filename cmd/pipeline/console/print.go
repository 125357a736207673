package console

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Grid is text in columns. Columns are as wide as their widest cell; those
// marked in right are set flush right.
type Grid struct {
	Indent string
	Right  map[int]bool
	// Wide is how many columns a terminal has; 0 is no limit. A last cell of text is wrapped into them, beside the
	// other cells or below them. If the others are too wide, too, the grid is printed in parts, each with the
	// first column.
	Wide int
	Rows [][]string
}

// Add adds a row.
func (g *Grid) Add(cells ...string) {
	for i := range cells {
		cells[i] = Visible(cells[i])
	}
	g.Rows = append(g.Rows, cells)
}

// widths are those of the columns.
func (g *Grid) widths() (width []int) {
	for _, row := range g.Rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	return width
}

// Width is how many columns the lines have at most.
func (g *Grid) Width() int {
	n := utf8.RuneCountInString(g.Indent) - 2
	for _, w := range g.widths() {
		n += w + 2
	}
	return n
}

// Print writes all rows.
func (g *Grid) Print(w io.Writer) {
	width := g.widths()
	hang, all := utf8.RuneCountInString(g.Indent), 0
	for i := range width {
		if all = hang + width[i]; i+1 < len(width) {
			hang += width[i] + 2
		}
	}
	if g.Wide > 0 && all > g.Wide && len(width) > 1 && (hang > g.Wide || g.Right[len(width)-1]) {
		g.printParts(w, width)
		return
	}
	below := hang+30 > g.Wide && all > g.Wide // too little room beside the other cells
	var line strings.Builder
	for _, row := range g.Rows {
		line.Reset()
		line.WriteString(g.Indent)
		last, under := len(row)-1, ""
		if g.Wide > 0 && last > 0 {
			if below {
				row, under = row[:last], Wrapped(row[last], g.Indent+"    ", g.Wide)
			} else {
				text := Wrapped(row[last], strings.Repeat(" ", hang), g.Wide)
				row = append(slices.Clone(row[:last]), strings.TrimLeft(text, " "))
			}
		}
		for i, cell := range row {
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell)))
			if i > 0 {
				line.WriteString("  ")
			}
			if g.Right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
		if under != "" {
			fmt.Fprintln(w, under)
		}
	}
}

// printParts writes as many columns as there is room for, and the others below them.
func (g *Grid) printParts(w io.Writer, width []int) {
	for from := 1; from < len(width); {
		part, room := Grid{Indent: g.Indent, Right: map[int]bool{0: g.Right[0]}}, g.Wide-len(g.Indent)-width[0]
		to := from
		for to < len(width) && (to == from || room >= width[to]+2) {
			part.Right[to-from+1] = g.Right[to]
			room -= width[to] + 2
			to++
		}
		for _, row := range g.Rows {
			cells := slices.Clone(row[:min(1, len(row))])
			part.Rows = append(part.Rows, append(cells, row[min(from, len(row)):min(to, len(row))]...))
		}
		if from > 1 {
			fmt.Fprintln(w)
		}
		part.Print(w)
		from = to
	}
}

// Wrapped breaks a text into lines of at most wide columns, each behind the indent.
func Wrapped(text, indent string, wide int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			b.WriteString(indent)
			at = utf8.RuneCountInString(indent)
		case at+1+n > wide:
			b.WriteString("\n" + indent)
			at = utf8.RuneCountInString(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// Seconds is a duration for a person.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return strconv.FormatFloat(s, 'f', 3, 64) + " s"
	case s < 100:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s < 6000:
		return fmt.Sprintf("%d min %02d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %02d min", int(s)/3600, int(s)/60%60)
}

// ByteCount is a size for a person (powers of 1000).
func ByteCount(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB"} {
		v /= 1000
		if v < 999.5 || unit == "TB" {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
	}
	panic("unreachable")
}

// Clip shortens a line to a width, ending it in an ellipsis.
func Clip(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return string([]rune(s)[:width-1]) + "…"
}

// Short is the beginning of a digest or key, enough to tell them apart.
func Short(hex string) string { return hex[:min(len(hex), 12)] }
