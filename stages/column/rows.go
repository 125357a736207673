// Package column reads and writes tables as rows: a row is a struct, and each field
// with a column tag is a column. It holds the names and words that several topics of stages share.
package column

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unique"
	"unsafe"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/lists"
)

// A field is one tagged field of a row:
//
//	Score  float64     `column:"score,missing" unit:"mm" doc:"pooling score"`
//	Coords []dag.Coord `column:"*"`
//
// Types: string, bool, int32, int64, float32, float64, or a pointer to one of them, whose
// nil is a missing value; or a list, []string, []int32 or []float64. Options:
//
//	missing   NaN, an empty text, or a nil list, is written as a missing value (and read from one)
//	optional  a table without the column is read: NaN, nil, or the zero value
//
// The name "*" takes the coordinates: one text column per axis, before all others.
// The fields of an embedded struct belong to the row.
type field struct {
	offset            uintptr // in the row, in bytes
	name, unit, doc   string
	missing, optional bool
	pointer, list     bool
	kind              reflect.Kind // of the items of a list
}

// A layout is what the tags of a row type say.
type layout struct {
	fields []field
	coords *uintptr // offset of the field of coordinates; nil without one
}

var layouts sync.Map // reflect.Type → *layout

var coordsType = reflect.TypeFor[[]dag.Coord]()

// layoutOf reads the tags of a row type. A mistake in them is a bug and panics.
func layoutOf(row reflect.Type) *layout {
	if l, ok := layouts.Load(row); ok {
		return l.(*layout)
	}
	l := &layout{}
	for _, f := range reflect.VisibleFields(row) {
		tag, ok := f.Tag.Lookup("column")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "*" {
			if f.Type != coordsType {
				panic(fmt.Sprintf("column: %s.%s: coordinates are []dag.Coord", row, f.Name))
			}
			l.coords = new(uintptr)
			*l.coords = offsetOf(row, f.Index)
			continue
		}
		c := field{offset: offsetOf(row, f.Index), name: name, unit: f.Tag.Get("unit"), doc: f.Tag.Get("doc")}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "missing":
				c.missing = true
			case "optional":
				c.optional = true
			default:
				panic(fmt.Sprintf("column: %s.%s: there is no option %q", row, f.Name, option))
			}
		}
		t := f.Type
		if t.Kind() == reflect.Pointer {
			c.pointer, t = true, t.Elem()
		}
		c.kind = t.Kind()
		switch c.kind {
		case reflect.Slice:
			switch c.kind, c.list = t.Elem().Kind(), true; f.Type {
			case reflect.TypeFor[[]string](), reflect.TypeFor[[]int32](), reflect.TypeFor[[]float64]():
			default:
				panic(fmt.Sprintf("column: %s.%s: a column cannot hold %s", row, f.Name, f.Type))
			}
		case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		default:
			panic(fmt.Sprintf("column: %s.%s: a column cannot hold %s", row, f.Name, f.Type))
		}
		l.fields = append(l.fields, c)
	}
	layouts.Store(row, l)
	return l
}

// offsetOf is the offset of a field in a row, through embedded structs.
func offsetOf(row reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		if row.Kind() == reflect.Pointer {
			panic(fmt.Sprintf("column: an embedded *%s: the fields of a row lie in the row", row.Elem()))
		}
		f := row.Field(i)
		offset, row = offset+f.Offset, f.Type
	}
	return offset
}

// Names are the columns of a row type, without those of its coordinates: what a port
// declares (see dag.Arrow).
func Names[R any]() []string {
	names := lists.Map(layoutOf(reflect.TypeFor[R]()).fields, func(f field) string { return f.name })
	return names
}

// Type is the type of a port whose tables have these rows.
func Type[R any]() dag.Type { return typed[R](Names[R]()) }

// keyed are the columns of rows with coordinates, by the names of a port's type.
var keyed sync.Map // of []string

func typed[R any](names []string) dag.Type {
	if layoutOf(reflect.TypeFor[R]()).coords != nil {
		keyed.Store(strings.Join(names, " "), Names[R]())
	}
	return dag.Arrow(names...)
}

