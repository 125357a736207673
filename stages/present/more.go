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
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/report"
)

// wholeTable shows a table as it is, with at most so many rows and without the columns hidden.
func wholeTable(t *encoding.Table, most int, hidden ...string) (*report.Table, error) {
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
	for from, to := range map[string]string{"auc": "AUC", "sd": "SD", "ci_low": "95 % CI from", "ci_high": "to",
		"p": "p", "q": "q (FDR)", "auroc": "AUROC"} {
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

// more is the section of the tables and pictures that the file asks for by name.
func (a *author) more() error {
	for _, in := range a.t.All("tables") {
		t, err := in.Table()
		if err != nil {
			return err
		}
		if t.Rows() == 0 {
			continue
		}
		shown, err := wholeTable(t, 200)
		if err != nil {
			return err
		}
		shown.Caption = memberText(in.Coords)
		a.table(shown, "is a result of "+memberText(in.Coords)+".")
	}
	small, wide, err := a.furtherPictures()
	if err != nil {
		return err
	}
	a.show("further results", small, wide)
	return nil
}

// furtherPictures are those of the port figures; each tells by its own title what it shows.
func (a *author) furtherPictures() (small, wide []report.Figure, err error) {
	for _, in := range a.t.All("figures") {
		b, err := in.Bytes()
		if err != nil {
			return nil, nil, err
		}
		f := report.Figure{Format: in.Ref.Format, Data: b,
			Caption: memberText(slices.DeleteFunc(slices.Clone(in.Coords),
				func(c dag.Coord) bool { return c.Axis == "stage" }))}
		f.Title, f.Alt = svgTitle(b)
		if caption := markup.ElementText(b, "metadata"); f.Caption != "" && caption != "" {
			f.Caption += ". " + caption
		} else {
			f.Caption += caption
		}
		if f.Title == "" {
			f.Title = memberText(in.Coords)
		}
		if f.Alt == "" {
			f.Alt = "Figure " + f.Title
		}
		if m := widthOfSVG.FindSubmatch(b[:min(len(b), 2000)]); m != nil {
			if width, _ := strconv.ParseFloat(string(m[1]), 64); width > figure.WidePoints {
				wide = append(wide, f)
				wide[len(wide)-1].Wide = true
				continue
			}
		}
		small = append(small, f)
	}
	return small, wide, nil
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
	return markup.ElementText(b, "title"), markup.ElementText(b, "desc")
}
