package section

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/figure"
	"prgnn/stages/report"
)

// A Writer writes the sections of one page, from the inputs that are connected.
type Writer struct {
	T        *dag.Task // the inputs
	Run      *Settings // the parameters
	Pictures bool      // the page has figures

	Page     *report.Page
	cautions [3]int // of each weight
	Count    report.Count
	Section  *report.Section // the section being written
}

// NewWriter is the writer of an empty page.
func NewWriter(t *dag.Task) *Writer {
	return &Writer{T: t, Page: &report.Page{}, Run: &Settings{}, Section: &report.Section{}}
}

// ReadSettings reads the parameters of the pipeline, where they are connected.
func (w *Writer) ReadSettings() (err error) {
	w.Run, err = readPipelineSettings(w.T)
	return err
}

// Add adds a block to the section.
func (w *Writer) Add(b report.Block) { w.Section.Blocks = append(w.Section.Blocks, b) }

// Say adds a paragraph.
func (w *Writer) Say(format string, args ...any) {
	w.Add(report.Block{Text: fmt.Sprintf(format, args...)})
}

// Heading adds a heading within the section.
func (w *Writer) Heading(text string) { w.Add(report.Block{Heading: text}) }

// A Weight is how much a caution matters; the cautions of a page are in this order.
type Weight int

const (
	Overturns Weight = iota // a conclusion of the page may be wrong
	Limits                  // a conclusion holds within limits
	Notes                   // a reader should know it
)

// Caution adds a sentence that limits the conclusions to the cautions at the top of the page.
func (w *Writer) Caution(format string, args ...any) { w.Weighed(Limits, format, args...) }

// Weighed adds a caution of some weight behind those of the same weight.
func (w *Writer) Weighed(of Weight, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(w.Page.Cautions, text) {
		return
	}
	at := 0
	for _, n := range w.cautions[:of+1] {
		at += n
	}
	w.Page.Cautions = slices.Insert(w.Page.Cautions, at, text)
	w.cautions[of]++
}

// Table adds a table behind a sentence that begins with its name: "Table 2 lists …".
func (w *Writer) Table(t *report.Table, sentence string) {
	w.Add(report.Block{Lead: w.Count.Table(t) + " " + sentence})
	w.Add(report.Block{Table: t})
}

// LongTable is Table; a table of more than so many rows is folded away.
func (w *Writer) LongTable(t *report.Table, most int, sentence string) {
	if len(t.Rows) <= most {
		w.Table(t, sentence)
		return
	}
	w.Supplement(t)
	w.Say("%s %s", t.Label(), sentence)
}

// Supplement adds a table that is folded away.
func (w *Writer) Supplement(t *report.Table) {
	t.Supplement = true
	w.Count.Table(t)
	w.Add(report.Block{Table: t})
}

// Figures adds charts side by side, the wide ones by themselves, behind a sentence that
// begins with their names. A nil chart is left out.
func (w *Writer) Figures(sentence string, charts ...*figure.Chart) error {
	var small, wide []report.Figure
	for _, c := range charts {
		if c == nil {
			continue
		}
		f, err := c.InReport()
		if err != nil {
			return err
		}
		if f.Wide {
			wide = append(wide, f)
		} else {
			small = append(small, f)
		}
	}
	w.Show(sentence, small, wide)
	return nil
}

// Show numbers and adds figures.
func (w *Writer) Show(sentence string, small, wide []report.Figure) {
	var names []string
	for _, figures := range [][]report.Figure{small, wide} {
		for i := range figures {
			names = append(names, strings.TrimPrefix(w.Count.Figure(&figures[i]), "Figure "))
		}
	}
	switch len(names) {
	case 0:
		return
	case 1:
		w.Add(report.Block{Lead: fmt.Sprintf("Figure %s shows %s.", names[0], sentence)})
	case 2:
		w.Add(report.Block{Lead: fmt.Sprintf("Figures %s and %s show %s.", names[0], names[1], sentence)})
	default:
		w.Add(report.Block{Lead: fmt.Sprintf("Figures %s–%s show %s.", names[0], names[len(names)-1], sentence)})
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
