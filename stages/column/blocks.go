package column

import (
	"iter"
	"reflect"
	"slices"

	"prgnn/artifacts/encoding"
)

// block is how many rows are held at once where a table may have millions: a row takes more memory than its cells in
// the columns.
const block = 4096

// Blocks gives the rows of a table (see Rows), some at a time, which are of use until the next ones.
func Blocks[R any](t *encoding.Table) iter.Seq2[[]R, error] {
	return func(yield func([]R, error) bool) {
		for lo := 0; lo == 0 || lo < t.Rows(); lo += block {
			part := &encoding.Table{Columns: slices.Clone(t.Columns)}
			hi := min(lo+block, t.Rows())
			for i := range part.Columns {
				part.Columns[i] = part.Columns[i].Slice(lo, hi)
			}
			rows, err := Rows[R](part)
			if err != nil {
				_, err = Rows[R](t) // which counts the rows from the first
			}
			if !yield(rows, err) || err != nil {
				return
			}
		}
	}
}

// TableOf is Table of n rows that are made one after the other.
func TableOf[R any](n int, rows iter.Seq[R]) *encoding.Table {
	all := Columns[R](nil)
	lists := make([][]*encoding.Table, len(all)) // the columns of lists, in parts
	for i := range all {
		if !all[i].IsArrow() {
			all[i].Values = reflect.MakeSlice(reflect.TypeOf(all[i].Values), 0, n).Interface()
		}
	}
	at, some := 0, make([]R, 0, min(n, block))
	put := func() {
		for i, c := range Columns(some) {
			to := &all[i]
			if c.IsArrow() {
				lists[i] = append(lists[i], encoding.NewTable(c))
				continue
			}
			to.Values = reflect.AppendSlice(reflect.ValueOf(to.Values), reflect.ValueOf(c.Values)).Interface()
			if c.Valid != nil && to.Valid == nil {
				to.Valid = slices.Repeat([]bool{true}, n)
			}
			copy(to.Valid[min(at, len(to.Valid)):], c.Valid)
		}
		at += len(some)
		some = some[:0]
	}
	for r := range rows {
		if some = append(some, r); len(some) == cap(some) {
			put()
		}
	}
	put()
	for i, parts := range lists {
		if parts != nil {
			whole, err := encoding.Concat(parts...)
			if err != nil {
				panic("column: " + err.Error()) // lists of texts join
			}
			all[i] = whole.Columns[0]
		}
	}
	return encoding.NewTable(all...)
}
