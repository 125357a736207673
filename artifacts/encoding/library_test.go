package encoding

import (
	"bytes"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/internal/need"
)

// A table goes through an Arrow record and comes back as the same bytes; numbers without a gap are
// not copied on the way there.
func TestRecord(t *testing.T) {
	tab := Sample()
	rec := need.Value(tab.Record())(t)
	defer rec.Release()
	if rec.NumRows() != 3 || rec.NumCols() != 6 {
		t.Errorf("%d rows and %d columns", rec.NumRows(), rec.NumCols())
	}
	counts := rec.Column(3).(*array.Int64).Int64Values()
	if own := tab.Columns[3].Values.([]int64); &counts[0] != &own[0] {
		t.Error("a column of int64 without a gap was copied")
	}
	if names := rec.Column(0).(*array.String); names.Value(1) != "bç" || !names.IsNull(2) {
		t.Errorf("names: %v", names)
	}
	back := need.Value(FromRecord(rec))(t)
	if !bytes.Equal(Encoded(t, back), Encoded(t, tab)) {
		t.Errorf("came back as %+v", back)
	}
	back.Columns[3].Values.([]int64)[1] = 99
	if counts[1] != 0 {
		t.Error("the table that comes back shares the record's memory")
	}
}

// A record that others made: Decoded makes text of dictionaries, small numbers become wider ones, and a slice
// is read from its first row.
func TestFromRecordOfOthers(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "group", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
			ValueType: arrow.BinaryTypes.String}},
		{Name: "age", Type: arrow.PrimitiveTypes.Int16, Nullable: true, Metadata: arrow.NewMetadata([]string{"unit"},
			[]string{"years"})},
	}, nil))
	defer b.Release()
	for i, g := range []string{"asd", "hc", "asd"} {
		need.NoError(t, b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(g))
		b.Field(1).(*array.Int16Builder).Append(int16(i - 1))
	}
	rec := b.NewRecord()
	defer rec.Release()
	part := rec.NewSlice(1, 3)
	defer part.Release()
	got := need.Value(need.Value(FromRecord(part))(t).Decoded())(t)
	want := NewTable(Column{Name: "group", Values: []string{"hc", "asd"}},
		Column{Name: "age", Values: []int32{0, 1}, Unit: "years"})
	if !bytes.Equal(Encoded(t, got), Encoded(t, want)) {
		t.Errorf("%+v", got)
	}

	views := array.NewRecordBuilder(memory.DefaultAllocator,
		arrow.NewSchema([]arrow.Field{{Name: "seen", Type: arrow.BinaryTypes.StringView}}, nil))
	defer views.Release()
	views.Field(0).(*array.StringViewBuilder).Append("a")
	seen := views.NewRecord()
	defer seen.Release()
	if _, err := FromRecord(seen); err == nil || err.Error() != `column "seen" has type string_view, which cannot be read` {
		t.Error(err)
	}
}

// A float16 in a record is the number that it is in npy, which numpy vouches for.
func TestHalfFloats(t *testing.T) {
	b := array.NewFloat16Builder(memory.DefaultAllocator)
	for bits := range 1 << 16 {
		b.Append(float16.FromBits(uint16(bits)))
	}
	half := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "h", Type: half.DataType()}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{half}, -1)
	for bits, x := range need.Value(FromRecord(rec))(t).Columns[0].Values.([]float32) {
		if want := HalfToFloat(uint16(bits)); x != want && want == want {
			t.Fatalf("%#04x is %v, want %v", bits, x, want)
		}
		if h, ok := floatToHalf(x); !ok || x == x && int(h) != bits {
			t.Fatalf("%v is %#04x, want %#04x", x, h, bits)
		}
	}
	for _, x := range []float32{0x1p-25, 65520, 1 + 0x1p-11, math.MaxFloat32} {
		if h, ok := floatToHalf(x); ok {
			t.Errorf("%v is %#04x, a float16", x, h)
		}
	}
}

// Numbers beyond what a type may hold have a text all the same.
func TestOddCells(t *testing.T) {
	for _, c := range []struct {
		value int64
		scale int
		want  string
	}{{1250, 2, "12.50"}, {-1, 3, "-0.001"}, {0, 0, "0"}, {0, 2, "0.00"}, {7, -3, "7E+3"}, {7, 1 << 30,
		"7E-1073741824"}} {
		need.Equal(t, decimalText(big.NewInt(c.value), c.scale), c.want)
	}
	for days, want := range map[int64]string{0: "1970-01-01", -719528: "0000-01-01", -719529: "-0001-12-31",
		11016:   "2000-02-29",
		2932896: "9999-12-31", 2932897: "10000-01-01"} {
		need.Equal(t, dateText(days), want)
	}
	for day := time.Date(-400, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2400; day = day.AddDate(0, 0, 1) {
		if got := dateText(day.Unix() / 86400); day.Year() >= 0 && got != day.Format("2006-01-02") {
			t.Fatalf("%v is %s", day, got)
		}
	}
	need.Equal(t, clockText(86399_000_000_001, arrow.Nanosecond), "23:59:59.000000001")
	need.Equal(t, fraction(-1, 1000), "-0.001")
	need.Equal(t, fraction(math.MinInt64, 1_000_000_000), "-9223372036.854775808")
}
