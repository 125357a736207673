package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"prgnn/artifacts/encoding"
	"prgnn/internal/budget"
)

func init() { encoding.RegisterTable("parquet", "PAR1", read) }

// read reads a Parquet file of flat columns. Everything happens in this goroutine, where a panic of the library on
// damaged bytes is caught. Parquet is for files that come and go, never for artifacts.
func read(b []byte, mem *budget.Budget) (*encoding.Table, error) {
	if err := checkFooter(b, mem); err != nil {
		return nil, err
	}
	f, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkRows(f); err != nil {
		return nil, err
	}
	t := &encoding.Table{Meta: map[string]string{}}
	kv := f.MetaData().KeyValueMetadata()
	for i, k := range kv.Keys() {
		if k != arrowSchemaKey {
			t.Meta[k] = kv.Values()[i]
		}
	}
	described, err := arrowSchemaOf(f, mem)
	if err != nil {
		return nil, err
	}
	s := f.MetaData().Schema
	for i := range s.NumColumns() {
		var like arrow.DataType // what the Arrow schema lists
		c := encoding.Column{Name: s.Column(i).ColumnPath()[0]}
		if described != nil {
			if fields, ok := described.FieldsByName(c.Name); ok {
				c, like = encoding.ColumnOf(fields[0]), fields[0].Type
			}
		}
		read := readColumn
		if s.Column(i).MaxRepetitionLevel() > 0 {
			read = readList
		}
		if err := read(&c, like, f, b, mem, i); err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, c)
	}
	return t, t.Check()
}

// checkRows refuses a footer whose row groups do not add up.
func checkRows(f *file.Reader) error {
	var sum int64
	for i := range f.NumRowGroups() {
		n := f.MetaData().RowGroup(i).NumRows()
		if n < 0 || n > math.MaxInt64-sum {
			return fmt.Errorf("row group %d claims %d rows", i, n)
		}
		sum += n
	}
	if rows := f.NumRows(); sum != rows {
		return fmt.Errorf("it claims %d rows, but its row groups have %d", rows, sum)
	}
	return nil
}

// arrowSchemaOf is the Arrow schema that the file carries, or nil. Its metadata are
// those of the table.
func arrowSchemaOf(f *file.Reader, mem *budget.Budget) (*arrow.Schema, error) {
	v := f.MetaData().KeyValueMetadata().FindValue(arrowSchemaKey)
	if v == nil {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(*v)
	if err != nil {
		return nil, fmt.Errorf("its Arrow schema: %w", err)
	}
	s, err := encoding.ReadSchema(b, mem)
	if err != nil {
		return nil, fmt.Errorf("its Arrow schema: %w", err)
	}
	return s, nil
}

// readColumn fills in the values of the i-th column, of type like in the Arrow schema.
func readColumn(c *encoding.Column, like arrow.DataType, f *file.Reader, b []byte, mem *budget.Budget, i int) error {
	if d := f.MetaData().Schema.Column(i); len(d.ColumnPath()) > 1 {
		return errType(c.Name, "structure")
	}
	return readLeaf(c, nil, like, f, b, mem, i)
}

// readLeaf fills in the values of the i-th column, or of the items of lists, whose levels go to l.
func readLeaf(c *encoding.Column, l *listLevels, like arrow.DataType, f *file.Reader, b []byte,
	mem *budget.Budget, i int) error {
	d := f.MetaData().Schema.Column(i)
	logical := d.LogicalType()
	if logical == nil {
		logical = schema.NoLogicalType{}
	}
	whole, isWhole := logical.(interface {
		BitWidth() int8
		IsSigned() bool
	})
	plain := logical.IsNone()
	typ, err := keptType(d, logical, like)
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	switch p := d.PhysicalType(); {
	case typ != nil:
		err = keptColumn(c, l, typ, f, b, mem, i)
	case logical.Equals(schema.NullLogicalType{}), logical.Equals(schema.UnknownLogicalType{}):
		if l != nil {
			return errType(c.Name, "list of nothing")
		}
		if err = mem.Take(f.NumRows(), 17, "rows"); err == nil {
			c.Values, c.Valid = make([]string, f.NumRows()), make([]bool, f.NumRows())
		}
	case p == parquet.Types.Boolean:
		err = items(c, l, f, b, mem, i, booleans)
	case p == parquet.Types.Double:
		err = items(c, l, f, b, mem, i, fixed(8, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		}))
	case p == parquet.Types.Float:
		err = items(c, l, f, b, mem, i, fixed(4, func(b []byte) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		}))
	case p == parquet.Types.Int32 && isWhole && !whole.IsSigned() && whole.BitWidth() == 32:
		err = items(c, l, f, b, mem, i, integers(4, func(v int64) int64 { return int64(uint32(v)) }))
	case p == parquet.Types.Int32 && (plain || isWhole):
		err = items(c, l, f, b, mem, i, integers(4, func(v int64) int32 { return int32(v) }))
	case p == parquet.Types.Int64 && (plain || isWhole):
		tooLarge := false
		err = items(c, l, f, b, mem, i, integers(8, func(v int64) int64 {
			tooLarge = tooLarge || isWhole && !whole.IsSigned() && v < 0
			return v
		}))
		if err == nil && tooLarge {
			err = errors.New("holds an unsigned number larger than an int64: write the column as text")
		}
	case p == parquet.Types.ByteArray && (logical.Equals(schema.StringLogicalType{}) ||
		logical.Equals(schema.EnumLogicalType{}) || logical.Equals(schema.JSONLogicalType{})):
		err = items(c, l, f, b, mem, i, texts)
	case p == parquet.Types.FixedLenByteArray && logical.Equals(schema.Float16LogicalType{}) && d.TypeLength() == 2:
		err = items(c, l, f, b, mem, i, fixed(2, func(b []byte) float32 {
			return encoding.HalfToFloat(binary.LittleEndian.Uint16(b))
		}))
	default:
		return errType(c.Name, logical.String()+" "+p.String())
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	return nil
}

func errType(name, what string) error {
	return fmt.Errorf("column %q has type %s, which cannot be read from Parquet", name, what)
}
