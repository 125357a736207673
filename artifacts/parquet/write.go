package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"prgnn/artifacts/encoding"
)

// Of the Parquet library the low level is used, column by column. Its high level
// (pqarrow) reaches Flight and so all of gRPC: 29 MB of program, 17 MB of memory
// and 5 ms at the start of every command, whatever it does.

// arrowSchemaKey is where Arrow's own programs put the Arrow schema of a file.
const arrowSchemaKey = "ARROW:schema"

// Write writes the table as a Parquet file of optional columns, compressed by
// zstd. Units and docs are in the Arrow schema that it carries.
func Write(w io.Writer, t *encoding.Table) error {
	if err := write(w, t); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

func write(w io.Writer, t *encoding.Table) error {
	rec, err := t.Record()
	if err != nil {
		return err
	}
	defer rec.Release()
	fields := make(schema.FieldList, len(t.Columns))
	for i := range t.Columns {
		if fields[i], err = fieldOf(t.Columns[i].Name, rec.Column(i).DataType()); err != nil {
			return fmt.Errorf("column %q: %w", t.Columns[i].Name, err)
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return err
	}
	meta, err := metadataOf(t, rec.Schema())
	if err != nil {
		return err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("prgnn"))
	// The library closes what it writes to, when that can be closed.
	out := file.NewParquetWriter(struct{ io.Writer }{w}, root, file.WithWriterProps(props),
		file.WithWriteMetadata(meta))
	const rowGroup = 1 << 20
	for from := 0; from < t.Rows(); from += rowGroup {
		if err := writeGroup(out, rec, from, min(from+rowGroup, t.Rows())); err != nil {
			return err
		}
	}
	return out.Close()
}

// fieldOf describes a column of a type. What Arrow has in seconds, Parquet has in milliseconds; what else a type of
// Arrow has beyond that of Parquet is in the Arrow schema, which the file carries.
func fieldOf(name string, typ arrow.DataType) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	leaf := func(p parquet.Type, logical schema.LogicalType, length int) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(name, optional, logical, p, length, -1)
	}
	if d, ok := typ.(*arrow.DictionaryType); ok {
		typ = d.ValueType
	}
	none := schema.NoLogicalType{}
	switch t := typ.(type) {
	case *arrow.StringType, *arrow.LargeStringType:
		return leaf(parquet.Types.ByteArray, schema.StringLogicalType{}, -1)
	case *arrow.BinaryType, *arrow.LargeBinaryType:
		return leaf(parquet.Types.ByteArray, none, -1)
	case *arrow.FixedSizeBinaryType:
		return leaf(parquet.Types.FixedLenByteArray, none, t.ByteWidth)
	case arrow.DecimalType:
		if n := t.GetPrecision(); n < 1 || n > mostDigits || t.GetScale() < 0 || t.GetScale() > n {
			break
		}
		return leaf(parquet.Types.FixedLenByteArray, schema.NewDecimalLogicalType(t.GetPrecision(), t.GetScale()),
			decimalBytes(t.GetPrecision()))
	case *arrow.Float64Type:
		return leaf(parquet.Types.Double, none, -1)
	case *arrow.Float32Type:
		return leaf(parquet.Types.Float, none, -1)
	case *arrow.Float16Type:
		return leaf(parquet.Types.FixedLenByteArray, schema.Float16LogicalType{}, 2)
	case *arrow.NullType:
		return leaf(parquet.Types.Int32, schema.NullLogicalType{}, -1)
	case *arrow.Int64Type, *arrow.DurationType:
		return leaf(parquet.Types.Int64, none, -1)
	case *arrow.Int32Type:
		return leaf(parquet.Types.Int32, none, -1)
	case *arrow.Int16Type, *arrow.Int8Type:
		return leaf(parquet.Types.Int32,
			schema.NewIntLogicalType(int8(typ.(arrow.FixedWidthDataType).BitWidth()), true), -1)
	case *arrow.Uint32Type, *arrow.Uint16Type, *arrow.Uint8Type:
		return leaf(parquet.Types.Int32,
			schema.NewIntLogicalType(int8(typ.(arrow.FixedWidthDataType).BitWidth()), false), -1)
	case *arrow.Uint64Type:
		return leaf(parquet.Types.Int64, schema.NewIntLogicalType(64, false), -1)
	case *arrow.BooleanType:
		return leaf(parquet.Types.Boolean, none, -1)
	case *arrow.Date32Type, *arrow.Date64Type:
		return leaf(parquet.Types.Int32, schema.DateLogicalType{}, -1)
	case *arrow.Time32Type:
		return leaf(parquet.Types.Int32, schema.NewTimeLogicalType(true, schema.TimeUnitMillis), -1)
	case *arrow.Time64Type:
		return leaf(parquet.Types.Int64, schema.NewTimeLogicalType(true, units[t.Unit]), -1)
	case *arrow.TimestampType:
		return leaf(parquet.Types.Int64, schema.NewTimestampLogicalType(t.TimeZone != "", units[t.Unit]), -1)
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		item := t.(arrow.ListLikeType).Elem()
		if arrow.IsNested(item.ID()) || item.ID() == arrow.NULL {
			break
		}
		element, err := fieldOf("element", item)
		if err != nil {
			return nil, err
		}
		return schema.ListOfWithName(name, element, optional, -1)
	}
	return nil, fmt.Errorf("the type %s cannot be written to Parquet: write .arrow", typ)
}

