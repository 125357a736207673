package dag

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
)

// String names a type for a person: "npy <f8 [draw, time, roi]".
func (t Type) String() string {
	var b strings.Builder
	if b.WriteString(t.Format); t.Format == "" {
		b.WriteString("anything")
	}
	if t.DType != "" {
		b.WriteString(" " + t.DType)
	}
	if t.Axes != nil {
		b.WriteString(" [" + strings.Join(t.Axes, ", ") + "]")
	}
	if t.Columns != nil {
		b.WriteString(" (" + strings.Join(t.Columns, ", ") + ")")
	}
	return b.String()
}

// Fits reports whether an input of type in can take what an output of type out
// gives; the error says in what they differ. A side that does not state a thing
// leaves it open. Columns are promised by outputs and asked for by inputs, so an
// output may have more of them, and an output that lists none promises nothing
// that an input could be denied: it is checked when the bytes are there.
func Fits(out, in Type) error {
	switch {
	case in.Format == "" || out.Format == "":
		return nil
	case in.Format != out.Format:
		return fmt.Errorf("takes %s, not %s", in.Format, out.Format)
	case in.DType != "" && out.DType != "" && in.DType != out.DType:
		return fmt.Errorf("takes elements of type %s, not %s", in.DType, out.DType)
	case in.Axes != nil && out.Axes != nil && !slices.Equal(in.Axes, out.Axes):
		return fmt.Errorf("takes the axes [%s], not [%s]", strings.Join(in.Axes, ", "), strings.Join(out.Axes, ", "))
	case in.Columns != nil && out.Columns != nil:
		if lacks := missing(in.Columns, out.Columns); len(lacks) > 0 {
			return fmt.Errorf("needs the column %s; available: %s", strings.Join(lacks, ", "), strings.Join(out.Columns, ", "))
		}
	}
	return nil
}

// missing lists what is wanted and not there.
func missing(want, have []string) []string {
	there := make(map[string]bool, len(have))
	for _, h := range have {
		there[h] = true
	}
	return slices.DeleteFunc(slices.Clone(want), func(w string) bool { return there[w] })
}

// checkOutputs compares what a stage gave with what its ports promise, and
// reports every difference: each is a mistake of the stage, not of its user.
func checkOutputs(ports []Port, out Outputs) error {
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
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == name }) {
			extra = append(extra, name)
		}
	}
	slices.Sort(extra)
	for _, name := range extra {
		wrong = append(wrong, fmt.Errorf("the stage returned an output %q that its ports do not name", name))
	}
	return errors.Join(wrong...)
}

// holds reports whether a value is of the type. Arrays and tables that come as
// bytes are decoded for it: bytes that are not what they say are found here and
// not by the next stage.
func holds(t Type, v artifacts.Value) error {
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
		if lacks := missing(t.Columns, have); len(lacks) > 0 {
			return fmt.Errorf("has no column %s", strings.Join(lacks, ", "))
		}
	}
	return nil
}
