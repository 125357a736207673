package participants

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/stages/column"
	"prgnn/stages/finding"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A report shows the scans of up to 50 participants. Those of up to 1000 are pages of their own beside it; of more the
// pages would take longer than a run that has nothing to do.
const (
	ShownScans = 50
	PagedScans = 1000
)

// ScanQuality shows each participant's scan, to be rated, or leads to its page.
func (a *Cohort) ScanQuality() {
	ins := a.T.All("scans")
	switch {
	case !a.Pictures || len(ins) == 0:
		return
	case len(ins) > PagedScans:
		stage := "STAGE"
		if of := a.Run.Of("figure-qc"); of != nil {
			stage = of.Stage
		}
		a.Put("scans.too-many", values{"N": len(ins), "Most": PagedScans, "Stage": stage})
		return
	case len(ins) > ShownScans:
		a.scanLinks(ins)
		return
	}
	var pages []report.Figure
	rows := a.scanRows(ins)
	for i, in := range ins {
		f, err := scanFigure(in)
		a.Fail(err)
		f.Measures = a.measures(rows[i])
		pages = append(pages, f)
	}
	if shared := sharedSentences(pages); shared != "" {
		a.Add(report.Block{Text: shared})
	}
	a.Show(nil, pages)
}

// sharedSentences takes the sentences that the captions of all of several figures have out of them: they are said once.
func sharedSentences(figures []report.Figure) string {
	if len(figures) < 2 {
		return ""
	}
	count := map[string]int{}
	captions := lists.Map(figures, func(f report.Figure) []string { return strings.SplitAfter(f.Caption, ". ") })
	for _, sentences := range captions {
		for _, s := range sentences {
			count[strings.TrimSpace(s)]++
		}
	}
	var shared []string
	for i, sentences := range captions {
		var own []string
		for _, s := range sentences {
			if s = strings.TrimSpace(s); count[s] < len(figures) {
				own = append(own, s)
			} else if i == 0 {
				shared = append(shared, s)
			}
		}
		figures[i].Caption = strings.Join(own, " ")
	}
	return strings.Join(shared, " ")
}

// scanFigure is the picture of one scan.
func scanFigure(in dag.Input) (report.Figure, error) {
	b, err := in.Bytes()
	f := report.Figure{Format: in.Ref.Format, Data: b, Wide: true, Rated: in.Coord("subject"),
		Caption: markup.ElementText(b, "metadata")}
	if f.Title, f.Alt = section.SVGTitle(b); f.Rated != "" {
		f.Title = scanName(in)
	}
	return f, err
}

// scanRows are the measures of each scan, by the names of their columns.
func (a *Cohort) scanRows(ins []dag.Input) []values {
	cleaned := map[string]column.CleaningRow{}
	for in, rows := range section.Members[column.CleaningRow](a.Writer, "cleaning") {
		if len(rows) == 1 {
			cleaned[in.Coord("subject")] = rows[0]
		}
	}
	outlier, typicality := map[string]string{}, map[string]float64{}
	for _, rows := range section.Members[column.TypicalityRow](a.Writer, "typicality") {
		for _, r := range rows {
			typicality[r.Participant] = r.Typicality
			outlier[r.Participant] = a.Text("typicality.measures", values{"Measures": r.Outlier})
		}
	}
	motion := map[string]float64{} // of the table of participants, by which outliers were found
	if a.column(column.MeanFD) {
		v, err := a.People.Floats(column.MeanFD)
		a.Fail(err)
		for i := range v {
			motion[a.Who.Ids[i]] = v[i]
		}
	}
	return lists.Map(ins, func(in dag.Input) values {
		who := ratedAs(in)
		all := values{"Participant": scanName(in), "Outlier": outlier[who], "Typicality": nil,
			"Kept": nil, "MeanFD": nil, "MaxFD": nil, "TEff": nil}
		if row, ok := cleaned[who]; ok {
			maps.Copy(all, finding.Values(row))
		}
		if r, ok := typicality[who]; ok {
			all["Typicality"] = r
		}
		if fd, known := all["MeanFD"].(float64); !known || math.IsNaN(fd) {
			if all["MeanFD"], known = motion[who]; !known {
				all["MeanFD"] = nil
			}
		}
		return all
	})
}