var units = map[arrow.TimeUnit]schema.TimeUnitType{arrow.Second: schema.TimeUnitMillis,
	arrow.Millisecond: schema.TimeUnitMillis, arrow.Microsecond: schema.TimeUnitMicros,
	arrow.Nanosecond: schema.TimeUnitNanos}

// mostDigits of a decimal fit into 256 bits.
const mostDigits = 76

// decimalBytes is how many bytes a decimal of so many digits takes, with its sign.
func decimalBytes(precision int32) int {
	top := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return top.BitLen()/8 + 1
}

func metadataOf(t *encoding.Table, s *arrow.Schema) (metadata.KeyValueMetadata, error) {
	meta := metadata.NewKeyValueMetadata()
	for _, k := range slices.Sorted(maps.Keys(t.Meta)) {
		if err := meta.Append(k, t.Meta[k]); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(s)) // a stream of the schema alone
	if err := w.Close(); err != nil {
		return nil, err
	}
	return meta, meta.Append(arrowSchemaKey, base64.StdEncoding.EncodeToString(b.Bytes()))
}

func writeGroup(out *file.Writer, rec arrow.Record, from, to int) error {
	group := out.AppendRowGroup()
	for i, c := range rec.Columns() {
		w, err := group.NextColumn()
		if err != nil {
			return err
		}
		if err := writeChunk(w, array.NewSlice(c, int64(from), int64(to))); err != nil {
			return fmt.Errorf("column %q: %w", rec.ColumnName(i), err)
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return group.Close()
}

// writeChunk writes rows: their levels, and the values that there are. Of a column, level 1 is a value. Of a list, 0 is
// no list, 1 an empty one, 2 an item without a value and 3 a value; a further item of the same row repeats at level 1.
func writeChunk(w file.ColumnChunkWriter, a arrow.Array) error {
	levels, repeated, rows := make([]int16, 0, a.Len()), []int16(nil), make([]int, 0, a.Len())
	put := func(values arrow.Array, i int, level int16) {
		if in := (encoding.Column{Values: values}); in.Has(i) {
			level, rows = level+1, append(rows, i)
		}
		levels = append(levels, level)
	}
	lists, ok := a.(array.ListLike)
	if ok {
		items := lists.ListValues()
		for i := range a.Len() {
			lo, hi := lists.ValueOffsets(i)
			switch {
			case a.IsNull(i):
				levels, repeated = append(levels, 0), append(repeated, 0)
			case lo == hi:
				levels, repeated = append(levels, 1), append(repeated, 0)
			default:
				for k := lo; k < hi; k++ {
					put(items, int(k), 2)
					repeated = append(repeated, int16(min(k-lo, 1)))
				}
			}
		}
		a = items
	} else {
		for i := range a.Len() {
			put(a, i, 0)
		}
	}
	return writeValues(w, a, rows, levels, repeated)
}

func writeValues(w file.ColumnChunkWriter, a arrow.Array, rows []int, levels, repeated []int16) (err error) {
	if d, ok := a.(*array.Dictionary); ok {
		for i, row := range rows {
			rows[i] = d.GetValueIndex(row)
		}
		a = d.Dictionary()
	}
	whole := func(value func(i int) (int64, error)) error {
		if w, ok := w.(*file.Int64ColumnChunkWriter); ok {
			v, err := convert(rows, value)
			if err == nil {
				_, err = w.WriteBatch(v, levels, repeated)
			}
			return err
		}
		v, err := convert(rows, func(i int) (int32, error) {
			x, err := value(i)
			if err == nil && x != int64(int32(x)) {
				err = fmt.Errorf("row %d: %d is beyond 32 bits", i+1, x)
			}
			return int32(x), err
		})
		if err == nil {
			_, err = w.(*file.Int32ColumnChunkWriter).WriteBatch(v, levels, repeated)
		}
		return err
	}
	texts := func(value func(i int) []byte) error {
		v, _ := convert(rows, func(i int) (parquet.ByteArray, error) { return value(i), nil })
		_, err := w.(*file.ByteArrayColumnChunkWriter).WriteBatch(v, levels, repeated)
		return err
	}
	fixed := func(value func(i int) ([]byte, error)) error {
		v, err := convert(rows, func(i int) (parquet.FixedLenByteArray, error) { return value(i) })
		if err == nil {
			_, err = w.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch(v, levels, repeated)
		}
		return err
	}
	switch a := a.(type) {
	case *array.String:
		return texts(func(i int) []byte { return []byte(a.Value(i)) })
	case *array.LargeString:
		return texts(func(i int) []byte { return []byte(a.Value(i)) })
	case *array.Binary:
		return texts(a.Value)
	case *array.LargeBinary:
		return texts(a.Value)
	case *array.FixedSizeBinary:
		return fixed(func(i int) ([]byte, error) { return a.Value(i), nil })
	case *array.Decimal128:
		return fixed(func(i int) ([]byte, error) { return decimal(a.Value(i).BigInt(), i, a.DataType()) })
	case *array.Decimal256:
		return fixed(func(i int) ([]byte, error) { return decimal(a.Value(i).BigInt(), i, a.DataType()) })
	case *array.Float64:
		v, _ := convert(rows, func(i int) (float64, error) { return a.Value(i), nil })
		_, err = w.(*file.Float64ColumnChunkWriter).WriteBatch(v, levels, repeated)
		return err
	case *array.Float32:
		v, _ := convert(rows, func(i int) (float32, error) { return a.Value(i), nil })
		_, err = w.(*file.Float32ColumnChunkWriter).WriteBatch(v, levels, repeated)
		return err
	case *array.Float16:
		return fixed(func(i int) ([]byte, error) {
			return binary.LittleEndian.AppendUint16(nil, a.Value(i).Uint16()), nil
		})
	case *array.Null:
		_, err = w.(*file.Int32ColumnChunkWriter).WriteBatch(nil, levels, repeated)
		return err
	case *array.Boolean:
		v, _ := convert(rows, func(i int) (bool, error) { return a.Value(i), nil })
		_, err = w.(*file.BooleanColumnChunkWriter).WriteBatch(v, levels, repeated)
		return err
	case *array.Int64:
		return whole(func(i int) (int64, error) { return a.Value(i), nil })
	case *array.Int32:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Int16:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Int8:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Uint32:
		return whole(func(i int) (int64, error) { return int64(int32(a.Value(i))), nil })
	case *array.Uint64:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Uint16:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Uint8:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Duration:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Date32:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Date64:
		return whole(func(i int) (int64, error) {
			if x := int64(a.Value(i)); x%day64 == 0 {
				return x / day64, nil
			}
			return 0, fmt.Errorf("row %d: a date of Parquet has no time of day: write .arrow", i+1)
		})
	case *array.Time32:
		return whole(func(i int) (int64, error) {
			return milliseconds(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit)
		})
	case *array.Time64:
		return whole(func(i int) (int64, error) { return int64(a.Value(i)), nil })
	case *array.Timestamp:
		return whole(func(i int) (int64, error) {
			return milliseconds(int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit)
		})
	}
	return fmt.Errorf("the type %s cannot be written to Parquet: write .arrow", a.DataType())
}

const day64 = 24 * 60 * 60 * 1000 // ms

// milliseconds makes milliseconds of seconds; other units stay.
func milliseconds(x int64, unit arrow.TimeUnit) (int64, error) {
	if unit != arrow.Second {
		return x, nil
	}
	if x > math.MaxInt64/1000 || x < math.MinInt64/1000 {
		return 0, fmt.Errorf("%d seconds are beyond the milliseconds of Parquet: write .arrow", x)
	}
	return 1000 * x, nil
}

// decimal is a number as Parquet has it: two's complement, the most significant byte first.
func decimal(v *big.Int, row int, typ arrow.DataType) ([]byte, error) {
	n := decimalBytes(typ.(arrow.DecimalType).GetPrecision())
	if v.BitLen() >= 8*n {
		return nil, fmt.Errorf("row %d: %d has more digits than %s", row+1, v, typ)
	}
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v.FillBytes(make([]byte, n)), nil
}

// convert makes the values of rows.
func convert[T any](rows []int, value func(i int) (T, error)) ([]T, error) {
	out := make([]T, len(rows))
	for k, i := range rows {
		var err error
		if out[k], err = value(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}
