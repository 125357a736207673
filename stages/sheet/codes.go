package sheet

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"prgnn/internal/cell"
)

// Codes are the values of a column of numbers that stand for a missing one, as SPSS and phenotype tables have them:
// -99, -999, -9999 … where no other value is negative; also those, and 999, 9999 …, that are more than five times as
// large as any other value.
func Codes(values []string) map[string]bool {
	candidates, largest, negative := map[string]bool{}, -1.0, false
	for _, v := range values {
		x, ok := number(v)
		nines := strconv.FormatFloat(math.Abs(x), 'f', -1, 64) // +999, 999.0 and 9.99e2 are one number
		switch least := map[bool]int{true: 2, false: 3}[x < 0]; {
		case !ok:
		case len(nines) >= least && strings.Trim(nines, "9") == "":
			candidates[v] = true
		default:
			largest, negative = max(largest, math.Abs(x)), negative || x < 0
		}
	}
	if largest < 0 { // nothing to compare them with
		largest = math.Inf(1)
	}
	codes := map[string]bool{}
	for v := range candidates {
		if x, _ := number(v); x < 0 && !negative || math.Abs(x) > 5*largest {
			codes[v] = true
		}
	}
	return codes
}

// GroupCodes are the values of a column of groups that stand for a missing one: Codes; one digit repeated from -7 on
// (-9, -88), where no other value is negative; 9, 999, 88 … among texts, or far above the other numbers; and signs and
// words that may stand for one (-, ?, unknown, none). Beside +, a - is none.
func GroupCodes(values []string) map[string]bool {
	codes, repeated, negative := Codes(values), map[string]bool{}, false
	for _, v := range values {
		x, ok := number(v)
		digits := strconv.FormatFloat(-x, 'f', -1, 64)
		switch {
		case !ok && v == "-" && slices.Contains(values, "+"):
		case !ok && cell.DoubtOf(v) != cell.Value:
			codes[v] = true
		case !ok || x >= 0 || codes[v]:
		case digits[0] >= '7' && strings.Trim(digits, digits[:1]) == "":
			repeated[v] = true
		default:
			negative = true
		}
	}
	for v := range repeated {
		codes[v] = codes[v] || !negative
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	for _, v := range slices.Concat(FarCodes(distinct, false), CodesAmongTexts(values)) {
		codes[v] = true
	}
	return codes
}

// Doubtful are the negative values of a column of numbers that is otherwise positive which may stand for a missing
// one, ascending: at most three whole numbers, in less than half of the rows, where all others are above 0, or which
// are larger than those in magnitude, or one digit repeated from -7 on (-77).
func Doubtful(values []string) []string {
	known := Codes(values)
	negative := map[string]int{}
	n, zero, largest := 0, false, -1.0
	for _, v := range values {
		switch x, ok := number(v); {
		case !ok || known[v]:
		case x < 0 && x != math.Trunc(x):
			return nil
		case x < 0:
			negative[v]++
			n++
		default:
			zero, largest = zero || x == 0, max(largest, x)
		}
	}
	if len(negative) > 3 || largest < 0 || 2*n >= len(values) {
		return nil
	}
	var doubtful []string
	for v := range negative {
		x, _ := number(v)
		digits := strconv.FormatFloat(-x, 'f', -1, 64)
		repeated := digits[0] >= '7' && strings.Trim(digits, digits[:1]) == ""
		if !zero || -x > largest || repeated {
			doubtful = append(doubtful, v)
		}
	}
	slices.SortFunc(doubtful, byNumber)
	return doubtful
}

// FarCodes are the positive values of a column of numbers that may stand for a missing one, ascending: 9, 99, 88 …
// (isCode), at most three of them, in less than half of the rows, and above the largest other value by more than the
// range of the others. Of ages, they are also above 80 where no other is.
func FarCodes(values []string, ages bool) (far []string) {
	known := Codes(values)
	candidates := map[string]bool{}
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for _, v := range values {
		switch x, ok := number(v); {
		case !ok || known[v]:
		case isCode(x):
			candidates[v] = true
			n++
		default:
			low, high = min(low, x), max(high, x)
		}
	}
	if 2*n >= len(values) || high <= low {
		return nil
	}
	for v := range candidates {
		if x, _ := number(v); x-high > high-low || ages && x > 80 && high < 80 {
			far = append(far, v)
		}
	}
	if len(far) > 3 {
		return nil
	}
	slices.SortFunc(far, byNumber)
	return far
}

// CodesAmongTexts are the numbers of a column of texts, none of which is another number, that may stand for a missing
// value, ascending: 9, 999, 88 … (isCode).
func CodesAmongTexts(values []string) (codes []string) {
	found, texts := map[string]bool{}, false
	for _, v := range values {
		switch x, ok := number(v); {
		case v == "" || cell.DoubtOf(v) != cell.Value || ok && x < 0:
		case !ok:
			texts = true
		case !isCode(x):
			return nil
		default:
			found[v] = true
		}
	}
	if texts {
		codes = slices.SortedFunc(maps.Keys(found), byNumber)
	}
	return codes
}

// isCode reports whether a number is written as codes for missing values are: nines, or sevens or eights, of which
// there are at least two.
func isCode(x float64) bool {
	digits := strconv.FormatFloat(x, 'f', -1, 64)
	return strings.Trim(digits, "9") == "" || len(digits) > 1 && (strings.Trim(digits, "8") == "" ||
		strings.Trim(digits, "7") == "")
}

// byNumber compares numbers, then their texts.
func byNumber(a, b string) int {
	x, _ := number(a)
	y, _ := number(b)
	return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
}
