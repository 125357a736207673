package encoding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/budget"
)

// A tableFormat is a file format of tables besides Arrow.
type tableFormat struct {
	name, magic string
	read        func(file []byte, mem *budget.Budget) (*Table, error)
}

var tableFormats []tableFormat

// RegisterTable makes ReadTable and ReadMeta read another file format, known by its first
// bytes, magic. read may panic on damaged bytes, in its own goroutine only. Call it from an
// init function.
func RegisterTable(name, magic string, read func(file []byte, mem *budget.Budget) (*Table, error)) {
	tableFormats = append(tableFormats, tableFormat{name, magic, read})
}

// formatOf is the registered format of a file, or Arrow.
func formatOf(b []byte) tableFormat {
	for _, f := range tableFormats {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			return f
		}
	}
	return tableFormat{"arrow", arrowMagic, readArrow}
}

// ReadTable reads what Encode wrote, and any Arrow IPC file, or file of a registered format: narrower
// numbers are widened, large text is text, several batches become one. Columns of the other types, such as
// dates, lists and dictionaries, pass through (see Column); unions and views are errors.
func ReadTable(r io.Reader) (*Table, error) {
	// All bytes are read before any is believed: a checking reader has its say first.
	var buf bytes.Buffer
	buf.Grow(max(0, remaining(r)) + bytes.MinRead)
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, err
	}
	b := buf.Bytes()
	format := formatOf(b)
	t, err := format.table(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format.name, err)
	}
	return t, nil
}

// TableOf is a value that encodes a table: itself, or what it encodes.
func TableOf(v interface{ Encode(io.Writer) error }) (*Table, error) {
	if t, ok := v.(*Table); ok {
		return t, t.Check()
	}
	var b bytes.Buffer
	if err := v.Encode(&b); err != nil {
		return nil, err
	}
	return ReadTable(&b)
}

// table reads a file. A reader gets memory from a budget, and a panic means a damaged file.
func (f tableFormat) table(b []byte) (t *Table, err error) {
	defer recoverDamage(&t, &err)
	return f.read(b, budget.For(int64(len(b))))
}

// readArrow parses an Arrow IPC file. The library believes every number in it, and
// panics on much; so it gets only what checkArrow let pass.
func readArrow(b []byte, mem *budget.Budget) (*Table, error) {
	if err := checkArrow(b, mem); err != nil {
		return nil, err
	}
	f, err := ipc.NewFileReader(bytes.NewReader(b), ipc.WithAllocator(allocator{memory.NewGoAllocator(), mem}))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	schema := f.Schema()
	chunks := make([][]arrow.Array, schema.NumFields())
	for i := range f.NumRecords() {
		rec, err := f.RecordAt(i)
		if err != nil {
			return nil, err
		}
		for j, col := range rec.Columns() {
			chunks[j] = append(chunks[j], col)
		}
	}
	return tableOf(schema, chunks, mem)
}

func recoverDamage(t **Table, err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error: // what lies outside of the file, or of its metadata
		*t, *err = nil, fmt.Errorf("the file is damaged: its metadata point outside the file")
	case *budget.Exceeded:
		*t, *err = nil, p
	default:
		*t, *err = nil, fmt.Errorf("the file is damaged: %v", p)
	}
}

// An allocator takes the memory of the Arrow library from a budget; a panic of it is caught as one of the library's.
type allocator struct {
	memory.Allocator
	mem *budget.Budget
}

func (a allocator) take(size int) {
	if err := a.mem.Take(int64(size), 1, "further bytes"); err != nil {
		panic(err)
	}
}

func (a allocator) Allocate(size int) []byte {
	a.take(size)
	return a.Allocator.Allocate(size)
}

func (a allocator) Reallocate(size int, old []byte) []byte {
	a.take(max(size-cap(old), 0))
	return a.Allocator.Reallocate(size, old)
}

