package artifacts

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sample() *Table {
	t := NewTable(
		Column{Name: "name", Values: []string{"a", "bç", "?"}, Valid: []bool{true, true, false}},
		Column{Name: "time", Values: []float64{1.5, math.NaN(), 9}, Valid: []bool{true, true, false}, Unit: "s", Doc: "of the scan"},
		Column{Name: "small", Values: []float32{0.1, -1, float32(math.Inf(1))}},
		Column{Name: "count", Values: []int64{1 << 60, 0, -1}},
		Column{Name: "index", Values: []int32{1, 2, 3}},
		Column{Name: "flag", Values: []bool{true, false, true}, Valid: []bool{true, true, true}},
	)
	t.Meta = map[string]string{"z": "1", "a": "2"}
	return t
}

func TestTableRoundTrip(t *testing.T) {
	got, err := ReadTable(bytes.NewReader(encoded(t, sample())))
	if err != nil {
		t.Fatal(err)
	}
	// A missing value is zero underneath, and a bitmap without a gap is none.
	want := sample()
	want.Columns[0].Values = []string{"a", "bç", ""}
	want.Columns[1].Values = []float64{1.5, math.NaN(), 0}
	want.Columns[5].Valid = nil
	if x := got.Columns[1].Values.([]float64)[1]; x == x {
		t.Errorf("NaN became %v", x)
	}
	got.Columns[1].Values.([]float64)[1], want.Columns[1].Values.([]float64)[1] = 0, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Equal values give equal bytes: what lies under a missing value, which NaN it is,
// and in which order the metadata were put in do not matter.
func TestTableCanonical(t *testing.T) {
	a, b := sample(), sample()
	b.Columns[0].Values.([]string)[2] = "something else"
	b.Columns[1].Values.([]float64)[2] = -7
	b.Columns[1].Values.([]float64)[1] = math.Float64frombits(0xfff8000000000123)
	b.Columns[5].Valid = nil
	b.Meta = map[string]string{"a": "2", "z": "1"}
	if !bytes.Equal(encoded(t, a), encoded(t, b)) {
		t.Error("the bytes differ")
	}
	if x := b.Columns[1].Values.([]float64)[2]; x != -7 {
		t.Errorf("encoding wrote %v into the stage's own column", x)
	}
	b.Columns[4].Values.([]int32)[0] = 9
	if bytes.Equal(encoded(t, a), encoded(t, b)) {
		t.Error("another value, and the same bytes")
	}
}

func TestTableAnyRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tab := drawTable(r)
		file := encoded(t, tab)
		got, err := ReadTable(bytes.NewReader(file))
		if err != nil {
			r.Fatal(err)
		}
		if again := encoded(t, got); !bytes.Equal(file, again) {
			r.Fatalf("came back as other bytes: %+v", got)
		}
		for _, c := range tab.Columns {
			a, err := tab.Strings(c.Name)
			b, err2 := got.Strings(c.Name)
			if err != nil || err2 != nil || !reflect.DeepEqual(a, b) && len(a)+len(b) > 0 {
				r.Fatalf("column %q: %q became %q (%v, %v)", c.Name, a, b, err, err2)
			}
		}
		var parquet bytes.Buffer
		if err := tab.WriteParquet(&parquet); err != nil {
			r.Fatal(err)
		}
		if len(tab.Columns) == 0 {
			return
		}
		got, err = ReadTable(bytes.NewReader(parquet.Bytes()))
		if err != nil {
			r.Fatal("parquet:", err)
		}
		got.Meta = tab.Meta // Parquet adds its own
		if again := encoded(t, got); !bytes.Equal(file, again) {
			r.Fatalf("came back from Parquet as other bytes: %+v", got)
		}
	})
}

func drawTable(r *rapid.T) *Table {
	rows := rapid.IntRange(0, 20).Draw(r, "rows")
	var cols []Column
	for i := range rapid.IntRange(0, 6).Draw(r, "columns") {
		c := Column{Name: fmt.Sprint("c", i), Unit: rapid.SampledFrom([]string{"", "mm"}).Draw(r, "unit")}
		switch rapid.IntRange(0, 5).Draw(r, "type") {
		case 0:
			c.Values = rapid.SliceOfN(rapid.String(), rows, rows).Draw(r, "text")
		case 1:
			c.Values = rapid.SliceOfN(rapid.Float64(), rows, rows).Draw(r, "doubles")
		case 2:
			c.Values = rapid.SliceOfN(rapid.Float32(), rows, rows).Draw(r, "floats")
		case 3:
			c.Values = rapid.SliceOfN(rapid.Int64(), rows, rows).Draw(r, "longs")
		case 4:
			c.Values = rapid.SliceOfN(rapid.Int32(), rows, rows).Draw(r, "ints")
		case 5:
			c.Values = rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(r, "bools")
		}
		if rapid.Bool().Draw(r, "gaps") {
			c.Valid = rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(r, "valid")
		}
		cols = append(cols, c)
	}
	return NewTable(cols...)
}

