package precheck

import (
	"fmt"
	"slices"
	"strings"

	"prgnn/dag"
	"prgnn/dag/param"
	"prgnn/internal/lists"
	"prgnn/stages/cohort"
	"prgnn/stages/column"
)

// KindWith is the remedy for a parameter that one other kind of cohort has; "" where none or several have it. builtin
// are the names of the built-in pipelines.
func KindWith(parameter string, builtin []string) string {
	var with []string
	for _, c := range cohort.Kinds() {
		if param.Has(c.New(), parameter) {
			with = append(with, c.Name)
		}
	}
	switch {
	case len(with) != 1:
		return ""
	case slices.Contains(builtin, with[0]+".yaml"):
		return fmt.Sprintf("; the cohort kind %s has: write %[1]s: in its place, and extends: %[1]s.yaml", with[0])
	}
	return fmt.Sprintf("; the cohort kind %s has", with[0])
}

// GroupsOnly is why nothing in a study of a number fits an input of a kind that needs groups, and what to do; "" for
// any other.
func GroupsOnly(roster *cohort.Roster, kind string, p *dag.Port) string {
	if roster == nil || !slices.Contains(p.Type.Columns, "group") {
		return ""
	}
	if _, there := roster.Participants.Column(column.Target); !there {
		return ""
	}
	remedy := "leave the stage out"
	for _, name := range []string{kind + "-regression", strings.Replace(kind, "baseline", "regression", 1)} {
		if _, known := dag.Lookup(name); known && name != kind {
			remedy = "set use: " + name
		}
	}
	return fmt.Sprintf("the cohort has one number to predict (its parameter target), and the kind %s is for groups: %s",
		kind, remedy)
}

// NoSource is what a stage takes of which the file has nothing, as OUTPUT of a kind, and what to do.
func NoSource(from []string, stage string) string {
	return fmt.Sprintf(" (it takes %s, and the file has no such stage: add one, or leave the stage %s out)",
		strings.Join(lists.Map(from, func(from string) string {
			kind, output, _ := strings.Cut(from, ".")
			return output + " of the kind " + kind
		}), " or "), stage)
}
