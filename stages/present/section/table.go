package section

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"prgnn/internal/lists"
	"prgnn/stages/finding"
	"prgnn/stages/report"
	"prgnn/stages/wording"
)

// A Column is a column of a table in the page that shows what a row of it does not have; R is a row.
type Column[R any] struct {
	key    string
	head   *report.Head // nil for that of the catalog
	number bool
	cell   func(R) string
}

// Number is a column of numbers with a head of its own, behind those of the table.
func Number[R any](head, doc string, cell func(R) string) Column[R] {
	return Column[R]{head: &report.Head{Text: head, Doc: doc, Number: true}, cell: cell}
}

// Words is a column of words.
func Words[R any](key string, cell func(R) string) Column[R] { return Column[R]{key: key, cell: cell} }

// Num is a column of numbers, written by a function of report.
func Num[R any](key string, cell func(R) string) Column[R] {
	return Column[R]{key: key, number: true, cell: cell}
}

// Lay is a table with a row for each element of rows: "setting! region | score* interval?". It has the columns of these
// keys, those before the bar being the names of the rows. The catalog has its caption by its code, its note (code.note)
// where it has one, and head, doc and cell of its columns; a cell without an entry is the field or the column of the
// row
// that has the key's name. A column with an asterisk is bold; one with a question mark is left out where no row has a
// value, one with an exclamation mark where all rows have the same.
func Lay[R any](w *Writer, code string, about any, rows []R, columns string, own ...Column[R]) *report.Table {
	t := &report.Table{Caption: w.Text(code, about), Rows: make([][]report.Cell, len(rows))}
	if wording.Has(code + ".note") {
		t.Note = strings.TrimSpace(w.Text(code+".note", about))
	}
	named := lists.Map(rows, func(r R) map[string]any { return valuesOf(about, r) })
	keys := true
	for _, name := range strings.Fields(columns) {
		if name == "|" {
			t.Keys, keys = len(t.Heads), false
			continue
		}
		key := strings.TrimRight(name, "*?!")
		of, err := wording.ColumnOf(code, key, about)
		w.Fail(err)
		head := report.Head{Text: of.Head, Doc: of.Doc, Number: !of.Words}
		texts := make([]string, len(rows))
		if at := slices.IndexFunc(own, func(c Column[R]) bool { return c.head == nil && c.key == key }); at >= 0 {
			head.Number = own[at].number
			texts = lists.Map(rows, own[at].cell)
		} else {
			decimals := &report.Decimals{}
			write := func() {
				for i, v := range named {
					if v["Digits"] = decimals; of.Cell != "" {
						texts[i], err = of.CellText(v)
					} else {
						texts[i], head.Number, err = shownValue(v, key)
					}
					w.Fail(err)
				}
			}
			if write(); decimals.Any() {
				write() // with the decimals of all
			}
		}
		switch mark := strings.TrimPrefix(name, key); {
		case mark == "?" && !slices.ContainsFunc(texts, func(text string) bool { return text != "" && text != "n/a" }):
		case mark == "!" && !slices.ContainsFunc(texts, func(text string) bool { return text != texts[0] }):
		default:
			if head.Number && !keys {
				texts = lists.Map(texts, func(text string) string { return cmp.Or(text, "n/a") })
			}
			w.Has(code + "/" + key)
			t.Add(head, texts, mark == "*")
		}
	}
	if keys {
		t.Keys = len(t.Heads)
	}
	for _, c := range own {
		if c.head != nil {
			t.Add(*c.head, lists.Map(rows, c.cell), false)
		}
	}
	return t
}

// valuesOf are what the cells of a row are written from: the fields of the row, and what the table is about. What a
// pointer points to is its value.
func valuesOf(about, row any) map[string]any {
	all := finding.Values(about)
	for name, v := range finding.Values(row) {
		if of := reflect.ValueOf(v); of.Kind() == reflect.Pointer {
			if v = nil; !of.IsNil() {
				v = of.Elem().Interface()
			}
		}
		all[name] = v
	}
	return all
}

// shownValue is the value of a name, which is a field's without capitals.
func shownValue(values map[string]any, key string) (text string, number bool, err error) {
	name := strings.ReplaceAll(key, "-", "")
	for field, v := range values {
		if strings.ToLower(field) != name {
			continue
		}
		switch v := v.(type) {
		case string:
			return v, false, nil
		case []string:
			return wording.List(v), false, nil
		case int, int32, int64:
			return fmt.Sprint(v), true, nil
		case float64:
			return report.Share(v), true, nil
		case nil:
			return report.Share(math.NaN()), true, nil
		}
		return "", false, fmt.Errorf("column %s: no cell is written of a %T", key, v)
	}
	return "", false, fmt.Errorf("column %s: the rows have no such value", key)
}
