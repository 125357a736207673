package tree

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"prgnn/dag"
	"prgnn/internal/pattern"
)

// Print writes a value as YAML. Unless plain, each line ends with the file and line it comes from.
func Print(t *Node, plain bool) string { return (&printer{plain: plain}).print(t) }

// Origin is the file and line that a line of Print comes from; comments and empty lines come from nowhere.
func Origin(t *Node, line int) string {
	p := &printer{plain: true}
	p.print(t)
	if line > len(p.from) || p.from[line-1].Line == 0 {
		return fmt.Sprintf("line %d of the whole pipeline (pipeline print)", line)
	}
	from := p.from[line-1]
	from.Col = 0
	return from.String()
}

// A printer writes values as YAML.
type printer struct {
	plain bool
	lines []string
	notes []string // of each line: the comment behind it
	from  []dag.Pos
	line  strings.Builder
}

func (p *printer) print(root *Node) string {
	p.mapping(root, 0)
	if len(root.Keys) == 0 {
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
func (p *printer) end(at, of *Node) {
	note := strings.Join(strings.Fields(of.comment), " ")
	if !p.plain {
		from := at.Pos
		from.Col = 0
		note = strings.TrimSpace(strings.Join(strings.Fields(from.String()), " ") + "  " + note)
	}
	p.add(p.line.String(), note, at.Pos)
	p.line.Reset()
}

func (p *printer) add(line, note string, from dag.Pos) {
	p.lines, p.notes, p.from = append(p.lines, line), append(p.notes, note), append(p.from, from)
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
		p.add(strings.TrimRight(indent+line, " "), "", dag.Pos{})
	}
}

// deepest is how deep mappings are indented; what lies deeper stands in brackets.
const deepest = 6

func (p *printer) mapping(t *Node, depth int) {
	indent := strings.Repeat("  ", depth)
	for i, k := range t.Keys {
		if i > 0 && (depth == 0 && k.Value.Kind == Mapping || depth == 1 && t.spaced()) {
			p.add("", "", dag.Pos{})
		}
		p.comment(k.Value.Above, indent)
		here := &Node{Pos: k.Pos}
		p.line.WriteString(indent)
		if p.key(k.Name); p.line.Len() > longKey {
			text := p.line.String()
			p.line.Reset()
			p.line.WriteString(strings.TrimSuffix(text, " :"))
			p.end(here, here)
			p.line.WriteString(indent + ":")
		}
		switch v := k.Value; {
		case v.Kind == Mapping && len(v.Keys) > 0 && depth < deepest &&
			(!v.flow || v.mixed(v.Pos.File) || v.unquoted()):
			p.end(here, v)
			p.mapping(v, depth+1)
		case v.Kind == List && len(v.Items) > 0 && (!v.flow || v.unquoted()):
			p.end(here, v)
			for _, item := range v.Items {
				p.line.WriteString(indent + "  - ")
				p.value(item, item.Kind != Scalar)
				p.end(item, item)
			}
		default:
			if v.Kind != Empty || v.Text != "" {
				p.line.WriteByte(' ')
				p.value(v, false)
			}
			p.end(here, v)
		}
	}
}

// spaced reports whether the entries of a mapping stand apart: stages do, variables do not.
func (t *Node) spaced() bool {
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Value.Kind == Mapping && k.Value.Get("use") != nil })
}

// mixed reports whether a part of t comes from another file.
func (t *Node) mixed(file string) bool {
	for _, item := range t.Items {
		if item.Pos.File != file || item.mixed(file) {
			return true
		}
	}
	for _, k := range t.Keys {
		if k.Pos.File != file || k.Value.Pos.File != file || k.Value.mixed(file) {
			return true
		}
	}
	return false
}

// unquoted reports whether a text in t, which an alias brought there, has a variable and no quotes: 1..${folds} is a
// range and "1..${folds}" is not, and the braces cannot stand in brackets without quotes.
func (t *Node) unquoted() bool {
	return t.Kind == Scalar && t.Plain && strings.Contains(t.Text, "${") ||
		slices.ContainsFunc(t.Items, (*Node).unquoted) ||
		slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Value.unquoted() })
}

// value writes a value into the line.
func (p *printer) value(t *Node, inFlow bool) {
	t.Row, t.Col = len(p.lines)+1, p.line.Len()+1
	switch t.Kind {
	case Empty:
		p.line.WriteString("null")
	case Scalar:
		p.line.WriteString(t.scalarText(inFlow))
	case List:
		p.line.WriteByte('[')
		for i, item := range t.Items {
			if i > 0 {
				p.line.WriteString(", ")
			}
			p.value(item, true)
		}
		p.line.WriteByte(']')
	case Mapping:
		p.line.WriteByte('{')
		for i, k := range t.Keys {
			p.line.WriteString([]string{" ", ", "}[min(i, 1)])
			p.key(k.Name)
			p.line.WriteByte(' ')
			p.value(k.Value, true)
		}
		if len(t.Keys) > 0 {
			p.line.WriteByte(' ')
		}
		p.line.WriteByte('}')
	}
}

var (
	plainKey  = pattern.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	plainText = pattern.New(`^[A-Za-z0-9_./]+([ A-Za-z0-9_./=+-]*[A-Za-z0-9_./=+-])?$`)
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
func (t *Node) scalarText(inFlow bool) string {
	_, isText := t.Value.(string)
	switch {
	case t.tag != "":
		return t.tag + " " + quoted(t.Text)
	case !isText:
		return t.Text
	case t.Plain && (plainText.MatchString(t.Text) || !inFlow && isPrintable(t.Text)):
		return t.Text
	}
	return quoted(t.Text)
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
