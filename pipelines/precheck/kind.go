package precheck

import (
	"fmt"
	"slices"

	"prgnn/dag/param"
	"prgnn/stages/cohort"
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
