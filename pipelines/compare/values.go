package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
)

// Has reports whether row i of a column has a value.
func Has(c *encoding.Column, i int) bool { return c.Valid == nil || c.Valid[i] }

// Cell is one value of a table: text, a number, a truth value, or nil where
// there is none.
func Cell(c *encoding.Column, i int) any {
	if !Has(c, i) {
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

// Full writes a value so that it reads back as the same.
func Full(v any) string { return number(v, -1) }

// Rounded writes a value for a person: numbers with 6 significant digits.
func Rounded(v any) string { return number(v, 6) }

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
		return encoding.FormatFloat(x, bits)
	}
	return strconv.FormatFloat(x, 'g', digits, bits)
}

// JSON is a value as JSON can have it: NaN and the infinities become text,
// what is missing null.
func JSON(v any) any {
	x, ok := v.(float64)
	if y, is32 := v.(float32); is32 {
		x, ok = float64(y), true
	}
	if ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return v
}

// Shape is "[draw 11, roi 84, roi 84]", or "[11, 84, 84]".
func Shape(shape []int, axes []string) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		if len(axes) == len(shape) {
			parts[i] = fmt.Sprintf("%s %d", axes[i], n)
		} else {
			parts[i] = fmt.Sprint(n)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