// FromRecord is an Arrow record (rows × columns) as a table. Text, numbers and Booleans are copied: narrower
// numbers are widened, and large text becomes text. Null columns are text without values, and written as null. Columns
// of the other types share the memory of the record (see Column), which must be that of Go, as memory.DefaultAllocator
// gives it; unions and views are errors.
func FromRecord(rec arrow.Record) (*Table, error) {
	chunks := make([][]arrow.Array, rec.NumCols())
	for i := range chunks {
		chunks[i] = []arrow.Array{rec.Column(i)}
	}
	return tableOf(rec.Schema(), chunks, budget.For(math.MaxInt64)) // it is in memory already
}

// tableOf converts the columns of a file, each in one or more chunks.
func tableOf(schema *arrow.Schema, chunks [][]arrow.Array, mem *budget.Budget) (*Table, error) {
	t := &Table{}
	if m := schema.Metadata(); m.Len() > 0 {
		t.Meta = m.ToMap()
	}
	for i, field := range schema.Fields() {
		c := ColumnOf(field)
		if err := c.fill(field.Type, chunks[i], mem); err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, c)
	}
	return t, t.Check()
}

// ColumnOf is a column without values: the name, unit and doc of an Arrow field.
func ColumnOf(field arrow.Field) Column {
	c := Column{Name: field.Name}
	c.Unit, _ = field.Metadata.GetValue(metaUnit)
	c.Doc, _ = field.Metadata.GetValue(metaDoc)
	switch field.Type.ID() {
	case arrow.STRING, arrow.FLOAT64, arrow.FLOAT32, arrow.INT64, arrow.INT32, arrow.BOOL: // the type of Values
	default:
		c.field = field
	}
	return c
}

// readers convert a column of each Arrow type to the type that Column has for it.
var readers = map[arrow.Type]func(c *Column, chunks []arrow.Array, mem *budget.Budget) error{
	arrow.STRING:       read[string, textArray](func(a textArray, i int) string { return a.Value(i) }),
	arrow.LARGE_STRING: read[string, textArray](func(a textArray, i int) string { return a.Value(i) }),
	arrow.FLOAT64:      read[float64, *array.Float64](func(a *array.Float64, i int) float64 { return a.Value(i) }),
	arrow.FLOAT32:      read[float32, *array.Float32](func(a *array.Float32, i int) float32 { return a.Value(i) }),
	arrow.FLOAT16:      read[float32, halfArray](half),
	arrow.INT64:        read[int64, *array.Int64](func(a *array.Int64, i int) int64 { return a.Value(i) }),
	arrow.INT32:        read[int32, *array.Int32](func(a *array.Int32, i int) int32 { return a.Value(i) }),
	arrow.INT16:        read[int32, *array.Int16](func(a *array.Int16, i int) int32 { return int32(a.Value(i)) }),
	arrow.INT8:         read[int32, *array.Int8](func(a *array.Int8, i int) int32 { return int32(a.Value(i)) }),
	arrow.UINT32:       read[int64, *array.Uint32](func(a *array.Uint32, i int) int64 { return int64(a.Value(i)) }),
	arrow.UINT16:       read[int32, *array.Uint16](func(a *array.Uint16, i int) int32 { return int32(a.Value(i)) }),
	arrow.UINT8:        read[int32, *array.Uint8](func(a *array.Uint8, i int) int32 { return int32(a.Value(i)) }),
	arrow.UINT64:       readUint64,
	arrow.BOOL:         read[bool, *array.Boolean](func(a *array.Boolean, i int) bool { return a.Value(i) }),
	arrow.NULL:         read[string, arrow.Array](nil), // nothing is known of it, not even the type
}

type textArray interface{ Value(int) string }
type halfArray interface{ Value(int) float16.Num }

// half widens exactly; the library's Float32 does not below 2⁻¹⁴.
func half(a halfArray, i int) float32 { return HalfToFloat(a.Value(i).Uint16()) }

func errType(column string, typ fmt.Stringer) error {
	return fmt.Errorf("column %q has type %s, which cannot be read", column, typ)
}

