package connectivity

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"prgnn/internal/need"
)

func TestReadText(t *testing.T) {
	for _, c := range []struct {
		what, text string
		names      []string
		want       Matrix
	}{
		{"TSV with names", "a\tb\n1\t2\n3\t4\n", []string{"a", "b"}, columns([]float64{1, 3}, []float64{2, 4})},
		{"CSV with quotes, CRLF and BOM", "\ufeff\"a\",\"b\"\r\n1.5,2\r\n", []string{"a", "b"}, columns([]float64{1.5}, []float64{2})},
		{"separators in quotes", "\"a, b\",c\n1.5,2\n", []string{"a, b", "c"}, columns([]float64{1.5}, []float64{2})},
		{"semicolons in quotes", "\"a; b\";c\n1,5;2\n", []string{"a; b", "c"}, columns([]float64{1.5}, []float64{2})},
		{"numbers in quotes", "\"a\",\"b\"\n\"1.5\",\"2\"\n", []string{"a", "b"}, columns([]float64{1.5}, []float64{2})},
		{"all in quotes", "\"1.5\"\t\"2\"\n\"3\"\t\"4\"\n", nil, columns([]float64{1.5, 3}, []float64{2, 4})},
		{"regions in quotes", "\"8\"\t\"10\"\n972\t3\n", []string{"8", "10"}, columns([]float64{972}, []float64{3})},
		{"lines of old Macs", "a\tb\r1\t2\r3\t4\r", []string{"a", "b"}, columns([]float64{1, 3}, []float64{2, 4})},
		{"semicolons", "a;b\n1;2\n", []string{"a", "b"}, columns([]float64{1}, []float64{2})},
		{"1D without names", "# 3dmaskave\n 1.5 -2e3\n\n3 4\n", nil, columns([]float64{1.5, 3}, []float64{-2e3, 4})},
		{"C-PAC", "#10\t#11\n8.25\t-0.5\n1\t2\n", []string{"10", "11"}, columns([]float64{8.25, 1}, []float64{-0.5, 2})},
		{"AFNI comment with as many words as columns", "# L R\n1.5 2\n", []string{"L", "R"}, columns([]float64{1.5}, []float64{2})},
		{"region numbers as names", "8\t10\n972.25\t3\n1\t2\n", []string{"8", "10"}, columns([]float64{972.25, 1}, []float64{3, 2})},
		{"whole numbers throughout", "8\t10\n972\t3\n", nil, columns([]float64{8, 972}, []float64{10, 3})},
		{"missing values", "a,b,c\n1,n/a,\n2,NaN,NA\n", []string{"a", "b", "c"},
			columns([]float64{1, 2}, []float64{nan, nan}, []float64{nan, nan})},
		{"index of pandas", ",a,b\n0,1,2\n1,3,4\n", []string{"a", "b"}, columns([]float64{1, 3}, []float64{2, 4})},
		{"names with an underscore", "1_0 2\n1.5 2\n", []string{"1_0", "2"}, columns([]float64{1.5}, []float64{2})},
		{"one row, one column", "3.5", nil, columns([]float64{3.5})},
		{"quotes further down", "\"8.5\"\t1\n1.5\t2\n\n# a\n\"1\"\t2\n", nil, columns([]float64{8.5, 1.5, 1}, []float64{1, 2, 2})},
		{"a tab ends each line", "  1.5\t NaN\t\n -2\t 4\t\n", nil, columns([]float64{1.5, -2}, []float64{nan, 4})},
		{"missing first row is numbers", "n/a\t1.5\nn/a\t2\n", nil, columns([]float64{nan, nan}, []float64{1.5, 2})},
	} {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write([]byte(c.text))
		w.Close()
		for _, in := range []string{c.text, z.String()} {
			names, x, err := ReadText(strings.NewReader(in))
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
				continue
			}
			if n, err := CountRows(strings.NewReader(in)); n != c.want.Rows || err != nil {
				t.Errorf("%s: %d rows are counted, %v", c.what, n, err)
			}
			if !slices.Equal(names, c.names) || x.Rows != c.want.Rows || x.Cols != c.want.Cols {
				t.Errorf("%s: names %q, %d×%d, want %q, %d×%d", c.what, names, x.Rows, x.Cols, c.names, c.want.Rows, c.want.Cols)
				continue
			}
			for i, v := range c.want.Data {
				if x.Data[i] != v && !(math.IsNaN(v) && math.IsNaN(x.Data[i])) {
					t.Errorf("%s: number %d is %v, want %v", c.what, i, x.Data[i], v)
				}
			}
		}
	}
}

