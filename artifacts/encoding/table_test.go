package encoding

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"prgnn/internal/need"
)

func TestTableRoundTrip(t *testing.T) {
	got := need.Value(ReadTable(bytes.NewReader(Encoded(t, Sample()))))(t)
	// A missing value is zero underneath, and a bitmap without a gap is none.
	want := Sample()
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
	a, b := Sample(), Sample()
	b.Columns[0].Values.([]string)[2] = "something else"
	b.Columns[1].Values.([]float64)[2] = -7
	b.Columns[1].Values.([]float64)[1] = math.Float64frombits(0xfff8000000000123)
	b.Columns[5].Valid = nil
	b.Meta = map[string]string{"a": "2", "z": "1"}
	if !bytes.Equal(Encoded(t, a), Encoded(t, b)) {
		t.Error("the bytes differ")
	}
	if x := b.Columns[1].Values.([]float64)[2]; x != -7 {
		t.Errorf("encoding wrote %v into the stage's own column", x)
	}
	b.Columns[4].Values.([]int32)[0] = 9
	if bytes.Equal(Encoded(t, a), Encoded(t, b)) {
		t.Error("another value, and the same bytes")
	}
}

func TestTableAccess(t *testing.T) {
	tab := Sample()
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
	check("0.1 as a whole number", n, err, nil, `column "small" holds 0.10000000149011612 in row 1, which is not an integer`)
	n, err = tab.Ints("time")
	check("a missing whole number", n, err, nil, `column "time" has no value in row 3`)
	b, err := tab.Bools("flag")
	check("flags", b, err, []bool{true, false, true}, "")
	b, err = tab.Bools("index")
	check("index as flags", b, err, nil, `column "index" holds int32, not Booleans`)
	_, err = tab.Floats("tiem")
	check("a slip", nil, err, nil, `no column "tiem": the columns are name, time, small, count, index, flag`)
	if got := tab.Columns[1].Values.([]float64)[2]; got != 9 {
		t.Errorf("Floats wrote %v into the column", got)
	}
}

