package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"prgnn/artifacts/encoding"
	"prgnn/internal/budget"
)

// keptType is the type of Arrow of a column that passes through a table as it is; nil for text, numbers and Booleans.
// like is the type in the Arrow schema of the file: its zone, its seconds and its widths are taken where they fit.
func keptType(d *schema.Column, logical schema.LogicalType, like arrow.DataType) (arrow.DataType, error) {
	switch l := logical.(type) {
	case *schema.TimestampLogicalType:
		typ := &arrow.TimestampType{Unit: unitOf(l.TimeUnit())}
		theirs, _ := like.(*arrow.TimestampType)
		if l.IsAdjustedToUTC() {
			if typ.TimeZone = "UTC"; theirs != nil && theirs.TimeZone != "" {
				typ.TimeZone = theirs.TimeZone
			}
		}
		if theirs != nil && theirs.Unit == arrow.Second && typ.Unit == arrow.Millisecond {
			typ.Unit = arrow.Second
		}
		return typ, nil
	case *schema.TimeLogicalType:
		if unit := unitOf(l.TimeUnit()); unit != arrow.Millisecond {
			return &arrow.Time64Type{Unit: unit}, nil
		}
		if theirs, ok := like.(*arrow.Time32Type); ok {
			return theirs, nil
		}
		return &arrow.Time32Type{Unit: arrow.Millisecond}, nil
	case schema.DateLogicalType:
		if _, ok := like.(*arrow.Date64Type); ok {
			return like, nil
		}
		return arrow.FixedWidthTypes.Date32, nil
	case *schema.DecimalLogicalType:
		if n := l.Precision(); n < 1 || n > mostDigits || l.Scale() < 0 || l.Scale() > n {
			return nil, fmt.Errorf("a decimal of %d digits, %d of them after the point", n, l.Scale())
		}
		if _, wide := like.(*arrow.Decimal256Type); wide || l.Precision() > 38 {
			return &arrow.Decimal256Type{Precision: l.Precision(), Scale: l.Scale()}, nil
		}
		return &arrow.Decimal128Type{Precision: l.Precision(), Scale: l.Scale()}, nil
	case schema.UUIDLogicalType:
		return &arrow.FixedSizeBinaryType{ByteWidth: d.TypeLength()}, nil
	case schema.BSONLogicalType:
		return arrow.BinaryTypes.Binary, nil
	}
	if !logical.IsNone() {
		return nil, nil
	}
	switch d.PhysicalType() {
	case parquet.Types.Int96: // days and nanoseconds, which Spark and Impala wrote for timestamps
		return &arrow.TimestampType{Unit: arrow.Nanosecond}, nil
	case parquet.Types.Int64:
		if _, ok := like.(*arrow.DurationType); ok {
			return like, nil
		}
	case parquet.Types.ByteArray:
		if _, ok := like.(*arrow.LargeBinaryType); ok {
			return like, nil
		}
		return arrow.BinaryTypes.Binary, nil
	case parquet.Types.FixedLenByteArray:
		return &arrow.FixedSizeBinaryType{ByteWidth: d.TypeLength()}, nil
	}
	return nil, nil
}

func unitOf(u schema.TimeUnitType) arrow.TimeUnit {
	for unit, theirs := range units {
		if theirs == u && unit != arrow.Second {
			return unit
		}
	}
	return arrow.Millisecond
}

// keptColumn reads a column as an array of a type of Arrow.
func keptColumn(c *encoding.Column, l *listLevels, typ arrow.DataType, f *file.Reader, b []byte,
	mem *budget.Budget, i int) error {
	d := f.MetaData().Schema.Column(i)
	out := array.NewBuilder(memory.DefaultAllocator, typ)
	defer out.Release()
	// The builder has the values once more.
	if err := mem.Take(f.NumRows(), int64(width(typ)), "rows"); err != nil {
		return err
	}
	out.Reserve(int(f.NumRows()))
	var err error
	switch p := d.PhysicalType(); {
	case p == parquet.Types.Int32:
		err = build(c, l, out, f, b, mem, i, integers(4, func(v int64) int64 { return v }), ofWhole(out))
	case p == parquet.Types.Int64:
		err = build(c, l, out, f, b, mem, i, integers(8, func(v int64) int64 { return v }), ofWhole(out))
	case p == parquet.Types.Int96:
		err = build(c, l, out, f, b, mem, i, fixed(12, func(b []byte) [2]int64 {
			return [2]int64{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:]))}
		}), func(v [2]int64) error {
			const epoch, day = 2440588, 24 * 60 * 60 * 1_000_000_000 // the Julian day of 1970-01-01; ns
			days := v[1] - epoch
			if days > math.MaxInt64/day-1 || days < math.MinInt64/day+1 || v[0] < 0 || v[0] >= day {
				return fmt.Errorf("day %d and %d ns are beyond the timestamps of Arrow", days, v[0])
			}
			out.(*array.TimestampBuilder).Append(arrow.Timestamp(days*day + v[0]))
			return nil
		})
	case p == parquet.Types.ByteArray:
		err = build(c, l, out, f, b, mem, i, texts, ofBytes(out))
	case p == parquet.Types.FixedLenByteArray && d.TypeLength() > 0:
		p := fixed(d.TypeLength(), func(b []byte) string { return string(b[:d.TypeLength()]) })
		p.text, p.size = texts.text, texts.size
		add := ofBytes(out)
		err = build(c, l, out, f, b, mem, i, p, func(v string) error {
			if len(v) != d.TypeLength() {
				return errPage
			}
			return add(v)
		})
	default:
		return fmt.Errorf("its type %s of %s is not supported", d.LogicalType(), p)
	}
	if err == nil {
		c.Values, c.Valid = out.NewArray(), nil
	}
	return err
}

