package encoding

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// joined is one array in normal form of all chunks. One chunk is not copied.
func joined(typ arrow.DataType, chunks []arrow.Array, mem *budget.Budget) (arrow.Array, error) {
	n := normalizer{mem: mem}
	parts := make([]arrow.ArrayData, len(chunks))
	for i, a := range chunks {
		data, err := n.normal(a.Data())
		if err != nil {
			return nil, err
		}
		parts[i] = data
	}
	from := allocator{memory.NewGoAllocator(), mem}
	parts, err := alike(parts, from)
	if err != nil {
		return nil, err
	}
	var arrays []arrow.Array
	for _, d := range parts {
		if a := array.MakeFromData(d); a.Len() > 0 || len(arrays) == 0 {
			arrays = append(arrays, a)
		}
	}
	if len(arrays) > 1 && arrays[0].Len() == 0 {
		arrays = arrays[1:]
	}
	switch len(arrays) {
	case 0:
		return array.MakeFromData(withoutValues(typ, 0, from)), nil
	case 1:
		return arrays[0], nil
	}
	if whole := sameDictionary(arrays, from); whole != nil {
		return whole, nil
	}
	whole, err := array.Concatenate(arrays, from)
	if err != nil {
		return nil, err
	}
	own := normalizer{mem: budget.For(math.MaxInt64)} // its parts were taken
	data, err := own.normal(whole.Data())
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}

// errUnlike means that no type holds the values of both arrays without a conversion.
var errUnlike = errors.New("the types differ")

// alike gives arrays in normal form one type and, where they are dictionaries, one dictionary; inside lists and
// structures, too. Arrays of the type null take the type of the others.
func alike(parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, error) {
	typed := lists.Keep(parts, func(d arrow.ArrayData) bool { return d.DataType().ID() != arrow.NULL })
	if len(typed) == 0 {
		return parts, nil
	}
	typed, err := oneType(typed, mem)
	if err != nil {
		return nil, err
	}
	out, at := make([]arrow.ArrayData, len(parts)), 0
	for i, d := range parts {
		if d.DataType().ID() == arrow.NULL {
			none := withoutValues(typed[0].DataType(), d.Len(), mem)
			if dictionary, ok := typed[0].Dictionary().(*array.Data); ok {
				none.SetDictionary(dictionary)
			}
			out[i] = none
			continue
		}
		out[i] = typed[at]
		at++
	}
	return out, nil
}

// withoutValues are rows of a type that all miss their value.
func withoutValues(typ arrow.DataType, rows int, mem memory.Allocator) *array.Data {
	zeros := func(n int) *memory.Buffer { return memory.NewBufferBytes(mem.Allocate(n)) } // which Go clears
	buffers := []*memory.Buffer{nil}
	if rows > 0 {
		buffers[0] = zeros((rows + 7) / 8)
	}
	switch t := typ.(type) {
	case *arrow.NullType:
		return array.NewData(typ, rows, []*memory.Buffer{nil}, nil, rows, 0)
	case *arrow.DictionaryType:
		buffers = append(buffers, zeros(rows*t.BitWidth()/8))
		return array.NewDataWithDictionary(typ, rows, buffers, rows, 0, withoutValues(t.ValueType, 0, mem))
	case *arrow.BooleanType:
		buffers = append(buffers, zeros((rows+7)/8))
	case arrow.FixedWidthDataType:
		buffers = append(buffers, zeros(rows*t.BitWidth()/8))
	case arrow.OffsetsDataType:
		buffers = append(buffers, zeros((rows+1)*t.Layout().Buffers[1].ByteWidth))
		if !arrow.IsNested(t.ID()) {
			buffers = append(buffers, nil)
		}
	}
	var children []arrow.ArrayData
	if nested, ok := typ.(arrow.NestedType); ok {
		n := 0
		switch t := typ.(type) {
		case *arrow.StructType:
			n = rows
		case *arrow.FixedSizeListType:
			n = rows * int(t.Len())
		}
		for _, f := range nested.Fields() {
			children = append(children, withoutValues(f.Type, n, mem))
		}
	}
	return array.NewData(typ, rows, buffers, children, rows, 0)
}

