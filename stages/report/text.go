package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Width is how many columns the lines of a text have at most: those of a terminal.
const Width = 80

// Text is the page as plain text, at most Width columns wide: all words and tables but
// supplementary ones, no figures.
func (p *Page) Text() string {
	w := &textWriter{}
	if p.Title != "" {
		w.paragraph(0, p.Title)
	}
	if p.Simulated {
		w.section("SIMULATED DATA")
		w.paragraph(2, nobodyScanned)
	}
	w.list("Incomplete", p.Incomplete)
	if p.Abstract != nil || p.Tiles != nil || p.Results != nil {
		w.section("Summary")
		for _, text := range []string{p.Question, p.Answer} {
			if text != "" {
				w.paragraph(2, text)
			}
		}
		for _, text := range slices.Concat(p.Abstract, p.Results) {
			w.paragraph(2, text)
		}
		for _, t := range p.Tiles {
			bar := ""
			if t.Bar != nil {
				bar = t.Bar.text(30) + "  "
			}
			w.paragraph(2, t.Label+": "+t.Value)
			if bar != "" || t.Note != "" {
				w.lines(4, bar, wrap(t.Note, Width-4-utf8.RuneCountInString(bar)))
			}
		}
	}
	w.list("Cautions", p.Cautions)
	for _, s := range p.Sections {
		if !shown(s) {
			continue
		}
		w.section(s.Title)
		for i := range s.Blocks {
			w.block(&s.Blocks[i])
		}
	}
	return w.String()
}

// shown reports whether a section has words or tables.
func shown(s Section) bool {
	for _, b := range s.Blocks {
		if b.Text != "" || b.Note != "" || b.List != nil || b.References != nil || b.Table != nil &&
			!b.Table.Supplement {
			return true
		}
	}
	return false
}

type textWriter struct{ strings.Builder }

func (w *textWriter) section(title string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(title + "\n")
}

// lines writes lines behind an indent; before stands in front of the first.
func (w *textWriter) lines(indent int, before string, lines []string) {
	for i, l := range lines {
		lead := strings.Repeat(" ", indent) + before
		if i > 0 {
			lead = strings.Repeat(" ", utf8.RuneCountInString(lead))
		}
		w.WriteString(strings.TrimRight(lead+l, " ") + "\n")
	}
}

func (w *textWriter) paragraph(indent int, text string) {
	w.lines(indent, "", wrap(text, Width-indent))
}

func (w *textWriter) list(title string, items []string) {
	if items == nil {
		return
	}
	w.section(title)
	w.items(items)
}

func (w *textWriter) items(items []string) {
	for _, item := range items {
		w.lines(2, "- ", wrap(item, Width-4))
	}
}

func (w *textWriter) block(b *Block) {
	switch {
	case b.Heading != "":
		w.paragraph(2, b.Heading)
	case b.Text != "":
		w.paragraph(2, b.Text)
	case b.Note != "":
		w.paragraph(2, b.Note)
	case b.Lines != "":
		w.lines(2, "", strings.Split(strings.TrimRight(b.Lines, "\n"), "\n"))
	case b.List != nil:
		w.items(b.List)
	case b.References != nil:
		for i, r := range b.References {
			lead := fmt.Sprintf("%d. ", i+1)
			w.lines(2, lead, wrap(r, Width-2-len(lead)))
		}
	case b.Table != nil && !b.Table.Supplement:
		w.table(b.Table)
	}
}

// table writes a table in columns. Where it is too wide, its widest columns are narrowed and their cells take several
// lines; where that does not do, the table has several parts, each with the names of its rows.
func (w *textWriter) table(t *Table) {
	if s := w.String(); strings.Count(s[strings.LastIndex("\n"+s, "\n\n")+1:], "\n") > 1 {
		w.WriteByte('\n') // a table is set off, but not from the title of its section
	}
	w.paragraph(2, t.Caption) // without its number, which counts the tables of another page
	columns := make([]textColumn, len(t.Heads))
	for i, h := range t.Heads {
		columns[i] = textColumn{number: h.Number, cells: []string{h.Text}}
	}
	for _, row := range t.Rows {
		for i, c := range row {
			text := c.Text
			if c.Bar != nil {
				text = c.Bar.text(20) + " " + text
			}
			columns[i].cells = append(columns[i].cells, text)
		}
	}
	for i, part := range parts(columns, t.Keys) {
		if i > 0 {
			w.WriteByte('\n')
		}
		w.columns(part)
	}
	if t.Note != "" {
		w.paragraph(4, t.Note)
	}
}

