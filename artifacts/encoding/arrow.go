package encoding

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/budget"
	"prgnn/internal/lists"
)

// The keys of a field's metadata.
const (
	metaUnit = "unit"
	metaDoc  = "doc"
)

// writeArrow writes a table as an Arrow IPC file of one record batch. The bytes
// are canonical when zstd is off: buffers are laid out by us (a missing value is
// zero underneath, there is one NaN, bitmaps are there only where something is
// missing), metadata are sorted, and the writer adds nothing of its own.
func writeArrow(w io.Writer, t *Table, zstd bool) error {
	rec, err := t.Record()
	if err != nil {
		return err
	}
	defer rec.Release()
	if zstd {
		return writeRecord(w, rec, ipc.WithZstd())
	}
	return writeRecord(w, rec)
}

// writeRecord writes an IPC file of one record batch.
func writeRecord(w io.Writer, rec arrow.Record, opts ...ipc.Option) error {
	opts = append(opts, ipc.WithSchema(rec.Schema()))
	f, err := ipc.NewFileWriter(&countingWriter{w: w}, opts...)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	if err := f.Write(rec); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}

// WriteArrowZstd writes the table as an Arrow IPC file whose buffers are compressed,
// for export: the bytes depend on the version of the compressor.
func (t *Table) WriteArrowZstd(w io.Writer) error { return writeArrow(w, t, true) }

// A countingWriter can say where it is, which is all that the IPC writer asks of
// a WriteSeeker.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

func (c *countingWriter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, fmt.Errorf("arrow: the writer cannot seek back to %d", offset)
	}
	return c.n, nil
}

// Record is the table as an Arrow record (rows × columns). Numbers share the table's memory where no
// value is missing or NaN, and are copied elsewhere; text and booleans are copied; a column that is an arrow.Array
// is shared. Unit and Doc become the metadata of the field, Meta that of the schema. The caller releases the record.
func (t *Table) Record() (arrow.Record, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, len(t.Columns))
	cols := make([]arrow.Array, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		data, err := arrowData(c)
		if err != nil {
			return nil, err
		}
		kept := c.IsArrow()
		if (t.stored || c.isNull()) && c.fileType() != nil {
			data = narrowed(c, data)
			kept = data.DataType().ID() == c.field.Type.ID()
		}
		cols[i] = array.MakeFromData(data)
		fields[i] = arrow.Field{Name: c.Name, Type: data.DataType(), Nullable: true, Metadata: fieldMetadata(c, kept)}
		if kept && c.field.Type != nil {
			fields[i].Nullable = c.field.Nullable
		}
	}
	var meta *arrow.Metadata
	if len(t.Meta) > 0 {
		m := sortedMetadata(t.Meta)
		meta = &m
	}
	return array.NewRecord(arrow.NewSchema(fields, meta), cols, int64(t.Rows())), nil
}

func fieldMetadata(c *Column, kept bool) arrow.Metadata {
	m := map[string]string{}
	if kept {
		m = c.field.Metadata.ToMap()
		delete(m, metaUnit)
		delete(m, metaDoc)
	}
	if c.Unit != "" {
		m[metaUnit] = c.Unit
	}
	if c.Doc != "" {
		m[metaDoc] = c.Doc
	}
	return sortedMetadata(m)
}

func sortedMetadata(m map[string]string) arrow.Metadata {
	keys := slices.Sorted(maps.Keys(m))
	values := lists.Map(keys, func(k string) string { return m[k] })
	return arrow.NewMetadata(keys, values)
}

// arrowData lays out the buffers of a column: validity, then offsets for text,
// then values. The slices of the table are wrapped where they can be written as
// they are, and copied where something has to be made canonical.
func arrowData(c *Column) (*array.Data, error) {
	n, err := c.len()
	if err != nil {
		return nil, err
	}
	if a, ok := c.Values.(arrow.Array); ok {
		whole := normalizer{mem: budget.For(math.MaxInt64)} // it is in memory already
		data, err := whole.normal(a.Data())
		if err != nil {
			return nil, fmt.Errorf("table: column %q, %w", c.Name, err)
		}
		return data, nil
	}
	valid, nulls := validity(c, n)
	var typ arrow.DataType
	var buffers [][]byte
	switch v := c.Values.(type) {
	case []string:
		typ = arrow.BinaryTypes.String
		offsets, bytes, err := textBuffers(c, v)
		if err != nil {
			return nil, err
		}
		buffers = [][]byte{arrow.Int32Traits.CastToBytes(offsets), bytes}
	case []float64:
		typ = arrow.PrimitiveTypes.Float64
		buffers = [][]byte{arrow.Float64Traits.CastToBytes(canonical(c, v,
			math.Float64frombits(float64bits(math.NaN()))))}
	case []float32:
		typ = arrow.PrimitiveTypes.Float32
		buffers = [][]byte{arrow.Float32Traits.CastToBytes(canonical(c, v,
			math.Float32frombits(float32bits(float32(math.NaN())))))}
	case []int64:
		typ = arrow.PrimitiveTypes.Int64
		buffers = [][]byte{arrow.Int64Traits.CastToBytes(canonical(c, v, 0))}
	case []int32:
		typ = arrow.PrimitiveTypes.Int32
		buffers = [][]byte{arrow.Int32Traits.CastToBytes(canonical(c, v, 0))}
	case []bool:
		typ = arrow.FixedWidthTypes.Boolean
		buffers = [][]byte{bitmap(n, func(i int) bool { return v[i] && c.Has(i) })}
	}
	bufs := []*memory.Buffer{nil}
	if nulls > 0 {
		bufs[0] = memory.NewBufferBytes(valid)
	}
	for _, b := range buffers {
		bufs = append(bufs, memory.NewBufferBytes(b))
	}
	return array.NewData(typ, n, bufs, nil, nulls, 0), nil
}

// validity is the bitmap of the rows that have a value, and how many have none.
func validity(c *Column, n int) ([]byte, int) {
	nulls := 0
	for i := range n {
		if !c.Has(i) {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return bitmap(n, c.Has), nulls
}

func bitmap(n int, set func(int) bool) []byte {
	b := make([]byte, (n+7)/8)
	for i := range n {
		if set(i) {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// canonical is v itself, or a copy with zero where a value is missing and the
// one NaN where there is any.
func canonical[T float64 | float32 | int64 | int32](c *Column, v []T, nan T) []T {
	copied := false
	set := func(i int, x T) {
		if !copied {
			v, copied = slices.Clone(v), true
		}
		v[i] = x
	}
	for i := range v {
		switch {
		case !c.Has(i):
			set(i, 0)
		case v[i] != v[i]:
			set(i, nan)
		}
	}
	return v
}

// textBuffers joins the strings of a column: offsets into the bytes, then the
// bytes.
func textBuffers(c *Column, v []string) ([]int32, []byte, error) {
	offsets := make([]int32, len(v)+1)
	total := 0
	for i, s := range v {
		if c.Has(i) {
			if !utf8.ValidString(s) {
				return nil, nil, fmt.Errorf("table: column %q, row %d: %.40q is not UTF-8 text", c.Name, i+1, s)
			}
			total += len(s)
		}
		if total > math.MaxInt32 {
			return nil, nil, fmt.Errorf("table: column %q holds more than 2 GiB of text", c.Name)
		}
		offsets[i+1] = int32(total)
	}
	bytes := make([]byte, 0, total)
	for i, s := range v {
		if c.Has(i) {
			bytes = append(bytes, s...)
		}
	}
	return offsets, bytes, nil
}
