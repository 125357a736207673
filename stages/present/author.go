package present

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/figure"
	"prgnn/stages/report"
)

// An author writes one page from the inputs that are connected. Report and Summary are the
// same author with other inputs; what is not connected is left out.
type author struct {
	t        *dag.Task
	top      int      // regions in the tables
	headline []string // coordinates of the setting whose accuracy comes first
	pictures bool     // the page has figures

	duplicates []string // participants whose scan has another id, too
	lacking    int      // how many participants lack results, of an incomplete run

	page       *report.Page
	count      report.Count
	section    *report.Section // the one that is written
	run        *pipelineSettings
	cited      methodsText
	who        *column.People
	properties []string             // columns of the participants, without names and groups
	at         *[3][]float64        // mm: centroids of the node list; nil when it has none
	place      map[int]report.Place // of a node in the viewer, by its number

	about      column.Scans  // what the loader knows of the scans
	scans      []cleanedScan // how each was cleaned
	leastValid string        // share of its voxels that a region needs for a series; "" where no voxels were averaged
	labeled    []labeledScan // how each got its labels
	nodes      int           // of the node list; 0 where it is not connected
	left       []excludedRow // who was left out
	leftTable  *report.Table // of them; nil without any
	silent     silence

	accuracy []accuracyRow               // of all settings
	first    *accuracyRow                // the headline; nil when there is none
	permuted []column.PermutationTestRow // of models retrained on permuted labels
	unproven []string                    // settings of the model whose accuracy is not above chance
}

// read reads what several sections need.
func (a *author) read() error {
	a.page = &report.Page{}
	var err error
	if a.run, err = readPipelineSettings(a.t); err != nil {
		return err
	}
	if a.t.Has("nodes") {
		nodes, err := a.t.In("nodes").Table()
		if err != nil {
			return err
		}
		a.nodes = nodes.Rows()
		if a.at, err = figure.NodePlaces(nodes); err != nil {
			return err
		}
	}
	if a.scans, err = cleanedScans(a.t); err != nil {
		return err
	}
	if a.leastValid, err = leastValid(a.t); err != nil {
		return err
	}
	if a.labeled, err = labeledScans(a.t); err != nil {
		return err
	}
	if a.t.Has("notes") {
		notes, err := a.t.In("notes").Table()
		if err == nil {
			a.about, err = column.ScansOf(notes.Meta)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.t.In("notes").Name, err)
		}
	}
	return a.readAccuracy()
}

// write writes the page.
func (a *author) write() (*report.Page, error) {
	if err := a.read(); err != nil {
		return nil, err
	}
	for _, s := range []struct {
		id, title string
		write     func() error
	}{
		{"participants", "Participants", a.participants},
		{"methods", "Methods", a.methods},
		{"classification", "Classification performance", a.performance},
		{"regions", "Salient regions", a.regions},
		{"checks", "Quality control and checks", a.checks},
		{"more", "Further tables and figures", a.more},
		{"scans", "Quality of each scan", a.scanQuality},
		{"provenance", "Provenance", a.provenance},
		{"references", "References", a.references},
	} {
		a.section = &report.Section{ID: s.id, Title: s.title}
		if err := s.write(); err != nil {
			return nil, err
		}
		if len(a.section.Blocks) > 0 {
			a.page.Sections = append(a.page.Sections, *a.section)
		}
	}
	return a.page, a.abstract()
}

func (a *author) add(b report.Block) { a.section.Blocks = append(a.section.Blocks, b) }

// say adds a paragraph.
func (a *author) say(format string, args ...any) {
	a.add(report.Block{Text: fmt.Sprintf(format, args...)})
}

func (a *author) heading(text string) { a.add(report.Block{Heading: text}) }

// caution adds a sentence to the cautions at the top of the page.
func (a *author) caution(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(a.page.Cautions, text) {
		a.page.Cautions = append(a.page.Cautions, text)
	}
}

// table adds a table behind a sentence that begins with its name: "Table 2 lists …".
func (a *author) table(t *report.Table, sentence string) {
	a.add(report.Block{Lead: a.count.Table(t) + " " + sentence})
	a.add(report.Block{Table: t})
}

// supplement adds a table that is folded away.
func (a *author) supplement(t *report.Table) {
	t.Supplement = true
	a.count.Table(t)
	a.add(report.Block{Table: t})
}

// figures adds charts side by side, the wide ones by themselves, behind a sentence that
// begins with their names. A nil chart is left out.
func (a *author) figures(sentence string, charts ...*figure.Chart) error {
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
	a.show(sentence, small, wide)
	return nil
}

// show numbers and adds figures.
func (a *author) show(sentence string, small, wide []report.Figure) {
	var names []string
	for _, figures := range [][]report.Figure{small, wide} {
		for i := range figures {
			names = append(names, strings.TrimPrefix(a.count.Figure(&figures[i]), "Figure "))
		}
	}
	switch len(names) {
	case 0:
		return
	case 1:
		a.add(report.Block{Lead: fmt.Sprintf("Figure %s shows %s.", names[0], sentence)})
	default:
		a.add(report.Block{Lead: fmt.Sprintf("Figures %s–%s show %s.", names[0], names[len(names)-1], sentence)})
	}
	if len(small) > 1 {
		a.add(report.Block{Figures: small})
	} else {
		wide = append(small, wide...) // alone it keeps its size
	}
	for i := range wide {
		a.add(report.Block{Figure: &wide[i]})
	}
}
