package encoding

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// A Column is one named column of a Table. Values is one of []string,
// []float64, []float32, []int64, []int32 or []bool, or an arrow.Array of another
// type, such as a date or a list, which passes through as it is. NewTable converts
// slices of other whole numbers, of times (UTC, in ns), of durations (in ns) and of types
// that are defined as one of these. Valid, when not
// nil, marks the rows that have a value; an arrow.Array marks them itself. Unit and
// Doc travel in the Arrow field metadata.
type Column struct {
	Name   string
	Values any
	Valid  []bool
	Unit   string // "s", "mm", "Hz" …; empty for a plain number or a name
	Doc    string // one line

	field arrow.Field // in the file, where its type is not that of Values, or Values is an arrow.Array
}

// A Table is a set of columns of equal length. As a Value it is an Arrow IPC
// file (uncompressed, one record batch): pyarrow, polars, duckdb
// and R arrow open it as it is.
type Table struct {
	Columns []Column
	Meta    map[string]string // schema metadata

	stored bool // see AsStored
}

// NewTable checks that all columns have one length and distinct names, and
// panics otherwise: that is a mistake of the stage, not of its user. A type that
// is none of Column is an error of Check and Encode.
func NewTable(cols ...Column) *Table {
	t := &Table{Columns: slices.Clone(cols)}
	for i := range t.Columns {
		t.Columns[i].convert()
	}
	if err := t.Check(); err != nil && !errors.As(err, new(typeError)) {
		panic("encoding: " + err.Error())
	}
	return t
}

// convert gives whole numbers of other sizes, and times, a type of Column. The narrow type is that of files for other
// programs (see AsStored).
func (c *Column) convert() {
	switch v := c.Values.(type) {
	case []int:
		c.Values = widened[int64](v)
	case []int8:
		c.Values, c.field.Type = widened[int32](v), arrow.PrimitiveTypes.Int8
	case []int16:
		c.Values, c.field.Type = widened[int32](v), arrow.PrimitiveTypes.Int16
	case []uint8:
		c.Values, c.field.Type = widened[int32](v), arrow.PrimitiveTypes.Uint8
	case []uint16:
		c.Values, c.field.Type = widened[int32](v), arrow.PrimitiveTypes.Uint16
	case []uint32:
		c.Values, c.field.Type = widened[int64](v), arrow.PrimitiveTypes.Uint32
	case []uint:
		c.Values = widened[uint64](v)
		c.convert()
	case []uint64:
		if !slices.ContainsFunc(v, func(x uint64) bool { return x > math.MaxInt64 }) {
			c.Values, c.field.Type = widened[int64](v), arrow.PrimitiveTypes.Uint64
		}
	case []time.Time:
		c.instants(v)
	case []time.Duration:
		c.durations(v)
	default:
		if basic, ok := ofBasicType(v); ok {
			c.Values = basic
			c.convert()
		}
	}
}

// basicTypes are the types of which a column has, or NewTable converts, slices.
var basicTypes = map[reflect.Kind]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.String: reflect.TypeFor[string](),
	reflect.Float64: reflect.TypeFor[float64](), reflect.Float32: reflect.TypeFor[float32](),
	reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](), reflect.Int16: reflect.TypeFor[int16](),
	reflect.Int32: reflect.TypeFor[int32](), reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint: reflect.TypeFor[uint](), reflect.Uint8: reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](), reflect.Uint32: reflect.TypeFor[uint32](),
	reflect.Uint64: reflect.TypeFor[uint64](),
}

// ofBasicType is a slice of a type such as Celsius as a slice of float64; not ok for others.
func ofBasicType(values any) (basic any, ok bool) {
	v := reflect.ValueOf(values)
	if v.Kind() != reflect.Slice {
		return nil, false
	}
	typ, known := basicTypes[v.Type().Elem().Kind()]
	if !known || v.Type() == reflect.SliceOf(typ) {
		return nil, false
	}
	out := reflect.MakeSlice(reflect.SliceOf(typ), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(v.Index(i).Convert(typ))
	}
	return out.Interface(), true
}

// durations makes durations an Arrow column.
func (c *Column) durations(v []time.Duration) {
	if c.Valid != nil && len(c.Valid) != len(v) {
		return
	}
	b := array.NewDurationBuilder(memory.DefaultAllocator, &arrow.DurationType{Unit: arrow.Nanosecond})
	defer b.Release()
	for i, d := range v {
		if c.Valid != nil && !c.Valid[i] {
			b.AppendNull()
		} else {
			b.Append(arrow.Duration(d))
		}
	}
	c.Values, c.Valid = arrow.Array(b.NewArray()), nil
}

func widened[W, N int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](v []N) []W {
	out := lists.Map(v, func(x N) W { return W(x) })
	return out
}

