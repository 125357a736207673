package encoding

import (
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// Columns of the other types of Arrow pass through a table: Values is the arrow.Array itself, which is
// written with its type and the metadata of its field. Dates, times, durations, intervals, decimals, binary,
// lists, structures, maps and dictionaries are kept so. Text, numbers and Booleans are not: stages compute
// with them.

// keeps reports whether a column of this type is kept as it is.
func keeps(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.DICTIONARY:
		values := typ.(*arrow.DictionaryType).ValueType
		return readers[values.ID()] != nil || keeps(values) && !arrow.IsNested(values.ID()) &&
			values.ID() != arrow.DICTIONARY
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY, arrow.DATE32, arrow.DATE64,
		arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION, arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME,
		arrow.INTERVAL_MONTH_DAY_NANO, arrow.DECIMAL128, arrow.DECIMAL256, arrow.LIST, arrow.LARGE_LIST,
		arrow.FIXED_SIZE_LIST, arrow.STRUCT, arrow.MAP:
		return true
	}
	return false
}

// keep sets the values of a column to its chunks, joined.
func (c *Column) keep(typ arrow.DataType, chunks []arrow.Array, mem *budget.Budget) error {
	whole, err := joined(typ, chunks, mem)
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	c.Values = whole
	return nil
}

// sameMemory reports whether two arrays without children lie in the same bytes.
func sameMemory(a, b arrow.ArrayData) bool {
	if a.Len() != b.Len() || a.Offset() != b.Offset() || len(a.Buffers()) != len(b.Buffers()) {
		return false
	}
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		switch {
		case (x == nil || x.Len() == 0) && (y == nil || y.Len() == 0):
		case x == nil || y == nil || x.Len() != y.Len() || x.Len() > 0 && &x.Bytes()[0] != &y.Bytes()[0]:
			return false
		}
	}
	return true
}

// A normalizer checks arrays that others made, which the library believes, and puts them in normal form: from
// their first row, without bytes that no row has, offsets from 0, a bitmap only where a value is missing. What
// lies beneath a missing value stays. Memory is shared where the form is normal already.
type normalizer struct {
	mem          *budget.Budget
	depth        int
	dictionaries [][2]arrow.ArrayData // as they came and in normal form: the batches of a file share them
}