func oneType(parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, error) {
	first := parts[0].DataType()
	for _, d := range parts {
		if d.DataType().ID() != first.ID() {
			return nil, errUnlike
		}
	}
	switch typ := first.(type) {
	case *arrow.DictionaryType:
		return oneDictionary(parts, mem)
	case arrow.NestedType:
		return oneNested(typ, parts, mem)
	}
	for _, d := range parts {
		if d.DataType().String() != first.String() {
			return nil, errUnlike
		}
	}
	return parts, nil
}

// oneNested gives the children of lists, structures or maps one type each.
func oneNested(first arrow.NestedType, parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, error) {
	fields := slices.Clone(first.Fields())
	children := make([][]arrow.ArrayData, len(parts))
	for k := range fields {
		var same []arrow.ArrayData
		for _, d := range parts {
			theirs := d.DataType().(arrow.NestedType).Fields()
			if len(theirs) != len(fields) || first.ID() == arrow.STRUCT && theirs[k].Name != fields[k].Name {
				return nil, errUnlike
			}
			fields[k].Nullable = fields[k].Nullable || theirs[k].Nullable || theirs[k].Type.ID() == arrow.NULL
			same = append(same, d.Children()[k])
		}
		same, err := alike(same, mem)
		if err != nil {
			return nil, err
		}
		fields[k].Type = same[0].DataType()
		for i, child := range same {
			children[i] = append(children[i], child)
		}
	}
	var typ arrow.DataType
	switch t := first.(type) {
	case *arrow.ListType:
		typ = arrow.ListOfField(fields[0])
	case *arrow.LargeListType:
		typ = arrow.LargeListOfField(fields[0])
	case *arrow.FixedSizeListType:
		for _, d := range parts {
			if d.DataType().(*arrow.FixedSizeListType).Len() != t.Len() {
				return nil, errUnlike
			}
		}
		typ = arrow.FixedSizeListOfField(t.Len(), fields[0])
	case *arrow.StructType:
		typ = arrow.StructOf(fields...)
	case *arrow.MapType:
		entries := fields[0].Type.(*arrow.StructType)
		m := arrow.MapOf(entries.Field(0).Type, entries.Field(1).Type)
		m.KeysSorted = t.KeysSorted
		for _, d := range parts {
			m.KeysSorted = m.KeysSorted && d.DataType().(*arrow.MapType).KeysSorted
		}
		m.SetItemNullable(entries.Field(1).Nullable)
		typ = m
	}
	if typ.String() == first.String() {
		typ = first // with the metadata of its fields
	}
	out := make([]arrow.ArrayData, len(parts))
	for i, d := range parts {
		out[i] = array.NewData(typ, d.Len(), d.Buffers(), children[i], d.NullN(), 0)
	}
	return out, nil
}