// BesideCoordinates are the columns that a table of a port may have beside those of its coordinates, one for each axis;
// nil where it has none of these.
func BesideCoordinates(t dag.Type) []string {
	names, _ := keyed.Load(strings.Join(t.Columns, " "))
	columns, _ := names.([]string)
	return columns
}

// Needed are the names of the columns that a table of these rows always has: those that are not optional.
func Needed[R any]() (names []string) {
	for _, f := range layoutOf(reflect.TypeFor[R]()).fields {
		if !f.optional {
			names = append(names, f.name)
		}
	}
	return names
}

// Needs is the type of a port whose tables have those columns.
func Needs[R any]() dag.Type { return typed[R](Needed[R]()) }

// NeedsCommon is the type of a port whose tables have rows of one of two types: the columns that both need.
func NeedsCommon[R, S any]() dag.Type {
	others := Needed[S]()
	common := slices.DeleteFunc(Needed[R](), func(name string) bool { return !slices.Contains(others, name) })
	return dag.Arrow(common...)
}

// Table makes a table with a row per element. axes name the columns of coordinates and
// their order; a coordinate that a row lacks is "".
func Table[R any](rows []R, axes ...string) *encoding.Table {
	return encoding.NewTable(Columns(rows, axes...)...)
}

// Columns are the columns of Table, for a table with others beside them.
func Columns[R any](rows []R, axes ...string) []encoding.Column {
	l, all := layoutOf(reflect.TypeFor[R]()), memoryOf(rows)
	var out []encoding.Column
	if l.coords != nil {
		coords := make([][]dag.Coord, len(rows))
		for i := range coords {
			coords[i] = *at[[]dag.Coord](all, i, *l.coords)
		}
		out = Keys(axes, coords)
	}
	for _, f := range l.fields {
		out = append(out, f.column(all))
	}
	return out
}

// CoordinateDoc is what a column of coordinates says of itself.
const CoordinateDoc = "coordinate of the training"

// Keys are the columns of coordinates: one text column per axis.
func Keys(axes []string, rows [][]dag.Coord) []encoding.Column {
	var out []encoding.Column
	for _, axis := range axes {
		v := lists.Map(rows, func(coords []dag.Coord) string { return ValueOn(coords, axis) })
		out = append(out, encoding.Column{Name: axis, Values: v, Doc: CoordinateDoc})
	}
	return out
}

func (f *field) column(rows memory) encoding.Column {
	c := encoding.Column{Name: f.name, Unit: f.unit, Doc: f.doc}
	if f.list {
		c.Values = f.lists(rows)
		return c
	}
	switch f.kind {
	case reflect.String:
		c.Values, c.Valid = cells[string](f, rows)
	case reflect.Bool:
		c.Values, c.Valid = cells[bool](f, rows)
	case reflect.Int32:
		c.Values, c.Valid = cells[int32](f, rows)
	case reflect.Int64:
		c.Values, c.Valid = cells[int64](f, rows)
	case reflect.Float32:
		c.Values, c.Valid = cells[float32](f, rows)
	default:
		c.Values, c.Valid = cells[float64](f, rows)
	}
	return c
}

// lists are the values of a column of lists.
func (f *field) lists(rows memory) any {
	switch f.kind {
	case reflect.String:
		return encoding.Lists(listCells[string](f, rows))
	case reflect.Int32:
		return encoding.Lists(listCells[int32](f, rows))
	}
	return encoding.Lists(listCells[float64](f, rows))
}

func listCells[T encoding.Item](f *field, rows memory) [][]T {
	lists := make([][]T, rows.n)
	for i := range lists {
		if lists[i] = *at[[]T](rows, i, f.offset); lists[i] == nil && !f.missing {
			lists[i] = []T{}
		}
	}
	return lists
}

