package encoding_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"prgnn/artifacts/encoding"
	"prgnn/artifacts/parquet"
	"prgnn/internal/need"
)

var keptFiles = map[string][2]int{ // rows of types.arrow that each holds
	"types.arrow": {0, 5}, "types-batches.arrow": {0, 5}, "types-zstd.arrow": {0, 5}, "types-sliced.arrow": {1, 4},
	"types-none.arrow": {0, 0},
}

// Cells are the texts that Python makes of the values.
func TestKeptCells(t *testing.T) {
	var want map[string][]*string
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile("testdata/arrow/types.json"))(t), &want))
	for file, rows := range keptFiles {
		tab := need.Value(readTableFile("arrow/" + file))(t)
		need.Equal(t, len(tab.Columns), len(want), file)
		for _, c := range tab.Columns {
			for i := range rows[1] - rows[0] {
				text := want[c.Name][rows[0]+i]
				switch v := c.Value(i); {
				case text == nil || v == nil:
					need.Equal(t, v == nil, text == nil, file, c.Name, i)
				default:
					need.Equal(t, fmt.Sprint(v), *text, file, c.Name, i)
				}
			}
		}
	}
}

// A missing value has one form, be it missing at the index of a dictionary or among its values.
func TestKeptMissing(t *testing.T) {
	dates := array.NewDate32Builder(memory.DefaultAllocator)
	dates.AppendValues([]arrow.Date32{0, 1}, []bool{true, false})
	at := array.NewInt8Builder(memory.DefaultAllocator)
	at.AppendValues([]int8{0, 1, 0}, []bool{true, true, false})
	days := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.FixedWidthTypes.Date32}, at.NewArray(), dates.NewArray())
	tab := encoding.NewTable(encoding.Column{Name: "day", Values: arrow.Array(days)},
		encoding.Column{Name: "row", Values: []int64{1, 2, 3}})
	for sep, want := range map[rune]string{',': "day,row\n1970-01-01,1\n,2\n,3\n",
		'\t': "day\trow\n1970-01-01\t1\nn/a\t2\nn/a\t3\n"} {
		var b strings.Builder
		need.NoError(t, tab.WriteCSV(&b, sep))
		need.Equal(t, b.String(), want)
	}
}

// Columns that no stage computes with come back with the same type, metadata and values.
func TestKeptByPyarrow(t *testing.T) {
	python := need.Python(t, "numpy", "pyarrow")
	dir := t.TempDir()
	args := []string{"testdata/same.py"}
	for file := range keptFiles {
		tab := need.Value(readTableFile("arrow/" + file))(t)
		out := filepath.Join(dir, file)
		need.NoError(t, os.WriteFile(out, encoding.Encoded(t, tab), 0o666))
		args = append(args, "testdata/arrow/"+file, out)
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Batches, parts and slices of a table have the bytes of the table.
func TestKeptBytes(t *testing.T) {
	whole := need.Value(readTableFile("arrow/types.arrow"))(t)
	want := encoding.Encoded(t, whole)
	for _, file := range []string{"types-batches.arrow", "types-zstd.arrow"} {
		if got := encoding.Encoded(t, need.Value(readTableFile("arrow/"+file))(t)); !bytes.Equal(got, want) {
			t.Errorf("%s has other bytes", file)
		}
	}
	again := need.Value(encoding.ReadTable(bytes.NewReader(want)))(t)
	if !bytes.Equal(encoding.Encoded(t, again), want) {
		t.Error("the bytes change when they are read and written")
	}
	part := func(lo, hi int) *encoding.Table {
		p := &encoding.Table{Meta: whole.Meta}
		for _, c := range whole.Columns {
			p.Columns = append(p.Columns, c.Slice(lo, hi))
		}
		return p
	}
	sliced := need.Value(readTableFile("arrow/types-sliced.arrow"))(t)
	for _, c := range part(1, 4).Columns {
		d, _ := sliced.Column(c.Name)
		for i := range 3 {
			need.Equal(t, c.Value(i), d.Value(i), c.Name, i)
		}
	}
	joined := need.Value(encoding.Concat(part(0, 2), part(2, 2), part(2, 5)))(t)
	if !bytes.Equal(encoding.Encoded(t, joined), want) {
		t.Error("the parts have other bytes than the whole")
	}
}

// The memory of a record is shared; that of a file is not copied either where it has one batch.
func TestKeptShared(t *testing.T) {
	b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Nanosecond,
		TimeZone: "UTC"})
	b.AppendValues([]arrow.Timestamp{1, 2, 3}, nil)
	times := b.NewTimestampArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "when", Type: times.DataType()}}, nil)
	tab := need.Value(encoding.FromRecord(array.NewRecord(schema, []arrow.Array{times}, 3)))(t)
	rec := need.Value(tab.Record())(t)
	if &rec.Column(0).(*array.Timestamp).TimestampValues()[0] != &times.TimestampValues()[0] {
		t.Error("the column was copied")
	}
	need.Equal(t, rec.Schema().Field(0).Nullable, false)
}