// oneDictionary gives dictionaries the values of all, in the order in which they appear first. The index gets wider
// where the values are too many for it.
func oneDictionary(parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, error) {
	typ := *parts[0].DataType().(*arrow.DictionaryType)
	same := true
	dictionaries := make([]arrow.ArrayData, len(parts))
	for i, d := range parts {
		theirs := d.DataType().(*arrow.DictionaryType)
		if theirs.Ordered != typ.Ordered {
			return nil, errUnlike
		}
		dictionaries[i] = d.Dictionary()
		same = same && theirs.IndexType.ID() == typ.IndexType.ID() && sameMemory(dictionaries[0], dictionaries[i])
		typ.IndexType = wider(typ.IndexType, theirs.IndexType, 0)
	}
	if same {
		return parts, nil
	}
	// Without values it may have any type: pandas writes float64 where no row of a Categorical has one.
	empty := func(d arrow.ArrayData) bool { return d.Len() == 0 }
	full := max(0, slices.IndexFunc(dictionaries, func(d arrow.ArrayData) bool { return !empty(d) }))
	for i, d := range dictionaries {
		if empty(d) && i != full {
			dictionaries[i] = array.NewNull(0).Data()
		}
	}
	dictionaries, err := alike(dictionaries, mem)
	if err != nil {
		return nil, err
	}
	var runs []arrow.Array // the values that appear first in a dictionary
	places := map[any]uint64{}
	at := make([][]uint64, len(parts))
	for i, d := range dictionaries {
		a := array.MakeFromData(d)
		if typ.Ordered && !array.Equal(a, array.MakeFromData(dictionaries[0])) {
			return nil, errors.New("it is an ordered dictionary, and its values differ from table to table: " +
				"write all values into each, or text")
		}
		for k := range a.Len() {
			key := valueOf(a, k)
			switch v := key.(type) {
			case float64:
				key = math.Float64bits(v)
			case float32:
				key = math.Float32bits(v)
			}
			place, ok := places[key]
			if !ok {
				place = uint64(len(places))
				places[key], runs = place, append(runs, array.NewSlice(a, int64(k), int64(k+1)))
			}
			at[i] = append(at[i], place)
		}
	}
	values := dictionaries[0].(*array.Data)
	if len(runs) > 0 {
		whole, err := array.Concatenate(runs, mem)
		if err != nil {
			return nil, err
		}
		own := normalizer{mem: budget.For(math.MaxInt64)} // taken by Concatenate
		if values, err = own.normal(whole.Data()); err != nil {
			return nil, err
		}
	}
	typ.ValueType = values.DataType()
	typ.IndexType = wider(typ.IndexType, typ.IndexType, len(runs))
	out := make([]arrow.ArrayData, len(parts))
	for i, d := range parts {
		theirs := d.DataType().(*arrow.DictionaryType).IndexType
		index, err := indexer(array.MakeFromData(array.NewData(theirs, d.Len(), d.Buffers(), nil, d.NullN(), 0)))
		if err != nil {
			return nil, err
		}
		width := typ.IndexType.(arrow.FixedWidthDataType).BitWidth() / 8
		indices := memory.NewBufferBytes(mem.Allocate(d.Len() * width))
		for row := range d.Len() {
			var b [8]byte
			if k := index(row); k < uint64(len(at[i])) { // what lies beneath a missing value may be anything
				binary.LittleEndian.PutUint64(b[:], at[i][k])
			}
			copy(indices.Bytes()[row*width:(row+1)*width], b[:])
		}
		buffers := []*memory.Buffer{d.Buffers()[0], indices}
		out[i] = array.NewDataWithDictionary(&typ, d.Len(), buffers, d.NullN(), 0, values)
	}
	return out, nil
}

// wider is the first type of index that holds those of both and n values.
func wider(a, b arrow.DataType, n int) arrow.DataType {
	bits := max(a.(arrow.FixedWidthDataType).BitWidth(), b.(arrow.FixedWidthDataType).BitWidth())
	signed := arrow.IsSignedInteger(a.ID())
	for {
		most := uint64(math.MaxUint64) >> (64 - bits)
		types := map[int]arrow.DataType{8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16,
			32: arrow.PrimitiveTypes.Uint32, 64: arrow.PrimitiveTypes.Uint64}
		if signed {
			most /= 2
			types = map[int]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16,
				32: arrow.PrimitiveTypes.Int32, 64: arrow.PrimitiveTypes.Int64}
		}
		if n == 0 || uint64(n-1) <= most {
			return types[bits]
		}
		bits *= 2
	}
}

// sameDictionary joins arrays over one dictionary, as the batches of a file have it; nil for others. The
// library would compare the dictionaries of all batches.
func sameDictionary(parts []arrow.Array, mem memory.Allocator) arrow.Array {
	first, ok := parts[0].(*array.Dictionary)
	if !ok {
		return nil
	}
	indices := lists.Map(parts, func(p arrow.Array) arrow.Array { return p.(*array.Dictionary).Indices() })
	whole, err := array.Concatenate(indices, mem)
	if err != nil {
		return nil
	}
	d := whole.Data()
	return array.NewDictionaryData(array.NewDataWithDictionary(first.DataType(), d.Len(), d.Buffers(), d.NullN(), 0,
		first.Data().Dictionary().(*array.Data)))
}
