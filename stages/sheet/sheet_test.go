package sheet

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		columns    []string
		rows       [][]string
		lines      []int
	}{
		{"BIDS", "participant_id\tgroup\tage\nsub-1\tASD\t9\nsub-2\tn/a\t\n", []string{"participant_id", "group", "age"},
			[][]string{{"sub-1", "ASD", "9"}, {"sub-2", "", ""}}, []int{2, 3}},
		{"spreadsheet", "\ufeffid;name\r\n1;\"Doe; Jane\"\r\n\r\n2;NaN\r\n", []string{"id", "name"},
			[][]string{{"1", "Doe; Jane"}, {"2", ""}}, []int{2, 4}},
		{"quoted line ends", "id,note\n1,\"two\nlines\"\n2,b\n", []string{"id", "note"},
			[][]string{{"1", "two\nlines"}, {"2", "b"}}, []int{2, 4}},
		{"a bare quotation mark", "id\tnote\n1\t5\" coil\n", []string{"id", "note"}, [][]string{{"1", "5\" coil"}}, []int{2}},
		{"quotations between tabs", "id\tnote\tx\n1\t\"a \"\"b\"\"\"\t\"\"\n2\t\"c\td\"\t\"e\"\n", []string{"id", "note", "x"}, [][]string{{"1", `a "b"`, ""}, {"2", "c\td", "e"}}, []int{2, 3}},
		{"lines in a quotation between commas", "id,note,x\n1,\"two, or\nthree\",3\n", []string{"id", "note", "x"}, [][]string{{"1", "two, or\nthree", "3"}}, []int{2}},
		{"blank lines and columns of a spreadsheet", "id,age,,\n1,2,,\n,,,\n\n3,4\n", []string{"id", "age"}, [][]string{{"1", "2"}, {"3", "4"}}, []int{2, 5}},
		{"decimal commas", "id;age;code;v\n1;22,5;1,2;0,5\n2;7;a;\n", []string{"id", "age", "code", "v"},
			[][]string{{"1", "22.5", "1,2", "0.5"}, {"2", "7", "a", ""}}, []int{2, 3}},
		{"Excel's line", "sep=;\r\nid;age\r\n1;22,5\r\n", []string{"id", "age"}, [][]string{{"1", "22.5"}}, []int{3}},
		{"Excel's line of commas", "\ufeff\"sep=,\"\nid,age\n1,22\n", []string{"id", "age"}, [][]string{{"1", "22"}}, []int{3}},
		{"a semicolon in quotation marks", "id,\"age; years\"\n1,9\n", []string{"id", "age; years"}, [][]string{{"1", "9"}}, []int{2}},
		{"a comma in quotation marks", "id;\"age, years\"\n1;9\n", []string{"id", "age, years"}, [][]string{{"1", "9"}}, []int{2}},
		{"two marks in quotation marks", "id,\"a\"\";b\"\n1,9\n", []string{"id", "a\";b"}, [][]string{{"1", "9"}}, []int{2}},
		{"a bare quotation mark in the header", "id\tcoil 5\"\tage\n1\ta\t9\n", []string{"id", "coil 5\"", "age"}, [][]string{{"1", "a", "9"}}, []int{2}},
		{"row numbers of R or pandas", ",id,age\n1,a,2\n,,\n2,b,3\n", []string{"id", "age"},
			[][]string{{"a", "2"}, {"b", "3"}}, []int{2, 4}},
		{"lines of old Macs", "id\tage\ra\t2\rb\t3", []string{"id", "age"}, [][]string{{"a", "2"}, {"b", "3"}}, []int{2, 3}},
		{"missing values of other programs", "id,a,b,c\n1,#N/A,.,.\n2,#NULL!,3,x\n3,<NA>,\"4,5\",NULL\n", []string{"id", "a", "b", "c"},
			[][]string{{"1", "", "", "."}, {"2", "", "3", "x"}, {"3", "", "4,5", ""}}, []int{2, 3, 4}},
		{"one column", "id\na\n", []string{"id"}, [][]string{{"a"}}, []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := need.Value(Read(strings.NewReader(c.text), "p.tsv"))(t)
			if !reflect.DeepEqual(s.Columns, c.columns) || !reflect.DeepEqual(s.Rows, c.rows) ||
				!reflect.DeepEqual(s.Lines, c.lines) {
				t.Errorf("got %q %q %v\nwant %q %q %v", s.Columns, s.Rows, s.Lines, c.columns, c.rows, c.lines)
			}
		})
	}
}