// A column of the type null, also without rows, stays null in records and files, unless it gets values.
func TestNullColumn(t *testing.T) {
	for _, rows := range []int{0, 3} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "none", Type: arrow.Null, Nullable: true}}, nil)
		from := array.NewRecord(schema, []arrow.Array{array.NewNull(rows)}, int64(rows))
		tab := need.Value(encoding.FromRecord(from))(t)
		again := need.Value(encoding.ReadTable(bytes.NewReader(encoding.Encoded(t, tab))))(t)
		for _, of := range []*encoding.Table{tab, again, tab.AsStored()} {
			rec := need.Value(of.Record())(t)
			need.Equal(t, rec.Schema().Field(0).Type.ID(), arrow.NULL)
			need.Equal(t, rec.NumRows(), int64(rows))
		}
		if rows > 0 {
			tab.Columns[0].Values, tab.Columns[0].Valid = []string{"a", "b", "c"}, nil
			need.Equal(t, need.Value(tab.Record())(t).Schema().Field(0).Type.ID(), arrow.STRING)
		}
	}
}

// What computes with a column states the column and its type.
func TestKeptIsNotComputedWith(t *testing.T) {
	tab := need.Value(readTableFile("arrow/types.arrow"))(t)
	_, err := tab.Strings("zoned")
	need.Error(t, err, `column "zoned" holds timestamp[us, tz=Europe/Berlin], not text, numbers or Booleans`)
	_, err = tab.Floats("span_ms")
	need.Error(t, err, `column "span_ms" holds duration[ms], not numbers`)
	_, err = tab.Ints("decimal")
	need.Error(t, err, `column "decimal" holds decimal(10, 2), not integers`)
	_, err = tab.Bools("day")
	need.Error(t, err, `column "day" holds date32, not Booleans`)
	_, err = encoding.ListsOf[string](tab, "numbers")
	need.Error(t, err, `column "numbers" holds list<item: float64, nullable>, not lists of utf8`)
	_, err = encoding.ListsOf[string](tab, "words")
	need.Error(t, err, `column "words", row 4: item 1 of the list has no value`)
	_, err = encoding.Concat(tab, &encoding.Table{Columns: slices.Concat(tab.Columns[1:2], tab.Columns[1:])})
	need.Error(t, err, `concat: table 1 has the columns`)
	c := tab.Columns[0]
	c.Valid = make([]bool, 5)
	need.Error(t, (&encoding.Table{Columns: []encoding.Column{c}}).Check(), "Valid must be nil")
	c.Values, c.Valid = array.NewNull(5), nil
	need.Error(t, (&encoding.Table{Columns: []encoding.Column{c}}).Check(), "which FromRecord reads")
	// A dictionary is what its values are.
	same(t, need.Value(tab.Strings("group"))(t), []string{"asd", "n/a", "hc", "asd", "é"})
	need.Equal(t, need.Value(tab.Floats("code"))(t)[2], 9.0)
	plain := need.Value(tab.Decoded())(t)
	group, _ := plain.Column("group")
	same(t, group.Values, any([]string{"asd", "", "hc", "asd", "é"}))
	day, _ := plain.Column("date_group")
	need.Equal(t, day.Value(0), any("2024-02-29"))
}

