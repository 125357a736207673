package param

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Append writes the Values, each in a line that begins with before.
func Append(b []byte, before string, s any) []byte {
	fields, v := fieldsOf(s)
	for _, f := range fields.sorted {
		b = append(append(append(b, before...), f.name...), " = "...)
		b = append(appendValue(b, v.FieldByIndex(f.index)), '\n')
	}
	return b
}

// SetText sets one parameter from its canonical text. The bounds of the parameter are not checked.
func SetText(s any, name, text string) error {
	fields, v := fieldsOf(s)
	f, ok := fields.byName[name]
	if !ok {
		return fmt.Errorf("unknown parameter %q", name)
	}
	x, err := parseValue(f.typ, text)
	if err != nil {
		return fmt.Errorf("parameter %q: %w", name, err)
	}
	v.FieldByIndex(f.index).Set(x)
	return nil
}

// parseValue reads what appendValue wrote.
func parseValue(t reflect.Type, text string) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	var err error
	switch t.Kind() {
	case reflect.Bool:
		var x bool
		x, err = strconv.ParseBool(text)
		out.SetBool(x)
	case reflect.Int, reflect.Int64:
		var x int64
		x, err = strconv.ParseInt(text, 10, 64)
		out.SetInt(x)
	case reflect.Uint64:
		var x uint64
		x, err = strconv.ParseUint(text, 10, 64)
		out.SetUint(x)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		out.SetFloat(x)
	case reflect.String:
		var x string
		x, err = strconv.Unquote(text)
		out.SetString(x)
	default:
		return parseList(t, text)
	}
	if err != nil {
		return out, fmt.Errorf("%.40q is not a valid %s", text, t)
	}
	return out, nil
}

func parseList(t reflect.Type, text string) (reflect.Value, error) {
	out := reflect.Zero(t) // an empty list is no list: their recipes are the same
	rest, opened := strings.CutPrefix(text, "[")
	rest, closed := strings.CutSuffix(rest, "]")
	if !opened || !closed {
		return out, fmt.Errorf("%.40q is not a list", text)
	}
	for rest != "" {
		word, after, _ := strings.Cut(rest, ", ")
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			word, after = quoted, strings.TrimPrefix(rest[len(quoted):], ", ")
		}
		x, err := parseValue(t.Elem(), word)
		if err != nil {
			return out, err
		}
		out, rest = reflect.Append(out, x), after
	}
	return out, nil
}
