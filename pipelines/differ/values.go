package differ

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"prgnn/artifacts/encoding"
)

// float is a value as a number, and its bits; false for another value.
func float(v any) (x float64, bits int, ok bool) {
	switch x := v.(type) {
	case float64:
		return x, 64, true
	case float32:
		return float64(x), 32, true
	}
	return 0, 0, false
}

// Full writes a value so that it reads back as the same.
func Full(v any) string {
	if x, bits, ok := float(v); ok {
		return encoding.FormatFloat(x, bits)
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// Rounded writes a value for a person: numbers with 6 significant digits.
func Rounded(v any) string {
	if x, bits, ok := float(v); ok && !(x == math.Trunc(x) && math.Abs(x) < 1e15) {
		return strconv.FormatFloat(x, 'g', 6, bits)
	}
	return Full(v)
}

// JSON is a value as JSON can have it: NaN and the infinities become text,
// what is missing null.
func JSON(v any) any {
	if x, _, ok := float(v); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return v
}

// Shape is "[draw 11, roi 84, roi 84]", or "[11, 84, 84]".
func Shape(shape []int, axes []string) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		if parts[i] = fmt.Sprint(n); len(axes) == len(shape) {
			parts[i] = axes[i] + " " + parts[i]
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
