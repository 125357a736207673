package differ

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"prgnn/artifacts/encoding"
	"prgnn/internal/words"
)

// A Difference is the distance of two values of one output. Cells counts
// those that differ; Where, A and B are of the largest difference.
type Difference struct {
	Kind   string  `json:"kind"` // shape, schema, values, rows, metadata, bytes
	Text   string  `json:"text"` // for a person
	Cells  int     `json:"cells,omitempty"`
	Of     int     `json:"of,omitempty"`
	MaxULP uint64  `json:"max_ulp,omitempty"`
	MidULP uint64  `json:"median_ulp,omitempty"` // of those that differ
	MaxRel float64 `json:"max_relative_error,omitempty"`
	Where  string  `json:"where,omitempty"`
	A      any     `json:"a,omitempty"`
	B      any     `json:"b,omitempty"`
	Pairs  []Pair  `json:"-"` // the first places
	Other  bool    `json:"-"` // more than numbers differ
}

// A Pair is one place in which two values differ.
type Pair struct {
	Where string
	A, B  any
}

// Text writes the two values: in full when they are numbers that a rounding would make
// look the same.
func (p Pair) Text() (a, b string) {
	text := Rounded
	if Rounded(p.A) == Rounded(p.B) {
		text = Full
	}
	if a, b = text(p.A), text(p.B); p.A == nil {
		a = "n/a"
	}
	if p.B == nil {
		b = "n/a"
	}
	return a, b
}

const (
	keepPairs = 5         // differing cells to be shown
	nearULP   = 1_000_000 // up to here units in the last place are clearer than a relative error
)

// A tally counts cells, and keeps the first that differ and the largest difference.
type tally struct {
	Difference
	ulps []uint64 // of the numbers that differ
}

// add counts one cell of two values of one type.
func (t *tally) add(a, b any, where func() string) {
	t.Of++
	x, bits, isNumber := float(a)
	y, _, both := float(b)
	isNumber = isNumber && both
	if isNumber && math.Float64bits(x) == math.Float64bits(y) || !isNumber && a == b {
		return
	}
	far, p := uint64(0), Pair{where(), a, b}
	if isNumber {
		far = ulps(x, y, bits)
		t.ulps = append(t.ulps, far)
		t.MaxRel = max(t.MaxRel, min(relative(x, y), math.MaxFloat64))
	}
	t.Other = t.Other || !isNumber
	if t.Cells++; t.Cells <= keepPairs {
		t.Pairs = append(t.Pairs, p)
	}
	if t.Cells == 1 || far > t.MaxULP {
		t.Where, t.A, t.B, t.MaxULP = p.Where, a, b, far
	}
}

// difference is what was counted, in units such as "cell"; nil where nothing differs.
func (t *tally) difference(unit string) *Difference {
	if t.Cells == 0 {
		return nil
	}
	d := t.Difference
	d.Kind, d.Text = "values", fmt.Sprintf("%d of %d %ss differ", d.Cells, d.Of, unit)
	if d.MaxULP > 0 {
		a, b := Pair{A: d.A, B: d.B}.Text()
		d.Text += fmt.Sprintf(", largest difference at %s: %s became %s", d.Where, a, b)
		x, _, _ := float(d.A)
		y, _, _ := float(d.B)
		switch rel := Rounded(relative(x, y)); {
		case d.MaxULP == math.MaxUint64: // of a NaN
		case d.MaxULP <= nearULP:
			d.Text += fmt.Sprintf(" (%d ULP, relative error %s)", d.MaxULP, rel)
		default:
			d.Text += fmt.Sprintf(" (relative error %s)", rel)
		}
		slices.Sort(t.ulps)
		if d.MidULP = t.ulps[len(t.ulps)/2]; len(t.ulps) > 1 && d.MidULP <= nearULP {
			d.Text += fmt.Sprintf("; the median is %d ULP", d.MidULP)
		}
	}
	d.A, d.B = JSON(d.A), JSON(d.B)
	return &d
}

// ulps is how many numbers of so many bits lie between two, plus one. A NaN is as
// far as can be from any number, and differs from another NaN in its bits alone.
func ulps(a, b float64, bits int) uint64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		if math.IsNaN(a) && math.IsNaN(b) {
			return 1
		}
		return math.MaxUint64
	}
	x, y := rank(a, bits), rank(b, bits)
	return max(uint64(max(x, y))-uint64(min(x, y)), 1) // 0 and -0 differ in one bit
}

