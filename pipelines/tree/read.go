package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"prgnn/dag"
	"prgnn/internal/pattern"
)

// A reader turns YAML nodes into trees.
type reader struct {
	at   func(line, col int) dag.Pos
	bad  *Mistakes
	room *Room
	open []*yaml.Node // the aliases that are being written out
}

// Parse reads one YAML document. It returns nil after a syntax error, and where the room has none of it.
func Parse(text []byte, at func(line, col int) dag.Pos, bad *Mistakes) *Node {
	return ParseWithin(text, at, bad, NewRoom(bad))
}

// ParseWithin is Parse for one of several documents that share what may be written out.
func ParseWithin(text []byte, at func(line, col int) dag.Pos, bad *Mistakes, room *Room) *Node {
	if !room.mayHold(text, at(1, 1)) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &Node{Pos: at(1, 1)}
	} else if err != nil {
		syntax(err, text, at, bad)
		return nil
	}
	if err := dec.Decode(&next); err == nil {
		bad.Add(at(next.Line, next.Column), "a pipeline file is one YAML document; a second one begins here")
	} else if !errors.Is(err, io.EOF) {
		syntax(err, text, at, bad)
	}
	if len(doc.Content) == 0 {
		return &Node{Pos: at(1, 1)}
	}
	r := &reader{at: at, bad: bad, room: room}
	return r.read(doc.Content[0])
}

func (r *reader) read(n *yaml.Node) *Node {
	t := &Node{Pos: r.at(n.Line, n.Column), Row: n.Line, Col: n.Column, flow: n.Style&yaml.FlowStyle != 0,
		comment: strings.TrimSpace(strings.TrimLeft(n.LineComment, "# "))}
	if !r.room.take(valueCost+len(n.Value), t.Pos) {
		t.Bad = true
		return t
	}
	switch n.Kind {
	case yaml.AliasNode:
		for _, o := range r.open {
			if o == n.Alias {
				r.bad.Add(t.Pos, "the alias *%s contains itself", n.Value)
				t.Bad = true
				return t
			}
		}
		r.open = append(r.open, n.Alias)
		t = r.read(n.Alias)
		r.open = r.open[:len(r.open)-1]
	case yaml.ScalarNode:
		r.scalar(t, n)
	case yaml.SequenceNode:
		t.Kind = List
		t.Items = make([]*Node, 0, min(len(n.Content), r.room.left/valueCost))
		for _, c := range n.Content {
			if r.room.left < valueCost {
				r.room.take(valueCost, t.Pos) // which says so
				break
			}
			t.Items = append(t.Items, r.read(c))
		}
	case yaml.MappingNode:
		t.Kind = Mapping
		r.mapping(t, n)
	}
	return t
}

func (r *reader) mapping(t *Node, n *yaml.Node) {
	seen := make(map[string]int, len(n.Content)/2) // name → line
	for i := 0; i+1 < len(n.Content); i += 2 {
		if r.room.left < valueCost {
			r.room.take(valueCost, t.Pos)
			t.Bad = true
			return
		}
		k, pos := n.Content[i], r.at(n.Content[i].Line, n.Content[i].Column)
		if k.Kind != yaml.ScalarNode {
			r.bad.Add(pos, "a key must be a name")
			t.Bad = true
			continue
		}
		if line, twice := seen[k.Value]; twice {
			r.bad.Add(pos, "duplicate key %q (first in line %d)", k.Value, line)
			continue
		}
		seen[k.Value] = k.Line
		v := r.read(n.Content[i+1])
		if v.comment == "" {
			v.comment = strings.TrimSpace(strings.TrimLeft(k.LineComment, "# "))
		}
		v.Above = k.HeadComment
		t.Keys = append(t.Keys, Key{k.Value, pos, v})
	}
}

var leadingZero = pattern.New(`^[-+]?0_*[0-9]`)

// scalar decodes one value. Dates stay text: nothing here takes a date, and a
// participant may be called 2001-01-01.
func (r *reader) scalar(t *Node, n *yaml.Node) {
	t.Kind, t.Text, t.Written = Scalar, n.Value, n.Value
	t.Plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if n.Style&yaml.TaggedStyle != 0 {
		t.tag = n.ShortTag()
	}
	var err error
	tag := n.ShortTag()
	if (tag == "!!int" || tag == "!!float") && (leadingZero.MatchString(n.Value) || strings.Contains(n.Value, "_")) {
		tag = "!!str" // YAML reads 010 as 8 and 1_0 as 10; participants may be called so, and a number is not meant
	}
	switch tag {
	case "!!null":
		t.Kind = Empty
	case "!!bool":
		var b bool
		err = n.Decode(&b)
		t.Value = b
	case "!!int":
		var v any
		err = n.Decode(&v)
		t.Value = v
		if big, ok := v.(int64); ok {
			t.Value = int(big)
		}
	case "!!float":
		var x float64
		err = n.Decode(&x)
		t.Value = x
	case "!!str", "!!timestamp", "!!merge":
		t.Value = n.Value
	default:
		err = fmt.Errorf("the tag %s is not supported", tag)
	}
	if err != nil {
		r.bad.Add(t.Pos, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		t.Bad = true
	}
}
