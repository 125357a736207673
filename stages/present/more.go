package present

import (
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
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
		shown.Caption, shown.Note = a.furtherTitle(in), t.Meta["note"]
		if found := a.accuracies(t, in); found != "" {
			shown.Caption += ". " + found
		}
		a.LongTable(shown, most)
	}
	a.Show(a.furtherPictures())
}

// furtherTitle is the title of a table that the file asks for by name: the stage and output, where one is known, and
// the member of a fan-out.
func (a *author) furtherTitle(in dag.Input) string {
	var from []column.Result
	for i := range a.Run.Stages {
		if s := &a.Run.Stages[i]; s.Kind == "report" {
			from = append(from, s.Inputs["tables"]...)
		}
	}
	if len(from) != 1 || in.Coord("stage") != "" {
		return wording.MemberText(in.Coords)
	}
	return a.Text("tables.further", values{"Stage": from[0].Stage, "Output": from[0].Output,
		"Member": wording.MemberText(in.Coords)})
}

// accuracies are what a summary of evaluate has found; "" of another table.
func (a *author) accuracies(t *encoding.Table, in dag.Input) string {
	type row struct {
		Name     string  `column:"name"`
		Level    string  `column:"level"`
		Accuracy float64 `column:"accuracy,missing"`
		Low      float64 `column:"ci_low,missing"`
		High     float64 `column:"ci_high,missing"`
		Majority float64 `column:"majority,missing"`
	}
	for _, name := range []string{"name", "level", "accuracy", "ci_low", "ci_high", "majority"} {
		if _, ok := t.Column(name); !ok {
			return ""
		}
	}
	rows, err := column.Read[row](in)
	a.Fail(err)
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.Level != "participant" })
	if len(rows) == 0 {
		return ""
	}
	const most = 6
	return a.Text("table.found", values{"Rows": rows[:min(len(rows), most)], "More": len(rows) > most,
		"Majority": rows[0].Majority})
}

// furtherPictures are those of the port figures; each tells by its own title what it shows.
func (a *author) furtherPictures() (small, wide []report.Figure) {
	for _, in := range a.T.All("figures") {
		b, err := in.Bytes()
		a.Fail(err)
		f := report.Figure{Format: in.Ref.Format, Data: b, Caption: markup.ElementText(b, "metadata")}
		f.Title, f.Alt = section.SVGTitle(b)
		if of := column.Without(in.Coords, "stage"); len(of) > 0 {
			member := a.Text("figure.member", values{"Member": wording.MemberText(of)})
			f.Caption = strings.TrimSpace(f.Caption + " " + member)
		}
		if f.Title == "" {
			f.Title = wording.UpperFirst(wording.MemberText(in.Coords))
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
