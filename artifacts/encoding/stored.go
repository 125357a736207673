package encoding

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Values that were read from a file may have a narrower type there: a table has no uint8, and an array no Booleans.
// What is made of them has the wide type, and files for other programs have the narrow one.

// fileType is the type of a column in its file, where it is not the one that Encode writes; else nil.
func (c *Column) fileType() arrow.DataType {
	typ := c.field.Type
	if typ == nil {
		return nil
	}
	ok := false
	switch c.Values.(type) {
	case []string:
		ok = typ.ID() == arrow.LARGE_STRING || c.isNull()
	case []float32:
		ok = typ.ID() == arrow.FLOAT16
	case []int32:
		ok = typ.ID() == arrow.INT8 || typ.ID() == arrow.INT16 || typ.ID() == arrow.UINT8 || typ.ID() == arrow.UINT16
	case []int64:
		ok = typ.ID() == arrow.UINT32 || typ.ID() == arrow.UINT64
	}
	if !ok {
		return nil
	}
	return typ
}

// FileTypeName is TypeName, or the type in the file that the column was read from: uint8 where Values is []int32.
func (c *Column) FileTypeName() string {
	switch typ := c.fileType(); {
	case typ == nil || typ.ID() == arrow.LARGE_STRING:
		return c.TypeName()
	case typ.ID() == arrow.FLOAT16:
		return "float16"
	default:
		return typ.String()
	}
}

// AsStored is the table whose records and files have the types of the file that it was read from.
func (t *Table) AsStored() *Table {
	out := *t
	out.stored = true
	return &out
}

// narrowed are the data of a column in the type of its file; unchanged where a value does not fit.
func narrowed(c *Column, d *array.Data) *array.Data {
	typ, rows := c.fileType(), d.Len()
	if typ == nil {
		return d
	}
	if typ.ID() == arrow.NULL {
		return array.NewData(typ, rows, []*memory.Buffer{nil}, nil, rows, 0)
	}
	bufs := []*memory.Buffer{d.Buffers()[0]}
	put := func(b []byte) { bufs = append(bufs, memory.NewBufferBytes(b)) }
	switch v := c.Values.(type) {
	case []string:
		b := make([]byte, 0, 8*(rows+1))
		for _, at := range arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes()) {
			b = binary.LittleEndian.AppendUint64(b, uint64(at))
		}
		put(b)
		bufs = append(bufs, d.Buffers()[2])
	case []float32:
		b := make([]byte, 0, 2*rows)
		for i, x := range v {
			h, ok := floatToHalf(x)
			if !ok && c.Has(i) {
				return d
			}
			b = binary.LittleEndian.AppendUint16(b, h)
		}
		put(b)
	case []int32:
		b, ok := narrowInts(c, v, typ)
		if !ok {
			return d
		}
		put(b)
	case []int64:
		b, ok := narrowInts(c, v, typ)
		if !ok {
			return d
		}
		put(b)
	}
	return array.NewData(typ, rows, bufs, nil, d.NullN(), 0)
}

func narrowInts[T int32 | int64](c *Column, v []T, typ arrow.DataType) ([]byte, bool) {
	bits := typ.(arrow.FixedWidthDataType).BitWidth()
	lo, hi := int64(0), int64(math.MaxInt64)
	if arrow.IsSignedInteger(typ.ID()) {
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	} else if bits < 64 {
		hi = 1<<bits - 1
	}
	b := make([]byte, 0, len(v)*bits/8)
	for i, x := range v {
		if !c.Has(i) {
			x = 0
		}
		if int64(x) < lo || int64(x) > hi {
			return nil, false
		}
		var all [8]byte
		binary.LittleEndian.PutUint64(all[:], uint64(x))
		b = append(b, all[:bits/8]...)
	}
	return b, true
}

// floatToHalf is the float16 of a number; ok is false where it is none.
func floatToHalf(x float32) (h uint16, ok bool) {
	if x != x {
		return 0x7e00, true
	}
	bits := math.Float32bits(x)
	h = uint16(bits >> 16 & 0x8000)
	switch exp := int(bits>>23&0xff) - 127; {
	case exp == 128:
		h |= 0x7c00
	case exp >= -14:
		h |= uint16(exp+15)<<10 | uint16(bits>>13&0x3ff)
	default: // a multiple of 2⁻²⁴
		h |= uint16(math.Abs(float64(x)) * 0x1p24)
	}
	return h, math.Float32bits(HalfToFloat(h)) == bits
}

// FileDType is DType, or the element type of the file that the array was read from: "|b1" where it has uint8.
func (a *Array) FileDType() string {
	if a.stored != "" {
		return a.stored
	}
	return a.DType()
}

// EncodeStored writes the array as npy with the element type of the file that it was read from.
func (a *Array) EncodeStored(w io.Writer) error {
	if a.check() != nil || a.stored == "" {
		return a.Encode(w)
	}
	n, err := npyHeader(a.FileDType(), a.Shape)
	if err != nil {
		return err
	}
	if _, err := w.Write(n); err != nil {
		return err
	}
	le := binary.LittleEndian
	switch d := a.data.(type) {
	case []uint8: // |b1
		_, err := w.Write(d)
		return err
	case []float32: // <f2
		return writeElements(w, d, 2, func(b []byte, x float32) {
			h, _ := floatToHalf(x)
			le.PutUint16(b, h)
		})
	case []int16: // |i1
		return writeElements(w, d, 1, func(b []byte, x int16) { b[0] = byte(x) })
	case []int32: // <u2
		return writeElements(w, d, 2, func(b []byte, x int32) { le.PutUint16(b, uint16(x)) })
	case []int64:
		if a.stored == "<u4" {
			return writeElements(w, d, 4, func(b []byte, x int64) { le.PutUint32(b, uint32(x)) })
		}
		return writeElements(w, d, 8, func(b []byte, x int64) { le.PutUint64(b, uint64(x)) })
	}
	return fmt.Errorf("npy: an array of %s is none of %s", a.DType(), a.stored)
}
