package wording

import (
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"

	"prgnn/internal/words"
	"prgnn/stages/finding"
	"prgnn/stages/report"
)

// A writer writes one entry. It is text/template without methods and assignments: the templates count and list, and
// the linker drops the methods that nothing calls.
type writer struct {
	out    *strings.Builder
	values Values
}

func (w *writer) list(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		if err := w.node(n); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) node(n parse.Node) error {
	switch n := n.(type) {
	case *parse.TextNode:
		w.out.Write(n.Text)
		return nil
	case *parse.ActionNode:
		v, err := w.pipe(n.Pipe)
		if err != nil {
			return err
		}
		text, ok := v.(string)
		if !ok {
			switch reflect.ValueOf(v).Kind() {
			case reflect.Int, reflect.Int32, reflect.Int64:
				text = fmt.Sprint(v)
			case reflect.Float64: // also a whole number of a finding that was kept as JSON
				text = report.Digits(reflect.ValueOf(v).Float())
			case reflect.String:
				text = reflect.ValueOf(v).String()
			default:
				return fmt.Errorf("%s is a %T: no function formats it", n, v)
			}
		}
		w.out.WriteString(text)
		return nil
	case *parse.IfNode:
		v, err := w.pipe(n.Pipe)
		if err != nil {
			return err
		}
		if isSet(v) {
			return w.list(n.List)
		}
		return w.list(n.ElseList)
	case *parse.CommentNode:
		return nil
	}
	return fmt.Errorf("%s: only values, functions and if", n)
}

// isSet reports whether a value is neither false, 0, empty nor missing.
func isSet(v any) bool {
	of := reflect.ValueOf(v)
	if of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		return of.Len() > 0
	}
	return of.IsValid() && !of.IsZero()
}

// pipe is the value of a pipeline: the result of each command is the last argument of the next.
func (w *writer) pipe(p *parse.PipeNode) (v any, err error) {
	for i, c := range p.Cmds {
		var args []any
		name := ""
		for j, a := range c.Args {
			if f, ok := a.(*parse.IdentifierNode); ok && j == 0 {
				name = f.Ident
				continue
			}
			x, err := w.value(a)
			if err != nil {
				return nil, err
			}
			args = append(args, x)
		}
		if i > 0 {
			args = append(args, v)
		}
		switch {
		case name != "":
			v, err = w.call(name, args)
		case len(args) == 1:
			v = args[0]
		default:
			err = fmt.Errorf("%s is no function", c)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (w *writer) value(n parse.Node) (any, error) {
	switch n := n.(type) {
	case *parse.FieldNode:
		v, ok := w.values[n.Ident[0]]
		for _, name := range n.Ident[1:] {
			if ok {
				v, ok = finding.Values(v)[name]
			}
		}
		if !ok {
			return nil, fmt.Errorf("no value %s", n)
		}
		return v, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		if n.IsInt {
			return int(n.Int64), nil
		}
		return n.Float64, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.PipeNode:
		return w.pipe(n)
	case *parse.IdentifierNode:
		return w.call(n.Ident, nil)
	}
	return nil, fmt.Errorf("%s: not supported", n)
}

func (w *writer) call(name string, args []any) (any, error) {
	switch {
	case name == "entry" && len(args) == 1: // another entry, with the same values
		return Text(fmt.Sprint(args[0]), w.values)
	case name == "entry" && len(args) == 2: // with those of a struct
		return Text(fmt.Sprint(args[0]), args[1])
	// entries "code" LIST "; ": one for each element; with " and " behind it, that is before the last one.
	case name == "entries" && (len(args) == 3 || len(args) == 4):
		texts, err := entries(fmt.Sprint(args[0]), args[1])
		if last := len(texts) - 1; len(args) == 4 && last > 0 {
			texts = append(texts[:last-1], texts[last-1]+fmt.Sprint(args[3])+texts[last])
		}
		return strings.Join(texts, fmt.Sprint(args[2])), err
	case name == "findings" && len(args) == 2: // findings LIST "; ": each by the entry of its code
		list, ok := args[0].(finding.List)
		if !ok {
			return nil, fmt.Errorf("findings does not accept %v", args[0])
		}
		var texts []string
		for _, f := range list {
			text, err := Text(f.Code, f.Values())
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, fmt.Sprint(args[1])), nil
	case name == "members" && len(args) == 3: // members "code" LIST most: likewise, at most so many
		texts, err := entries(fmt.Sprint(args[0]), args[1])
		most, _ := number(args[2])
		return words.Some(texts, int(most)), err
	case name == "some" && len(args) == 3: // some "code" LIST most: likewise, as a list
		texts, err := entries(fmt.Sprint(args[0]), args[1])
		if err != nil {
			return nil, err
		}
		args = []any{texts, args[2]}
	}
	f, ok := functions[name]
	if !ok {
		return nil, fmt.Errorf("no function %s", name)
	}
	return f(arguments{name, args})
}

// entries writes the entry of a code for each element: with the fields of a struct, a text as Name.
func entries(code string, list any) ([]string, error) {
	v := reflect.ValueOf(list)
	if list == nil {
		return nil, nil
	}
	if v.Kind() != reflect.Slice {
		return nil, fmt.Errorf("entries does not accept %v", list)
	}
	texts := make([]string, v.Len())
	for i := range texts {
		of := v.Index(i).Interface()
		if text, ok := of.(string); ok {
			of = Values{"Name": text}
		}
		var err error
		if texts[i], err = Text(code, of); err != nil {
			return nil, err
		}
	}
	return texts, nil
}
