package parquet

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"

	"prgnn/artifacts/encoding"
	"prgnn/internal/budget"
)

// listLevels are the levels of the items of lists, and of the lists that have none.
type listLevels struct {
	levels  []byte // definition levels
	further []bool // the item belongs to the list of the one before it
	groups  []int  // where row groups begin
}

// readList fills in a column of lists as parquet-format writes them today (LogicalTypes.md, Lists: a group, a repeated
// group, an item).
func readList(c *encoding.Column, like arrow.DataType, f *file.Reader, b []byte, mem *budget.Budget, i int) error {
	d := f.MetaData().Schema.Column(i)
	if len(d.ColumnPath()) != 3 || d.MaxRepetitionLevel() != 1 || d.MaxDefinitionLevel() > 3 {
		return errType(c.Name, "list or structure of others")
	}
	var inside arrow.DataType
	if l, ok := like.(arrow.ListLikeType); ok {
		inside = l.Elem()
	}
	// What the levels take, and the items once more.
	for g := range f.NumRowGroups() {
		m, err := f.MetaData().RowGroup(g).ColumnChunk(i)
		if err != nil {
			return err
		}
		if err := mem.Take(m.NumValues(), 20, "further items of lists"); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	var l listLevels
	item := encoding.Column{Name: c.Name}
	if err := readLeaf(&item, &l, inside, f, b, mem, i); err != nil {
		return err
	}
	table := &encoding.Table{Columns: []encoding.Column{item}}
	rec, err := table.Record()
	if err != nil {
		return err
	}
	there := byte(d.MaxDefinitionLevel()) // of an item
	if d.SchemaNode().RepetitionType() == parquet.Repetitions.Optional {
		there--
	}
	lists, err := l.lists(rec.Column(0), there, f.NumRows())
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	c.Values, c.Valid = lists, nil
	return nil
}

// lists puts items together. A level below there is a list without items, and one below that no list.
func (l *listLevels) lists(items arrow.Array, there byte, rows int64) (arrow.Array, error) {
	if len(l.further) > math.MaxInt32 {
		return nil, fmt.Errorf("%d items of lists: write the file in parts", len(l.further))
	}
	if int64(items.Len()) != int64(len(l.further)) || len(l.levels) != len(l.further) {
		return nil, errPage
	}
	for _, at := range l.groups {
		if at < len(l.further) && l.further[at] {
			return nil, errPage
		}
	}
	offsets, valid, missing := []int32{}, []bool{}, 0
	var parts []arrow.Array
	from, n := 0, int32(0)
	for k, level := range l.levels {
		is := level >= there
		if l.further[k] && (!is || k == 0 || l.levels[k-1] < there) {
			return nil, errPage
		}
		if !l.further[k] {
			offsets, valid = append(offsets, n), append(valid, level+1 >= there)
			if level+1 < there {
				missing++
			}
		}
		if is {
			n++
			continue
		}
		if k > from {
			parts = append(parts, array.NewSlice(items, int64(from), int64(k)))
		}
		from = k + 1
	}
	if int64(len(valid)) != rows {
		return nil, fmt.Errorf("%d lists in %d rows", len(valid), rows)
	}
	if items.Len() > from || parts == nil {
		parts = append(parts, array.NewSlice(items, int64(min(from, items.Len())), int64(items.Len())))
	}
	whole, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	bitmap := make([]byte, (len(valid)+7)/8)
	for i, is := range valid {
		if is {
			bitmap[i/8] |= 1 << (i % 8)
		}
	}
	typ := arrow.ListOf(items.DataType())
	buffers := []*memory.Buffer{memory.NewBufferBytes(bitmap),
		memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(append(offsets, n)))}
	data := array.NewData(typ, len(valid), buffers, []arrow.ArrayData{whole.Data()}, missing, 0)
	return array.NewListData(data), nil
}