func TestReadTextMistakes(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(strings.Repeat("1.25 2.5\n", 1000)))
	w.Close()
	for _, c := range []struct{ text, want string }{
		{"", "the file has no numbers: is it the right file?"},
		{"# nothing\n", "the file has no numbers: is it the right file?"},
		{"a\tb\n", "the file has column names but no numbers"},
		{"a\tb\n1\t2\t3\n", "line 2 has 3 columns, but the first has 2: correct the line, or write the file again"},
		{"a\tb\n1\t2\n\n1\tx\n", `line 4, column 2: there is a text, not a number`},
		{"root:x:0:0:SECRET\nann:x:1:1:SECRET\n", "line 2, column 1: there is a text, not a number"},
		{"a b\n1 12ecret\n", "line 2, column 2: there is a text, not a number"},
		{"a\tb\n1\t" + strings.Repeat("1.", 13) + "\n", "line 2, column 2: there is a text, not a number"},
		{"a\tb\n1\t1.2.3\n", `line 2, column 2: "1.2.3" is not a number`},
		{"a\tb\n1\t1_0\n", `line 2, column 2: "1_0" is not a number`},
		{"a\tb\n0x1p3\t1\n", `line 2, column 1: "0x1p3" is not a number`},
		{"a\tb\n1\t2\n-0X1P3\t1\n", `line 3, column 1: "-0X1P3" is not a number`},
		{"# C-PAC\n0.5 .1_5 7\n1 2 3\n", `line 2, column 2: ".1_5" is not a number`},
		{"a;b\n,1_5;2\n", `line 2, column 1: ",1_5" is not a number`},
		{"1.5 2.5\n.1_5 1\n", `line 2, column 1: ".1_5" is not a number`},
		{"a\ta\n1\t2\n", `columns 1 and 2 have the same name: rename one of them`},
		{"a\t\n1\t2\n", "column 2 has no name: name all columns or none"},
		{"1.5\t\n2\t3\n", "line 2 has 2 columns, but the first has 1: correct the line, or write the file again"},
		{"\xff\xfea\x00\n\x001\x00\n\x00", "it is text in UTF-16: save it as UTF-8"},
		{"\x00a\x00\n\x001\x00\n", "it is text in UTF-16: save it as UTF-8"},
		{"a\n1\n2\n3\x004\n5\n6\n7\n", "not a text file; time series must be TSV, CSV, 1D or npy files"},
		{"\x00\x00\x00\x00\x00\x00", "not a text file; time series must be TSV, CSV, 1D or npy files"},
		{"\x93NUMPY\x00", "not a text file; time series must be TSV, CSV, 1D or npy files"},
		{z.String()[:z.Len()-9], "the compressed file is truncated; copy it again"},
		{"\x1f\x8bnonsense", "gzip: gzip: invalid header"},
	} {
		if _, _, err := ReadText(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%.20q: error %v, want %s", c.text, err, c.want)
		}
	}
}

// Decimal commas between commas are refused, and whole numbers are not.
func TestDecimalCommas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := func(n, columns int, first bool, cell func() string) string {
		var b strings.Builder
		for i := range n {
			if first {
				fmt.Fprintf(&b, "%d,", i)
			}
			for j := range columns {
				b.WriteString(cell())
				b.WriteByte(",\n"[j/(columns-1)])
			}
		}
		return b.String()
	}
	comma := func(format string, mean, sd float64) func() string {
		return func() string {
			return strings.Replace(fmt.Sprintf(format, mean+sd*random.NormFloat64()), ".", ",", 1)
		}
	}
	for _, c := range []struct {
		text string
		want bool
	}{
		{rows(60, 12, false, comma("%.4f", 100, 5)), true},
		{rows(60, 11, true, comma("%.4f", 100, 5)), true},
		{rows(3, 2000, false, comma("%.4f", 100, 5)), true},
		{rows(60, 12, false, comma("%.2f", 0, 1)), true},
		{rows(60, 12, false, comma("%.1f", 100, 5)), true},
		{rows(12, 12, false, comma("%.1f", 0, .5)), true},
		{"a,b,c\n" + rows(60, 3, false, comma("%.2f", 100, 5)), true},
		{rows(60, 12, false, comma("%.0f", 3000, 90)), false},
		{"a,b,c,d\n" + rows(60, 4, false, comma("%.0f", 0, 5)), false},
		{rows(60, 13, false, comma("%.0f", 3, 9)), false},
		{rows(60, 12, true, comma("%.0f", 0, .5)), false},
		{rows(3, 2000, false, comma("%.0f", 100, 5)), false},
		{strings.ReplaceAll(rows(60, 12, false, comma("%.4f", 100, 5)), ",", ";"), false},
		{strings.Repeat("01,1,02,2\n", 9), false}, // padded
	} {
		_, _, err := ReadText(strings.NewReader(c.text))
		if c.want {
			need.Error(t, err, "its numbers may have decimal commas, such as ")
			need.Error(t, err, "but commas are also between its columns: save it with decimal points, or with tabs or semicolons")
		} else {
			need.NoError(t, err, c.text[:20])
		}
	}
}

func FuzzReadText(f *testing.F) {
	for _, s := range []string{"a\tb\n1\t2\n", "#10\t#11\n1\t2\n", "1 2\n3 4\n", ",a\n0,1\n", "n/a,n/a\n", "\x1f\x8b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		names, x, err := ReadText(bytes.NewReader(b))
		if err != nil {
			return
		}
		if x.Rows < 1 || x.Cols < 1 || len(x.Data) != x.Rows*x.Cols || (names != nil && len(names) != x.Cols) {
			t.Fatalf("%d names, %d×%d with %d numbers", len(names), x.Rows, x.Cols, len(x.Data))
		}
		if n, err := CountRows(bytes.NewReader(b)); n != x.Rows || err != nil {
			t.Fatalf("%d rows are counted of %d, %v", n, x.Rows, err)
		}
	})
}
