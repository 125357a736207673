package section

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/finding"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A Writer writes the sections of one page, from the inputs that are connected.
type Writer struct {
	T        *dag.Task         // the inputs
	Run      *finding.Settings // the parameters
	Pictures bool              // the page has figures

	Page     *report.Page
	Findings finding.List // of all rules, written by Cautions
	err      error        // the first

	Evaluated [][]dag.Coord // coordinates of the results of the page
	Count     report.Count
	Section   *report.Section // the section being written

	// Written are the titles of the sections that have an entry of the catalog, by its code.
	Written map[string][]string
	codes   map[string]bool // of the section being written
}

// NewWriter is the writer of an empty page.
func NewWriter(t *dag.Task) *Writer {
	return &Writer{T: t, Page: &report.Page{}, Run: &finding.Settings{}, Section: &report.Section{},
		Written: map[string][]string{}, codes: map[string]bool{}}
}

// Begin begins a section.
func (w *Writer) Begin(id, title string) {
	w.Section, w.codes = &report.Section{ID: id, Title: title}, map[string]bool{}
}

// End adds the section to the page unless it is empty.
func (w *Writer) End() {
	if len(w.Section.Blocks) > 0 {
		w.Page.Sections = append(w.Page.Sections, *w.Section)
		w.Keep()
	}
}

// Keep notes which entries the section has.
func (w *Writer) Keep() {
	for code := range w.codes {
		w.Written[code] = append(w.Written[code], w.Section.Title)
	}
}

// Fail keeps an error, unless another came before: the page is not written, and a section need not stop.
func (w *Writer) Fail(err error) { w.err = cmp.Or(w.err, err) }

// Err is the first error.
func (w *Writer) Err() error { return w.err }

// ReadSettings reads the parameters of the pipeline, where they are connected.
func (w *Writer) ReadSettings() {
	run, err := finding.ReadSettings(w.T)
	if w.Fail(err); err == nil {
		*w.Run = *run
	}
}

// Rows are those at a port; none where it is not connected, or cannot be read.
func Rows[R any](w *Writer, port string) []R {
	rows, err := column.ReadPort[R](w.T, port)
	w.Fail(err)
	return rows
}

// Members are the rows of each member of a gathering port.
func Members[R any](w *Writer, port string) iter.Seq2[dag.Input, []R] {
	return func(yield func(dag.Input, []R) bool) {
		for _, in := range w.T.All(port) {
			rows, err := column.Read[R](in)
			if w.Fail(err); !yield(in, rows) {
				return
			}
		}
	}
}

// TableOf is the table of an input; an empty one where it cannot be read.
func (w *Writer) TableOf(in dag.Input) *encoding.Table {
	table, err := in.Table()
	if err != nil {
		w.Fail(err)
		return &encoding.Table{}
	}
	return table
}

// Tables are those of each member of a gathering port.
func (w *Writer) Tables(port string) iter.Seq2[dag.Input, *encoding.Table] {
	return func(yield func(dag.Input, *encoding.Table) bool) {
		for _, in := range w.T.All(port) {
			if !yield(in, w.TableOf(in)) {
				return
			}
		}
	}
}

// Meta is a value in the metadata of an input's table; the zero value where there is none, or it cannot be read.
func Meta[T any](w *Writer, in dag.Input, key string) T {
	v, err := column.MetaOf[T](w.TableOf(in).Meta, key)
	if err != nil {
		w.Fail(fmt.Errorf("%s: %w", in.Name, err))
	}
	return v
}

// Text writes an entry of the catalog.
func (w *Writer) Text(code string, values any) string {
	text, err := wording.Text(code, values)
	if w.Fail(err); text != "" {
		w.Has(code)
	}
	return text
}

// Has notes that the section has an entry.
func (w *Writer) Has(code string) { w.codes[code] = true }

// Put adds a paragraph, an entry of the catalog.
func (w *Writer) Put(code string, values any) { w.Add(report.Block{Text: w.Text(code, values)}) }

// Find adds findings to the cautions.
func (w *Writer) Find(all ...finding.Finding) { w.Findings.Add(all...) }

// FindOf adds findings about what the page has with some coordinates. They state its settings where results are of
// others, too.
func (w *Writer) FindOf(some [][]dag.Coord, all ...finding.Finding) {
	w.Find(finding.Within(some, w.Evaluated, all...)...)
}

// At are the coordinates of the members at ports.
func (w *Writer) At(ports ...string) (all [][]dag.Coord) {
	for _, port := range ports {
		for _, in := range w.T.All(port) {
			all = append(all, in.Coords)
		}
	}
	return all
}

// Cautions are the findings in words, those with the same fault as one.
func (w *Writer) Cautions() (texts []string) {
	for _, g := range w.Findings.Grouped() {
		text, err := wording.Finding(g)
		w.Fail(err)
		texts = append(texts, text)
	}
	return texts
}

// Add adds a block to the section.
func (w *Writer) Add(b report.Block) { w.Section.Blocks = append(w.Section.Blocks, b) }

// Heading adds a heading within the section.
func (w *Writer) Heading(text string) { w.Add(report.Block{Heading: text}) }

// Table adds a table.
func (w *Writer) Table(t *report.Table) {
	w.Count.Table(t)
	w.Add(report.Block{Table: t})
}

// LongTable is Table; a table of more than so many rows is folded away.
func (w *Writer) LongTable(t *report.Table, most int) {
	t.Supplement = len(t.Rows) > most
	w.Table(t)
}

// Supplement adds a table that is folded away.
func (w *Writer) Supplement(t *report.Table) {
	t.Supplement = true
	w.Table(t)
}

// Figure adds a chart.
func (w *Writer) Figure(c *figure.Chart, err error) {
	w.Fail(err)
	w.Figures(c)
}

// Figures adds charts side by side, the wide ones by themselves. A nil chart is left out.
func (w *Writer) Figures(charts ...*figure.Chart) {
	var small, wide []report.Figure
	for _, c := range charts {
		if c == nil {
			continue
		}
		f, err := c.InReport(w.Page.Simulated)
		if w.Fail(err); f.Wide {
			wide = append(wide, f)
		} else {
			small = append(small, f)
		}
	}
	w.Show(small, wide)
}

// Show numbers and adds figures.
func (w *Writer) Show(small, wide []report.Figure) {
	for _, figures := range [][]report.Figure{small, wide} {
		for i := range figures {
			w.Count.Figure(&figures[i])
		}
	}
	if len(small) > 1 {
		w.Add(report.Block{Figures: small})
	} else {
		wide = append(small, wide...) // alone it keeps its size
	}
	for i := range wide {
		w.Add(report.Block{Figure: &wide[i]})
	}
}

// Exported is a sentence on how to get the whole tables of ports of the page whose rows it does not show; "" where the
// parameters are not connected.
func (w *Writer) Exported(ports ...string) string {
	var from []string
	for i := range w.Run.Stages {
		if s := &w.Run.Stages[i]; s.Kind == "report" {
			for _, port := range ports {
				from = append(from, lists.Map(s.Inputs[port], column.Result.String)...)
			}
		}
	}
	if from == nil {
		return ""
	}
	slices.Sort(from)
	from = slices.Compact(from)
	return w.Text("table.exported", wording.Values{"First": from[0], "Others": from[1:]})
}
