// Package checklist fills reporting checklists: of each item, which sections of a report have it, what the authors
// state, or why it does not apply. The items are described in our own words.
package checklist

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/internal/markup"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/literature"
	"prgnn/stages/present/section"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

//go:embed *.csv
var files embed.FS

// A List is a checklist.
type List struct {
	Name  string // in commands
	Title string
	Work  string // key of literature
}

// Lists are the checklists.
var Lists = []List{
	{"tripod-ai", "TRIPOD+AI", "collins"},
	{"cobidas", "COBIDAS", "nichols"},
	{"claim", "CLAIM 2024", "tejani"},
}

// Names are the names of the checklists.
func Names() []string { return lists.Map(Lists, func(l List) string { return l.Name }) }

// An Item is one of a checklist.
type Item struct {
	Number, Part, Topic string
	// Source is "report:" with the codes of entries of the catalog, any of which a section of the report may have, and
	// one of those behind each plus sign; "study:" with keys of the block study, all of which need a text; "report:… |
	// study:…" for a topic that the authors state where the report lacks it; or "n/a:" with the reason.
	Source    string
	Otherwise string // what brings the item into the report, or when it applies
}

// Items reads the table of a checklist.
func (l List) Items() ([]Item, error) {
	text, err := files.ReadFile(l.Name + ".csv")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s.csv: %w", l.Name, err)
	}
	return lists.Map(rows[1:], func(r []string) Item { return Item{r[0], r[1], r[2], r[3], r[4]} }), nil
}

// What a report and its authors have of an item.
const (
	Reported      = "Reported"
	Stated        = "Stated"
	NotStated     = "NotStated"
	NotReported   = "NotReported"
	NotApplicable = "NotApplicable"
)

// A Row is an item of a filled checklist.
type Row struct{ Item, Part, Topic, Status, Where string }

// fill finds what a report and its authors have of an item. What the authors state of a topic in the report follows the
// sections.
func (i Item) fill(w *section.Writer, stated map[string]string) (row Row) {
	for source := range strings.SplitSeq(i.Source, " | ") {
		next := i.from(source, w, stated)
		switch {
		case row.Status != Reported:
			row = next
		case next.Status == Stated:
			row.Where += ". " + next.Where
		}
	}
	return row
}

// from is fill for one source.
func (i Item) from(source string, w *section.Writer, stated map[string]string) Row {
	row := Row{Item: i.Number, Part: i.Part, Topic: i.Topic}
	kind, of, _ := strings.Cut(source, ":")
	switch kind {
	case "study":
		var texts, lacking []string
		for _, key := range strings.Fields(of) {
			if texts = append(texts, stated[key]); stated[key] == "" {
				lacking = append(lacking, key)
			}
		}
		if row.Status, row.Where = Stated, strings.Join(texts, " "); lacking != nil {
			row.Status, row.Where = NotStated, "study: "+strings.Join(lacking, ", ")
		}
	case "report":
		row.Status, row.Where = NotReported, i.Otherwise
		titles := []string{w.Text("section.summary", nil)}
		for _, s := range w.Page.Sections { // in their order
			titles = append(titles, s.Title)
		}
		written := func(codes, title string) bool {
			return slices.ContainsFunc(strings.Fields(codes),
				func(code string) bool { return slices.Contains(w.Written[code], title) })
		}
		var all []string // sections that have a part of the topic
		for codes := range strings.SplitSeq(of, " + ") {
			some := slices.DeleteFunc(slices.Clone(titles), func(t string) bool { return !written(codes, t) })
			if len(some) == 0 {
				return row
			}
			all = append(all, some...)
		}
		titles = slices.DeleteFunc(titles, func(t string) bool { return !slices.Contains(all, t) })
		row.Status, row.Where = Reported, strings.Join(titles, "; ")
	default:
		row.Status, row.Where = NotApplicable, of
	}
	return row
}

// A Filled is a checklist that was filled from a report.
type Filled struct {
	Title, About, Marks, Source string
	Page                        *report.Page // of the checklist
	Table                       *report.Table
}

