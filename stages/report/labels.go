package report

import (
	"fmt"
	"strconv"
)

// Count numbers the tables and figures of one page in the order in which they appear.
type Count struct{ tables, supplements, figures, scans int }

// Table numbers a table and returns its name for a sentence: "Table 3", "Table S1".
func (c *Count) Table(t *Table) string {
	if t.Supplement {
		c.supplements++
		t.Number = "S" + strconv.Itoa(c.supplements)
	} else {
		c.tables++
		t.Number = strconv.Itoa(c.tables)
	}
	return t.Label()
}

// Figure numbers a figure and returns its name for a sentence: "Figure 2", "Scan 1".
func (c *Count) Figure(f *Figure) string {
	n := &c.figures
	if f.Rated != "" {
		n = &c.scans
	}
	*n++
	f.Number = strconv.Itoa(*n)
	return f.Label()
}

// items are the tables and figures of a block, in the order in which it shows them.
func (b *Block) items() (tables []*Table, figures []*Figure) {
	if b.Table != nil {
		tables = append(tables, b.Table)
	}
	if b.Figure != nil {
		figures = append(figures, b.Figure)
	}
	for i := range b.Figures {
		figures = append(figures, &b.Figures[i])
	}
	if b.Viewer != nil && b.Viewer.Static != nil {
		figures = append(figures, b.Viewer.Static)
	}
	return tables, figures
}

// Check finds what would make a page wrong or impossible to write: pictures of another
// format, a second viewer, tables and figures out of order.
func (p *Page) Check() error {
	viewers := 0
	var want Count
	if p.Turn != nil && p.Turn.At > 0 {
		want.scans = p.Turn.At - 1
	}
	for _, s := range p.Sections {
		for i := range s.Blocks {
			b := &s.Blocks[i]
			if b.Viewer != nil {
				if viewers++; viewers > 1 {
					return fmt.Errorf("a report has one viewer")
				}
			}
			tables, figures := b.items()
			for _, t := range tables {
				if next := (Table{Supplement: t.Supplement}); want.Table(&next) != t.Label() {
					return fmt.Errorf("%q is %s, want %s", t.Caption, t.Label(), next.Label())
				}
			}
			for _, f := range figures {
				if f.Format != "svg" && f.Format != "png" {
					return fmt.Errorf("figure %q has the format %q; a report shows svg and png", f.Title, f.Format)
				}
				if next := (Figure{Rated: f.Rated}); want.Figure(&next) != f.Label() {
					return fmt.Errorf("%q is %s, want %s", f.Title, f.Label(), next.Label())
				}
			}
		}
	}
	return nil
}