// Lists are made from Go, and are what pyarrow writes.
func TestLists(t *testing.T) {
	rows := [][]string{{"a", "é", ""}, nil, {}, {"z"}, {"\"q\"\n"}}
	tab := encoding.NewTable(encoding.Column{Name: "words", Values: encoding.Lists(rows)})
	again := need.Value(encoding.ReadTable(bytes.NewReader(encoding.Encoded(t, tab))))(t)
	same(t, need.Value(encoding.ListsOf[string](again, "words"))(t), rows)
	same(t, need.Value(encoding.ListsOf[string](tab, "words"))(t), rows)
	theirs := need.Value(readTableFile("arrow/types.arrow"))(t)
	c, _ := theirs.Column("words")
	need.Equal(t, c.TypeName(), again.Columns[0].TypeName())
	for _, one := range []struct {
		values arrow.Array
		csv    string
	}{
		{encoding.Lists([][]float64{{0.5, math.Inf(1)}, nil, {}}), "x\n\"[0.5,\"\"Inf\"\"]\"\n\n[]\n"},
		{encoding.Lists([][]int32{{3, -1}, nil, {}}), "x\n\"[3,-1]\"\n\n[]\n"},
	} {
		numbers := encoding.NewTable(encoding.Column{Name: "x", Values: one.values})
		read := need.Value(encoding.ReadTable(bytes.NewReader(encoding.Encoded(t, numbers))))(t)
		if one.values.DataType().(*arrow.ListType).Elem() == arrow.PrimitiveTypes.Int32 {
			same(t, need.Value(encoding.ListsOf[int32](read, "x"))(t), [][]int32{{3, -1}, nil, {}})
		} else {
			same(t, need.Value(encoding.ListsOf[float64](read, "x"))(t), [][]float64{{0.5, math.Inf(1)}, nil, {}})
		}
		var csv bytes.Buffer
		need.NoError(t, read.WriteCSV(&csv, ','))
		need.Equal(t, csv.String(), one.csv)
	}
	bad := encoding.NewTable(encoding.Column{Name: "words", Values: encoding.Lists([][]string{{"\xff"}})})
	need.Error(t, bad.Encode(new(bytes.Buffer)), `column "words"`)
	var csv bytes.Buffer
	need.NoError(t, tab.WriteCSV(&csv, ','))
	need.Equal(t, csv.String(), "words\n\"[\"\"a\"\",\"\"é\"\",\"\"\"\"]\"\n\n[]\n\"[\"\"z\"\"]\"\n\"[\"\"\\\"\"q\\\"\"\\n\"\"]\"\n")
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Tables join where one has further values in a dictionary or nothing but missing values; the rows are those that
// pyarrow reads from both.
func TestJoinedByPyarrow(t *testing.T) {
	python := need.Python(t, "pandas", "pyarrow")
	dir := t.TempDir()
	script := func(what string) {
		t.Helper()
		if out, err := exec.Command(python, "testdata/joined.py", what, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
	}
	script("make")
	for _, first := range need.Value(filepath.Glob(dir + "/*.0.arrow"))(t) {
		name := first[:len(first)-len(".0.arrow")]
		var parts []*encoding.Table
		for _, file := range []string{first, name + ".1.arrow"} {
			part, err := encoding.ReadTable(bytes.NewReader(need.Value(os.ReadFile(file))(t)))
			if err != nil {
				t.Fatal(filepath.Base(file), err)
			}
			parts = append(parts, part)
		}
		whole, err := encoding.Concat(parts...)
		if err != nil {
			t.Fatal(filepath.Base(name), err)
		}
		need.NoError(t, os.WriteFile(name+".arrow", encoding.Encoded(t, whole), 0o666))
		need.NoError(t, os.WriteFile(name+".stored.arrow", encoding.Encoded(t, whole.AsStored()), 0o666))
		var b bytes.Buffer
		if err := parquet.Write(&b, whole.AsStored()); err == nil {
			need.NoError(t, os.WriteFile(name+".parquet", b.Bytes(), 0o666))
		}
	}
	script("check")
}

// Values of types that no type holds are not joined, and an order that differs is not made up.
func TestNotJoined(t *testing.T) {
	ordered := func(values ...string) arrow.Array {
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String, Ordered: true})
		for _, v := range values {
			need.NoError(t, b.(*array.BinaryDictionaryBuilder).AppendString(v))
		}
		return b.NewArray()
	}
	words, numbers := encoding.Lists([][]string{{"a"}}), encoding.Lists([][]float64{{1}})
	for _, c := range []struct {
		a, b any
		err  string
	}{
		{words, numbers, `column "c" is list<item: float64, nullable> in table 1, but list<item: utf8, nullable> in table 0`},
		{words, []string{"a"}, `column "c" is text in table 1, but list<item: utf8, nullable> in table 0`},
		{[]string{"a"}, words, `column "c" is list<item: utf8, nullable> in table 1, but text in table 0`},
		{[]int32{1}, []int64{1}, `column "c" is int64 in table 1, but int32 in table 0`},
		{ordered("low", "high"), ordered("high", "low"), `column "c": it is an ordered dictionary, and its values differ`},
	} {
		_, err := encoding.Concat(encoding.NewTable(encoding.Column{Name: "c", Values: c.a}),
			encoding.NewTable(encoding.Column{Name: "c", Values: c.b}))
		need.Error(t, err, c.err)
	}
}