// cells copies a field of all rows. valid is nil when no value is missing. The loops are apart for
// their speed.
func cells[T comparable](f *field, rows memory) (values []T, valid []bool) {
	values = make([]T, rows.n)
	if f.pointer {
		for i := range values {
			if p := *at[*T](rows, i, f.offset); p != nil {
				values[i] = *p
			} else {
				valid = markMissing(valid, rows.n, i)
			}
		}
		return values, valid
	}
	for i := range values {
		values[i] = *at[T](rows, i, f.offset)
	}
	var empty T
	for i, x := range values {
		if f.missing && (x != x || f.kind == reflect.String && x == empty) { // NaN or ""
			valid = markMissing(valid, rows.n, i)
		}
	}
	return values, valid
}

// markMissing marks row i of n as missing.
func markMissing(valid []bool, n, i int) []bool {
	if valid == nil {
		valid = slices.Repeat([]bool{true}, n)
	}
	valid[i] = false
	return valid
}

// Read reads the table of an input port. An error names the input.
func Read[R any](in dag.Input) ([]R, error) {
	t, err := in.Table()
	if err != nil {
		return nil, err
	}
	rows, err := Rows[R](t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return rows, nil
}

// ReadPort reads the rows of an input port; none where it is not connected.
func ReadPort[R any](t *dag.Task, port string) ([]R, error) {
	if !t.Has(port) {
		return nil, nil
	}
	return Read[R](t.In(port))
}

// One reads the table of an input port that has one row, whose texts do not keep the table.
func One[R any](in dag.Input) (row R, err error) {
	t, err := in.Table()
	if err != nil {
		return row, err
	}
	return OneOf[R](t, in.Name)
}

// OneOf is One of a table that was read from an input of that name.
func OneOf[R any](t *encoding.Table, name string) (row R, err error) {
	rows, err := Rows[R](t)
	if err != nil {
		return row, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) != 1 {
		return row, fmt.Errorf("%s: has %d rows, want one", name, len(rows))
	}
	Keep(rows)
	return rows[0], nil
}

// Rows reads a table. Whole numbers and floating-point numbers convert as in
// encoding.Table; all missing and mistyped columns are reported together. Coordinates
// are the columns before the first column that the row names.
func Rows[R any](t *encoding.Table) ([]R, error) {
	l, rows := layoutOf(reflect.TypeFor[R]()), make([]R, t.Rows())
	all := memoryOf(rows)
	var problems []error
	for _, f := range l.fields {
		c, ok := t.Column(f.name)
		if !ok && f.optional {
			f.absent(all)
			continue
		}
		if err := f.read(t, c, all); err != nil {
			problems = append(problems, err)
		}
	}
	if l.coords != nil {
		coords, err := Coordinates(t, Names[R]()...)
		problems = append(problems, err)
		for i, c := range coords {
			*at[[]dag.Coord](all, i, *l.coords) = c
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return rows, nil
}

// Keep gives the texts of rows memory of their own, once for equal ones. As they are read they lie in that of the whole
// table, which few rows would keep: of 40,000 tables with one row each, all of them.
func Keep[R any](rows []R) {
	all := memoryOf(rows)
	for _, f := range layoutOf(reflect.TypeFor[R]()).fields {
		for i := range rows {
			switch {
			case f.kind == reflect.String && f.list:
				for k, text := range *at[[]string](all, i, f.offset) {
					(*at[[]string](all, i, f.offset))[k] = unique.Make(text).Value()
				}
			case f.kind == reflect.String && !f.pointer:
				text := at[string](all, i, f.offset)
				*text = unique.Make(*text).Value()
			}
		}
	}
}

// Coordinates reads the coordinates of each row: the columns before the first of own.
// An axis that a row lacks is left out.
func Coordinates(t *encoding.Table, own ...string) ([][]dag.Coord, error) {
	out := make([][]dag.Coord, t.Rows())
	for _, c := range t.Columns {
		if slices.Contains(own, c.Name) {
			break
		}
		values, err := t.Strings(c.Name)
		if err != nil {
			return nil, err
		}
		for i, value := range values {
			if value != "" {
				out[i] = append(out[i], dag.Coord{Axis: c.Name, Value: value})
			}
		}
	}
	return out, nil
}

// absent fills a field whose column is not there.
func (f *field) absent(rows memory) {
	for i := range rows.n {
		switch {
		case f.pointer, f.list:
		case f.kind == reflect.Float64:
			*at[float64](rows, i, f.offset) = math.NaN()
		case f.kind == reflect.Float32:
			*at[float32](rows, i, f.offset) = float32(math.NaN())
		}
	}
}

// read fills a field of all rows from a column.
func (f *field) read(t *encoding.Table, c *encoding.Column, rows memory) error {
	var present []int // the rows with a value; nil for all
	if f.list {
		return f.readLists(t, rows)
	}
	if (f.pointer || f.missing && f.kind == reflect.String) && c != nil && c.Valid != nil {
		present = []int{}
		for i, ok := range c.Valid {
			if ok {
				present = append(present, i)
			}
		}
		t = encoding.NewTable(encoding.Column{Name: c.Name, Values: chosen(c.Values, present)})
	}
	switch f.kind {
	case reflect.String:
		v, err := t.Strings(f.name)
		return fill(f, rows, present, v, err, func(x string) string { return x })
	case reflect.Bool:
		v, err := t.Bools(f.name)
		return fill(f, rows, present, v, err, func(x bool) bool { return x })
	case reflect.Int32:
		v, err := t.Ints(f.name)
		for i, x := range v {
			if x != int64(int32(x)) {
				return fmt.Errorf("column %q holds %d in row %d, which is outside the range of a 32-bit whole number",
					f.name, x, i+1)
			}
		}
		return fill(f, rows, present, v, err, func(x int64) int32 { return int32(x) })
	case reflect.Int64:
		v, err := t.Ints(f.name)
		return fill(f, rows, present, v, err, func(x int64) int64 { return x })
	case reflect.Float32:
		v, err := t.Floats(f.name)
		return fill(f, rows, present, v, err, func(x float64) float32 { return float32(x) })
	default:
		v, err := t.Floats(f.name)
		return fill(f, rows, present, v, err, func(x float64) float64 { return x })
	}
}

// readLists fills a field of lists.
func (f *field) readLists(t *encoding.Table, rows memory) error {
	switch f.kind {
	case reflect.String:
		return fillLists[string](f, t, rows)
	case reflect.Int32:
		return fillLists[int32](f, t, rows)
	}
	return fillLists[float64](f, t, rows)
}

func fillLists[T encoding.Item](f *field, t *encoding.Table, rows memory) error {
	v, err := encoding.ListsOf[T](t, f.name)
	for i, x := range v {
		if x == nil && !f.missing {
			return fmt.Errorf("column %q has no value in row %d", f.name, i+1)
		}
	}
	return fill(f, rows, nil, v, err, func(x []T) []T { return x })
}

// chosen takes some values of a column.
func chosen(values any, at []int) any {
	all := reflect.ValueOf(values)
	out := reflect.MakeSlice(all.Type(), len(at), len(at))
	for k, i := range at {
		out.Index(k).Set(all.Index(i))
	}
	return out.Interface()
}

// fill sets a field of the present rows.
func fill[V, T any](f *field, rows memory, present []int, values []V, err error, convert func(V) T) error {
	if err != nil {
		return err
	}
	for k, x := range values {
		i := k
		if present != nil {
			i = present[k]
		}
		to := at[T](rows, i, f.offset)
		if f.pointer {
			to = new(T)
			*at[*T](rows, i, f.offset) = to
		}
		*to = convert(x)
	}
	return nil
}

// A memory is where rows lie. Fields are reached by their offset: reflect makes a copy on the heap
// of every cell, and tables of scores have millions.
type memory struct {
	first unsafe.Pointer
	size  uintptr // of a row, in bytes
	n     int     // rows
}

func memoryOf[R any](rows []R) memory {
	var row R
	return memory{unsafe.Pointer(unsafe.SliceData(rows)), unsafe.Sizeof(row), len(rows)}
}

// at is the field at an offset of row i < n. Its type must be T, or have T as its underlying type.
func at[T any](rows memory, i int, offset uintptr) *T {
	return (*T)(unsafe.Add(rows.first, uintptr(i)*rows.size+offset))
}