// ratedAs is the participant whom a rating of a scan is about.
func ratedAs(in dag.Input) string { return cmp.Or(in.Coord("subject"), scanName(in)) }

// measures are those of a scan by which a reader finds the worst.
func (a *Cohort) measures(of values) (all []report.Measure) {
	for _, m := range []struct {
		key, field string
		least      bool
	}{{"mean-fd", "MeanFD", false}, {"max-fd", "MaxFD", false}, {"kept", "Kept", true}, {"dof", "TEff", true},
		{"typicality", "Typicality", true}} {
		x, known := of[m.field].(float64)
		if n, is := of[m.field].(int32); is {
			x, known = float64(n), true
		}
		if known && !math.IsNaN(x) {
			c, err := wording.ColumnOf("scans.pages", m.key, of)
			a.Fail(err)
			all = append(all, report.Measure{Name: c.Head, Value: x, Least: m.least})
		}
	}
	return all
}

// scanLinks is a table of the participants with links to their pages.
func (a *Cohort) scanLinks(ins []dag.Input) {
	rows := a.scanRows(ins)
	files, dir := report.SheetFiles(scanNames(ins)), report.SheetDir(a.Run.Pipeline)
	t := section.Lay(a.Writer, "scans.pages", nil, rows, "participant | kept? mean-fd? max-fd? dof? typicality? outlier?")
	t.Supplement = true
	for i := range t.Rows {
		t.Rows[i][0].Sheet = &report.Sheet{Dir: dir, File: files[i], Participant: ratedAs(ins[i]),
			Measures: a.measures(rows[i])}
	}
	a.Put("scans.linked", values{"N": len(ins), "Table": a.Count.Table(t)})
	a.Add(report.Block{Table: t})
}

// scanNames are the participants of pictures.
func scanNames(ins []dag.Input) []string { return lists.Map(ins, scanName) }

// scanName is the participant, with the session or the run where the scan is one of several.
func scanName(in dag.Input) string {
	name := in.Coord("subject")
	if name == "" {
		return wording.MemberText(in.Coords)
	}
	for _, part := range []string{"session", "run"} {
		if of := in.Coord(part); of != "" {
			name += " " + part + " " + of
		}
	}
	return name
}

// A ScanPage is the page of one scan beside a report.
type ScanPage struct {
	File string
	HTML func() ([]byte, error)
}

// ScanPages are the pages of the scans that the report leads to, by its inputs scans and participants; none where the
// report shows the scans itself.
func ScanPages(t *dag.Task) ([]ScanPage, error) {
	ins := t.All("scans")
	if len(ins) <= ShownScans || len(ins) > PagedScans {
		return nil, nil
	}
	simulated := false
	if t.Has("participants") {
		who, err := column.ReadPeople(t.In("participants"))
		if err != nil {
			return nil, err
		}
		simulated = who.Simulated
	}
	names := scanNames(ins)
	pages, files := make([]ScanPage, len(ins)), report.SheetFiles(names)
	for i, file := range files {
		turn := &report.Turn{At: i + 1, Of: len(files)}
		if i > 0 {
			turn.Previous = files[i-1]
		}
		if i+1 < len(files) {
			turn.Next = files[i+1]
		}
		pages[i] = ScanPage{file, func() ([]byte, error) {
			f, err := scanFigure(ins[i])
			if err != nil {
				return nil, err
			}
			f.Number, f.Rated = strconv.Itoa(i+1), cmp.Or(f.Rated, names[i])
			title, err := wording.Text("scans.page", nil)
			if err != nil {
				return nil, err
			}
			page := report.Page{Title: names[i], Simulated: simulated, Turn: turn,
				Sections: []report.Section{{ID: "scan", Title: title, Blocks: []report.Block{{Figure: &f}}}}}
			var b bytes.Buffer
			err = page.HTML(&b)
			return b.Bytes(), err
		}}
	}
	return pages, nil
}
