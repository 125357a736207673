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
// joins. A line that begins with # is for the editor.
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
	code, at, text := "", 0, []string(nil)
	end := func() error {
		if code == "" {
			return nil
		}
		if _, twice := all[code]; twice || text == nil {
			return fmt.Errorf("%s:%d: %s has no text, or stands twice", file, at, code)
		}
		tree := parse.New(code)
		tree.Mode = parse.SkipFuncCheck
		if _, err := tree.Parse(strings.Join(text, " "), "", "", map[string]*parse.Tree{}); err != nil {
			return fmt.Errorf("%s:%d: %w", file, at, err)
		}
		all[code] = entry{file, at, strings.Join(text, " "), tree}
		return nil
	}
	for i, line := range strings.Split(content, "\n") {
		switch {
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "  "):
			text = append(text, strings.TrimSpace(line))
		default:
			if err := end(); err != nil {
				return err
			}
			code, at, text = strings.TrimSpace(line), i+1, nil
		}
	}
	return end()
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
	if err := (&writer{&b, code, finding.Values(values)}).list(e.tree.Root); err != nil {
		return "", fmt.Errorf("%s:%d: %s: %w", e.file, e.line, code, err)
	}
	return b.String(), nil
}

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

// Finding writes a group of findings: its entry, and which other classifiers have it.
func Finding(g finding.Group) (string, error) {
	text, err := Text(g.Code, g.Values())
	if err != nil || g.Seeds == 0 && g.Also == nil {
		return text, err
	}
	also, err := Text("finding.also", Values{"Seeds": g.Seeds, "Also": g.Also})
	return text + also, err
}
