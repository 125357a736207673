package pipelines

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Print gives a pipeline file with everything that it extends and with what --set sets, as one
// file that extends nothing and gives the same keys. Unless plain, each line ends with the file
// and line it comes from. Variables stay as they are, so no data are needed. Mistakes are Errors.
func Print(file string, sets []string, plain bool) (string, error) {
	f, _, err := readFirst(file)
	if err != nil {
		return "", err
	}
	l := newLoader(file, maxTasks)
	root, _ := l.resolve(f)
	if root != nil && root.kind != mapping {
		l.bad.add(root.pos, "a pipeline file is a mapping with the key stages, not %s", root)
	}
	if root != nil && len(l.bad.list) == 0 {
		applySets(root, sets, l.bad)
	}
	if len(l.bad.list) > 0 {
		return "", l.bad.sorted()
	}
	if root.get("pipeline") == nil { // the default is the name of the file, and the text may get another
		named := key{"pipeline", root.pos, &tree{pos: root.pos, kind: scalar, value: l.name(nil), text: l.name(nil), plain: true}}
		root.keys = append([]key{named}, root.keys...)
	}
	return (&printer{plain: plain}).print(root), nil
}

// text is the text of a file that extends others, all in one: what is kept with a run and in
// locks. The places in it are noted in the tree.
func (l *loader) text(root *tree) string {
	text := (&printer{plain: true}).print(root)
	if len(text) > maxFile && len(l.bad.list) == 0 {
		l.bad.add(root.pos, "the file is larger than %d MiB with all that it extends", maxFile>>20)
	}
	return text
}

// A printer writes a tree as YAML.
type printer struct {
	plain bool
	lines []string
	notes []string // of each line: the comment behind it
	line  strings.Builder
}

func (p *printer) print(root *tree) string {
	p.mapping(root, 0)
	if len(root.keys) == 0 {
		p.line.WriteString("{}")
		p.end(root, root)
	}
	const column = 72 // where the origins stand, unless a line is longer
	var b strings.Builder
	for i, line := range p.lines {
		b.WriteString(line)
		if p.notes[i] != "" {
			if !p.plain {
				b.WriteString(strings.Repeat(" ", max(1, column-utf8.RuneCountInString(line))))
			}
			b.WriteString(" # " + p.notes[i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// end ends a line: at says where it comes from, and of is what has a comment.
func (p *printer) end(at, of *tree) {
	note := strings.Join(strings.Fields(of.comment), " ")
	if !p.plain {
		from := at.pos
		from.Col = 0
		note = strings.TrimSpace(strings.Join(strings.Fields(from.String()), " ") + "  " + note)
	}
	p.lines, p.notes = append(p.lines, p.line.String()), append(p.notes, note)
	p.line.Reset()
}

// comment writes the comment above a key.
func (p *printer) comment(text, indent string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			line = "# " + line
		}
		p.lines, p.notes = append(p.lines, strings.TrimRight(indent+line, " ")), append(p.notes, "")
	}
}

// deepest is how deep mappings are indented; what lies deeper stands in brackets.
const deepest = 6

func (p *printer) mapping(t *tree, depth int) {
	indent := strings.Repeat("  ", depth)
	for i, k := range t.keys {
		if i > 0 && (depth == 0 && k.value.kind == mapping || depth == 1 && t.spaced()) {
			p.lines, p.notes = append(p.lines, ""), append(p.notes, "")
		}
		p.comment(k.value.above, indent)
		here := &tree{pos: k.pos}
		p.line.WriteString(indent)
		if p.key(k.name); p.line.Len() > longKey {
			text := p.line.String()
			p.line.Reset()
			p.line.WriteString(strings.TrimSuffix(text, " :"))
			p.end(here, here)
			p.line.WriteString(indent + ":")
		}
		switch v := k.value; {
		case v.kind == mapping && len(v.keys) > 0 && depth < deepest && (!v.flow || v.mixed(v.pos.File)):
			p.end(here, v)
			p.mapping(v, depth+1)
		case v.kind == list && len(v.items) > 0 && !v.flow:
			p.end(here, v)
			for _, item := range v.items {
				p.line.WriteString(indent + "  - ")
				p.value(item, true)
				p.end(item, item)
			}
		default:
			if v.kind != empty || v.text != "" {
				p.line.WriteByte(' ')
				p.value(v, false)
			}
			p.end(here, v)
		}
	}
}

// spaced reports whether the entries of a mapping stand apart: stages do, variables do not.
func (t *tree) spaced() bool {
	for _, k := range t.keys {
		if k.value.kind == mapping && k.value.get("use") != nil {
			return true
		}
	}
	return false
}

// mixed reports whether a part of t comes from another file.
func (t *tree) mixed(file string) bool {
	for _, item := range t.items {
		if item.pos.File != file || item.mixed(file) {
			return true
		}
	}
	for _, k := range t.keys {
		if k.pos.File != file || k.value.pos.File != file || k.value.mixed(file) {
			return true
		}
	}
	return false
}

// value writes a value into the line.
func (p *printer) value(t *tree, inFlow bool) {
	t.row, t.col = len(p.lines)+1, p.line.Len()+1
	switch t.kind {
	case empty:
		p.line.WriteString("null")
	case scalar:
		p.line.WriteString(t.scalarText(inFlow))
	case list:
		p.line.WriteByte('[')
		for i, item := range t.items {
			if i > 0 {
				p.line.WriteString(", ")
			}
			p.value(item, true)
		}
		p.line.WriteByte(']')
	case mapping:
		p.line.WriteByte('{')
		for i, k := range t.keys {
			p.line.WriteString([]string{" ", ", "}[min(i, 1)])
			p.key(k.name)
			p.line.WriteByte(' ')
			p.value(k.value, true)
		}
		if len(t.keys) > 0 {
			p.line.WriteByte(' ')
		}
		p.line.WriteByte('}')
	}
}

var (
	plainKey  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	plainText = regexp.MustCompile(`^[A-Za-z0-9_./]+([ A-Za-z0-9_./=+-]*[A-Za-z0-9_./=+-])?$`)
)

// longKey is a length from which keys stand behind "?": YAML takes others up to 1024 characters.
const longKey = 500

// key writes a key and its colon.
func (p *printer) key(name string) {
	if !plainKey.MatchString(name) {
		name = quoted(name)
	}
	if len(name) > longKey-2*deepest-2 {
		p.line.WriteString("? ")
		name += " "
	}
	p.line.WriteString(name + ":")
}

// scalarText writes a scalar so that it is read as it was: in its own form where that can
// stand there, or else in quotes.
func (t *tree) scalarText(inFlow bool) string {
	_, isText := t.value.(string)
	switch {
	case t.tag != "":
		return t.tag + " " + quoted(t.text)
	case !isText:
		return t.text
	case t.plain && (plainText.MatchString(t.text) || !inFlow && isPrintable(t.text)):
		return t.text
	}
	return quoted(t.text)
}

func isPrintable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == '\uFEFF' {
			return false
		}
	}
	return true
}

// quoted is a text in quotes: without escapes where it can be.
func quoted(s string) string {
	switch {
	case isPrintable(s) && !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case isPrintable(s) && !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r) && r != '\uFEFF':
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	return b.String() + `"`
}