// instants makes times an Arrow column, where all of them are within the years of its nanoseconds, 1677 to 2262.
func (c *Column) instants(v []time.Time) {
	if c.Valid != nil && len(c.Valid) != len(v) {
		return
	}
	b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Nanosecond,
		TimeZone: "UTC"})
	defer b.Release()
	for i, t := range v {
		switch {
		case c.Valid != nil && !c.Valid[i]:
			b.AppendNull()
		case !time.Unix(0, t.UnixNano()).Equal(t):
			return
		default:
			b.Append(arrow.Timestamp(t.UnixNano()))
		}
	}
	c.Values, c.Valid = arrow.Array(b.NewArray()), nil
}

// A typeError is the error for a column whose values have no type of Column.
type typeError struct{ error }

// Check reports why a table cannot be encoded.
func (t *Table) Check() error {
	if t == nil {
		return errors.New("table: it is nil: NewTable makes one")
	}
	seen := make(map[string]bool, len(t.Columns))
	for _, c := range t.Columns {
		n, err := c.len()
		switch {
		case err != nil:
			return err
		case seen[c.Name]:
			return fmt.Errorf("table: two columns named %q", c.Name)
		case n != t.Rows():
			return fmt.Errorf("table: column %q has %d rows, but column %q has %d", c.Name, n, t.Columns[0].Name, t.Rows())
		case c.Valid != nil && c.IsArrow():
			return fmt.Errorf("table: column %q is an arrow.Array, which marks its missing values itself: Valid must be nil", c.Name)
		case c.Valid != nil && len(c.Valid) != n:
			return fmt.Errorf("table: column %q has %d rows, but %d validity flags", c.Name, n, len(c.Valid))
		}
		seen[c.Name] = true
	}
	return nil
}

func (c *Column) len() (int, error) {
	switch v := c.Values.(type) {
	case []string:
		return len(v), nil
	case []float64:
		return len(v), nil
	case []float32:
		return len(v), nil
	case []int64:
		return len(v), nil
	case []int32:
		return len(v), nil
	case []bool:
		return len(v), nil
	case arrow.Array:
		if keeps(v.DataType()) {
			return v.Len(), nil
		}
	}
	return 0, c.notColumn()
}

func (c *Column) notColumn() error {
	if a, ok := c.Values.(arrow.Array); ok {
		return typeError{fmt.Errorf("table: column %q is an arrow.Array of %s, which FromRecord reads", c.Name,
			a.DataType())}
	}
	switch v := c.Values.(type) {
	case []uint64:
		at := slices.IndexFunc(v, func(x uint64) bool { return x > math.MaxInt64 })
		return typeError{fmt.Errorf("table: column %q holds %d in row %d, which is outside the range of int64", c.Name, v[max(at, 0)],
			at+1)}
	case []time.Duration:
		if c.Valid == nil || len(c.Valid) == len(v) { // NewTable converts it
			break
		}
		return fmt.Errorf("table: column %q has %d rows, but %d validity flags", c.Name, len(v), len(c.Valid))
	case []time.Time:
		if c.Valid != nil && len(c.Valid) != len(v) {
			return fmt.Errorf("table: column %q has %d rows, but %d validity flags", c.Name, len(v), len(c.Valid))
		}
		return typeError{fmt.Errorf("table: column %q holds a time before 1677-09-21 or after 2262-04-11, which "+
			"nanoseconds in 64 bits cannot represent; use an arrow.Array of another unit", c.Name)}
	}
	return typeError{fmt.Errorf("table: column %q holds a %T, which is not a column type", c.Name, c.Values)}
}

// IsArrow reports whether Values is an arrow.Array, which no stage computes with.
func (c *Column) IsArrow() bool {
	_, ok := c.Values.(arrow.Array)
	return ok
}

// TypeName is what a column's elements are called; the type as Arrow writes it where it is an arrow.Array.
func (c *Column) TypeName() string {
	switch v := c.Values.(type) {
	case []string:
		return "text"
	case []float64:
		return "float64"
	case []float32:
		return "float32"
	case []int64:
		return "int64"
	case []int32:
		return "int32"
	case []bool:
		return "bool"
	case arrow.Array:
		return v.DataType().String()
	}
	return "no column type"
}

// Has reports whether row i has a value.
func (c *Column) Has(i int) bool {
	if a, ok := c.Values.(arrow.Array); ok {
		return isThere(a, i)
	}
	return c.Valid == nil || c.Valid[i]
}

// isThere reports whether an element has a value. That of a dictionary may stand for a missing one.
func isThere(a arrow.Array, i int) bool {
	if d, ok := a.(*array.Dictionary); ok {
		return d.IsValid(i) && isThere(d.Dictionary(), d.GetValueIndex(i))
	}
	return a.IsValid(i) && a.DataType().ID() != arrow.NULL
}

