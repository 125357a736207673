// Package words puts names and numbers into sentences for a person.
package words

import (
	"fmt"
	"strings"
)

// Count is a number with its noun: 1 task, 3 tasks, 2 entries.
func Count(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return "1 " + noun
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Some lists at most so many names: a, b and 3 more.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most-1], ", "), len(names)-most+1)
}

// DidYouMean ends an error about an unknown name with the nearest of the candidates; it is
// empty when none is near.
func DidYouMean(name string, candidates []string) string {
	candidates = candidates[:min(len(candidates), 1000)] // a fan-out may have a hundred thousand
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// OrAll is DidYouMean, or all candidates when none is near.
func OrAll(name string, candidates []string) string {
	if near := DidYouMean(name, candidates); near != "" {
		return near
	}
	switch len(candidates) {
	case 0:
		return " (there is none)"
	case 1:
		return fmt.Sprintf(" (there is only %s)", candidates[0])
	}
	return fmt.Sprintf(" (there are %s)", Some(candidates, 30))
}
