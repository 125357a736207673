package pipelines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"prgnn/dag"
)

// A tree is one value of a pipeline file and where it stands. Aliases have been
// written out, scalars decoded; later ${name} is put in and --set put over it.
type tree struct {
	pos     dag.Pos
	row     int // its place in the text that is kept with a run; see loader.text
	col     int
	kind    treeKind
	value   any    // of a scalar: bool, int, uint64, float64 or string
	text    string // of a scalar, as it is written
	plain   bool   // a scalar without quotes
	tag     string // of a scalar, where the file states it
	flow    bool   // a list or mapping in brackets
	items   []*tree
	keys    []key    // of a mapping, in the order of the file
	comment string   // behind it
	above   string   // the comment above its key
	parts   []part   // of a text that waits for the coordinates of a task
	written string   // of a text: before variables were written out
	vars    []string // the variables that were written into it
	head    string   // that of them which begins a path: data of ${data}/scans
	bad     bool     // stands for a value that cannot be known; what is wrong has been said
}

type key struct {
	name  string
	pos   dag.Pos
	value *tree
}

type treeKind byte

const (
	empty treeKind = iota // nothing, null or ~
	scalar
	list
	mapping
)

// String names what stands there, as in "takes a mapping, not …".
func (t *tree) String() string {
	switch t.kind {
	case scalar:
		if s, ok := t.value.(string); ok {
			return fmt.Sprintf("the text %q", s)
		}
		return t.text
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	}
	return "nothing"
}

// get finds the value of a key, or nil.
func (t *tree) get(name string) *tree {
	for i := range t.keys {
		if t.keys[i].name == name {
			return t.keys[i].value
		}
	}
	return nil
}

// decoded is the value as param.Set takes it.
func (t *tree) decoded() any {
	switch t.kind {
	case scalar:
		return t.value
	case list:
		all := make([]any, len(t.items))
		for i, item := range t.items {
			all[i] = item.decoded()
		}
		return all
	case mapping:
		all := map[string]any{}
		for _, k := range t.keys {
			all[k.name] = k.value.decoded()
		}
		return all
	}
	return nil
}

// parameter is the value as a parameter of that type takes it: decoded, but a
// text is what is written there, so that a participant may be called 007.
func (t *tree) parameter(typ string) any {
	switch {
	case t.kind == scalar && typ == "text":
		return t.text
	case t.kind == scalar && typ == "list of texts": // one without brackets
		return []any{t.text}
	case t.kind == list && typ == "list of texts":
		all := make([]any, len(t.items))
		for i, item := range t.items {
			all[i] = item.parameter("text")
		}
		return all
	case t.kind == mapping && typ == "text":
		all := map[string]any{}
		for _, k := range t.keys {
			all[k.name] = k.value.parameter("text")
		}
		return all
	}
	return t.decoded()
}

// broken tells whether any part of t is bad.
func (t *tree) broken() bool {
	if t.bad {
		return true
	}
	for _, item := range t.items {
		if item.broken() {
			return true
		}
	}
	for _, k := range t.keys {
		if k.value.broken() {
			return true
		}
	}
	return false
}

// A reader turns YAML nodes into trees.
type reader struct {
	at   func(line, col int) dag.Pos
	bad  *mistakes
	room *room
	open []*yaml.Node // the aliases that are being written out
}

// parse reads one YAML document. It returns nil after a syntax error.
func parse(text []byte, at func(line, col int) dag.Pos, bad *mistakes) *tree {
	return parseWithin(text, at, bad, &room{maxExpanded, bad})
}

// parseWithin is parse for one of several documents that share what may be written out.
func parseWithin(text []byte, at func(line, col int) dag.Pos, bad *mistakes, room *room) *tree {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &tree{pos: at(1, 1)}
	} else if err != nil {
		syntax(err, text, at, bad)
		return nil
	}
	if err := dec.Decode(&next); err == nil {
		bad.add(at(next.Line, next.Column), "a pipeline file is one YAML document; a second one begins here")
	} else if !errors.Is(err, io.EOF) {
		syntax(err, text, at, bad)
	}
	if len(doc.Content) == 0 {
		return &tree{pos: at(1, 1)}
	}
	r := &reader{at: at, bad: bad, room: room}
	return r.read(doc.Content[0])
}

func (r *reader) read(n *yaml.Node) *tree {
	t := &tree{pos: r.at(n.Line, n.Column), row: n.Line, col: n.Column, flow: n.Style&yaml.FlowStyle != 0, comment: strings.TrimSpace(strings.TrimLeft(n.LineComment, "# "))}
	if !r.room.take(valueCost+len(n.Value), t.pos) {
		t.bad = true
		return t
	}
	switch n.Kind {
	case yaml.AliasNode:
		for _, o := range r.open {
			if o == n.Alias {
				r.bad.add(t.pos, "the alias *%s contains itself", n.Value)
				t.bad = true
				return t
			}
		}
		r.open = append(r.open, n.Alias)
		t = r.read(n.Alias)
		r.open = r.open[:len(r.open)-1]
	case yaml.ScalarNode:
		r.scalar(t, n)
	case yaml.SequenceNode:
		t.kind = list
		t.items = make([]*tree, 0, min(len(n.Content), r.room.left/valueCost))
		for _, c := range n.Content {
			if r.room.left < valueCost {
				break
			}
			t.items = append(t.items, r.read(c))
		}
	case yaml.MappingNode:
		t.kind = mapping
		r.mapping(t, n)
	}
	return t
}

func (r *reader) mapping(t *tree, n *yaml.Node) {
	seen := make(map[string]int, len(n.Content)/2) // name → line
	for i := 0; i+1 < len(n.Content); i += 2 {
		if r.room.left < valueCost {
			t.bad = true
			return
		}
		k, pos := n.Content[i], r.at(n.Content[i].Line, n.Content[i].Column)
		if k.Kind != yaml.ScalarNode {
			r.bad.add(pos, "a key must be a name")
			t.bad = true
			continue
		}
		if line, twice := seen[k.Value]; twice {
			r.bad.add(pos, "duplicate key %q (first in line %d)", k.Value, line)
			continue
		}
		seen[k.Value] = k.Line
		v := r.read(n.Content[i+1])
		if v.comment == "" {
			v.comment = strings.TrimSpace(strings.TrimLeft(k.LineComment, "# "))
		}
		v.above = k.HeadComment
		t.keys = append(t.keys, key{k.Value, pos, v})
	}
}

// scalar decodes one value. Dates stay text: nothing here takes a date, and a
// participant may be called 2001-01-01.
func (r *reader) scalar(t *tree, n *yaml.Node) {
	t.kind, t.text, t.written = scalar, n.Value, n.Value
	t.plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if n.Style&yaml.TaggedStyle != 0 {
		t.tag = n.ShortTag()
	}
	var err error
	switch n.ShortTag() {
	case "!!null":
		t.kind = empty
	case "!!bool":
		var b bool
		err = n.Decode(&b)
		t.value = b
	case "!!int":
		var v any
		err = n.Decode(&v)
		t.value = v
		if big, ok := v.(int64); ok {
			t.value = int(big)
		}
	case "!!float":
		var x float64
		err = n.Decode(&x)
		t.value = x
	case "!!str", "!!timestamp", "!!merge":
		t.value = n.Value
	default:
		err = fmt.Errorf("the tag %s is not supported", n.ShortTag())
	}
	if err != nil {
		r.bad.add(t.pos, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		t.bad = true
	}
}
