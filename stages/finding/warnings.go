package finding

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// A warning of a row is a finding in a cell of its table, in JSON: stages write what they warn of as codes and numbers
// (column.Warning, column.ParcelRow.Caution).

// Warning is a finding of a stage about one row of its table.
func Warning(code string, numbers any) Finding { return Finding{code, Limits, Subject{}, numbers} }

// Warned are the findings of a cell. A program of the user's warns in its own words: quality.text.
func Warned(cell string) (all List) {
	if cell != "" && json.Unmarshal([]byte(cell), &all) != nil {
		all = List{Warning("quality.text", values{"Text": cell})}
	}
	return all
}

// A Span is a number that differs between participants.
type Span struct{ Low, High float64 }

// Same reports whether two findings differ in numbers alone.
func (f Finding) Same(other Finding) bool {
	return f.Code == other.Code && reflect.DeepEqual(withoutNumbers(f.Values()), withoutNumbers(other.Values()))
}

func withoutNumbers(values values) values {
	maps.DeleteFunc(values, func(_ string, v any) bool { _, number := v.(float64); return number })
	return values
}

// Over is one finding for several that differ in numbers alone: those that differ are spans.
func Over(all []Finding) Finding {
	one := all[0]
	values := one.Values()
	for name, v := range values {
		if _, number := v.(float64); !number {
			continue
		}
		var x []float64
		for _, f := range all {
			if y, ok := f.Values()[name].(float64); ok {
				x = append(x, y)
			}
		}
		if low, high := slices.Min(x), slices.Max(x); low < high {
			values[name] = Span{low, high}
		}
	}
	one.Numbers = values
	return one
}
