package section

import (
	"slices"
	"strings"

	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A Column is one column of a table in the page; R is what a row shows.
type Column[R any] struct {
	report.Head
	key    string // of its head and doc in the catalog
	strong func(R) bool
	cell   func(R) string
}

// Number is a column of numbers, written by a function of report.
func Number[R any](head, doc string, cell func(R) string) Column[R] {
	return Column[R]{report.Head{Text: head, Doc: doc, Number: true}, "", nil, cell}
}

// Words is a column of words, whose head and doc the catalog has by its key.
func Words[R any](key string, cell func(R) string) Column[R] { return Column[R]{key: key, cell: cell} }

// Num is a column of numbers, likewise.
func Num[R any](key string, cell func(R) string) Column[R] {
	return Column[R]{Head: report.Head{Number: true}, key: key, cell: cell}
}

// Lay is a table with a row for each element. The catalog has its caption by its code, its note (code.note) where it
// has one, and "head | doc" of each column (code/key, or column/key).
func Lay[R any](w *Writer, code string, values any, keys int, rows []R, columns ...Column[R]) *report.Table {
	for i, c := range columns {
		if c.key == "" {
			continue
		}
		at := code + "/" + c.key
		if !wording.Has(at) {
			at = "column/" + c.key
		}
		head, doc, _ := strings.Cut(w.Text(at, values), " | ")
		columns[i].Head = report.Head{Text: head, Doc: doc, Number: c.Number}
	}
	t := TableOf(w.Text(code, values), keys, rows, columns...)
	if wording.Has(code + ".note") {
		t.Note = strings.TrimSpace(w.Text(code+".note", values))
	}
	return t
}

// Strong is the column in bold.
func Strong[R any](c Column[R]) Column[R] { return StrongIn(c, func(R) bool { return true }) }

// StrongIn is the column in bold in some rows.
func StrongIn[R any](c Column[R], in func(R) bool) Column[R] { c.strong = in; return c }

// Plain is the column not in bold.
func (c Column[R]) Plain() Column[R] { c.strong = nil; return c }

// TableOf is a table with a row for each element.
func TableOf[R any](caption string, keys int, rows []R, columns ...Column[R]) *report.Table {
	t := &report.Table{Caption: caption, Keys: keys, Rows: make([][]report.Cell, len(rows))}
	for _, c := range columns {
		t.Heads = append(t.Heads, c.Head)
		for i, r := range rows {
			t.Rows[i] = append(t.Rows[i], report.Cell{Text: c.cell(r), Strong: c.strong != nil && c.strong(r)})
		}
	}
	return t
}

// Keyed puts a column first where rows differ in it: of settings.
func Keyed[R any](key Column[R], rows []R, columns ...Column[R]) []Column[R] {
	if slices.ContainsFunc(rows, func(r R) bool { return key.cell(r) != key.cell(rows[0]) }) {
		return slices.Insert(columns, 0, key)
	}
	return columns
}
