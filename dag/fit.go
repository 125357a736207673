package dag

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/internal/lists"
)

// String is the type for a person: "npy <f8 [draw, time, roi]".
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

// Fits is nil if an input can take an output: what a Type leaves open fits.
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
	there := lists.Set(have)
	return slices.DeleteFunc(slices.Clone(want), func(w string) bool { return there[w] })
}
