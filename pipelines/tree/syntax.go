package tree

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"prgnn/dag"
	"prgnn/internal/pattern"
)

var yamlLine = pattern.New(`^(?s)(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntax reports what the YAML parser said, and what is usually behind it.
func syntax(err error, text []byte, at func(line, col int) dag.Pos, bad *Mistakes) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	said := strings.TrimSpace(m[2])
	first, why := firstBadLine(text)
	switch {
	case strings.Contains(said, "UTF-8"):
		bad.Add(at(first, 0), "this is not UTF-8 text: save the file as UTF-8")
		return
	case indentedByTab(text, first):
		bad.Add(at(first, 0), "this is not YAML: the line is indented with a tab; use spaces")
		return
	case strings.Contains(why, "end of stream"):
		line, said = first, why // the next quotation mark closes it, and the parser stumbles there
	case first > line:
		// The parser's line is often the one in which the surrounding mapping begins; the
		// first that cannot be added to what is YAML so far is nearer to the mistake.
		line = first
	}
	for _, h := range yamlHints {
		if strings.Contains(said, h.said) {
			said += " (" + h.hint + ")"
			break
		}
	}
	bad.Add(at(line, 0), "this is not YAML: %s", said)
}

var yamlHints = []struct{ said, hint string }{
	{"end of stream", "a quotation mark is not closed"},
	{"expected key", "its indentation matches no line above"},
	{"mapping values are not allowed", "text with a colon needs quotation marks, and the content of a key is indented below it"},
	{"expected ',' or", "a bracket is not closed, or a comma is missing"},
	{"cannot start any token", "text that begins with @, % or ` needs quotation marks"},
	{"unknown anchor", "text that begins with * needs quotation marks"},
	{"alphabetic or numeric character", "text that begins with * or & needs quotation marks"},
}

// indentedByTab reports whether there is a tab before the first word of a line.
func indentedByTab(text []byte, line int) bool {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	words := bytes.TrimLeft(lines[line-1], " \t")
	return bytes.IndexByte(lines[line-1][:len(lines[line-1])-len(words)], '\t') >= 0
}

// firstBadLine is the first line that cannot be added to what is YAML before it, and
// what the parser says to the text up to there.
func firstBadLine(text []byte) (line int, why string) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if !utf8.Valid(text) { // the parser looks ahead, and stumbles earlier
		for n, l := range lines {
			if !utf8.Valid(l) {
				return n + 1, ""
			}
		}
	}
	if len(lines) > 500 { // the search below takes time with the square of the length
		return 0, ""
	}
	end := len(text)
	for n := len(lines) - 1; n > 0; n-- {
		end -= len(lines[n])
		var doc yaml.Node
		if yaml.Unmarshal(text[:end], &doc) == nil {
			if err := yaml.Unmarshal(text[:end+len(lines[n])], &doc); err != nil {
				why = yamlLine.FindStringSubmatch(err.Error())[2]
			}
			return n + 1, why
		}
	}
	return 1, ""
}
