package dag

import (
	"slices"

	"prgnn/artifacts/encoding"
)

// WarningColumn is the column in which the tables of any stage warn a person, in words or as a code that package stages
// writes in words. The log of the task has the warnings, and a port that collects the column (role.Collected) brings
// them
// into the summary and the report.
const WarningColumn = "warning"

// Worded are the warnings of a cell in words. Package stages sets it, whose kinds warn by codes.
var Worded = func(cell string) []string { return []string{cell} }

// Warnings are the warnings of a table in words, each once.
func Warnings(t *encoding.Table) (all []string) {
	for _, cell := range WarningCells(t) {
		for _, w := range Worded(cell) {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// WarningCells are the cells of a table with warnings, each once.
func WarningCells(t *encoding.Table) []string {
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
