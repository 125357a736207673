package column

import (
	"slices"

	"prgnn/artifacts/encoding"
)

// Warning is the column in which the tables of any stage warn a person, in words or as a code for which package wording
// has the words. The log of the task has the warnings, and a port that collects the column (role.Collected) brings them
// into the summary and the report.
const Warning = "warning"

// Warnings are the cells of a table with warnings, each once.
func Warnings(t *encoding.Table) []string {
	if _, ok := t.Column(Warning); !ok {
		return nil
	}
	cells, err := t.Strings(Warning)
	if err != nil {
		return nil
	}
	var all []string
	for _, w := range cells {
		if w != "" && w != "n/a" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
