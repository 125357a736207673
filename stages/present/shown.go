package present

import (
	"slices"

	"prgnn/dag"
	"prgnn/stages/column"
	"prgnn/stages/report"
)

// A shownColumn is one column of a table in the page, made of rows.
type shownColumn[R any] struct {
	report.Head
	strong bool
	cell   func(R) string
}

// text is a column of words.
func text[R any](head, doc string, cell func(R) string) shownColumn[R] {
	return shownColumn[R]{report.Head{Text: head, Doc: doc}, false, cell}
}

// number is a column of numbers, written by a function of report.
func number[R any](head, doc string, cell func(R) string) shownColumn[R] {
	return shownColumn[R]{report.Head{Text: head, Doc: doc, Number: true}, false, cell}
}

// strong is a column that stands out.
func strong[R any](c shownColumn[R]) shownColumn[R] { c.strong = true; return c }

// tableOf is a table with a row for each element.
func tableOf[R any](caption string, keys int, rows []R, columns ...shownColumn[R]) *report.Table {
	t := &report.Table{Caption: caption, Keys: keys, Rows: make([][]report.Cell, len(rows))}
	for _, c := range columns {
		t.Heads = append(t.Heads, c.Head)
		for i, r := range rows {
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: c.cell(r), Strong: c.strong})
		}
	}
	return t
}

// keyed puts a column of settings first where rows differ in it.
func keyed[R any](head string, setting func(R) string, rows []R, columns ...shownColumn[R]) []shownColumn[R] {
	if slices.ContainsFunc(rows, func(r R) bool { return setting(r) != setting(rows[0]) }) {
		return slices.Insert(columns, 0, text(head, "", setting))
	}
	return columns
}

// settingName is a setting for people.
func settingName(coords []dag.Coord) string { return column.ShownSetting(column.CoordText(coords)) }

// read reads the rows of a port; none where it is not connected.
func read[R any](t *dag.Task, port string) ([]R, error) {
	if !t.Has(port) {
		return nil, nil
	}
	return column.Read[R](t.In(port))
}
