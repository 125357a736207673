// Package wording is the catalog of English: each statement of a page, by its code, in files that
// an editor reads from top to bottom. Rules and layout have no sentences of their own.
package wording

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template/parse"

	"prgnn/artifacts/encoding"
	"prgnn/internal/lists"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
	"prgnn/stages/column"
	"prgnn/stages/finding"
)

//go:embed *.txt
var files embed.FS

// An entry is the text of one code: a template in the syntax of text/template, with the functions of this package.
type entry struct {
	file string
	line int
	text string
	tree *parse.Tree
}

// catalog reads the files: a code stands at the begin of a line, its text in indented lines behind it, which a blank
// joins. A line that begins with # is for the editor. The entry of a table has its columns behind its caption, in lines
// that begin with a slash: "/key | head | doc | cell".
var catalog = sync.OnceValues(func() (map[string]entry, error) {
	all := map[string]entry{}
	names, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := files.ReadFile(name.Name())
		if err != nil {
			return nil, err
		}
		if err := read(all, name.Name(), string(b)); err != nil {
			return nil, err
		}
	}
	return all, nil
})

func read(all map[string]entry, file, content string) error {
	code, at, text, columns := "", 0, "", []string(nil)
	add := func(code, text string) error {
		if _, twice := all[code]; twice {
			return fmt.Errorf("%s:%d: %s stands twice", file, at, code)
		}
		tree := parse.New(code)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
			return fmt.Errorf("%s:%d: %w", file, at, err)
		}
		all[code] = entry{file, at, text, tree}
		return nil
	}
	end := func() error {
		switch {
		case code == "":
			return nil
		case text == "" && columns == nil:
			return fmt.Errorf("%s:%d: %s has no text", file, at, code)
		}
		if err := add(code, text); err != nil {
			return err
		}
		for _, line := range columns {
			fields := append(splitFields(line), "", "", "")
			column := code + fields[0]
			for i, part := range []string{"", docOf, cellOf} {
				if err := add(column+part, fields[1+i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i, line := range strings.Split(content, "\n") {
		of, indented := strings.CutPrefix(line, "  ")
		of = strings.TrimSpace(of)
		switch n := len(columns); {
		case strings.HasPrefix(line, "#"), of == "":
		case !indented:
			if err := end(); err != nil {
				return err
			}
			code, at, text, columns = of, i+1, "", nil
		case strings.HasPrefix(of, "/"):
			columns = append(columns, of)
		case n > 0:
			columns[n-1] += " " + of
		default:
			text = strings.TrimSpace(text + " " + of)
		}
	}
	return end()
}

// splitFields divides the line of a column at its bars; those of a template are its own.
func splitFields(line string) (fields []string) {
	for {
		at := strings.Index(line+" ", " | ")
		for at >= 0 && strings.Count(line[:at], "{{") > strings.Count(line[:at], "}}") {
			next := strings.Index(line[at+1:], " | ")
			if next < 0 {
				at = -1
				break
			}
			at += 1 + next
		}
		if at < 0 {
			return append(fields, strings.TrimSpace(line))
		}
		fields, line = append(fields, strings.TrimSpace(line[:at])), line[min(at+2, len(line)):]
	}
}

// The doc and the cell of a column are entries behind that of its head.
const docOf, cellOf = "|doc", "|cell"

// A Column is what the catalog has on a column of a table.
type Column struct {
	Head, Doc string
	Cell      string // code of the entry of a cell; "" where a cell is the value of the column's name
	Words     bool   // its cells are words, not numbers
}

// ColumnOf is a column of a table by its key, with the values of the table: its own, or else that of the entry column.
// One that neither has is headed by its key.
func ColumnOf(table, key string, values any) (c Column, err error) {
	all, err := catalog()
	if err != nil {
		return c, err
	}
	own, shared := table+"/"+key, "column/"+key
	heads := own
	if cell := all[own+cellOf].text; !Has(own) || cell != "" && all[own].text == "" && all[own+docOf].text == "" {
		heads = shared
	}
	if c.Head = strings.ReplaceAll(key, "-", " "); all[heads].text != "" {
		c.Head, err = Text(heads, values)
	}
	if err == nil && Has(heads) {
		c.Doc, err = Text(heads+docOf, values)
	}
	for _, of := range []string{own, shared} {
		if text := all[of+cellOf].text; text != "" && c.Cell == "" {
			c.Cell, c.Words = of+cellOf, text[0] == '"'
		}
	}
	return c, err
}

// CellText is a cell of the column, with the values of its row.
func (c Column) CellText(values any) (string, error) {
	text, err := Text(c.Cell, values)
	if err == nil && c.Words {
		text = text[1 : len(text)-1]
	}
	return text, err
}

// Has reports whether the catalog has a code.
func Has(code string) bool {
	all, _ := catalog()
	_, ok := all[code]
	return ok
}

// Values are what the template of an entry uses, by name.
type Values map[string]any

// Text writes the entry of a code with values: a Values, or a struct by its fields. A code, a value or a function that
// is not there is an error.
func Text(code string, values any) (string, error) {
	all, err := catalog()
	if err != nil {
		return "", err
	}
	e, ok := all[code]
	if !ok {
		return "", fmt.Errorf("the catalog has no entry %s%s", code, words.DidYouMean(code, slices.Collect(maps.Keys(all))))
	}
	var b strings.Builder
	if err := (&writer{&b, finding.Values(values)}).list(e.tree.Root); err != nil {
		return "", fmt.Errorf("%s:%d: %s: %w", e.file, e.line, code, err)
	}
	return doubled.ReplaceAllString(b.String(), "$1.$2"), nil
}

// doubled is the end of a value that ends in a period, such as "et al.", in front of that of the sentence.
var doubled = pattern.New(`([\pL\pN)"])\.\.(\s|$)`)

// Label is a text inside a picture: an entry of the catalog. One that it cannot write is a bug.
func Label(code string, values any) string {
	text, err := Text(code, values)
	if err != nil {
		panic(err)
	}
	return text
}

// Warnings are the warnings of a table in words, each once (dag.RegisterWarnings).
func Warnings(t *encoding.Table) (all []string) {
	for _, cell := range column.Warnings(t) {
		for _, w := range Warned(cell) {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// Warned are the warnings of a cell in words. One that the catalog cannot write stands as it is.
func Warned(cell string) (texts []string) {
	for _, f := range finding.Warned(cell) {
		text, err := Text(f.Code, f.Values())
		if err != nil {
			text = cell
		}
		texts = append(texts, text)
	}
	return texts
}

// mostLong is how many classifiers a finding lists whose names have commas, as those of universes do: the tables of the
// page have all.
const mostLong = 3

// Finding writes a group of findings: the entry of the first one, and which other classifiers have it, with other
// numbers where their own entries would differ.
func Finding(g finding.Group) (string, error) {
	text, err := Text(g.Code, g.Values())
	if g.Kind() == "noted" {
		text = UpperFirst(text)
	}
	if err == nil && g.Subject.Only != nil {
		var only string
		only, err = Text("finding.only", Values{"Only": g.Subject.Only.String()})
		text += only
	}
	if err != nil || g.Seeds == 0 && g.Also == nil {
		return text, err
	}
	differ := false
	for _, f := range g.Findings {
		f.Subject = g.Subject
		own, err := Finding(finding.Group{Finding: f})
		if err != nil {
			return "", err
		}
		differ = differ || own != text
	}
	long := slices.ContainsFunc(g.Also, func(name string) bool { return strings.Contains(name, ",") })
	also, err := Text("finding.also", Values{"Seeds": g.Seeds, "Also": g.Also, "Long": long, "Differ": differ,
		"Counted": long && len(g.Also) > mostLong})
	return text + also, err
}

// Notes are notes of the loader with their texts.
func Notes(notes []column.Note) []column.Note {
	return lists.Map(notes, func(n column.Note) column.Note {
		if n.Code != "" {
			text, err := Text(n.Code, n.Values())
			if n.Text = text; err != nil { // as Warned
				n.Text = n.Code + " " + n.Numbers
			}
		}
		return n
	})
}

// NoteTexts are the texts of notes of the loader.
func NoteTexts(notes []column.Note) []string {
	return lists.Map(Notes(notes), func(n column.Note) string { return n.Text })
}
