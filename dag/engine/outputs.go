package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/dag"
)

// checkOutputs compares what a stage gave with what its ports promise, and
// reports every difference: each is a mistake of the stage, not of its user.
func checkOutputs(ports []dag.Port, out dag.Outputs) error {
	var wrong []error
	for _, p := range ports {
		v, ok := out[p.Name]
		if !ok || v == nil {
			wrong = append(wrong, fmt.Errorf("the stage did not return its output %q", p.Name))
			continue
		}
		if at := reflect.ValueOf(v); at.Kind() == reflect.Pointer && at.IsNil() {
			wrong = append(wrong, fmt.Errorf("the stage's output %q is a nil %T: return a value, or an error", p.Name, v))
			continue
		}
		if err := holds(p.Type, v); err != nil {
			wrong = append(wrong, fmt.Errorf("the stage's output %q %w", p.Name, err))
		}
	}
	var extra []string
	for name := range out {
		if !slices.ContainsFunc(ports, func(p dag.Port) bool { return p.Name == name }) {
			extra = append(extra, name)
		}
	}
	slices.Sort(extra)
	for _, name := range extra {
		wrong = append(wrong, fmt.Errorf("the stage returned an output %q that its ports do not declare", name))
	}
	return errors.Join(wrong...)
}

// holds reports whether a value is of the type. Arrays and tables that come as
// bytes are decoded for it, texts and JSON checked, also where the port takes any
// format: wrong bytes are found here and not by the next stage.
func holds(t dag.Type, v artifacts.Value) (err error) {
	defer func() {
		if _, ok := err.(*Panic); ok {
			err = fmt.Errorf("cannot be checked: %w", err)
		}
	}()
	defer recovered(&err)
	format := v.Format()
	b, isBytes := v.(artifacts.Bytes) // other values encode themselves, and a file of a command is checked by its stage
	switch {
	case format == "" || strings.ContainsFunc(format, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("has the format %q, which is not one word: return a word such as bin from Format of %T", format, v)
	case t.Format != "" && format != t.Format:
		return fmt.Errorf("is %s, not %s", format, t.Format)
	case !isBytes && t.Format == "":
		return nil
	case isBytes && format == "text" && !utf8.Valid(b.Data):
		return errors.New("is not UTF-8: declare it as bin, or write UTF-8")
	case isBytes && format == "json" && !json.Valid(b.Data):
		return errors.New("is not JSON: encode it by json.Marshal")
	}
	switch format {
	case "npy":
		a, err := encoding.ArrayOf(v)
		if err != nil {
			return fmt.Errorf("is not valid npy: %w", err)
		}
		if t.DType != "" && a.DType() != t.DType {
			return fmt.Errorf("has elements of type %s, not %s", a.DType(), t.DType)
		}
		if t.Axes != nil && len(a.Shape) != len(t.Axes) {
			return fmt.Errorf("has the shape %v, not the axes [%s]", a.Shape, strings.Join(t.Axes, ", "))
		}
	case "arrow":
		tab, err := encoding.TableOf(v)
		if err != nil {
			return fmt.Errorf("is not valid arrow: %w", err)
		}
		var have []string
		for i := range tab.Columns {
			have = append(have, tab.Columns[i].Name)
		}
		lacks := slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return slices.Contains(have, c) })
		if len(lacks) > 0 {
			return fmt.Errorf("has no column %s", strings.Join(lacks, ", "))
		}
	}
	return nil
}