// Fill fills a checklist from the report that w has written, and what the authors state.
func (l List) Fill(w *section.Writer, statements []column.Statement) (*Filled, error) {
	items, err := l.Items()
	if err != nil {
		return nil, err
	}
	stated := map[string]string{}
	for _, s := range statements {
		stated[s.Key] = s.Text
	}
	rows := lists.Map(items, func(i Item) Row { return i.fill(w, stated) })
	of := wording.Values{"Title": l.Title, "Pipeline": w.Run.Pipeline, "N": len(rows),
		"Validation": w.T.Has("validation")}
	for _, status := range []string{Reported, Stated, NotStated, NotReported, NotApplicable} {
		of[status] = len(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Status != status }))
	}
	f := &Filled{Title: w.Text("checklist.title", of), About: w.Text("checklist.about", of),
		Marks: w.Text("checklist.marks", nil), Source: literature.Works[l.Work].String()}
	f.Table = section.Lay(w, "checklist.items", of, rows, "item | part topic status where")
	f.Table.Number = "1"
	s := report.Section{ID: "items", Title: w.Text("checklist.section", nil), Blocks: []report.Block{{Text: f.About},
		{Text: f.Marks}, {Table: f.Table}}}
	source := report.Section{ID: "source", Title: w.Text("checklist.source", nil),
		Blocks: []report.Block{{Text: f.Source}}}
	f.Page = &report.Page{Title: f.Title, Simulated: w.Page.Simulated, Incomplete: w.Page.Incomplete,
		Sections: []report.Section{s, source}}
	return f, w.Err()
}

// HTML is the checklist as a page like that of a report.
func (f *Filled) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := f.Page.HTML(&b)
	return b.Bytes(), err
}

// widths are those of the columns in a document, which pandoc takes from the dashes below the heads.
var widths = []int{6, 12, 30, 14, 38}

// Markdown is the checklist for pandoc.
func (f *Filled) Markdown() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", plain(f.Title))
	if f.Page.Simulated {
		fmt.Fprintf(&b, "%s\n\n", wording.Label("checklist.simulated", nil))
	}
	for _, why := range f.Page.Incomplete {
		fmt.Fprintf(&b, "**Incomplete.** %s\n\n", plain(why))
	}
	fmt.Fprintf(&b, "%s\n\n%s\n\n", plain(f.About), plain(f.Marks))
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(lists.Map(f.Table.Heads, func(h report.Head) string { return h.Text }))
	line(lists.Map(widths, func(n int) string { return strings.Repeat("-", n) }))
	for _, row := range f.Table.Rows {
		line(lists.Map(row, func(c report.Cell) string { return plain(c.Text) }))
	}
	fmt.Fprintf(&b, "\n%s\n", plain(f.Source))
	return b.Bytes(), nil
}

// plain is a text that pandoc shows as it is written, in one line.
func plain(text string) string {
	text = strings.Join(strings.Fields(markup.Characters(words.InOrder(text))), " ")
	return forPandoc.Replace(text)
}

var forPandoc = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "&", "&amp;", "|", `\|`,
	"$", `\$`, "^", `\^`, "~", `\~`, "@", `\@`, "[", `\[`, "]", `\]`, "#", `\#`)

// CSV is the checklist as a table, without formulas.
func (f *Filled) CSV() ([]byte, error) {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	rows := [][]string{lists.Map(f.Table.Heads, func(h report.Head) string { return h.Text })}
	for _, row := range f.Table.Rows {
		rows = append(rows, lists.Map(row, func(c report.Cell) string {
			text := words.InOrder(words.Plain(c.Text))
			if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
				text = "'" + text // a spreadsheet would run it (OWASP, "CSV Injection")
			}
			return text
		}))
	}
	err := out.WriteAll(rows)
	return b.Bytes(), err
}

// Formats are the renderings of a checklist, by the ending of a file's name.
var Formats = map[string]func(*Filled) ([]byte, error){
	".html": (*Filled).HTML, ".md": (*Filled).Markdown, ".csv": (*Filled).CSV,
}

// Endings are the keys of Formats, sorted.
func Endings() []string { return slices.Sorted(maps.Keys(Formats)) }
