package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
)

// A Difference says how far apart two values of one output are. Cells counts
// those that differ; the far fields are those of the widest apart.
type Difference struct {
	Kind   string  `json:"kind"` // shape, schema, values, metadata, bytes
	Text   string  `json:"text"` // for a person
	Cells  int     `json:"cells,omitempty"`
	Of     int     `json:"of,omitempty"`
	MaxULP uint64  `json:"max_ulp,omitempty"`
	MidULP uint64  `json:"median_ulp,omitempty"` // of those that differ
	MaxRel float64 `json:"max_relative_error,omitempty"`
	Where  string  `json:"where,omitempty"` // of the widest apart
	A      any     `json:"a,omitempty"`     // its two values
	B      any     `json:"b,omitempty"`
	Pairs  []Pair  `json:"-"` // the first places
	Other  bool    `json:"-"` // more than numbers differ
}

// A Pair is one place in which two values differ.
type Pair struct {
	Where string
	A, B  any
}

// keepPairs is how many differing cells are kept to be shown.
const keepPairs = 5

// Arrays tells how two arrays differ, whose axes have names; nil for equal ones.
func Arrays(a, b *encoding.Array, axes, axesOfB []string) *Difference {
	if a.DType() != b.DType() || !slices.Equal(a.Shape, b.Shape) {
		return &Difference{Kind: "shape", Text: fmt.Sprintf("%s %s became %s %s", a.DType(), Shape(a.Shape, axes),
			b.DType(), Shape(b.Shape, axesOfB))}
	}
	var t toll
	x, y := a.Float64s(), b.Float64s()
	for i := range x {
		t.numbers(x[i], y[i], a.DType() == "<f4", func() string { return placeText(i, a.Shape, axes) })
	}
	return t.verdict("element")
}

// placeText is "draw 0, roi 3, roi 5": draw counts from 0, other axes from 1. Where
// the axes have no names it is what numpy takes, from 0: "[0, 2, 4]".
func placeText(i int, shape []int, axes []string) string {
	if len(shape) == 0 {
		return "its one value"
	}
	at := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		place := i % shape[k]
		i /= shape[k]
		switch {
		case len(axes) != len(shape):
			at[k] = fmt.Sprint(place)
		case axes[k] == "draw":
			at[k] = fmt.Sprintf("draw %d", place)
		default:
			at[k] = fmt.Sprintf("%s %d", axes[k], place+1)
		}
	}
	if len(axes) != len(shape) {
		return "[" + strings.Join(at, ", ") + "]"
	}
	return strings.Join(at, ", ")
}

// Tables tells how two tables differ, row by row as their keys pair them; nil for equal ones.
func Tables(a, b *encoding.Table) *Difference {
	var lost, new []string
	for i := range a.Columns {
		if _, ok := b.Column(a.Columns[i].Name); !ok {
			lost = append(lost, a.Columns[i].Name)
		}
	}
	for i := range b.Columns {
		if _, ok := a.Column(b.Columns[i].Name); !ok {
			new = append(new, b.Columns[i].Name)
		}
	}
	switch {
	case len(lost)+len(new) > 0:
		var parts []string
		if len(lost) > 0 {
			parts = append(parts, "lost the column "+strings.Join(lost, ", "))
		}
		if len(new) > 0 {
			parts = append(parts, "has the new column "+strings.Join(new, ", "))
		}
		return &Difference{Kind: "schema", Text: strings.Join(parts, "; ")}
	}
	rows, paired := pairRows(a, b)
	if !paired {
		return &Difference{Kind: "shape", Text: fmt.Sprintf("%s became %d", rowsText(a.Rows()), b.Rows())}
	}
	var t toll
	for i := range a.Columns {
		x := &a.Columns[i]
		y, _ := b.Column(x.Name)
		if x.TypeName() != y.TypeName() {
			return &Difference{Kind: "schema", Text: fmt.Sprintf("column %s was %s and is %s", x.Name, x.TypeName(), y.TypeName())}
		}
		for _, r := range rows.pairs {
			t.cells(Cell(x, r[0]), Cell(y, r[1]), func() string { return rows.name(r[0]) + ": " + x.Name })
		}
	}
	d := t.verdict("cell")
	if text := rows.text(); text != "" {
		if d == nil {
			d = &Difference{}
		} else {
			text += "; " + d.Text
		}
		d.Kind, d.Text, d.Other = "rows", text, true
	}
	if d != nil {
		return d
	}
	return compareDescriptions(a, b)
}

// compareDescriptions compares what goes with the values of a table: its metadata,
// and the units and docs of its columns.
func compareDescriptions(a, b *encoding.Table) *Difference {
	var t toll
	for _, k := range slices.Sorted(maps.Keys(merged(a.Meta, b.Meta))) {
		x, inA := a.Meta[k]
		y, inB := b.Meta[k]
		t.cells(orNil(x, inA), orNil(y, inB), func() string { return "metadata " + k })
	}
	for i := range a.Columns {
		x := &a.Columns[i]
		y, _ := b.Column(x.Name)
		t.cells(x.Unit, y.Unit, func() string { return "unit of " + x.Name })
		t.cells(x.Doc, y.Doc, func() string { return "doc of " + x.Name })
	}
	d := t.verdict("description")
	if d != nil {
		d.Kind, d.Text = "metadata", "the values are the same; their descriptions differ"
	}
	return d
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}

func orNil(s string, there bool) any {
	if !there {
		return nil
	}
	return s
}

// Texts tells how two texts differ, line by line; nil for equal ones.
func Texts(a, b string) *Difference {
	if a == b {
		return nil
	}
	x, y := strings.Split(strings.TrimSuffix(a, "\n"), "\n"), strings.Split(strings.TrimSuffix(b, "\n"), "\n")
	var t toll
	for i := range max(len(x), len(y)) {
		var p, q any
		if i < len(x) {
			p = x[i]
		}
		if i < len(y) {
			q = y[i]
		}
		t.cells(p, q, func() string { return fmt.Sprintf("line %d", i+1) })
	}
	return t.verdict("line")
}
