package sheet

import (
	"math"
	"strconv"
	"strings"
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
