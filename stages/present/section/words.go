package section

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// WholeTable shows a table as it is, with at most so many rows and without the columns hidden.
func (w *Writer) WholeTable(t *encoding.Table, most int, hidden ...string) *report.Table {
	out := &report.Table{}
	n := min(t.Rows(), most)
	out.Rows = make([][]report.Cell, n)
	keys := true
	// Where the classifier stands in words, its coordinates are for programs.
	named := slices.ContainsFunc(t.Columns, func(c encoding.Column) bool { return c.Doc == column.NameDoc })
	for _, c := range t.Columns {
		if slices.Contains(hidden, c.Name) || named && c.Doc == column.CoordinateDoc {
			continue
		}
		head := report.Head{Text: wording.PlainName(c.Name), Doc: c.Doc}
		if c.Unit != "" {
			head.Text += " (" + wording.UnitName(c.Unit) + ")"
		}
		text := make([]string, t.Rows())
		for i := range text {
			text[i] = c.Text(i)
		}
		switch c.Values.(type) {
		case []float64, []float32:
			head.Number = true
			v, err := t.Floats(c.Name)
			w.Fail(err)
			above := func(x float64) bool { return math.Abs(x) > 1 }
			fraction := func(x float64) bool { return x != math.Trunc(x) && !math.IsNaN(x) }
			shares := !slices.ContainsFunc(v, above) && (c.Doc != "" || slices.ContainsFunc(v, fraction))
			for i, x := range v {
				text[i] = shownNumber(c.Name, x, shares)
			}
		case []int32, []int64:
			head.Number = true
		}
		if keys = keys && !head.Number; keys && out.Keys < 1 {
			out.Keys++
		}
		out.Heads = append(out.Heads, head)
		for i := range n {
			out.Rows[i] = append(out.Rows[i], report.Cell{Text: text[i]})
		}
	}
	if t.Rows() > n {
		out.Note = w.Text("table.first-rows", wording.Values{"N": n, "Of": t.Rows()})
	}
	return out
}

// shownNumber writes a number to three places where it may be a share, in three digits otherwise; a p value of nothing
// is below what can be told. Whole numbers are written as such where the column holds others than shares: counts, and
// codes, of which only a column that nobody describes may have just 0 and 1.
func shownNumber(column string, x float64, shares bool) string {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return "n/a"
	case (column == "p" || column == "q" || strings.HasPrefix(column, "p_value")) && x < 0.001:
		return "< 0.001"
	case x == math.Trunc(x) && !shares:
	case a <= 1 && a >= 0.0005, x == 0 && column != "":
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
	return report.Short(x)
}

// OrItself looks a key up; a key without words stands for itself.
func OrItself(words map[string]string, key string) string {
	if w := words[key]; w != "" {
		return w
	}
	return key
}

// SVGTitle reads what an SVG says that it shows: the texts of its elements title
// and desc at the top.
func SVGTitle(b []byte) (title, desc string) {
	if !strings.Contains(string(b[:min(len(b), 1000)]), "<svg") {
		return "", ""
	}
	return markup.ElementText(b, "title"), markup.ElementText(b, "desc")
}
