package fold

import (
	"fmt"
	"maps"
	"slices"

	"prgnn/internal/words"
)

// Untested are the participants that a setting trains on but never tests in the same repeat, sorted.
func Untested(folds []Tested) []string {
	tested := map[place]bool{}
	for _, f := range folds {
		for _, p := range f.Participants {
			tested[place{p.Id, int32(f.Repeat), 0}] = true
		}
	}
	left := map[string]bool{}
	for _, f := range folds {
		for _, id := range f.trained {
			if !tested[place{id, int32(f.Repeat), 0}] {
				left[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// PartText says that a setting tests some of its participants only, and in which folds; "" where it tests everybody.
func PartText(folds []Tested) string {
	left := Untested(folds)
	if left == nil {
		return ""
	}
	var numbers []string
	for _, f := range folds {
		if n := fmt.Sprint(f.Fold); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	tested := Distinct(folds)
	seen := len(tested)
	for _, id := range left { // in another repeat it may have been tested
		if _, ok := tested[id]; !ok {
			seen++
		}
	}
	return fmt.Sprintf("%s was tested on %d of %s (fold %s)", folds[0].Name, len(tested), words.Count(seen, "participant"), words.Some(numbers, 8))
}

// ApartText says that settings were tested on different participants, and on how many each; "" where on the same.
func ApartText(settings [][]Tested) string {
	first := Distinct(settings[0])
	same := !slices.ContainsFunc(settings, func(fs []Tested) bool { return !maps.Equal(Distinct(fs), first) })
	if same {
		return ""
	}
	var parts []string
	for _, fs := range settings {
		parts = append(parts, fmt.Sprintf("%s: %d", fs[0].Name, len(Distinct(fs))))
	}
	return "Classifiers were tested on different participants, so their accuracies cannot be compared (" + words.Some(parts, 8) + ")"
}