const openMark = `begins with a quotation mark that does not close before the next tab or the end of the line: remove it, or quote the whole value on one line and double quotation marks within it ("5"" coil")`

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p.tsv: empty, but a table was expected: a line with the names of the columns, then one line per row"},
		{"no rows", "id,group\n", "p.tsv: a header, but no rows: add them below it, or name another file"},
		{"Excel", "PK\x03\x04rest", "p.tsv: it is a zip archive; unpack it"},
		{"UTF-16", "\xff\xfei\x00", "p.tsv: a header, but no rows: add them below it, or name another file"},
		{"binary", "id\n\x00\n", "p.tsv: not a text file: a table is TSV or CSV"},
		{"latin-1", "id,site\n1,Z\xfcrich\n", "p.tsv: line 2 is not UTF-8 text: save the file as UTF-8"},
		{"open quotation", "id,note\n1,\"a\n", `p.tsv:2: an unmatched quotation mark: quote the whole value, and double quotation marks within it ("5"" coil")`},
		{"an open quotation is reported where it begins", "id,note\n1,\"a\n2,b\n3,c\n", `p.tsv:2: an unmatched quotation mark: quote the whole value, and double quotation marks within it ("5"" coil")`},
		{"an open quotation between tabs", "id\tx\tnote\n1\t\"a\tb\n2\tc\td\n", "p.tsv:2: column 2 " + openMark},
		{"an open quotation at the end of a line of tabs", "id\tnote\n1\t\"a\n2\tb\n3\tc\n", "p.tsv:2: column 2 " + openMark},
		{"two quotations, open, that close each other", "id\tnote\n1\t\"a\n2\tb\n3\tc\"\n4\t\"\n", "p.tsv:2: column 2 " + openMark + "\np.tsv:5: column 2 " + openMark},
		{"a text after a quotation", "id\tnote\n1\t\"a\" b\n2\t\"\"a\"\n3\t\"a\"\"\n", "p.tsv:2: column 2 " + openMark + "\np.tsv:3: column 2 " + openMark + "\np.tsv:4: column 2 " + openMark},
		{"a value over lines between tabs", "id\tnote\n1\t\"a\nb\"\n", "p.tsv:2: column 2 " + openMark},
		{"an open quotation in a header of tabs", "id\t\"note\n1\ta\n", "p.tsv:1: column 2 " + openMark},
		{"an open quotation between commas takes in rows", "id,note\n1,\"a\n2,b\n3,c\"\n", "p.tsv:2: a quotation mark opens in column 2 and closes 2 lines below, past lines that look like rows: close it on its line, or remove it; write the value on one line if it has such lines"},
		{"too many rows", strings.Repeat("a\n", maxRows+1), "p.tsv: 262145 lines, more than the limit of 262144 for a table of participants: is it the right file?"},
		{"another separator", "id,note\n1;a\n", "p.tsv:2: 1 value, but the first line has 2 (they are separated by commas, but here by semicolons)"},
		{"two columns without names", ",,id\n1,2,3\n", "p.tsv:1: column 1 has no name: name it, or remove the column\np.tsv:1: column 2 has no name: name it, or remove the column"},
		{"many wrong lines", "id,x\n1\n2\n3\n4\n5\n", `p.tsv:2: 1 value, but the first line has 2 (a value with a comma in it needs quotation marks)
p.tsv:3: 1 value, but the first line has 2 (a value with a comma in it needs quotation marks)
p.tsv:4: 1 value, but the first line has 2 (a value with a comma in it needs quotation marks)
p.tsv: 5 lines in all have another number of values than the first`},
		{"a line that is no header", strings.Repeat("a,b,,d,c,", 100_000), `p.tsv:1: column 3 has no name: name it, or remove the column
p.tsv:1: two columns are named "a": rename or remove one of them
p.tsv:1: two columns are named "b": rename or remove one of them
p.tsv:1: 500000 columns in all: is this line the header?`},
		{"all at once", "id,,id\n1,2\n1,2,3,4\n", `p.tsv:1: column 2 has no name: name it, or remove the column
p.tsv:1: two columns are named "id": rename or remove one of them
p.tsv:2: 2 values, but the first line has 3 (a value with a comma in it needs quotation marks)
p.tsv:3: 4 values, but the first line has 3 (a value with a comma in it needs quotation marks)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text), "p.tsv")
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	x, _ := Numbers([]string{"1", "", "-2.5e1", "0", "0.5", ".5"})
	want := []float64{1, math.NaN(), -25, 0, 0.5, 0.5}
	for i := range want {
		if x[i] != want[i] && !(math.IsNaN(x[i]) && math.IsNaN(want[i])) {
			t.Errorf("number %d is %v, want %v", i, x[i], want[i])
		}
	}
	for _, c := range []struct {
		text string
		at   int
	}{{"1 007", 1}, {"F", 0}, {"1 0,5", 1}, {"Inf", 0}, {"0x10", 0}, {"1_000", 0}, {"+", 0},
		{"1 9007199254740993", 1}, {"-9007199254740993.0", 0}, {"9007199254740992 9007199254740994 1e300 0.12345678901234567 -", 4}} {
		if _, at := Numbers(strings.Fields(c.text)); at != c.at {
			t.Errorf("%q: value %d is no number, want %d", c.text, at, c.at)
		}
	}
	if x, at := Numbers([]string{"", ""}); x != nil || at != -1 {
		t.Errorf("a column without a value: %v, %d", x, at)
	}
}

// A point before three digits beside a decimal comma separates thousands, or not: the column is text, with a note.
func TestPointsBesideDecimalCommas(t *testing.T) {
	for _, c := range []struct {
		separator, values string
		text              bool
	}{
		{";", "999,5 1.234 1.100 850,2", true},
		{";", "999,5 1.234 850", true},
		{";", "1,234 999.5", true},
		{";", "999.5 1.234 850.2", false}, // a decimal point, by 999.5
		{";", "999,5 0.5 12", false},
		{";", "999,5 1234 850,2", false},
		{"\t", "0,1646 1.234 12,5", true},
		{"\t", "0,1646 0.234 12,5", false},
	} {
		table := "id" + c.separator + "v\n"
		values := strings.Fields(c.values)
		for _, v := range values {
			table += "a" + c.separator + v + "\n"
		}
		s, err := Read(strings.NewReader(table), "p.csv")
		need.NoError(t, err)
		_, marks, commas := s.DecimalCommas(func(string) bool { return false })
		got, _ := s.Column("v")
		numbers, _ := Numbers(got)
		need.Equal(t, [2]bool{numbers == nil, marks != nil || commas != nil}, [2]bool{c.text, c.text}, c.values)
		need.Equal(t, c.text, slices.Equal(got, values) && numbers == nil, c.values)
	}
}

// Decimal commas in quotation marks are read as numbers, unless they may separate thousands.
func TestDecimalCommas(t *testing.T) {
	s, err := Read(strings.NewReader("id,fd,pay,mixed,note\n\"1,5\",\"0,1646\",\"1,234\",\"2,5\",\"1,2\"\n2,\"0,2\",\"12,345\",0.5,x\n3,,,3,\n"), "p.csv")
	need.NoError(t, err)
	read, marks, commas := s.DecimalCommas(func(name string) bool { return name == "id" })
	want := [][]string{{"1,5", "0.1646", "1,234", "2.5", "1,2"}, {"2", "0.2", "12,345", "0.5", "x"},
		{"3", "", "", "3", ""}}
	if !reflect.DeepEqual(s.Rows, want) {
		t.Errorf("rows %q", s.Rows)
	}
	need.Equal(t, strings.Join(read, " "), "fd mixed")
	need.Equal(t, strings.Join(append(marks, commas...), " "), "pay (1,234)")
	for _, text := range []string{"id;age;fd\na;22,5;1,234\nb;7;2,5\n", "id\tage\tfd\na\t22,5\t1,234\nb\t7\t2,5\n"} {
		s, err := Read(strings.NewReader(text), "p.csv")
		need.NoError(t, err)
		read, marks, commas := s.DecimalCommas(func(string) bool { return false })
		need.Equal(t, strings.Join(append(append(read, marks...), commas...), " "), "age fd", text)
	}
}
