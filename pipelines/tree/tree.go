// Package tree reads a pipeline file as YAML with positions, writes out its variables, collects its mistakes and prints
// it again.
package tree

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/lists"
	"prgnn/internal/words"
)

// A Node is one value of a pipeline file and where it stands. Aliases have been
// written out, scalars decoded; later ${name} is put in and --set put over it.
type Node struct {
	Pos     dag.Pos
	Row     int // its place in the text that is kept with a run; see Print
	Col     int
	Kind    Kind
	Value   any    // of a scalar: bool, int, uint64, float64 or string
	Text    string // of a scalar, as it is written
	Plain   bool   // a scalar without quotes
	tag     string // of a scalar, where the file states it
	flow    bool   // a list or mapping in brackets
	Items   []*Node
	Keys    []Key    // of a mapping, in the order of the file
	comment string   // behind it
	Above   string   // the comment above its key
	Parts   []Part   // of a text that waits for the coordinates of a task
	Written string   // of a text: before variables were written out
	Vars    []string // the variables that were written into it
	Head    string   // that of them which begins a path: data of ${data}/scans
	Usual   bool     // a reference that the file leaves out: its port is connected to what it usually takes
	Bad     bool     // stands for a value that cannot be known; what is wrong has been said
}

// A Key is an entry of a mapping.
type Key struct {
	Name  string
	Pos   dag.Pos
	Value *Node
}

// A Kind is what a node is.
type Kind byte

const (
	Empty Kind = iota // nothing, null or ~
	Scalar
	List
	Mapping
)

// String names what stands there, as in "takes a mapping, not …".
func (t *Node) String() string {
	switch t.Kind {
	case Scalar:
		if s, ok := t.Value.(string); ok {
			return fmt.Sprintf("the text %q", s)
		}
		return t.Text
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	}
	return "nothing"
}

// Get finds the value of a key, or nil; it is nil of nothing, so a path of keys may end anywhere.
func (t *Node) Get(name string) *Node {
	if t == nil {
		return nil
	}
	for i := range t.Keys {
		if t.Keys[i].Name == name {
			return t.Keys[i].Value
		}
	}
	return nil
}

// Under goes down a path of keys; nil where it is not there.
func (t *Node) Under(path ...string) *Node {
	for _, name := range path {
		t = t.Get(name)
	}
	return t
}

// Names are the keys of a mapping; nil has none.
func (t *Node) Names() []string {
	if t == nil {
		return nil
	}
	return lists.Map(t.Keys, func(k Key) string { return k.Name })
}

// Texts are the texts of a mapping, by key, as they are written: variables are no part of them. Other keys than the
// known ones are mistakes.
func (t *Node) Texts(name string, known []string, bad *Mistakes) map[string]string {
	texts := map[string]string{}
	if t == nil || t.Kind == Empty {
		return texts
	}
	if t.Kind != Mapping {
		bad.Add(t.Pos, "%s must be a mapping of keys to texts, such as %s: TEXT, not %s", name, known[0], t)
	}
	for _, k := range t.Keys {
		switch {
		case !slices.Contains(known, k.Name):
			bad.Add(k.Pos, "%s has no key %q%s", name, k.Name, words.OrAll(k.Name, known))
		case k.Value.Kind == List, k.Value.Kind == Mapping:
			bad.Add(k.Value.Pos, "%s: %s must be a text, not %s; a text of several lines begins with |", name, k.Name, k.Value)
		case k.Value.Kind == Scalar:
			texts[k.Name] = k.Value.Text
		}
	}
	return texts
}

// Decoded is the value as param.Set takes it.
func (t *Node) Decoded() any {
	switch t.Kind {
	case Scalar:
		return t.Value
	case List:
		all := lists.Map(t.Items, func(item *Node) any { return item.Decoded() })
		return all
	case Mapping:
		all := map[string]any{}
		for _, k := range t.Keys {
			all[k.Name] = k.Value.Decoded()
		}
		return all
	}
	return nil
}

// Parameter is the value as a parameter of that type takes it: decoded, but a
// text is what is written there, so that a participant may be called 007.
func (t *Node) Parameter(typ string) any {
	switch {
	case t.Kind == Scalar && typ == "text":
		return t.Text
	case t.Kind == Scalar && typ == "list of texts": // one without brackets
		return []any{t.Text}
	case t.Kind == List && typ == "list of texts":
		all := lists.Map(t.Items, func(item *Node) any { return item.Parameter("text") })
		return all
	case t.Kind == Mapping && typ == "text":
		all := map[string]any{}
		for _, k := range t.Keys {
			all[k.Name] = k.Value.Parameter("text")
		}
		return all
	}
	return t.Decoded()
}

// Broken reports whether any part of t is bad.
func (t *Node) Broken() bool {
	if t.Bad {
		return true
	}
	for _, item := range t.Items {
		if item.Broken() {
			return true
		}
	}
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Value.Broken() })
}

// Put sets the value of a key of a mapping, which has the place of its value.
func (t *Node) Put(name string, value *Node) {
	for i := range t.Keys {
		if t.Keys[i].Name == name {
			t.Keys[i].Value = value
			return
		}
	}
	t.Keys = append(t.Keys, Key{Name: name, Pos: value.Pos, Value: value})
}

// Each are the items of a list, or the one value that stands in place of a list.
func (t *Node) Each() []*Node {
	if t.Kind == List {
		return t.Items
	}
	return []*Node{t}
}

// InBrackets reports whether a list or mapping stands in brackets, on one line.
func (t *Node) InBrackets() bool { return t.flow }

// Remark adds a list to the comment behind a value, each item once under one head.
func (t *Node) Remark(head string, list []string) {
	before, listed, again := strings.Cut(t.comment, head)
	if again {
		for _, item := range strings.Split(listed, ", ") {
			list = slices.DeleteFunc(list, func(s string) bool { return s == item })
		}
		list = slices.Insert(list, 0, listed)
	}
	t.comment = strings.TrimSpace(strings.TrimRight(before, " ") + "  " + head + strings.Join(list, ", "))
}

// Copy is a node like t, which shares nothing with it.
func (t *Node) Copy() *Node {
	c := *t
	c.Items, c.Keys = slices.Clone(t.Items), slices.Clone(t.Keys)
	for i := range c.Items {
		c.Items[i] = c.Items[i].Copy()
	}
	for i := range c.Keys {
		c.Keys[i].Value = c.Keys[i].Value.Copy()
	}
	return &c
}
