package folds

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/stages/role"
)

// apart says that the inner folds of a choice divide the participants outside other outer folds than those that are
// tested; "" where they do not, or where it is not known.
func apart(n *dag.Node) string {
	innerPort, outerPort := role.Port(n.Work, role.InnerFolds), role.Port(n.Work, role.OuterFolds)
	outer := divisionsOf(n, outerPort)
	for _, in := range divisionsOf(n, innerPort) {
		if in.Work.(role.Divider).OuterFold() == 0 {
			return fmt.Sprintf("%s: the trainings test folds of %s, but a choice needs inner folds: add the axis outer to that split, with inner for their number (matrix: { outer: [1..5] })",
				innerPort, in.ID)
		}
		for _, out := range outer {
			a, b := unlike(in, out)
			if a == "" && !slices.EqualFunc(sources(in, "participants"), sources(out, "participants"), sameSource) {
				a, b = "other participants", "its own"
			}
			if a != "" {
				return fmt.Sprintf("%s: %s divides the participants outside other outer folds than those of %s (%s, and %s there), so participants who are tested would take part in the choice: give both the same %s",
					innerPort, in.ID, out.ID, a, b, strings.SplitN(a, " = ", 2)[0])
			}
		}
	}
	return ""
}

// divisionsOf are the divisions whose folds the tasks behind a port test, each once.
func divisionsOf(n *dag.Node, port string) (all []*dag.Node) {
	for _, src := range sources(n, port) {
		if src.Node == nil {
			continue
		}
		if d := divisionOf(src.Node); d != nil && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all
}

// unlike is the first parameter of two divisions that differs, as NAME = VALUE of both; those of the inner folds do
// not count.
func unlike(in, out *dag.Node) (a, b string) {
	own, other := param.Text(in.Work), param.Text(out.Work)
	for i, line := range own {
		name, _, _ := strings.Cut(line, " = ")
		if name != "outer" && name != "inner" && i < len(other) && line != other[i] {
			return line, other[i]
		}
	}
	return "", ""
}
