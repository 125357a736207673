package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/selector"
	"prgnn/internal/pattern"
	"prgnn/internal/words"
)

// Variables puts the values of vars: into a tree.
type Variables struct {
	bad    *Mistakes
	room   *Room
	Names  []string
	Gone   func(name string) string // where a variable was removed, or ""
	Values map[string]*Node
	state  map[string]varState
}

type varState byte

const (
	fresh varState = iota
	opened
	done
)

// ReadVars reads vars: of a pipeline file. No variable may have one of the names in keys, those of the file's own.
func ReadVars(t *Node, keys []string, bad *Mistakes) *Variables {
	v := &Variables{bad: bad, Gone: func(string) string { return "" }, room: NewRoom(bad), Values: map[string]*Node{},
		state: map[string]varState{}}
	if t == nil || t.Kind == Empty {
		return v
	}
	if t.Kind != Mapping {
		bad.Add(t.Pos, "vars must be a mapping of names to values, not %s", t)
		return v
	}
	for _, k := range t.Keys {
		switch {
		case !selector.IsName(k.Name):
			bad.Add(k.Pos, "a variable cannot be named %q: use %s", k.Name, selector.NameRule)
		case slices.Contains(keys, k.Name):
			bad.Add(k.Pos, "a variable cannot be named %q: that is a key of the pipeline file", k.Name)
		default:
			v.Names = append(v.Names, k.Name)
			v.Values[k.Name] = k.Value
		}
	}
	return v
}

// value resolves one variable, which may refer to others.
func (v *Variables) value(name string, from dag.Pos) *Node {
	t, ok := v.Values[name]
	if !ok {
		v.bad.Add(from, "there is no variable %q%s", name, cmp.Or(v.Gone(name), words.OrAll(name, v.Names)))
		return nil
	}
	switch v.state[name] {
	case opened:
		v.bad.Add(from, "the variable %q refers to itself", name)
		return nil
	case fresh:
		v.state[name] = opened
		v.Resolve(t, nil)
		v.state[name] = done
		if t.Kind == Scalar && t.Value == "" {
			how := t.comment
			if !strings.Contains(how, "--set") {
				how = "give it with --set " + name + "=VALUE"
			}
			v.bad.Add(t.Pos, "the variable %q is empty: %s", name, how)
			t.Bad = true
		}
	}
	if t.Bad {
		return nil
	}
	return t
}

// Unused reports the variables among some that nothing refers to: a mistake where the name is like that of another one.
// The others have notes without their values, which can be paths of this machine.
func (v *Variables) Unused(among []string) (unused []string) {
	for _, name := range among {
		t, there := v.Values[name]
		if !there || v.state[name] != fresh {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(v.Names), func(other string) bool { return other == name })
		if near := words.DidYouMean(name, others); near != "" {
			v.bad.Add(t.Pos, "nothing refers to the variable %q%s", name, near)
		} else {
			unused = append(unused, "nothing refers to the variable "+name)
		}
	}
	return unused
}

// All resolves the variables that nobody has asked for, so that mistakes in
// them are found too. An empty one that is not needed is none.
func (v *Variables) All() {
	for _, name := range v.Names {
		if v.state[name] == fresh {
			v.state[name] = opened
			v.Resolve(v.Values[name], nil)
			v.state[name] = done
		}
	}
}

// A Part of a text: a literal, or the coordinate on an axis of the task that
// the text is for.
type Part struct{ Literal, Axis string }

var reference = pattern.New(`\$?\$\{[^{}]*\}?`)

// Resolve writes out the ${name} in t. Names in axes stay open until there is a
// task (see Fill).
func (v *Variables) Resolve(t *Node, axes []string) {
	for _, item := range t.Items {
		v.Resolve(item, axes)
	}
	for _, k := range t.Keys {
		v.Resolve(k.Value, axes)
	}
	text, isText := t.Value.(string)
	if t.Kind != Scalar || !isText || !strings.Contains(text, "${") {
		return
	}
	var parts []Part
	at := 0
	for _, m := range reference.FindAllStringIndex(text, -1) {
		ref := text[m[0]:m[1]]
		parts = append(parts, Part{Literal: text[at:m[0]]})
		at = m[1]
		if strings.HasPrefix(ref, "$$") {
			parts = append(parts, Part{Literal: ref[1:]})
			continue
		}
		if !strings.HasSuffix(ref, "}") {
			v.bad.Add(t.Pos, "%q is not closed: write a variable as ${name}; $${ stands for ${", ref)
			t.Bad = true
			return
		}
		name := strings.TrimSpace(ref[2 : len(ref)-1])
		whole := ref == text
		if slices.Contains(axes, name) {
			parts = append(parts, Part{Axis: name})
			continue
		}
		val := v.value(name, t.Pos)
		if val == nil {
			t.Bad = true
			return
		}
		if whole {
			pos, written := t.Pos, t.Written
			if val.Pos.Line == 0 { // from --set, which is where the person looks
				pos = val.Pos
			}
			if t.Bad = !v.room.takeTree(val, t.Pos); t.Bad {
				return
			}
			row, col := t.Row, t.Col
			*t = *val
			t.Pos, t.Row, t.Col, t.Written, t.Vars, t.Head = pos, row, col, written, []string{name}, name
			return
		}
		if val.Kind != Scalar {
			hint := map[bool]string{true: `; for the text null, write it in double quotes, with --set as '` + name + `="null"'`}
			v.bad.Add(t.Pos, "the variable %q is %s, which cannot be part of a text%s", name, val, hint[val.Kind == Empty])
			t.Bad = true
			return
		}
		if !v.room.take(len(val.Text), t.Pos) {
			t.Bad = true
			return
		}
		t.Vars = append(t.Vars, name)
		if m[0] == 0 && strings.HasPrefix(text[m[1]:], "/") {
			t.Head = name
		}
		parts = append(parts, Part{Literal: val.Text})
	}
	parts = append(parts, Part{Literal: text[at:]})
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Axis != "" }) {
		t.Parts = parts
		return
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Literal)
	}
	t.Value, t.Text = b.String(), b.String()
}

// Open lists the axes that t still waits for.
func (t *Node) Open() []string {
	var axes []string
	for _, p := range t.Parts {
		if p.Axis != "" {
			axes = append(axes, p.Axis)
		}
	}
	for _, item := range t.Items {
		axes = append(axes, item.Open()...)
	}
	for _, k := range t.Keys {
		axes = append(axes, k.Value.Open()...)
	}
	return axes
}

// Fill writes the coordinates of a task into t. A text that is one ${axis} and
// nothing else keeps the type of the axis' value.
func (t *Node) Fill(value func(axis string) (any, string)) any {
	switch {
	case t.Parts != nil:
		var b strings.Builder
		for _, p := range t.Parts {
			if p.Axis == "" {
				b.WriteString(p.Literal)
				continue
			}
			val, text := value(p.Axis)
			if fmt.Sprintf("${%s}", p.Axis) == t.Text {
				return val
			}
			b.WriteString(text)
		}
		return b.String()
	case t.Kind == List:
		all := make([]any, len(t.Items))
		for i, item := range t.Items {
			all[i] = item.Fill(value)
			if _, nested := all[i].([]any); nested && item.Parts != nil {
				_, all[i] = value(item.Open()[0]) // no parameter is a list of lists
			}
		}
		return all
	}
	return t.Decoded()
}
