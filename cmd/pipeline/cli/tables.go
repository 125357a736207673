package cli

import (
	"io"
	"math"
	"strconv"

	"prgnn/artifacts"
)

// has tells whether row i of a column has a value.
func has(c *artifacts.Column, i int) bool { return c.Valid == nil || c.Valid[i] }

// cell is one value of a table: text, a number, a truth value, or nil where
// there is none.
func cell(c *artifacts.Column, i int) any {
	if !has(c, i) {
		return nil
	}
	switch v := c.Values.(type) {
	case []string:
		return v[i]
	case []float64:
		return v[i]
	case []float32:
		return v[i]
	case []int64:
		return v[i]
	case []int32:
		return v[i]
	case []bool:
		return v[i]
	}
	return nil
}

// typeOf is what a column's elements are called.
func typeOf(c *artifacts.Column) string {
	switch c.Values.(type) {
	case []float64:
		return "float64"
	case []float32:
		return "float32"
	case []int64:
		return "int64"
	case []int32:
		return "int32"
	case []bool:
		return "bool"
	}
	return "text"
}

// full writes a value so that it reads back as the same; rounded, for a person.
func full(v any) string    { return number(v, -1) }
func rounded(v any) string { return number(v, 6) }

func number(v any, digits int) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return float(x, digits, 64)
	case float32:
		return float(float64(x), digits, 32)
	case int64:
		return strconv.FormatInt(x, 10)
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

func float(x float64, digits, bits int) string {
	if digits < 0 || x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return artifacts.FormatFloat(x, bits)
	}
	return strconv.FormatFloat(x, 'g', digits, bits)
}

// jsonValue is a value as JSON can have it: NaN and the infinities become text,
// what is missing null.
func jsonValue(v any) any {
	x, ok := v.(float64)
	if y, is32 := v.(float32); is32 {
		x, ok = float64(y), true
	}
	if ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return v
}

// printTable shows the first rows of a table to a person.
func printTable(w io.Writer, t *artifacts.Table, rows int, indent string) {
	g := grid{indent: indent, right: map[int]bool{}}
	var names []string
	for i := range t.Columns {
		c := &t.Columns[i]
		name := c.Name
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		names = append(names, name)
		_, isText := c.Values.([]string)
		g.right[i] = !isText
	}
	g.add(names...)
	n := min(rows, t.Rows())
	for r := range n {
		var cells []string
		for i := range t.Columns {
			text := "n/a"
			if v := cell(&t.Columns[i], r); v != nil {
				text = clip(rounded(v), 40)
			}
			cells = append(cells, text)
		}
		g.add(cells...)
	}
	g.print(w)
	if more := t.Rows() - n; more > 0 {
		io.WriteString(w, indent+"… "+count(more, "row")+" more\n")
	}
}
