package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"prgnn/artifacts/encoding"
)

func init() { encoding.RegisterTable("parquet", "PAR1", read) }

// read reads a Parquet file of flat columns. Everything happens in this
// goroutine: a panic of the library on damaged bytes is caught here and would end
// the program in a goroutine of its own. Parquet is for files that come and go,
// never for artifacts.
func read(b []byte, mem *encoding.Budget) (*encoding.Table, error) {
	f, err := file.NewParquetReader(bytes.NewReader(b), file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkFooter(f, mem.Left); err != nil {
		return nil, err
	}
	t := &encoding.Table{Meta: map[string]string{}}
	kv := f.MetaData().KeyValueMetadata()
	for i, k := range kv.Keys() {
		if k != arrowSchemaKey {
			t.Meta[k] = kv.Values()[i]
		}
	}
	described, err := arrowSchemaOf(f)
	if err != nil {
		return nil, err
	}
	s := f.MetaData().Schema
	for i := range s.NumColumns() {
		c := encoding.Column{Name: s.Column(i).ColumnPath()[0]}
		if described != nil {
			if fields, ok := described.FieldsByName(c.Name); ok {
				c = encoding.ColumnOf(fields[0])
			}
		}
		if err := readColumn(&c, f, i); err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, c)
	}
	return t, t.Check()
}

// arrowSchemaOf is the Arrow schema that the file carries, or nil. Its metadata are
// those of the table.
func arrowSchemaOf(f *file.Reader) (*arrow.Schema, error) {
	v := f.MetaData().KeyValueMetadata().FindValue(arrowSchemaKey)
	if v == nil {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(*v)
	if err != nil {
		return nil, fmt.Errorf("its Arrow schema: %w", err)
	}
	s, err := encoding.ReadSchema(b)
	if err != nil {
		return nil, fmt.Errorf("its Arrow schema: %w", err)
	}
	return s, nil
}

// readColumn fills in the values of the i-th column.
func readColumn(c *encoding.Column, f *file.Reader, i int) error {
	d := f.MetaData().Schema.Column(i)
	if len(d.ColumnPath()) > 1 || d.MaxRepetitionLevel() > 0 {
		return errType(c.Name, "list or structure")
	}
	logical := d.LogicalType()
	if logical == nil {
		logical = schema.NoLogicalType{}
	}
	whole, isWhole := logical.(interface {
		BitWidth() int8
		IsSigned() bool
	})
	plain := logical.IsNone()
	var err error
	switch p := d.PhysicalType(); {
	case logical.Equals(schema.NullLogicalType{}), logical.Equals(schema.UnknownLogicalType{}):
		c.Values, c.Valid = make([]string, f.NumRows()), make([]bool, f.NumRows())
	case p == parquet.Types.Boolean:
		c.Values, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[bool] {
			return r.(*file.BooleanColumnChunkReader).ReadBatch
		})
	case p == parquet.Types.Double:
		c.Values, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[float64] {
			return r.(*file.Float64ColumnChunkReader).ReadBatch
		})
	case p == parquet.Types.Float:
		c.Values, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[float32] {
			return r.(*file.Float32ColumnChunkReader).ReadBatch
		})
	case p == parquet.Types.Int32 && (plain || isWhole):
		var v []int32
		v, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[int32] {
			return r.(*file.Int32ColumnChunkReader).ReadBatch
		})
		if c.Values = v; isWhole && !whole.IsSigned() && whole.BitWidth() == 32 {
			c.Values = converted(v, func(x int32) int64 { return int64(uint32(x)) })
		}
	case p == parquet.Types.Int64 && (plain || isWhole):
		var v []int64
		v, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[int64] {
			return r.(*file.Int64ColumnChunkReader).ReadBatch
		})
		c.Values = v
		for _, x := range v {
			if isWhole && !whole.IsSigned() && x < 0 {
				return fmt.Errorf("column %s holds an unsigned number larger than an int64", c.Name)
			}
		}
	case p == parquet.Types.ByteArray && (logical.Equals(schema.StringLogicalType{}) ||
		logical.Equals(schema.EnumLogicalType{}) || logical.Equals(schema.JSONLogicalType{})):
		var v []parquet.ByteArray
		v, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[parquet.ByteArray] {
			return copying(r.(*file.ByteArrayColumnChunkReader).ReadBatch)
		})
		c.Values = converted(v, func(b parquet.ByteArray) string { return string(b) })
	case p == parquet.Types.FixedLenByteArray && logical.Equals(schema.Float16LogicalType{}):
		var v []parquet.FixedLenByteArray
		v, err = chunks(c, f, i, func(r file.ColumnChunkReader) batchReader[parquet.FixedLenByteArray] {
			return copying(r.(*file.FixedLenByteArrayColumnChunkReader).ReadBatch)
		})
		c.Values = converted(v, func(b parquet.FixedLenByteArray) float32 {
			if len(b) < 2 {
				return 0 // where there is no value
			}
			return float16.FromBits(uint16(b[0]) | uint16(b[1])<<8).Float32()
		})
	default:
		return errType(c.Name, logical.String()+" "+p.String())
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	return nil
}

func errType(name, what string) error {
	return fmt.Errorf("column %q has type %s: only text, numbers and Booleans can be read", name, what)
}

// A batchReader reads the next rows of a column chunk: the values that are there,
// one after another, and a level for each row.
type batchReader[T any] func(n int64, values []T, levels, repeats []int16) (rows int64, there int, err error)

// copying makes values that are slices independent of the page that they lie in.
func copying[T ~[]byte](read batchReader[T]) batchReader[T] {
	return func(n int64, values []T, levels, repeats []int16) (int64, int, error) {
		rows, there, err := read(n, values, levels, repeats)
		for i := range there {
			values[i] = bytes.Clone(values[i])
		}
		return rows, there, err
	}
}

func converted[A, B any](v []A, f func(A) B) []B {
	out := make([]B, len(v))
	for i, x := range v {
		out[i] = f(x)
	}
	return out
}

// chunks reads a column in all row groups, and sets which rows have a value.
func chunks[T any](c *encoding.Column, f *file.Reader, i int, reader func(file.ColumnChunkReader) batchReader[T]) ([]T,
	error) {
	total := int(f.NumRows())
	all, valid, missing := make([]T, 0, total), make([]bool, 0, total), false
	top := f.MetaData().Schema.Column(i).MaxDefinitionLevel()
	for g := range f.NumRowGroups() {
		if err := checkPages(f, g, i); err != nil {
			return nil, err
		}
		group := f.RowGroup(g)
		chunk, err := group.Column(i)
		if err != nil {
			return nil, err
		}
		left := group.NumRows()
		read := reader(chunk)
		values, levels := make([]T, min(left, 1<<16)), make([]int16, min(left, 1<<16))
		for left > 0 {
			rows, there, err := read(min(left, int64(len(levels))), values, levels, nil)
			if err != nil {
				return nil, err
			}
			if rows <= 0 || rows > left || there > int(rows) {
				return nil, fmt.Errorf("row group %d ends %d rows too early", g, left)
			}
			left -= rows
			next := 0
			for k := range int(rows) {
				var x T
				is := top == 0 || levels[k] == top
				if is {
					if next >= there {
						return nil, fmt.Errorf("row group %d has fewer values than it claims", g)
					}
					x = values[next]
					next++
				}
				all, valid, missing = append(all, x), append(valid, is), missing || !is
			}
		}
	}
	if len(all) != total {
		return nil, fmt.Errorf("it has %d rows of %d", len(all), total)
	}
	if missing {
		c.Valid = valid
	}
	return all, nil
}