// Slice is the column in the rows from lo up to hi, without copying.
func (c Column) Slice(lo, hi int) Column {
	if a, ok := c.Values.(arrow.Array); ok {
		c.Values = array.NewSlice(a, int64(lo), int64(hi))
		return c
	}
	if c.Values = reflect.ValueOf(c.Values).Slice(lo, hi).Interface(); c.Valid != nil {
		c.Valid = c.Valid[lo:hi]
	}
	return c
}

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	n, _ := t.Columns[0].len() // 0 of a type that Check refuses
	return n
}

// Column finds a column by name.
func (t *Table) Column(name string) (*Column, bool) {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i], true
		}
	}
	return nil, false
}

// Format is "arrow".
func (t *Table) Format() string { return "arrow" }

// Encode writes the table as an Arrow IPC file.
func (t *Table) Encode(w io.Writer) error { return writeArrow(w, t, false) }

// Concat stacks tables that have the same columns. A column without a value whose type in the file is null takes the
// type that it has in the other tables.
func Concat(ts ...*Table) (*Table, error) {
	if len(ts) == 0 {
		return nil, fmt.Errorf("concat: no tables, so the columns of the result are unknown")
	}
	out := &Table{Meta: maps.Clone(ts[0].Meta)}
	for i := range ts[0].Columns {
		parts := make([]*Column, len(ts))
		for j, t := range ts {
			if len(t.Columns) != len(ts[0].Columns) || t.Columns[i].Name != ts[0].Columns[i].Name {
				return nil, fmt.Errorf("concat: table %d has the columns %q, but table 0 has %q", j, t.names(), ts[0].names())
			}
			parts[j] = &t.Columns[i]
		}
		c, err := concatColumn(parts)
		if err != nil {
			return nil, fmt.Errorf("concat: %w", err)
		}
		out.Columns = append(out.Columns, c)
	}
	return out, out.Check()
}

func concatColumn(parts []*Column) (Column, error) {
	at := max(0, slices.IndexFunc(parts, func(p *Column) bool { return !p.isNull() }))
	c := *parts[at]
	unlike := func(p *Column) bool { return !p.isNull() && p.TypeName() != c.TypeName() }
	j := slices.IndexFunc(parts, unlike)
	for _, p := range parts {
		if !p.isNull() && p.FileTypeName() != c.FileTypeName() {
			c.field = arrow.Field{}
		}
		c.field.Nullable = c.field.Nullable || p.isNull() || p.field.Nullable
	}
	differs := func() error {
		return fmt.Errorf("column %q is %s in table %d, but %s in table %d", c.Name, parts[j].TypeName(), j, c.TypeName(), at)
	}
	if c.IsArrow() {
		var arrays []arrow.Array
		for _, p := range parts {
			switch a, ok := p.Values.(arrow.Array); {
			case ok:
				arrays = append(arrays, a)
			case p.isNull():
				n, _ := p.len()
				arrays = append(arrays, array.NewNull(n))
			default:
				return c, differs()
			}
		}
		err := c.keep(arrays[at].DataType(), arrays, budget.For(math.MaxInt64))
		if errors.Is(err, errUnlike) {
			err = differs()
		}
		return c, err
	}
	if j >= 0 {
		return c, differs()
	}
	switch c.Values.(type) {
	case []string:
		c.Values = concatValues[string](parts)
	case []float64:
		c.Values = concatValues[float64](parts)
	case []float32:
		c.Values = concatValues[float32](parts)
	case []int64:
		c.Values = concatValues[int64](parts)
	case []int32:
		c.Values = concatValues[int32](parts)
	case []bool:
		c.Values = concatValues[bool](parts)
	default:
		return c, c.notColumn()
	}
	c.Valid = concatValid(parts)
	return c, nil
}

// isNull reports whether the column is null in its file: it has neither values nor a type.
func (c *Column) isNull() bool {
	v, isText := c.Values.([]string)
	return isText && c.field.Type != nil && c.field.Type.ID() == arrow.NULL &&
		(len(v) == 0 || c.Valid != nil && !slices.Contains(c.Valid, true))
}

func concatValues[T any](parts []*Column) []T {
	all := make([][]T, len(parts))
	for i, p := range parts {
		var ok bool
		if all[i], ok = p.Values.([]T); !ok { // null
			n, _ := p.len()
			all[i] = make([]T, n)
		}
	}
	return slices.Concat(all...)
}

func concatValid(parts []*Column) []bool {
	if !slices.ContainsFunc(parts, func(c *Column) bool { return c.Valid != nil }) {
		return nil
	}
	var valid []bool
	for _, c := range parts {
		n, _ := c.len()
		for i := range n {
			valid = append(valid, c.Has(i))
		}
	}
	return valid
}

func (t *Table) names() []string {
	names := lists.Map(t.Columns, func(c Column) string { return c.Name })
	return names
}
