package encoding

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"prgnn/internal/lists"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// WriteArrow writes the array as an Arrow IPC file of one column, for export: each
// row is one element of the first axis, a tensor of the shape of the others
// (arrow.fixed_shape_tensor, which pyarrow shows as an n-dimensional array). Axes
// name all axes, the first one included; nil leaves them without names.
func (a *Array) WriteArrow(w io.Writer, column string, axes []string, meta map[string]string) error {
	return a.WriteTensors(w, &Table{Meta: meta}, Column{Name: column}, axes)
}

// WriteTensors is WriteArrow with key columns in front that name the rows: keys has one row per element of
// the first axis, or no columns. The values of column are ignored.
func (a *Array) WriteTensors(w io.Writer, keys *Table, column Column, axes []string) error {
	if err := a.check(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	switch {
	case len(a.Shape) < 2:
		return fmt.Errorf("arrow: an array of shape %v cannot be a column of tensors: two or more axes are needed", a.Shape)
	case axes != nil && len(axes) != len(a.Shape):
		return fmt.Errorf("arrow: %d names for the %d axes of an array", len(axes), len(a.Shape))
	case len(keys.Columns) > 0 && keys.Rows() != a.Shape[0]:
		return fmt.Errorf("arrow: %d rows of keys for %d tensors", keys.Rows(), a.Shape[0])
	}
	inner := a.Shape[1:]
	size, err := elements(inner)
	if err != nil || size == 0 || size > math.MaxInt32 {
		return fmt.Errorf("arrow: rows of shape %v are empty or too large", inner)
	}
	var dims struct {
		Shape []int    `json:"shape"`
		Names []string `json:"dim_names,omitempty"`
	}
	dims.Shape = inner
	if axes != nil {
		dims.Names = axes[1:]
	}
	text, err := json.Marshal(dims)
	if err != nil {
		return err
	}
	flat, err := arrowData(&Column{Name: column.Name, Values: a.columnValues()})
	if err != nil {
		return err
	}
	front, err := keys.Record()
	if err != nil {
		return err
	}
	defer front.Release()
	list := arrow.FixedSizeListOfField(int32(size), arrow.Field{Name: "item", Type: flat.DataType(), Nullable: true})
	rows := a.Shape[0]
	data := array.NewData(list, rows, []*memory.Buffer{nil}, []arrow.ArrayData{flat}, 0, 0)
	described := map[string]string{"ARROW:extension:name": "arrow.fixed_shape_tensor", "ARROW:extension:metadata": string(text)}
	if column.Unit != "" {
		described[metaUnit] = column.Unit
	}
	if column.Doc != "" {
		described[metaDoc] = column.Doc
	}
	fields := append(slices.Clone(front.Schema().Fields()), arrow.Field{Name: column.Name, Type: list, Nullable: true,
		Metadata: sortedMetadata(described)})
	m := sortedMetadata(keys.Meta)
	cols := append(slices.Clone(front.Columns()), array.MakeFromData(data))
	rec := array.NewRecord(arrow.NewSchema(fields, &m), cols, int64(rows))
	defer rec.Release()
	return writeRecord(w, rec)
}

// columnValues are the elements in one of the types of a column: the two that a
// column does not have are widened.
func (a *Array) columnValues() any {
	switch d := a.data.(type) {
	case []int16:
		return widen(d)
	case []uint8:
		return widen(d)
	}
	return a.data
}

func widen[T int16 | uint8](d []T) []int32 {
	out := lists.Map(d, func(x T) int32 { return int32(x) })
	return out
}
