package present

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/report"
)

// shownTable turns a table into one of the report, with at most so many rows. The
// columns hidden are left out.
func shownTable(t *encoding.Table, most int, hidden ...string) (*report.Table, error) {
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
		head := report.Head{Text: plainName(c.Name), Doc: c.Doc}
		if c.Unit != "" {
			head.Text += " (" + unitName(c.Unit) + ")"
		}
		text, err := t.Strings(c.Name)
		if err != nil {
			return nil, err
		}
		switch c.Values.(type) {
		case []float64, []float32:
			head.Number = true
			v, err := t.Floats(c.Name)
			if err != nil {
				return nil, err
			}
			text = make([]string, len(v))
			for i, x := range v {
				text[i] = shownNumber(c.Name, x)
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
		out.Note = fmt.Sprintf("The first %d of %d rows.", n, t.Rows())
	}
	return out, nil
}

// plainName writes the name of a column for people.
func plainName(name string) string {
	for from, to := range map[string]string{"auc": "AUC", "sd": "SD", "ci_low": "95 % CI from", "ci_high": "to", "p": "p", "q": "q (FDR)", "auroc": "AUROC"} {
		if name == from {
			return to
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// shownNumber writes a number to three places where it is a share, in three digits
// otherwise; a p value of nothing is below what can be told.
func shownNumber(column string, x float64) string {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return "n/a"
	case (column == "p" || column == "q" || strings.HasPrefix(column, "p_value")) && x < 0.001:
		return "< 0.001"
	case a <= 1 && a >= 0.0005, x == 0 && column != "":
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
	return report.Short(x)
}

// further shows the tables and pictures that the file asks for by name.
func (r *reporter) more() (report.Section, error) {
	s := report.Section{ID: "more", Title: "More tables and figures"}
	for _, in := range r.t.All("tables") {
		t, err := in.Table()
		if err != nil {
			return s, err
		}
		if t.Rows() == 0 {
			continue
		}
		shown, err := shownTable(t, 200)
		if err != nil {
			return s, err
		}
		shown.Caption = memberText(in.Coords)
		s.Blocks = append(s.Blocks, report.Block{Table: shown})
	}
	if len(s.Blocks) == 0 {
		s.Title = "More figures"
	}
	figures, err := r.pictures("figures")
	if len(figures) > 0 {
		s.Blocks = append(s.Blocks, report.Block{Figures: figures})
	}
	return s, err
}

// pictures are those of a gathering port; each tells by its own title what it shows.
func (r *reporter) pictures(port string) (figures []report.Figure, err error) {
	for _, in := range r.t.All(port) {
		b, err := in.Bytes()
		if err != nil {
			return nil, err
		}
		// An SVG of ours says itself what it shows.
		f := report.Figure{Format: in.Ref.Format, Data: b, Caption: memberText(slices.DeleteFunc(slices.Clone(in.Coords), func(c dag.Coord) bool { return c.Axis == "stage" }))}
		f.Title, f.Alt = svgTitle(b)
		if f.Title == "" {
			f.Title = memberText(in.Coords)
		}
		if f.Alt == "" {
			f.Alt = "Figure " + f.Title
		}
		if m := widthOfSVG.FindSubmatch(b[:min(len(b), 2000)]); m != nil {
			width, _ := strconv.ParseFloat(string(m[1]), 64)
			f.Wide = width > figure.WidePoints
		}
		figures = append(figures, f)
	}
	return figures, nil
}

var widthOfSVG = regexp.MustCompile(`<svg[^>]* width="([0-9.]+)pt"`)

// memberText names a member of a fan-out, the stage that it is of first.
func memberText(coords []dag.Coord) string {
	var parts []string
	for _, c := range coords {
		if c.Axis == "stage" {
			parts = append([]string{c.Value}, parts...)
		} else {
			parts = append(parts, c.Axis+" "+c.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// svgTitle reads what an SVG says that it shows: the texts of its elements title
// and desc at the top.
func svgTitle(b []byte) (title, desc string) {
	if !strings.Contains(string(b[:min(len(b), 1000)]), "<svg") {
		return "", ""
	}
	return elementText(b, "title"), elementText(b, "desc")
}
