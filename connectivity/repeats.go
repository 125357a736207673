package connectivity

import (
	"cmp"
	"slices"
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
