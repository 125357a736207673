package pipelines

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/internal/words"
)

// variables puts the values of vars: into a tree.
type variables struct {
	bad    *mistakes
	room   room
	names  []string
	gone   func(name string) string // where a variable was removed, or ""
	values map[string]*tree
	state  map[string]varState
}

type varState byte

const (
	fresh varState = iota
	opened
	done
)

// ownKeys are the keys of a pipeline file, which no variable may be called:
// --set seed=7 must mean one thing.
var ownKeys = []string{"extends", "pipeline", "seed", "vars", "cohort", "stages"}

func readVars(t *tree, bad *mistakes) *variables {
	v := &variables{bad: bad, gone: func(string) string { return "" }, room: room{maxExpanded, bad}, values: map[string]*tree{}, state: map[string]varState{}}
	if t == nil || t.kind == empty {
		return v
	}
	if t.kind != mapping {
		bad.add(t.pos, "vars takes a mapping of names to values, not %s", t)
		return v
	}
	for _, k := range t.keys {
		switch {
		case !isName(k.name):
			bad.add(k.pos, "a variable cannot be called %q: a name is letters, digits, _ and -, and begins with a letter", k.name)
		case slices.Contains(ownKeys, k.name):
			bad.add(k.pos, "a variable cannot be called %q: that is a key of the pipeline file itself", k.name)
		default:
			v.names = append(v.names, k.name)
			v.values[k.name] = k.value
		}
	}
	return v
}

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func isName(s string) bool { return nameForm.MatchString(s) }

// value resolves one variable, which may refer to others.
func (v *variables) value(name string, from dag.Pos) *tree {
	t, ok := v.values[name]
	if !ok {
		v.bad.add(from, "there is no variable %q%s", name, cmp.Or(v.gone(name), words.OrAll(name, v.names)))
		return nil
	}
	switch v.state[name] {
	case opened:
		v.bad.add(from, "the variable %q refers to itself", name)
		return nil
	case fresh:
		v.state[name] = opened
		v.resolve(t, nil)
		v.state[name] = done
		if t.kind == scalar && t.value == "" {
			how := t.comment
			if !strings.Contains(how, "--set") {
				how = "give it with --set " + name + "=VALUE"
			}
			v.bad.add(t.pos, "the variable %q is empty: %s", name, how)
			t.bad = true
		}
	}
	if t.bad {
		return nil
	}
	return t
}

// all resolves the variables that nobody has asked for, so that mistakes in
// them are found too. An empty one that is not needed is none.
func (v *variables) all() {
	for _, name := range v.names {
		if v.state[name] == fresh {
			v.state[name] = opened
			v.resolve(v.values[name], nil)
			v.state[name] = done
		}
	}
}

// A part of a text: a literal, or the coordinate on an axis of the task that
// the text is for.
type part struct{ literal, axis string }

var reference = regexp.MustCompile(`\$?\$\{[^{}]*\}?`)

// resolve writes out the ${name} in t. Names in axes stay open until there is a
// task (see fill).
func (v *variables) resolve(t *tree, axes []string) {
	for _, item := range t.items {
		v.resolve(item, axes)
	}
	for _, k := range t.keys {
		v.resolve(k.value, axes)
	}
	text, isText := t.value.(string)
	if t.kind != scalar || !isText || !strings.Contains(text, "${") {
		return
	}
	var parts []part
	at := 0
	for _, m := range reference.FindAllStringIndex(text, -1) {
		ref := text[m[0]:m[1]]
		parts = append(parts, part{literal: text[at:m[0]]})
		at = m[1]
		if strings.HasPrefix(ref, "$$") {
			parts = append(parts, part{literal: ref[1:]})
			continue
		}
		if !strings.HasSuffix(ref, "}") {
			v.bad.add(t.pos, "%q is not closed: a variable is written ${name}, and $${ stands for ${", ref)
			t.bad = true
			return
		}
		name := strings.TrimSpace(ref[2 : len(ref)-1])
		whole := ref == text
		if slices.Contains(axes, name) {
			parts = append(parts, part{axis: name})
			continue
		}
		val := v.value(name, t.pos)
		if val == nil {
			t.bad = true
			return
		}
		if whole {
			pos, written := t.pos, t.written
			if val.pos.Line == 0 { // from --set, which is where the person looks
				pos = val.pos
			}
			if t.bad = !v.room.takeTree(val, t.pos); t.bad {
				return
			}
			row, col := t.row, t.col
			*t = *val
			t.pos, t.row, t.col, t.written, t.vars, t.head = pos, row, col, written, []string{name}, name
			return
		}
		if val.kind != scalar {
			v.bad.add(t.pos, "the variable %q is %s, and cannot stand within a text", name, val)
			t.bad = true
			return
		}
		if !v.room.take(len(val.text), t.pos) {
			t.bad = true
			return
		}
		t.vars = append(t.vars, name)
		if m[0] == 0 && strings.HasPrefix(text[m[1]:], "/") {
			t.head = name
		}
		parts = append(parts, part{literal: val.text})
	}
	parts = append(parts, part{literal: text[at:]})
	if slices.ContainsFunc(parts, func(p part) bool { return p.axis != "" }) {
		t.parts = parts
		return
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.literal)
	}
	t.value, t.text = b.String(), b.String()
}

// open lists the axes that t still waits for.
func (t *tree) open() []string {
	var axes []string
	for _, p := range t.parts {
		if p.axis != "" {
			axes = append(axes, p.axis)
		}
	}
	for _, item := range t.items {
		axes = append(axes, item.open()...)
	}
	for _, k := range t.keys {
		axes = append(axes, k.value.open()...)
	}
	return axes
}

// fill writes the coordinates of a task into t. A text that is one ${axis} and
// nothing else keeps the type of the axis' value.
func (t *tree) fill(value func(axis string) (any, string)) any {
	switch {
	case t.parts != nil:
		var b strings.Builder
		for _, p := range t.parts {
			if p.axis == "" {
				b.WriteString(p.literal)
				continue
			}
			val, text := value(p.axis)
			if fmt.Sprintf("${%s}", p.axis) == t.text {
				return val
			}
			b.WriteString(text)
		}
		return b.String()
	case t.kind == list:
		all := make([]any, len(t.items))
		for i, item := range t.items {
			all[i] = item.fill(value)
			if _, nested := all[i].([]any); nested && item.parts != nil {
				_, all[i] = value(item.open()[0]) // no parameter is a list of lists
			}
		}
		return all
	}
	return t.decoded()
}
