package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Width is how many columns the lines of a text have at most.
const Width = 100

// Text is the page as plain text, at most Width columns wide: all words and tables but
// supplementary ones, no figures.
func (p *Page) Text() string {
	w := &textWriter{}
	if p.Title != "" {
		w.paragraph(0, p.Title)
	}
	if p.Simulated {
		w.section("SIMULATED DATA")
		w.paragraph(2, "Nobody was scanned: no number here says anything about people.")
	}
	w.list("Incomplete", p.Incomplete)
	if p.Abstract != nil || p.Tiles != nil {
		w.section("Summary")
		for _, text := range p.Abstract {
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

// table writes a table in columns. Where it is too wide, its widest columns of text are
// narrowed and their cells take several lines; a table of many numbers runs over.
func (w *textWriter) table(t *Table) {
	if s := w.String(); strings.Count(s[strings.LastIndex("\n"+s, "\n\n")+1:], "\n") > 1 {
		w.WriteByte('\n') // a table is set off, but not from the title of its section
	}
	w.paragraph(2, t.Caption) // without its number, which counts the tables of another page
	cells := [][]string{}
	for _, h := range t.Heads {
		cells = append(cells, []string{h.Text})
	}
	for _, row := range t.Rows {
		for i, c := range row {
			text := c.Text
			if c.Bar != nil {
				text = c.Bar.text(20) + " " + text
			}
			cells[i] = append(cells[i], text)
		}
	}
	width := widths(cells)
	for k := range len(t.Rows) + 1 {
		var parts [][]string
		tall := 0
		for i := range cells {
			part := wrap(cells[i][k], width[i])
			parts, tall = append(parts, part), max(tall, len(part))
		}
		for l := range tall {
			line := "  "
			for i, part := range parts {
				text := ""
				if l < len(part) {
					text = part[l]
				}
				pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(text))
				if t.Heads[i].Number {
					text = pad + text
				} else {
					text += pad
				}
				line += "  " + text
			}
			w.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	if t.Note != "" {
		w.paragraph(4, t.Note)
	}
}

// widths are those of the columns: as wide as their longest cells or, where the table would be too
// wide, narrowed from the widest down, first to their longest words and then to six characters.
func widths(cells [][]string) []int {
	const least = 6
	width, word, total := make([]int, len(cells)), make([]int, len(cells)), 2
	for i, column := range cells {
		for _, text := range column {
			width[i] = max(width[i], utf8.RuneCountInString(text))
			for w := range strings.FieldsSeq(text) {
				word[i] = max(word[i], utf8.RuneCountInString(w))
			}
		}
		total += width[i] + 2
	}
	for _, floor := range []func(i int) int{func(i int) int { return max(word[i], least) },
		func(int) int { return least }} {
		for ; total > Width; total-- {
			widest := -1
			for i := range width {
				if width[i] > floor(i) && (widest < 0 || width[i] > width[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			width[widest]--
		}
	}
	return width
}

// text draws the bar in n columns.
func (b *Bar) text(n int) string {
	out := []rune(strings.Repeat("·", n))
	for i := range out {
		if (float64(i)+0.5)/float64(n) < b.Share {
			out[i] = '█'
		}
	}
	if b.Mark > 0 && b.Mark < 1 {
		out[int(b.Mark*float64(n))] = '│'
	}
	return string(out)
}

// wrap breaks a text into lines of at most n characters, at blanks; a word longer
// than that is cut.
func wrap(text string, n int) []string {
	var lines []string
	line := []rune{}
	for _, word := range strings.Fields(blankWithin.ReplaceAllString(text, "$1\x00$2\x00$3")) {
		w := []rune(strings.ReplaceAll(word, "\x00", " "))
		if len(line) > 0 && len(line)+1+len(w) > n {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for len(line)+len(w) > n {
			cut := n - len(line)
			lines, line, w = append(lines, string(append(line, w[:cut]...))), nil, w[cut:]
		}
		line = append(line, w...)
	}
	return append(lines, string(line))
}
