package column

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"prgnn/dag"
)

func DidYouMean(name string, candidates []string) string {
	if near := dag.Nearest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

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

// Shorten lists at most six names.
func Shorten(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
