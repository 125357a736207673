package prgnn_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"prgnn/internal/need"
)

// The width of a line in columns; a tab counts four.
const (
	widest = 120
	prose  = 100 // of Markdown
	tab    = "    "
)

// TestLineWidth lists the lines of Go wider than 120 columns, and of Markdown wider than 100. A line may be wider by a
// text that is not to be broken: a string, a struct tag, a link, a row of a table, code in a page.
func TestLineWidth(t *testing.T) {
	var wide []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." &&
			(d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			wide = append(wide, wideGo(path, read(t, path))...)
		case filepath.Ext(path) == ".md":
			wide = append(wide, wideMarkdown(path, read(t, path))...)
		}
		return nil
	})
	need.NoError(t, err)
	for _, place := range wide {
		t.Errorf("%s is too wide (Go: %d columns, prose: %d): break the line", place, widest, prose)
	}
}

// width is that of a line whose tabs are four columns.
func width(line string) int { return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab)) }

// wideGo finds the lines of a Go file that are too wide although their longer texts do not count.
func wideGo(path, text string) (wide []string) {
	if strings.HasPrefix(text, "// Code generated") {
		return nil
	}
	set := token.NewFileSet()
	file := set.AddFile(path, set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	spared := map[int]int{} // line, from 1 → columns of texts
	for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
		if tok != token.STRING {
			continue
		}
		for i, part := range strings.Split(lit, "\n") {
			if strings.Contains(lit, "\n") || utf8.RuneCountInString(part) > 20 {
				spared[file.Line(pos)+i] += width(part)
			}
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if width(line) > widest && width(line)-spared[i+1] > widest {
			wide = append(wide, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	return wide
}

var linkTarget = regexp.MustCompile(`\]\([^)]*\)|https?://\S+`)

// wideMarkdown finds the lines of paragraphs that are too wide.
func wideMarkdown(path, text string) (wide []string) {
	code := false
	for i, line := range strings.Split(text, "\n") {
		start := strings.TrimSpace(line)
		if strings.HasPrefix(start, "```") {
			code = !code
		}
		if code || width(linkTarget.ReplaceAllString(line, "")) <= prose || strings.HasPrefix(line, tab) ||
			!strings.Contains(start, " ") ||
			strings.HasPrefix(start, "|") || strings.HasPrefix(start, "#") || strings.HasPrefix(start, "<") {
			continue
		}
		wide = append(wide, fmt.Sprintf("%s:%d", path, i+1))
	}
	return wide
}

// TestWidthSeesLongLines: what is too wide is found, and what may be is not.
func TestWidthSeesLongLines(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for name, c := range map[string]struct {
		find func(path, text string) []string
		text string
		want string
	}{
		"code":          {wideGo, "package p\n\nvar x = " + strings.Repeat("a + ", 40) + "a\n", "f:3"},
		"a comment":     {wideGo, "package p\n\n// " + long + "\n", "f:3"},
		"a string":      {wideGo, "package p\n\nvar x = \"" + long + "\"\n", ""},
		"a raw string":  {wideGo, "package p\n\nvar x = `\n" + long + "\n`\n", ""},
		"a paragraph":   {wideMarkdown, "# Head\n\n" + long + "\n", "f:3"},
		"a table":       {wideMarkdown, "| " + long + " |\n", ""},
		"code in pages": {wideMarkdown, "```sh\n" + long + "\n```\n", ""},
		"a link":        {wideMarkdown, "see [there](" + strings.Repeat("a/", 70) + ")\n", ""},
	} {
		need.Equal(t, strings.Join(c.find("f", c.text), " "), c.want, name)
	}
}