// width is what a value of a type takes, bytes.
func width(typ arrow.DataType) int {
	if fixed, ok := typ.(arrow.FixedWidthDataType); ok {
		return fixed.BitWidth()/8 + 1
	}
	return 17
}

// build reads a column and adds its values to an array, one after another.
func build[T any](c *encoding.Column, l *listLevels, out array.Builder, f *file.Reader, b []byte,
	mem *budget.Budget, i int, p physical[T],
	add func(T) error) error {
	if err := items(c, l, f, b, mem, i, p); err != nil {
		return err
	}
	for row, v := range c.Values.([]T) {
		if !c.Has(row) {
			out.AppendNull()
			continue
		}
		if p.size != nil {
			if err := mem.Take(int64(p.size(v)), 1, "further bytes of values"); err != nil {
				return err
			}
		}
		if err := add(v); err != nil {
			return fmt.Errorf("row %d: %w", row+1, err)
		}
	}
	return nil
}

// ofWhole adds whole numbers to an array. Seconds of Arrow are milliseconds in Parquet, and a date64 is days.
func ofWhole(out array.Builder) func(int64) error {
	seconds := func(unit arrow.TimeUnit, v int64) (int64, error) {
		if unit != arrow.Second {
			return v, nil
		}
		if v%1000 != 0 {
			return 0, fmt.Errorf("%d ms where the Arrow schema lists seconds", v)
		}
		return v / 1000, nil
	}
	return func(v int64) error {
		var err error
		switch out := out.(type) {
		case *array.TimestampBuilder:
			if v, err = seconds(out.Type().(*arrow.TimestampType).Unit, v); err == nil {
				out.Append(arrow.Timestamp(v))
			}
		case *array.Time32Builder:
			if v, err = seconds(out.Type().(*arrow.Time32Type).Unit, v); err == nil {
				out.Append(arrow.Time32(v))
			}
		case *array.Time64Builder:
			out.Append(arrow.Time64(v))
		case *array.Date32Builder:
			out.Append(arrow.Date32(v))
		case *array.Date64Builder:
			out.Append(arrow.Date64(v * day64))
		case *array.DurationBuilder:
			out.Append(arrow.Duration(v))
		case *array.Decimal128Builder:
			out.Append(decimal128.FromI64(v))
		case *array.Decimal256Builder:
			out.Append(decimal256.FromI64(v))
		default:
			err = fmt.Errorf("a whole number cannot be %s", out.Type())
		}
		return err
	}
}

// ofBytes adds bytes to an array; those of a decimal are two's complement, the most significant first.
func ofBytes(out array.Builder) func(string) error {
	return func(v string) error {
		switch out := out.(type) {
		case *array.BinaryBuilder:
			out.Append([]byte(v))
		case *array.FixedSizeBinaryBuilder:
			out.Append([]byte(v))
		case *array.Decimal128Builder:
			n, err := wholeOf(v, 128)
			if err != nil {
				return err
			}
			out.Append(decimal128.FromBigInt(n))
		case *array.Decimal256Builder:
			n, err := wholeOf(v, 256)
			if err != nil {
				return err
			}
			out.Append(decimal256.FromBigInt(n))
		default:
			return fmt.Errorf("bytes cannot be %s", out.Type())
		}
		return nil
	}
}

func wholeOf(v string, bits int) (*big.Int, error) {
	n := new(big.Int).SetBytes([]byte(v))
	if len(v) > 0 && v[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	if n.BitLen() >= bits {
		return nil, fmt.Errorf("a decimal of %d bits in a column of %d", n.BitLen()+1, bits)
	}
	return n, nil
}
