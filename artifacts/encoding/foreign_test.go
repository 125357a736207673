package encoding_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prgnn/artifacts/encoding"
	"prgnn/artifacts/parquet"
	"prgnn/internal/need"
	"prgnn/internal/peak"
)

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
		{"parquet/encodings.parquet", 15, 0, 10},
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
			text, _ := tab.Strings(col.Name)
			for i := range tab.Rows() {
				need.Equal(t, text[i], pyarrowWant(col.Name, c.from+i), c.file, col.Name, i)
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
		"arrow/union.arrow":     `arrow: column "either" has type union, which cannot be read`,
		"arrow/view.arrow":      `arrow: column "seen" has type string_view, which cannot be read`,
		"arrow/runs.arrow":      `arrow: column "same" has type run_end_encoded, which cannot be read`,
		"arrow/decimal32.arrow": `arrow: column "price" has type decimal32, which cannot be read`,
		"arrow/huge.arrow":      `arrow: column count holds an unsigned number larger than an int64: write the column as text`,
	} {
		if _, err := readTableFile(file); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A few hundred bytes that claim gigabytes are refused; a file of zeros, which is as small, is read.
func TestMemory(t *testing.T) {
	for file, message := range map[string]string{
		"shared.parquet": `parquet: column "s": 1000000 further bytes of text, too many for a file of 509 bytes`,
		"shared.arrow":   `arrow: column "s": 1000000 further bytes of text, too many for a file of 882 bytes`,
		"nulls.arrow":    `arrow: column "n0": 100000000 further rows, too many for a file of 1258 bytes`,
	} {
		t.Run(file, func(t *testing.T) {
			peak.Below(t, 400, func(t *testing.T) {
				_, err := readTableFile("hostile/" + file)
				need.Error(t, err, message)
			})
		})
	}
	t.Run("zeros.parquet", func(t *testing.T) {
		peak.Below(t, 300, func(t *testing.T) {
			need.Equal(t, need.Value(readTableFile("hostile/zeros.parquet"))(t).Rows(), 8_000_000)
		})
	})
}

// A file that is cut short is an error, wherever it is cut.
func TestReadTableCut(t *testing.T) {
	for _, name := range []string{"arrow/zstd.arrow", "arrow/batches.arrow", "parquet/snappy.parquet"} {
		file := need.Value(os.ReadFile("testdata/" + name))(t)
		for n := range len(file) {
			if _, err := encoding.ReadTable(bytes.NewReader(file[:n])); err == nil {
				t.Errorf("%s: its first %d of %d bytes are read", name, n, len(file))
			}
		}
	}
}

func readTableFile(name string) (*encoding.Table, error) {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return encoding.ReadTable(f)
}

func TestTableAnyRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tab := encoding.DrawTable(r)
		file := encoding.Encoded(t, tab)
		got, err := encoding.ReadTable(bytes.NewReader(file))
		need.NoError(r, err)
		if again := encoding.Encoded(t, got); !bytes.Equal(file, again) {
			r.Fatalf("came back as other bytes: %+v", got)
		}
		for _, c := range tab.Columns {
			a, err := tab.Strings(c.Name)
			b, err2 := got.Strings(c.Name)
			if err != nil || err2 != nil || !reflect.DeepEqual(a, b) && len(a)+len(b) > 0 {
				r.Fatalf("column %q: %q became %q (%v, %v)", c.Name, a, b, err, err2)
			}
		}
		var foreign bytes.Buffer
		need.NoError(r, parquet.Write(&foreign, tab))
		if len(tab.Columns) == 0 {
			return
		}
		got, err = encoding.ReadTable(bytes.NewReader(foreign.Bytes()))
		need.NoError(r, err, "parquet")
		got.Meta = tab.Meta // Parquet adds its own
		if again := encoding.Encoded(t, got); !bytes.Equal(file, again) {
			r.Fatalf("came back from Parquet as other bytes: %+v", got)
		}
	})
}

// Parquet comes from outside and does not go into the store: it has to be refused, or
// to become a table that encodes.
func FuzzReadParquet(f *testing.F) {
	encoding.AddFiles(f, "testdata/parquet/*.parquet")
	encoding.AddFiles(f, "../parquet/testdata/lists-*.parquet")
	encoding.AddFiles(f, "../parquet/testdata/*-as-integer.parquet")
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.HasPrefix(b, []byte("PAR1")) {
			return
		}
		if tab, err := encoding.ReadTable(bytes.NewReader(b)); err == nil {
			if err := tab.Encode(io.Discard); err != nil && !strings.Contains(err.Error(), "is not UTF-8 text") {
				t.Fatal(err)
			}
		}
	})
}
