package connectivity

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Repeats counts the volumes of a series, T×N, that equal the volume before them in all regions, and the regions with a
// signal that equal an earlier one in all volumes. A measured series has neither.
func Repeats(x Matrix, status []Status) (volumes, regions int) {
	for t := 1; t < x.Rows; t++ {
		if slices.Compare(x.Row(t-1), x.Row(t)) == 0 { // a missing region equals itself
			volumes++
		}
	}
	compare := func(i, j int) int {
		for t := range x.Rows {
			if c := cmp.Compare(x.At(t, i), x.At(t, j)); c != 0 {
				return c
			}
		}
		return 0
	}
	order := present(status)
	slices.SortFunc(order, compare)
	for k := 1; k < len(order); k++ {
		if compare(order[k-1], order[k]) == 0 {
			regions++
		}
	}
	return volumes, regions
}

// Code finds a whole number that stands for missing values among measured ones: the smallest or the largest value,
// further from all others than ten times their range. It is all nines (999, -9999), or is there more than once. times
// is 0 where there is none; a column of which all other values are the same, such as of one outlier, has none.
func Code(values []float64) (code float64, times int) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !finite(v) })
	slices.Sort(sorted)
	first := func(x float64) int { at, _ := slices.BinarySearch(sorted, x); return at }
	if len(sorted) == 0 {
		return 0, 0
	}
	low, high := sorted[0], sorted[len(sorted)-1]
	after, before := first(math.Nextafter(low, math.Inf(1))), first(high)
	for _, c := range []struct {
		code   float64
		others []float64
		times  int
	}{{low, sorted[after:], after}, {high, sorted[:before], len(sorted) - before}} {
		if len(c.others) == 0 || c.code != math.Trunc(c.code) {
			continue
		}
		least, most := c.others[0], c.others[len(c.others)-1]
		apart := max(least-c.code, c.code-most)
		digits := strconv.FormatFloat(math.Abs(c.code), 'f', -1, 64)
		nines := len(digits) > 1 && strings.Trim(digits, "9") == ""
		if most > least && apart > 10*(most-least) && (nines || c.times > 1) {
			return c.code, c.times
		}
	}
	return 0, 0
}
