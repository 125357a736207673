package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
// bytes are decoded for it: bytes that are not what they say are found here and
// not by the next stage.
func holds(t dag.Type, v artifacts.Value) error {
	if t.Format == "" {
		return nil
	}
	if v.Format() != t.Format {
		return fmt.Errorf("is %s, not %s", v.Format(), t.Format)
	}
	switch t.Format {
	case "npy":
		a, err := encoding.ArrayOf(v)
		if err != nil {
			return err
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
			return err
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
