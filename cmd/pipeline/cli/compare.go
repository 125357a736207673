package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts"
)

// A difference says how far apart two values of one output are. Cells counts
// those that differ; the far fields are those of the widest apart.
type difference struct {
	Kind   string  `json:"kind"` // shape, schema, values, bytes
	Text   string  `json:"text"` // for a person
	Cells  int     `json:"cells,omitempty"`
	Of     int     `json:"of,omitempty"`
	MaxULP uint64  `json:"max_ulp,omitempty"`
	MaxRel float64 `json:"max_relative_error,omitempty"`
	Where  string  `json:"where,omitempty"` // of the widest apart
	A      any     `json:"a,omitempty"`     // its two values
	B      any     `json:"b,omitempty"`
	rows   []cellPair
}

// A cellPair is one place in which two values differ.
type cellPair struct {
	where string
	a, b  any
}

// keepPairs is how many differing cells are kept to be shown.
const keepPairs = 5

// compareContents tells how two contents of one port differ. Equal ones give nil.
func compareContents(a, b content) *difference {
	switch {
	case a.format != b.format:
		return &difference{Kind: "bytes", Text: fmt.Sprintf("%s became %s", a.format, b.format)}
	case a.array != nil && b.array != nil:
		return compareArrays(a, b)
	case a.table != nil && b.table != nil:
		return compareTables(a.table, b.table)
	case a.text != "" || b.text != "":
		return compareTexts(a.text, b.text)
	}
	return &difference{Kind: "bytes", Text: "the bytes differ"}
}

func compareArrays(old, new content) *difference {
	a, b, axes := old.array, new.array, old.axes
	if a.DType() != b.DType() || !slices.Equal(a.Shape, b.Shape) {
		return &difference{Kind: "shape", Text: fmt.Sprintf("%s %s became %s %s", a.DType(), shapeText(a.Shape, axes), b.DType(), shapeText(b.Shape, new.axes))}
	}
	var t toll
	x, y := a.Float64s(), b.Float64s()
	for i := range x {
		t.numbers(x[i], y[i], a.DType() == "<f4", func() string { return placeText(i, a.Shape, axes) })
	}
	return t.verdict("element")
}

// placeText is "draw 0, roi 3, roi 5": draw counts from 0, other axes from 1.
func placeText(i int, shape []int, axes []string) string {
	at := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		place := i % shape[k]
		i /= shape[k]
		name := fmt.Sprintf("axis %d", k+1)
		if len(axes) == len(shape) {
			name = axes[k]
		}
		if name != "draw" {
			place++
		}
		at[k] = fmt.Sprintf("%s %d", name, place)
	}
	return strings.Join(at, ", ")
}

func compareTables(a, b *artifacts.Table) *difference {
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
		return &difference{Kind: "schema", Text: strings.Join(parts, "; ")}
	case a.Rows() != b.Rows():
		return &difference{Kind: "shape", Text: fmt.Sprintf("%s became %d", count(a.Rows(), "row"), b.Rows())}
	}
	var t toll
	for i := range a.Columns {
		x := &a.Columns[i]
		y, _ := b.Column(x.Name)
		if typeOf(x) != typeOf(y) {
			return &difference{Kind: "schema", Text: fmt.Sprintf("column %s was %s and is %s", x.Name, typeOf(x), typeOf(y))}
		}
		for r := range a.Rows() {
			t.cells(cell(x, r), cell(y, r), func() string { return fmt.Sprintf("row %d, %s", r+1, x.Name) })
		}
	}
	return t.verdict("cell")
}

func compareTexts(a, b string) *difference {
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

// A toll counts cells and remembers the first that differ and the widest apart.
type toll struct {
	n, differ int
	first     []cellPair
	widest    cellPair
	ulp       uint64
	rel       float64
}

func (t *toll) cells(a, b any, where func() string) {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			t.numbers(x, y, false, where)
			return
		}
	case float32:
		if y, ok := b.(float32); ok {
			t.numbers(float64(x), float64(y), true, where)
			return
		}
	}
	t.n++
	if a != b {
		t.note(cellPair{where(), a, b}, 0, 0)
	}
}

func (t *toll) numbers(a, b float64, single bool, where func() string) {
	t.n++
	if math.Float64bits(a) == math.Float64bits(b) {
		return
	}
	t.note(cellPair{where(), a, b}, ulps(a, b, single), relative(a, b))
}

func (t *toll) note(p cellPair, ulp uint64, rel float64) {
	t.differ++
	if len(t.first) < keepPairs {
		t.first = append(t.first, p)
	}
	if t.differ == 1 || ulp > t.ulp {
		t.widest, t.ulp = p, ulp
	}
	t.rel = math.Max(t.rel, rel)
}

func (t *toll) verdict(unit string) *difference {
	if t.differ == 0 {
		return nil
	}
	d := &difference{
		Kind: "values", Cells: t.differ, Of: t.n, MaxULP: t.ulp, MaxRel: t.rel,
		Where: t.widest.where, A: jsonValue(t.widest.a), B: jsonValue(t.widest.b), rows: t.first,
	}
	if math.IsInf(d.MaxRel, 0) || math.IsNaN(d.MaxRel) {
		d.MaxRel = math.MaxFloat64
	}
	d.Text = fmt.Sprintf("%d of %d %ss differ", t.differ, t.n, unit)
	if t.ulp > 0 {
		d.Text += fmt.Sprintf(", by up to %s (relative error %s) at %s: %s became %s",
			ulpText(t.ulp), rounded(t.rel), t.widest.where, full(t.widest.a), full(t.widest.b))
	}
	return d
}

// print shows the first differing cells.
func (d *difference) print(w io.Writer, indent string) {
	g := grid{indent: indent}
	for _, p := range d.rows {
		g.add(p.where, orNone(p.a), "→", orNone(p.b))
	}
	g.print(w)
	if more := d.Cells - len(d.rows); more > 0 && len(d.rows) > 0 {
		fmt.Fprintf(w, "%s… %d more\n", indent, more)
	}
}

func orNone(v any) string {
	if v == nil {
		return "n/a"
	}
	return clip(full(v), 60)
}

// ulps is how many numbers of the type lie between two, plus one. A NaN is as
// far as can be from any number, and nothing from another NaN but its bits.
func ulps(a, b float64, single bool) uint64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		if math.IsNaN(a) && math.IsNaN(b) {
			return 1
		}
		return math.MaxUint64
	}
	x, y := rank64(a), rank64(b)
	if single {
		x, y = rank32(float32(a)), rank32(float32(b))
	}
	if x > y {
		x, y = y, x
	}
	return max(uint64(y)-uint64(x), 1) // 0 and -0 differ in one bit
}

// rank64 numbers the floats in their order; 0 and -0 have one number.
func rank64(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func rank32(x float32) int64 {
	bits := int32(math.Float32bits(x))
	if bits < 0 {
		return int64(math.MinInt32) - int64(bits)
	}
	return int64(bits)
}

// relative is |a − b| / max(|a|, |b|).
func relative(a, b float64) float64 {
	if a == b {
		return 0
	}
	d := math.Abs(a-b) / math.Max(math.Abs(a), math.Abs(b))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

func ulpText(n uint64) string {
	if n == math.MaxUint64 {
		return "a NaN"
	}
	if n > 1_000_000 {
		return "more than a million ULP"
	}
	return fmt.Sprintf("%d ULP", n)
}
