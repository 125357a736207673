package recipe

import (
	"slices"
	"strings"

	"prgnn/dag/internal/line"
)

// lines reads a recipe.
func lines(text string) (all []line.Line) {
	for l := range strings.Lines(text) {
		all = append(all, line.Read(strings.TrimSuffix(l, "\n")))
	}
	return all
}

// Machine are the lines of a recipe on what a command has from the machine, beside parameters and inputs: variables
// of the environment, programs.
func Machine(text string) (all []string) {
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if what := line.Read(l).What; what == "environment" || slices.Contains(line.Files, what) {
			all = append(all, l)
		}
	}
	return all
}

// A Change is one line in which two recipes differ; Old or New is "" where a recipe lacks it.
type Change struct{ What, Name, Old, New string }

// Compare gives the changes from one recipe to another, in the order of the lines of the second;
// what is gone comes last. Lines of one name, such as the inputs of a gathering port
// without coordinates, are compared as a set.
func Compare(old, now string) (all []Change) {
	type place struct{ what, name string }
	before := map[place][]string{}
	var order []place
	for _, l := range lines(old) {
		at := place{l.What, l.Name}
		if before[at] == nil {
			order = append(order, at)
		}
		before[at] = append(before[at], l.Value)
	}
	var changed []line.Line
	for _, l := range lines(now) {
		at := place{l.What, l.Name}
		if i := slices.Index(before[at], l.Value); i >= 0 {
			before[at] = slices.Delete(before[at], i, i+1)
			continue
		}
		changed = append(changed, l)
	}
	for _, l := range changed {
		at, was := place{l.What, l.Name}, ""
		if left := before[at]; len(left) > 0 {
			was, before[at] = left[0], left[1:]
		}
		all = append(all, Change{l.What, l.Name, was, l.Value})
	}
	for _, at := range order {
		for _, was := range before[at] {
			all = append(all, Change{at.what, at.name, was, ""})
		}
	}
	return all
}