// rank numbers the floats of so many bits in their order; 0 and -0 have one number.
func rank(x float64, bits int) int64 {
	n, least := int64(math.Float64bits(x)), int64(math.MinInt64)
	if bits == 32 {
		n, least = int64(int32(math.Float32bits(float32(x)))), math.MinInt32
	}
	if n < 0 {
		return least - n
	}
	return n
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

func arrays(a, b Content) *Difference {
	x, y, shape := a.Array, b.Array, a.Array.Shape
	if x.DType() != y.DType() || !slices.Equal(shape, y.Shape) {
		return &Difference{Kind: "shape", Text: fmt.Sprintf("%s %s became %s %s", x.DType(), Shape(shape, a.Axes),
			y.DType(), Shape(y.Shape, b.Axes))}
	}
	var t tally
	before, after, each := x.Float64s, y.Float64s, 1
	if x.IsComplex() {
		before, after, each = x.Parts, y.Parts, 2
	}
	now := after()
	for i, was := range before() {
		where := func() string {
			if each == 2 {
				return place(i/2, shape, a.Axes) + [2]string{", real part", ", imaginary part"}[i%2]
			}
			return place(i, shape, a.Axes)
		}
		switch now := now[i]; {
		case math.Float64bits(was) == math.Float64bits(now):
			t.Of++
		case x.DType() == "<f4" || x.DType() == "<c8":
			t.add(float32(was), float32(now), where)
		default:
			t.add(was, now, where)
		}
	}
	return t.difference("element")
}

// place is "draw 0, roi 3, roi 5": draw counts from 0, other axes from 1. Where
// the axes have no names it is what numpy takes, from 0: "[0, 2, 4]".
func place(i int, shape []int, axes []string) string {
	if len(shape) == 0 {
		return "its one value"
	}
	at := slices.Clone(shape)
	for k := len(shape) - 1; k >= 0; k-- {
		at[k], i = i%shape[k], i/shape[k]
		if len(axes) == len(shape) && axes[k] != "draw" {
			at[k]++
		}
	}
	text := Shape(at, axes)
	if len(axes) == len(shape) {
		text = strings.Trim(text, "[]")
	}
	return text
}

// tables compares two tables row by row as their keys pair them.
func tables(a, b *encoding.Table) *Difference {
	var parts []string
	if lost := without(a, b); lost != nil {
		parts = append(parts, "lost the column "+strings.Join(lost, ", "))
	}
	if added := without(b, a); added != nil {
		parts = append(parts, "has the new column "+strings.Join(added, ", "))
	}
	if parts != nil {
		return &Difference{Kind: "schema", Text: strings.Join(parts, "; ")}
	}
	rows, paired := pairRows(a, b)
	if !paired {
		return &Difference{Kind: "shape", Text: fmt.Sprintf("%s became %d", words.Count(a.Rows(), "row"), b.Rows())}
	}
	var t, about tally
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a.Meta)), maps.Keys(b.Meta))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		about.add(meta(a, k), meta(b, k), func() string { return "metadata " + k })
	}
	for i := range a.Columns {
		x := &a.Columns[i]
		y, _ := b.Column(x.Name)
		if x.TypeName() != y.TypeName() {
			return &Difference{Kind: "schema", Text: fmt.Sprintf("column %s was %s and is %s", x.Name, x.TypeName(), y.TypeName())}
		}
		for _, r := range rows.pairs {
			t.add(x.Value(r[0]), y.Value(r[1]), func() string { return rows.name(r[0]) + ": " + x.Name })
		}
		about.add(x.Unit, y.Unit, func() string { return "unit of " + x.Name })
		about.add(x.Doc, y.Doc, func() string { return "doc of " + x.Name })
	}
	d := t.difference("cell")
	if text := rows.text(); text != "" {
		if d = cmp.Or(d, &Difference{}); d.Text != "" {
			text += "; " + d.Text
		}
		d.Kind, d.Text, d.Other = "rows", text, true
	}
	if d == nil {
		if d = about.difference("description"); d != nil {
			d.Kind, d.Text = "metadata", "the values are the same; their descriptions differ"
		}
	}
	return d
}

// without are the columns of a table that another one has not.
func without(a, b *encoding.Table) (names []string) {
	for i := range a.Columns {
		if _, ok := b.Column(a.Columns[i].Name); !ok {
			names = append(names, a.Columns[i].Name)
		}
	}
	return names
}

func meta(t *encoding.Table, key string) any {
	if v, ok := t.Meta[key]; ok {
		return v
	}
	return nil
}

// texts compares two texts line by line.
func texts(a, b string) *Difference {
	x, y := strings.Split(strings.TrimSuffix(a, "\n"), "\n"), strings.Split(strings.TrimSuffix(b, "\n"), "\n")
	line := func(lines []string, i int) any {
		if i < len(lines) {
			return lines[i]
		}
		return nil
	}
	if a == b {
		return nil
	}
	var t tally
	for i := range max(len(x), len(y)) {
		t.add(line(x, i), line(y, i), func() string { return fmt.Sprintf("line %d", i+1) })
	}
	return t.difference("line")
}