// fill sets the values of a column.
func (c *Column) fill(typ arrow.DataType, chunks []arrow.Array, mem *budget.Budget) error {
	if keeps(typ) {
		return c.keep(typ, chunks, mem)
	}
	read := readers[typ.ID()]
	if read == nil {
		return errType(c.Name, typ)
	}
	return read(c, chunks, mem)
}

// Decoded is the table with text, numbers and Booleans in place of dictionaries of them.
func (t *Table) Decoded() (*Table, error) {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		c, err := out.Columns[i].decoded()
		if err != nil {
			return nil, err
		}
		out.Columns[i] = *c
	}
	return &out, nil
}

// decoded is the column itself, or what a dictionary of text, numbers or Booleans stands for.
func (c *Column) decoded() (*Column, error) {
	d, ok := c.Values.(*array.Dictionary)
	if !ok || readers[d.Dictionary().DataType().ID()] == nil {
		return c, nil
	}
	out := Column{Name: c.Name, Unit: c.Unit, Doc: c.Doc}
	err := readers[d.Dictionary().DataType().ID()](&out, []arrow.Array{d}, budget.For(math.MaxInt64)) // it was read
	return &out, err
}

// read makes a reader of columns whose arrays are of type A.
func read[T any, A any](value func(A, int) T) func(*Column, []arrow.Array, *budget.Budget) error {
	return func(c *Column, chunks []arrow.Array, mem *budget.Budget) error {
		rows := 0
		for _, a := range chunks {
			rows += a.Len()
		}
		var zero T
		if err := mem.Take(int64(rows), int64(unsafe.Sizeof(zero))+1, "further rows"); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		values := make([]T, 0, rows)
		var valid []bool // nil while no value is missing
		for _, a := range chunks {
			at, in := func(i int) int { return i }, a
			if d, ok := a.(*array.Dictionary); ok {
				at, in = d.GetValueIndex, d.Dictionary()
			}
			typed, _ := in.(A)
			whole := value != nil && a.NullBitmapBytes() == nil && in.NullBitmapBytes() == nil
			for i := range a.Len() {
				var x T
				ok := whole || value != nil && a.IsValid(i) && in.IsValid(at(i))
				switch {
				case ok:
					x = value(typed, at(i))
					if text, is := any(x).(string); is { // rows may share it, but what is made of them does not
						if err := mem.Take(int64(len(text)), 1, "further bytes of text"); err != nil {
							return fmt.Errorf("column %q: %w", c.Name, err)
						}
					}
				case valid == nil:
					valid = append(make([]bool, 0, rows), slices.Repeat([]bool{true}, len(values))...)
				}
				if values = append(values, x); valid != nil {
					valid = append(valid, ok)
				}
			}
		}
		c.Values, c.Valid = values, valid
		return nil
	}
}

func readUint64(c *Column, chunks []arrow.Array, mem *budget.Budget) error {
	tooLarge := false
	err := read[int64, *array.Uint64](func(a *array.Uint64, i int) int64 {
		tooLarge = tooLarge || a.Value(i) > math.MaxInt64
		return int64(a.Value(i))
	})(c, chunks, mem)
	if tooLarge {
		err = errors.New("column " + c.Name + " holds an unsigned number larger than an int64: write the column as text")
	}
	return err
}

// ReadMeta reads the schema metadata of a file that ReadTable reads, and of an Arrow file whatever
// its columns hold (tensors cannot be read as a table).
func ReadMeta(r io.Reader) (meta map[string]string, err error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	t, err := ReadTable(bytes.NewReader(b))
	if err == nil {
		return t.Meta, nil
	}
	if formatOf(b).name != "arrow" {
		return nil, err
	}
	var none *Table
	defer recoverDamage(&none, &err)
	mem := budget.For(int64(len(b)))
	f, damaged := ipc.NewFileReader(bytes.NewReader(b), ipc.WithAllocator(allocator{memory.NewGoAllocator(), mem}))
	if damaged != nil {
		return nil, err // why it is no table says more
	}
	defer f.Close()
	m := f.Schema().Metadata()
	return m.ToMap(), nil
}