// pyarrowWant is what the rows of foreign.py are, as text.
func pyarrowWant(column string, i int) string {
	if column == "index" {
		return fmt.Sprint(i)
	}
	if i == 3 || column == "nothing" {
		return "n/a"
	}
	switch column {
	case "text":
		return fmt.Sprint("s", i)
	case "large":
		return fmt.Sprint("é", i)
	case "group":
		return []string{"asd", "hc"}[i%2]
	case "half", "float":
		return fmt.Sprint(float64(i) / 4)
	case "double":
		return fmt.Sprint(float64(i) / 3)
	case "flag":
		return fmt.Sprint(i%2 == 1)
	case "u8", "u16", "u32", "u64":
		return fmt.Sprint(i)
	}
	return fmt.Sprint(i - 5) // i8 … i64
}

func TestReadPyarrow(t *testing.T) {
	for _, c := range []struct {
		file     string
		columns  int
		from, to int
	}{
		{"arrow/plain.arrow", 17, 0, 10},
		{"arrow/batches.arrow", 17, 0, 10},
		{"arrow/zstd.arrow", 17, 0, 10},
		{"arrow/lz4.arrow", 17, 0, 10},
		{"arrow/feather.arrow", 17, 0, 10},
		{"arrow/none.arrow", 17, 0, 0},
		{"arrow/sliced.arrow", 17, 2, 7},
		{"parquet/snappy.parquet", 15, 0, 10},
		{"parquet/zstd.parquet", 15, 0, 10},
		{"parquet/gzip.parquet", 15, 0, 10},
		{"parquet/plain.parquet", 15, 0, 10},
		{"parquet/groups.parquet", 15, 0, 10},
		{"parquet/v2.parquet", 15, 0, 10},
	} {
		tab, err := readTableFile(c.file)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if len(tab.Columns) != c.columns || tab.Rows() != c.to-c.from {
			t.Errorf("%s: %d columns and %d rows", c.file, len(tab.Columns), tab.Rows())
			continue
		}
		for _, col := range tab.Columns {
			for i := range tab.Rows() {
				if got, want := col.text(i), pyarrowWant(col.Name, c.from+i); got != want {
					t.Errorf("%s: column %s, row %d: %s, want %s", c.file, col.Name, i, got, want)
				}
			}
			if col.Name == "double" && (col.Unit != "s" || col.Doc != "a column") {
				t.Errorf("%s: unit %q, doc %q", c.file, col.Unit, col.Doc)
			}
		}
		if tab.Meta["made by"] != "pyarrow" {
			t.Errorf("%s: metadata %v", c.file, tab.Meta)
		}
	}
	for file, message := range map[string]string{
		"arrow/dates.arrow":    `arrow: column "when" is of the type date: text, numbers and truth values can be read`,
		"arrow/list.arrow":     `arrow: column "many" is of the type list: text, numbers and truth values can be read`,
		"arrow/huge.arrow":     `arrow: column count holds an unsigned number larger than an int64`,
		"parquet/list.parquet": `column "many"`,
	} {
		if _, err := readTableFile(file); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A file that is cut short is an error, wherever it is cut.
func TestReadTableCut(t *testing.T) {
	for _, name := range []string{"arrow/zstd.arrow", "arrow/batches.arrow", "parquet/snappy.parquet"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(file) {
			if _, err := ReadTable(bytes.NewReader(file[:n])); err == nil {
				t.Errorf("%s: its first %d of %d bytes are read", name, n, len(file))
			}
		}
	}
}

func readTableFile(name string) (*Table, error) {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadTable(f)
}

func TestTableAccess(t *testing.T) {
	tab := sample()
	check := func(what string, got any, err error, want any, message string) {
		t.Helper()
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != message || message == "" && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %q; want %v, %q", what, got, text, want, message)
		}
	}
	s, err := tab.Strings("name")
	check("names", s, err, []string{"a", "bç", "n/a"}, "")
	s, err = tab.Strings("time")
	check("times as text", s, err, []string{"1.5", "NaN", "n/a"}, "")
	s, err = tab.Strings("small")
	check("float32 as text", s, err, []string{"0.1", "-1", "Inf"}, "")
	f, err := tab.Floats("time")
	check("times", f, err, []float64{1.5, math.NaN(), math.NaN()}, "")
	f, err = tab.Floats("flag")
	check("flags as numbers", f, err, []float64{1, 0, 1}, "")
	f, err = tab.Floats("name")
	check("names as numbers", f, err, nil, `column "name" holds text, not numbers`)
	n, err := tab.Ints("index")
	check("index", n, err, []int64{1, 2, 3}, "")
	n, err = tab.Ints("small")
	check("0.1 as a whole number", n, err, nil, `column "small" holds 0.10000000149011612 in row 1, which is not a whole number`)
	n, err = tab.Ints("time")
	check("a missing whole number", n, err, nil, `column "time" has no value in row 3`)
	b, err := tab.Bools("flag")
	check("flags", b, err, []bool{true, false, true}, "")
	b, err = tab.Bools("index")
	check("index as flags", b, err, nil, `column "index" holds int32, not truth values`)
	_, err = tab.Floats("tiem")
	check("a slip", nil, err, nil, `no column "tiem": the columns are name, time, small, count, index, flag`)
	if got := tab.Columns[1].Values.([]float64)[2]; got != 9 {
		t.Errorf("Floats wrote %v into the column", got)
	}
}

func TestNewTablePanics(t *testing.T) {
	for message, cols := range map[string][]Column{
		`artifacts: table: column "b" has 1 rows, but column "a" has 2`:                 {{Name: "a", Values: []bool{true, true}}, {Name: "b", Values: []string{""}}},
		`artifacts: table: two columns named "a"`:                                       {{Name: "a", Values: []int32{1}}, {Name: "a", Values: []int32{1}}},
		`artifacts: table: column "a" holds a []int, which is none of the column types`: {{Name: "a", Values: []int{1}}},
		`artifacts: table: column "a" has 1 rows, but 2 marks of validity`:              {{Name: "a", Values: []int32{1}, Valid: []bool{true, false}}},
	} {
		func() {
			defer func() {
				if p := recover(); p != message {
					t.Errorf("%v, want %q", p, message)
				}
			}()
			NewTable(cols...)
		}()
	}
}

func TestConcat(t *testing.T) {
	a := NewTable(Column{Name: "x", Values: []float64{1}, Unit: "mm"}, Column{Name: "n", Values: []string{"a"}})
	b := NewTable(Column{Name: "x", Values: []float64{2, 3}, Valid: []bool{true, false}}, Column{Name: "n", Values: []string{"b", "c"}})
	got, err := Concat(a, b, a)
	want := NewTable(Column{Name: "x", Values: []float64{1, 2, 3, 1}, Valid: []bool{true, true, false, true}, Unit: "mm"},
		Column{Name: "n", Values: []string{"a", "b", "c", "a"}})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = Concat(a, NewTable(Column{Name: "y", Values: []float64{}}, Column{Name: "n", Values: []string{}}))
	if err == nil || err.Error() != `concat: table 1 has the columns ["y" "n"], but table 0 has ["x" "n"]` {
		t.Error(err)
	}
	_, err = Concat(a, NewTable(Column{Name: "x", Values: []int32{}}, Column{Name: "n", Values: []string{}}))
	if err == nil || err.Error() != `concat: column "x" is int32 in table 1, but float64 in table 0` {
		t.Error(err)
	}
}

// Numbers in a CSV file read back as the same numbers.
func TestCSV(t *testing.T) {
	tab := NewTable(
		Column{Name: "name", Values: []string{"a,b", `say "x"`, "tab\there", "large", "larger"}},
		Column{Name: "x", Values: []float64{0.30000000000000004, math.Inf(-1), 5e-324, 1e6, 1e15}},
		Column{Name: "n", Values: []int64{math.MaxInt64, 0, 1, 2, 3}, Valid: []bool{true, false, true, true, true}},
	)
	for _, sep := range []rune{',', '\t'} {
		var b bytes.Buffer
		if err := tab.WriteCSV(&b, sep); err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(&b)
		r.Comma = sep
		rows, err := r.ReadAll()
		want := [][]string{{"name", "x", "n"}, {"a,b", "0.30000000000000004", "9223372036854775807"}, {`say "x"`, "-Inf", ""}, {"tab\there", "5e-324", "1"}, {"large", "1000000", "2"}, {"larger", "1e+15", "3"}}
		if sep == '\t' {
			want[2][2] = "n/a"
		}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%q, %v", rows, err)
		}
		for i, row := range rows[1:] {
			if x, err := strconv.ParseFloat(row[1], 64); err != nil || x != tab.Columns[1].Values.([]float64)[i] {
				t.Errorf("row %d reads as %v, %v", i, x, err)
			}
		}
	}
}
