package encoding

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"prgnn/internal/lists"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Strings, Floats, Ints and Bools return a column converted to one Go type, or
// an error that names the column and the ones that there are. Floats gives NaN
// and Strings "n/a" where a value is missing; Ints and Bools refuse missing
// values. All refuse columns that pass through as Arrow, such as dates and lists;
// a dictionary is what its values are.
func (t *Table) Strings(name string) ([]string, error) {
	c, err := t.find(name)
	if err != nil {
		return nil, err
	}
	if _, err := c.len(); err != nil || c.IsArrow() {
		return nil, fmt.Errorf("column %q holds %s, not text, numbers or Booleans", name, c.TypeName())
	}
	if v, ok := c.Values.([]string); ok && c.Valid == nil {
		return v, nil
	}
	out := make([]string, t.Rows())
	for i := range out {
		out[i] = c.Text(i)
	}
	return out, nil
}

// missing is how BIDS writes that there is no value.
const missing = "n/a"

// FormatFloat is the shortest decimal that reads back as the same number of that
// many bits. Whole numbers below 10^15 have no exponent: 1000000, not 1e+06.
func FormatFloat(x float64, bits int) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, bits), "+") // +Inf
}

// An Item is what the lists of a column hold.
type Item interface{ string | int32 | float64 }

// ListsOf returns a column of lists, a list a row. A row without a value has nil; a missing item in a list is an error.
func ListsOf[T Item](t *Table, name string) ([][]T, error) {
	c, err := t.find(name)
	if err != nil {
		return nil, err
	}
	lists, ok := c.Values.(array.ListLike)
	if !ok || !holds[T](lists.ListValues().DataType()) {
		return nil, fmt.Errorf("column %q holds %s, not lists of %s", name, c.TypeName(), itemType[T]())
	}
	out := make([][]T, lists.Len())
	for i := range out {
		if !c.Has(i) {
			continue
		}
		lo, hi := lists.ValueOffsets(i)
		out[i] = make([]T, hi-lo)
		for k := range out[i] {
			if out[i][k], ok = valueOf(lists.ListValues(), int(lo)+k).(T); !ok {
				return nil, fmt.Errorf("column %q, row %d: item %d of the list has no value", name, i+1, k+1)
			}
		}
	}
	return out, nil
}

// itemType is the type of the items in Arrow.
func itemType[T Item]() arrow.DataType {
	switch any(*new(T)).(type) {
	case int32:
		return arrow.PrimitiveTypes.Int32
	case float64:
		return arrow.PrimitiveTypes.Float64
	}
	return arrow.BinaryTypes.String
}

// holds reports whether values of a type are items of T in Go.
func holds[T Item](typ arrow.DataType) bool {
	if d, ok := typ.(*arrow.DictionaryType); ok {
		typ = d.ValueType
	}
	return typ.ID() == itemType[T]().ID() || typ.ID() == arrow.LARGE_STRING && itemType[T]() == arrow.BinaryTypes.String
}

// Lists makes the values of a column of lists, a list a row: list<item: utf8> of Arrow, or of numbers; nil is a missing
// value.
func Lists[T Item](rows [][]T) arrow.Array {
	b := array.NewListBuilder(memory.DefaultAllocator, itemType[T]())
	defer b.Release()
	for _, r := range rows {
		b.Append(r != nil)
		switch items := b.ValueBuilder().(type) {
		case *array.StringBuilder:
			items.AppendValues(any(r).([]string), nil)
		case *array.Int32Builder:
			items.AppendValues(any(r).([]int32), nil)
		case *array.Float64Builder:
			items.AppendValues(any(r).([]float64), nil)
		}
	}
	return b.NewArray()
}

// Floats converts numbers and truth values (1 and 0); text is refused.
func (t *Table) Floats(name string) ([]float64, error) {
	c, err := t.find(name)
	if err != nil {
		return nil, err
	}
	var out []float64
	switch v := c.Values.(type) {
	case []float64:
		if c.Valid == nil {
			return v, nil
		}
		out = append(out, v...)
	case []float32:
		out = floats(v)
	case []int64:
		out = floats(v)
	case []int32:
		out = floats(v)
	case []bool:
		out = make([]float64, len(v))
		for i, x := range v {
			if x {
				out[i] = 1
			}
		}
	default:
		return nil, fmt.Errorf("column %q holds %s, not numbers", name, c.TypeName())
	}
	for i := range out {
		if !c.Has(i) {
			out[i] = math.NaN()
		}
	}
	return out, nil
}

// Ints converts whole numbers, in whatever type they are.
func (t *Table) Ints(name string) ([]int64, error) {
	c, err := t.findWhole(name)
	if err != nil {
		return nil, err
	}
	switch v := c.Values.(type) {
	case []int64:
		return v, nil
	case []int32:
		out := lists.Map(v, func(x int32) int64 { return int64(x) })
		return out, nil
	case []float64, []float32:
		f, _ := t.Floats(name)
		out := make([]int64, len(f))
		for i, x := range f {
			if out[i] = int64(x); float64(out[i]) != x || math.Abs(x) > 1<<53 {
				return nil, fmt.Errorf("column %q holds %v in row %d, which is not an integer", name, x, i+1)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("column %q holds %s, not integers", name, c.TypeName())
}

// Bools returns a column of truth values.
func (t *Table) Bools(name string) ([]bool, error) {
	c, err := t.findWhole(name)
	if err != nil {
		return nil, err
	}
	if v, ok := c.Values.([]bool); ok {
		return v, nil
	}
	return nil, fmt.Errorf("column %q holds %s, not Booleans", name, c.TypeName())
}

func (t *Table) find(name string) (*Column, error) {
	if c, ok := t.Column(name); ok {
		return c.decoded()
	}
	return nil, fmt.Errorf("no column %q: the columns are %s", name, strings.Join(t.names(), ", "))
}

// findWhole finds a column in which no value is missing.
func (t *Table) findWhole(name string) (*Column, error) {
	c, err := t.find(name)
	if err != nil {
		return nil, err
	}
	for i := range c.Valid {
		if !c.Valid[i] {
			return nil, fmt.Errorf("column %q has no value in row %d", name, i+1)
		}
	}
	return c, nil
}
