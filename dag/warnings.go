package dag

import (
	"slices"

	"prgnn/artifacts/encoding"
)

// WarningColumn is the column in which the tables of any stage warn a person. The log of the task has the warnings, and
// a port that collects the column (role.Collected) brings them into the summary and the report.
const WarningColumn = "warning"

// Warnings are the warnings of a table, each once.
func Warnings(t *encoding.Table) []string {
	if _, ok := t.Column(WarningColumn); !ok {
		return nil
	}
	cells, err := t.Strings(WarningColumn)
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
