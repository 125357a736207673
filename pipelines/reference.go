package pipelines

import (
	"strconv"
	"strings"

	"prgnn/dag"
	"prgnn/dag/selector"
	"prgnn/pipelines/tree"
)

// A ref is one source of an input port as the file names it.
type ref struct {
	pos    dag.Pos
	text   string
	stage  string
	fixed  []dag.Coord // axis=value; Axis "" for a value alone
	gather bool        // [*]
	picked bool        // there are brackets
	output string
	file   *tree.Node // {file: PATH}: none of the above
}

// readRef takes STAGE[SELECTION].OUTPUT apart.
func (l *loader) readRef(t *tree.Node, where string) (ref, bool) {
	r := ref{pos: t.Pos}
	switch {
	case t.Broken():
		return r, false
	case t.Kind == tree.Mapping:
		r.file = t.Get("file")
		if r.file == nil || r.file.Kind != tree.Scalar || len(t.Keys) != 1 {
			l.bad.Add(t.Pos, "%s: write a file as {file: PATH}", where)
			return r, false
		}
		r.text = r.file.Text
		return r, true
	case t.Kind != tree.Scalar || t.Parts != nil:
		l.bad.Add(t.Pos, "%s must be a reference such as STAGE.OUTPUT, not %s", where, t)
		return r, false
	}
	r.text = strings.TrimSpace(t.Text)
	rest := r.text
	end := strings.IndexAny(rest, "[.")
	if end < 0 {
		end = len(rest)
	}
	r.stage, rest = strings.TrimSpace(rest[:end]), rest[end:]
	if strings.HasPrefix(rest, "[") {
		var inner string
		var ok bool
		if inner, rest, ok = bracket(rest); !ok {
			l.bad.Add(r.pos, "%s: the bracket in %q is not closed", where, r.text)
			return r, false
		}
		r.picked = true
		for _, sel := range selector.Split(inner) {
			sel = strings.TrimSpace(sel)
			axis, value, has := strings.Cut(sel, "=")
			has = has && !strings.HasPrefix(sel, `"`)
			switch {
			case sel == "*":
				r.gather = true
			case sel == "":
				l.bad.Add(r.pos, "%s: a selection in %q is empty; write * or axis=value", where, r.text)
				return r, false
			case has:
				value = unquote(strings.TrimSpace(value))
				r.fixed = append(r.fixed, dag.Coord{Axis: strings.TrimSpace(axis), Value: value})
			default:
				r.fixed = append(r.fixed, dag.Coord{Value: unquote(sel)})
			}
		}
	}
	output, dotted := strings.CutPrefix(rest, ".")
	r.output = strings.TrimSpace(output)
	if r.stage == "" || dotted != (r.output != "") || !dotted && rest != "" {
		l.bad.Add(r.pos, "%s: %q is not a reference; write STAGE, STAGE.OUTPUT or STAGE[*].OUTPUT", where, r.text)
		return r, false
	}
	return r, true
}

// bracket cuts "[inner]rest"; brackets within, and quoted texts, belong to inner.
func bracket(s string) (inner, rest string, ok bool) {
	for i, depth := range selector.Unquoted(s) {
		if s[i] == ']' && depth == 0 {
			return s[1:i], s[i+1:], true
		}
	}
	return "", "", false
}

// unquote takes the quotes off that dag.TaskID puts around odd values.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		if text, err := strconv.Unquote(s); err == nil {
			return text
		}
		r := strings.NewReplacer(`\\`, `\`, `\"`, `"`)
		return r.Replace(s[1 : len(s)-1])
	}
	return s
}