func TestNewTablePanics(t *testing.T) {
	for message, cols := range map[string][]Column{
		`encoding: table: column "b" has 1 rows, but column "a" has 2`: {{Name: "a", Values: []bool{true, true}}, {Name: "b", Values: []string{""}}},
		`encoding: table: two columns named "a"`:                       {{Name: "a", Values: []int32{1}}, {Name: "a", Values: []int32{1}}},
		`encoding: table: column "a" has 1 rows, but 2 validity flags`: {{Name: "a", Values: []int32{1}, Valid: []bool{true, false}}},
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

// Slices of whole numbers and times are columns; a type that is none is an error, not a panic.
func TestNewTableConverts(t *testing.T) {
	day := time.Date(2024, 5, 31, 11, 30, 0, 250, time.FixedZone("", 7200))
	valid := []bool{true, false}
	for _, c := range []struct {
		values     any
		text, file string
	}{
		{[]int{-1, 0}, "-1 n/a", "int64"}, {[]int8{-1, 0}, "-1 n/a", "int8"}, {[]int16{-1, 0}, "-1 n/a", "int16"},
		{[]uint8{255, 0}, "255 n/a", "uint8"}, {[]uint16{1 << 15, 0}, "32768 n/a", "uint16"},
		{[]uint32{1 << 31, 0}, "2147483648 n/a", "uint32"}, {[]uint{7, 0}, "7 n/a", "uint64"},
		{[]uint64{math.MaxInt64, 0}, "9223372036854775807 n/a", "uint64"},
		{[]time.Time{day, day}, "2024-05-31T09:30:00.00000025Z n/a", "timestamp[ns, tz=UTC]"},
	} {
		tab := NewTable(Column{Name: "x", Values: c.values, Valid: valid})
		need.Equal(t, fmt.Sprint(tab.Columns[0].Text(0), " ", tab.Columns[0].Text(1)), c.text)
		need.Equal(t, tab.Columns[0].FileTypeName(), c.file)
		var b bytes.Buffer
		need.NoError(t, tab.Encode(&b))
		back := need.Value(ReadTable(&b))(t)
		need.Equal(t, back.Columns[0].Text(0)+" "+back.Columns[0].Text(1), c.text)
	}
	for _, c := range []struct {
		values any
		want   string
	}{
		{[]complex64{1}, `table: column "x" holds a []complex64, which is not a column type`},
		{7, `table: column "x" holds a int, which is not a column type`},
		{nil, `table: column "x" holds a <nil>, which is not a column type`},
		{[]uint64{1, math.MaxUint64}, `table: column "x" holds 18446744073709551615 in row 2, which is outside the range of int64`},
		{[]time.Time{{}}, `table: column "x" holds a time before 1677-09-21 or after 2262-04-11, which ` +
			`nanoseconds in 64 bits cannot represent; use an arrow.Array of another unit`},
	} {
		tab := NewTable(Column{Name: "x", Values: c.values})
		need.Equal(t, tab.Encode(io.Discard).Error(), c.want)
		_, err := tab.Strings("x")
		need.Equal(t, err.Error(), `column "x" holds no column type, not text, numbers or Booleans`)
	}
}

func TestConcat(t *testing.T) {
	a := NewTable(Column{Name: "x", Values: []float64{1}, Unit: "mm"}, Column{Name: "n", Values: []string{"a"}})
	b := NewTable(Column{Name: "x", Values: []float64{2, 3}, Valid: []bool{true, false}},
		Column{Name: "n", Values: []string{"b", "c"}})
	got, err := Concat(a, b, a)
	want := NewTable(Column{Name: "x", Values: []float64{1, 2, 3, 1},
		Valid: []bool{true, true, false, true}, Unit: "mm"},
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

// Control characters of names and texts stand as escapes; the table itself keeps them.
func TestCSVControlCharacters(t *testing.T) {
	tab := NewTable(Column{Name: "a\x1b]0;x\a", Values: []string{"\x1b[2J\x00", "\u009b31m\x7f", "b\rc",
		"two\nlines\tand", "\x9b"}})
	var b bytes.Buffer
	need.NoError(t, tab.WriteCSV(&b, ','))
	const want = `a\u001b]0;x\u0007` + "\n" + `\u001b[2J\u0000` + "\n" + `\u009b31m\u007f` + "\n" + `b\u000dc` +
		"\n\"two\nlines\tand\"\n" + `\x9b` + "\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	if tab.Columns[0].Name != "a\x1b]0;x\a" || tab.Columns[0].Values.([]string)[2] != "b\rc" {
		t.Error("the table has changed")
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
		need.NoError(t, tab.WriteCSV(&b, sep))
		r := csv.NewReader(&b)
		r.Comma = sep
		rows, err := r.ReadAll()
		want := [][]string{{"name", "x", "n"}, {"a,b", "0.30000000000000004", "9223372036854775807"},
			{`say "x"`, "-Inf", ""}, {"tab\there", "5e-324", "1"}, {"large", "1000000", "2"}, {"larger", "1e+15", "3"}}
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

type celsius float64

type label string

// TestConvertedTypes: NewTable converts slices of types that are defined as those of a column, and durations.
func TestConvertedTypes(t *testing.T) {
	table := NewTable(Column{Name: "t", Values: []celsius{1.5, -2}}, Column{Name: "n", Values: []label{"a", "b"}},
		Column{Name: "d", Values: []time.Duration{time.Second, 0}, Valid: []bool{true, false}},
		Column{Name: "m", Values: []time.Month{time.May, time.June}})
	back := need.Value(ReadTable(bytes.NewReader(Encoded(t, table))))(t)
	got := ""
	for _, c := range back.Columns {
		got += fmt.Sprintf("%s %s %s %s; ", c.Name, c.TypeName(), c.Text(0), c.Text(1))
	}
	defer func() {
		need.Equal(t, fmt.Sprint(recover()), `encoding: table: column "d" has 1 rows, but 2 validity flags`)
	}()
	need.Equal(t, got, "t float64 1.5 -2; n text a b; d duration[ns] 1000000000ns n/a; m int64 5 6; ")
	NewTable(Column{Name: "d", Values: []time.Duration{1}, Valid: []bool{true, false}})
}
