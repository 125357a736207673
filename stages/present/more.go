package present

import (
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// more is the section of the tables and pictures that the file asks for by name.
func (a *author) more() {
	const most = 30 // rows in the text; longer tables are folded away
	for _, in := range a.T.All("tables") {
		t := a.TableOf(in)
		if t.Rows() == 0 {
			continue
		}
		shown := a.WholeTable(t, 200)
		shown.Caption, shown.Note = wording.MemberText(in.Coords), t.Meta["note"]
		a.LongTable(shown, most)
	}
	a.Show(a.furtherPictures())
}

// furtherPictures are those of the port figures; each tells by its own title what it shows.
func (a *author) furtherPictures() (small, wide []report.Figure) {
	for _, in := range a.T.All("figures") {
		b, err := in.Bytes()
		a.Fail(err)
		f := report.Figure{Format: in.Ref.Format, Data: b,
			Caption: wording.MemberText(column.Without(in.Coords, "stage"))}
		f.Title, f.Alt = section.SVGTitle(b)
		if caption := markup.ElementText(b, "metadata"); f.Caption != "" && caption != "" {
			f.Caption += ". " + caption
		} else {
			f.Caption += caption
		}
		if f.Title == "" {
			f.Title = wording.MemberText(in.Coords)
		}
		if f.Alt == "" {
			f.Alt = "Figure " + f.Title
		}
		if f.Wide = f.Points() > figure.WidePoints; f.Wide {
			wide = append(wide, f)
		} else {
			small = append(small, f)
		}
	}
	return small, wide
}
