package sheet

import (
	"cmp"
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
// (-9, -88), where no other value is negative; and signs and words that may stand for one (-, ?, unknown, none). Beside
// +, a - is none.
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
	slices.SortFunc(doubtful, func(a, b string) int {
		x, _ := number(a)
		y, _ := number(b)
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
	})
	return doubtful
}
