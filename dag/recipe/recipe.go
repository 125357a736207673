// Package recipe reads the text of a task's recipe line by line, and compares two.
package recipe

import (
	"slices"
	"strings"
)

// A Line is one line of a recipe, taken apart.
type Line struct {
	What  string // "stage", "code", "parameter", "environment", "program", "file", "directory", "value", "input", …
	Name  string // of the parameter, variable or value, or the port with its coordinates
	Value string
}

// NotSet is the value of a line that gives none. No value is written so: texts
// stand in quotes.
const NotSet = "not set"

// ReadLine reads a line. One that it does not know is kept whole, so that a recipe
// of another format still compares.
func ReadLine(line string) Line {
	what, rest, _ := strings.Cut(line, " ")
	l := Line{What: what, Value: rest}
	switch what {
	case "parameter", "environment", "program", "file", "directory":
		var ok bool
		if l.Name, l.Value, ok = strings.Cut(rest, " = "); !ok {
			l.Value = NotSet
		}
	case "input", "value":
		// The format and the digest are the last two words.
		at := strings.LastIndexByte(rest, ' ')
		if before := strings.LastIndexByte(rest[:max(at, 0)], ' '); before > 0 {
			l.Name, l.Value = rest[:before], rest[before+1:]
		}
	}
	return l
}

// lines reads a recipe.
func lines(text string) (all []Line) {
	for line := range strings.Lines(text) {
		all = append(all, ReadLine(strings.TrimSuffix(line, "\n")))
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
	var changed []Line
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
