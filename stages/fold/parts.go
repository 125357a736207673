package fold

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/stages/column"
)

// PartOf names the run or session that an input is of; "" where it is of neither.
func PartOf(in dag.Input) string {
	var part []string
	for _, c := range in.Coords {
		if c.Axis == "run" || c.Axis == "session" {
			part = append(part, c.Axis+" "+c.Value)
		}
	}
	return strings.Join(part, ", ")
}

// Parts reports whether two inputs are the same of two runs or sessions of one participant: not a run and the series
// that it is joined to, nor a run under two settings.
func Parts(a, b dag.Input) bool {
	rest := func(in dag.Input) []dag.Coord { return column.Without(in.Coords, "run", "session") }
	return PartOf(a) != "" && PartOf(b) != "" && PartOf(a) != PartOf(b) && slices.Equal(rest(a), rest(b))
}

// Repeat says of two runs or sessions that they are one.
func Repeat(a, b dag.Input, how string) Duplicate {
	d := Twins(a, b, how)
	d.First, d.Later = d.First+", "+PartOf(a), d.Later+", "+PartOf(b)
	d.How += fmt.Sprintf(" (%s and %s)", d.FirstFile, d.LaterFile)
	return d
}

// InParts counts the inputs of participants with several runs or sessions.
func InParts(ins []dag.Input) (n int) {
	of := map[string]map[string]int{} // participant → run → inputs
	for _, in := range ins {
		if id, part := in.Coord("subject"), PartOf(in); part != "" {
			if of[id] == nil {
				of[id] = map[string]int{}
			}
			of[id][part]++
		}
	}
	for _, parts := range of {
		for _, inputs := range parts {
			if len(parts) > 1 {
				n += inputs
			}
		}
	}
	return n
}
