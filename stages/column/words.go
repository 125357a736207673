package column

import (
	"regexp"
	"slices"

	"prgnn/dag"
)

// CoordTexts are coordinates as a file writes them: AXIS=VALUE.
func CoordTexts(coords []dag.Coord) (parts []string) {
	for _, c := range coords {
		parts = append(parts, c.Axis+"="+c.Value)
	}
	return parts
}

// Numbered numbers texts from 0 in sorted order.
func Numbered(text []string) (number []int, names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(text)))
	number = make([]int, len(text))
	for i, s := range text {
		number[i], _ = slices.BinarySearch(names, s)
	}
	return number, names
}

func Plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// Coordinate is one of a setting's name as settingsOf writes it; a list has blanks.
var Coordinate = regexp.MustCompile(`(\w+)=(\[[^\]]*\]|\S*)`)