// A textColumn is a column with its head as the first cell.
type textColumn struct {
	number      bool
	cells       []string
	width       int
	least, full int // widths: no word is cut, and of a number no cell is broken; no cell is broken
}

// parts are the columns in parts that are each narrow enough, and their widths. The first keys columns name the rows.
func parts(columns []textColumn, keys int) (all [][]textColumn) {
	for i := range columns {
		c := &columns[i]
		for k, text := range c.cells {
			n := utf8.RuneCountInString(text)
			c.full = max(c.full, n)
			if c.number && k > 0 {
				c.least = max(c.least, n)
				continue
			}
			for _, word := range wrap(text, 1) {
				c.least = max(c.least, utf8.RuneCountInString(word))
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	keys = max(keys, 1)
	for keys > 1 && least(columns[:keys]) > Width/2 {
		keys--
	}
	all = divided(columns, keys, Width)
	for limit := Width; len(all) > 1 && limit > 0; limit-- { // as few parts as there have to be, and as equal
		narrower := divided(columns, keys, limit-1)
		if len(narrower) > len(all) {
			break
		}
		all = narrower
	}
	for _, part := range all {
		fit(part)
	}
	return all
}

// least is the least width of columns with what is between them.
func least(columns []textColumn) int {
	total := 2
	for _, c := range columns {
		total += c.least + 2
	}
	return total
}

// divided are the columns in parts of at most so many characters, where no word is longer.
func divided(columns []textColumn, keys, limit int) (all [][]textColumn) {
	part := columns[:keys:keys]
	for i := keys; i < len(columns); i++ {
		more := append(slices.Clip(part), columns[i])
		if least(more) > limit && len(part) > keys {
			all = append(all, part)
			more = append(columns[:keys:keys], columns[i])
		}
		part = more
	}
	return append(all, part)
}

// fit sets the widths of columns: full, or narrowed from the widest down.
func fit(columns []textColumn) {
	total := 2
	for i := range columns {
		columns[i].width = columns[i].full
		total += columns[i].full + 2
	}
	for ; total > Width; total-- {
		widest := -1
		for i, c := range columns {
			if c.width > c.least && (widest < 0 || c.width > columns[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return // of one word that is longer than a line
		}
		columns[widest].width--
	}
}

// columns writes the lines of columns.
func (w *textWriter) columns(columns []textColumn) {
	for k := range columns[0].cells {
		var cells [][]string
		tall := 0
		for _, c := range columns {
			cell := wrap(c.cells[k], c.width)
			cells, tall = append(cells, cell), max(tall, len(cell))
		}
		for l := range tall {
			line := "  "
			for i, cell := range cells {
				text := ""
				if l < len(cell) {
					text = cell[l]
				}
				pad := strings.Repeat(" ", max(0, columns[i].width-utf8.RuneCountInString(text)))
				if columns[i].number {
					text = pad + text
				} else {
					text += pad
				}
				line += "  " + text
			}
			w.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
}

// text draws the bar in n columns.
func (b *Bar) text(n int) string {
	out := []rune(strings.Repeat("·", n))
	for i := range out {
		at := (float64(i) + 0.5) / float64(n)
		filled := min(b.From, b.Share) <= at && at < max(b.From, b.Share)
		switch within := b.Low <= at && at < b.High; {
		case filled && within:
			out[i] = '▓'
		case filled:
			out[i] = '█'
		case within:
			out[i] = '░'
		}
	}
	if b.Mark > 0 && b.Mark < 1 {
		out[int(b.Mark*float64(n))] = '│'
	}
	return string(out)
}

// wrap breaks a text into lines of at most n characters, at blanks; a word longer than that is whole.
func wrap(text string, n int) []string {
	var lines []string
	line, at := "", 0
	for _, word := range strings.Fields(blankWithin.ReplaceAllString(text, "$1\x00$2\x00$3")) {
		word = strings.ReplaceAll(word, "\x00", " ")
		long := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			line, at = word, long
		case at+1+long > n:
			lines, line, at = append(lines, line), word, long
		default:
			line, at = line+" "+word, at+1+long
		}
	}
	return append(lines, line)
}