func (n *normalizer) normal(d arrow.ArrayData) (*array.Data, error) {
	rows, from := d.Len(), d.Offset()
	if rows < 0 || from < 0 {
		return nil, fmt.Errorf("%d rows from row %d", rows, from)
	}
	// An array of nothing takes no bytes, whatever its length.
	if err := n.mem.Take(int64(rows), 1, "further rows"); err != nil {
		return nil, err
	}
	if n.depth++; n.depth > maxNesting {
		return nil, fmt.Errorf("nested more than %d levels deep", maxNesting)
	}
	defer func() { n.depth-- }()
	typ := d.DataType()
	if typ.ID() == arrow.NULL {
		return array.NewData(typ, rows, []*memory.Buffer{nil}, nil, rows, 0), nil
	}
	buffers := make([][]byte, 3)
	for i, b := range d.Buffers() {
		if i < len(buffers) && b != nil {
			buffers[i] = b.Bytes()
		}
	}
	missing, nulls, err := missingOf(buffers[0], from, rows, d.NullN())
	if err != nil {
		return nil, err
	}
	made := func(nulls int, children []arrow.ArrayData, bytes ...[]byte) *array.Data {
		bufs := []*memory.Buffer{nil}
		if missing != nil {
			bufs[0] = memory.NewBufferBytes(missing)
		}
		for _, b := range bytes {
			bufs = append(bufs, memory.NewBufferBytes(b))
		}
		return array.NewData(typ, rows, bufs, children, nulls, 0)
	}
	children := func(lo, hi int) ([]arrow.ArrayData, error) {
		out := make([]arrow.ArrayData, len(d.Children()))
		for i, c := range d.Children() {
			if lo < 0 || hi < lo || hi > c.Len() {
				return nil, fmt.Errorf("rows %d to %d of a nested column of %d", lo, hi, c.Len())
			}
			var err error
			if out[i], err = n.normal(array.NewSliceData(c, int64(lo), int64(hi))); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	switch t := typ.(type) {
	case *arrow.DictionaryType:
		return n.dictionary(d, t, missing, nulls, buffers[1])
	case *arrow.BooleanType:
		if (from+rows+7)/8 > len(buffers[1]) {
			return nil, errShort(typ, rows)
		}
		values := bitmap(rows, func(i int) bool { return bitutil.BitIsSet(buffers[1], from+i) })
		return made(nulls, nil, values), nil
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		offsets, lo, hi, err := offsetsOf(typ, buffers[1], from, rows)
		if err != nil {
			return nil, err
		}
		if hi > int64(len(buffers[2])) {
			return nil, errShort(typ, rows)
		}
		out := made(nulls, nil, offsets, buffers[2][lo:hi])
		return out, checkText(out)
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		offsets, lo, hi, err := offsetsOf(typ, buffers[1], from, rows)
		if err != nil {
			return nil, err
		}
		items, err := children(int(lo), int(hi))
		if err != nil {
			return nil, err
		}
		return made(nulls, items, offsets), nil
	case *arrow.FixedSizeListType:
		size := int(t.Len())
		if size < 0 || size > 0 && from+rows > d.Children()[0].Len()/size {
			return nil, errShort(typ, rows)
		}
		items, err := children(from*size, (from+rows)*size)
		if err != nil {
			return nil, err
		}
		return made(nulls, items), nil
	case *arrow.StructType:
		fields, err := children(from, from+rows)
		if err != nil {
			return nil, err
		}
		return made(nulls, fields), nil
	case arrow.FixedWidthDataType:
		values, err := fixedOf(t, buffers[1], from, rows)
		if err != nil {
			return nil, err
		}
		return made(nulls, nil, values), nil
	}
	return nil, fmt.Errorf("the type %s has no reader", typ)
}

func errShort(typ arrow.DataType, rows int) error {
	return fmt.Errorf("the file is damaged: too few bytes for %d rows of %s", rows, typ)
}

// missingOf is the bitmap of the rows that have a value, from its first bit on, and how many have none.
func missingOf(b []byte, from, rows, claimed int) ([]byte, int, error) {
	if b == nil || claimed == 0 {
		if claimed > 0 {
			return nil, 0, fmt.Errorf("the file is damaged: %d of %d values are missing, but it does not list which", claimed, rows)
		}
		return nil, 0, nil
	}
	if (from+rows+7)/8 > len(b) {
		return nil, 0, fmt.Errorf("the file is damaged: it has %d bytes for which of %d values are missing", len(b), rows)
	}
	nulls := rows - bitutil.CountSetBits(b, from, rows)
	if nulls == 0 {
		return nil, 0, nil
	}
	if from == 0 && rows%8 == 0 {
		return b[:rows/8], nulls, nil
	}
	return bitmap(rows, func(i int) bool { return bitutil.BitIsSet(b, from+i) }), nulls, nil
}

// fixedOf are the bytes of rows that have one width.
func fixedOf(t arrow.FixedWidthDataType, b []byte, from, rows int) ([]byte, error) {
	width := t.BitWidth() / 8
	if width < 0 || width > 0 && from+rows > len(b)/width {
		return nil, errShort(t, rows)
	}
	return b[from*width : (from+rows)*width], nil
}

// offsetsOf are the offsets of rows, from 0, and which part of the values they cover.
func offsetsOf(typ arrow.DataType, b []byte, from, rows int) (offsets []byte, lo, hi int64, err error) {
	width := typ.Layout().Buffers[1].ByteWidth
	if rows == 0 {
		return make([]byte, width), 0, 0, nil
	}
	if from+rows+1 > len(b)/width {
		return nil, 0, 0, errShort(typ, rows)
	}
	b = b[from*width : (from+rows+1)*width]
	if width == 4 {
		return shifted(b, arrow.Int32Traits.CastFromBytes(b), arrow.Int32Traits.CastToBytes)
	}
	return shifted(b, arrow.Int64Traits.CastFromBytes(b), arrow.Int64Traits.CastToBytes)
}

func shifted[T int32 | int64](b []byte, offsets []T, toBytes func([]T) []byte) ([]byte, int64, int64, error) {
	lo, last := offsets[0], offsets[0]
	for _, o := range offsets {
		if o < last {
			return nil, 0, 0, fmt.Errorf("the file is damaged: its rows overlap")
		}
		last = o
	}
	if lo < 0 {
		return nil, 0, 0, fmt.Errorf("the file is damaged: a row begins at byte %d", lo)
	}
	if lo == 0 {
		return b, 0, int64(last), nil
	}
	out := lists.Map(offsets, func(o T) T { return o - lo })
	return toBytes(out), int64(lo), int64(last), nil
}

// checkText refuses text that is not UTF-8.
func checkText(d *array.Data) error {
	texts, ok := array.MakeFromData(d).(interface {
		arrow.Array
		textArray
	})
	if !ok {
		return nil // bytes
	}
	for i := range texts.Len() {
		if s := texts.Value(i); texts.IsValid(i) && !utf8.ValidString(s) {
			return fmt.Errorf("%.40q is not UTF-8 text", s)
		}
	}
	return nil
}

// dictionary checks that each row stands for a value of the dictionary. What the rows stand for is taken from
// the budget: a text may be long, and many rows share it.
func (n *normalizer) dictionary(d arrow.ArrayData, t *arrow.DictionaryType, missing []byte, nulls int, b []byte) (
	*array.Data, error) {
	if d.Dictionary() == nil {
		return nil, fmt.Errorf("the file is damaged: a dictionary without values")
	}
	values, err := n.shared(d.Dictionary())
	if err != nil {
		return nil, err
	}
	raw, err := fixedOf(t.IndexType.(arrow.FixedWidthDataType), b, d.Offset(), d.Len())
	if err != nil {
		return nil, err
	}
	bufs := []*memory.Buffer{nil, memory.NewBufferBytes(raw)}
	if missing != nil {
		bufs[0] = memory.NewBufferBytes(missing)
	}
	out := array.NewDataWithDictionary(t, d.Len(), bufs, nulls, 0, values)
	indices := array.NewData(t.IndexType, d.Len(), bufs, nil, nulls, 0)
	at, err := indexer(array.MakeFromData(indices))
	if err != nil {
		return nil, err
	}
	sized, _ := array.MakeFromData(values).(interface{ ValueLen(int) int })
	for i := range d.Len() {
		if missing != nil && bitutil.BitIsNotSet(missing, i) {
			continue
		}
		k := at(i)
		if k >= uint64(values.Len()) {
			return nil, fmt.Errorf("the file is damaged: row %d has value %d of a dictionary of %d", i+1, int64(k), values.Len())
		}
		if sized != nil {
			if err := n.mem.Take(int64(sized.ValueLen(int(k))), 1, "further bytes of text"); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (n *normalizer) shared(dictionary arrow.ArrayData) (*array.Data, error) {
	for _, known := range n.dictionaries {
		if sameMemory(known[0], dictionary) {
			return known[1].(*array.Data), nil
		}
	}
	values, err := n.normal(dictionary)
	if err != nil {
		return nil, err
	}
	n.dictionaries = append(n.dictionaries, [2]arrow.ArrayData{dictionary, values})
	return values, nil
}

// indexer reads the indices of a dictionary; a negative one becomes a huge one.
func indexer(a arrow.Array) (func(i int) uint64, error) {
	switch a := a.(type) {
	case *array.Int8:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Int16:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Int32:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Int64:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Uint8:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Uint16:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Uint32:
		return func(i int) uint64 { return uint64(a.Value(i)) }, nil
	case *array.Uint64:
		return a.Value, nil
	}
	return nil, fmt.Errorf("a dictionary with indices of type %s", a.DataType())
}
