// Package line takes one line of a recipe apart.
package line

import "strings"

// A Line is one line of a recipe, taken apart.
type Line struct {
	What  string // "stage", "code", "parameter", "environment", "program", "file", "directory", "value", "input", …
	Name  string // of the parameter, variable or value, or the port with its coordinates
	Value string
}

// NotSet is the value of a line that gives none. No value is written so: texts
// stand in quotes.
const NotSet = "not set"

// Read reads a line. One that it does not know is kept whole, so that a recipe
// of another format still compares.
func Read(line string) Line {
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

// Format is the first line of every recipe. It is raised when the meaning of a recipe's lines changes; results of older
// ones are then made again.
const Format = "recipe 1"

// Unknown stands in a recipe for the format of an input that is not known yet.
const Unknown = "unknown"

// Files begin the lines on files that are no inputs, but for those behind variables.
var Files = []string{"program", "file", "directory"}

// Content begins the value of a variable that names places of code.
const Content = "content "
