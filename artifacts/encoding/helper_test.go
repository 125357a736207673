package encoding

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"prgnn/internal/need"
)

func Encoded(t testing.TB, v interface{ Encode(io.Writer) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	need.NoError(t, v.Encode(&b))
	return b.Bytes()
}

func Sample() *Table {
	t := NewTable(
		Column{Name: "name", Values: []string{"a", "bç", "?"}, Valid: []bool{true, true, false}},
		Column{Name: "time", Values: []float64{1.5, math.NaN(), 9}, Valid: []bool{true, true, false}, Unit: "s",
			Doc: "of the scan"},
		Column{Name: "small", Values: []float32{0.1, -1, float32(math.Inf(1))}},
		Column{Name: "count", Values: []int64{1 << 60, 0, -1}},
		Column{Name: "index", Values: []int32{1, 2, 3}},
		Column{Name: "flag", Values: []bool{true, false, true}, Valid: []bool{true, true, true}},
	)
	t.Meta = map[string]string{"z": "1", "a": "2"}
	return t
}

func DrawTable(r *rapid.T) *Table {
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

func Counted[T Number]() []T {
	d := make([]T, 24)
	for i := range d {
		d[i] = T(i)
	}
	return d
}

// AddFiles seeds a fuzz target with fixtures, and with each cut in half.
func AddFiles(f *testing.F, pattern string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, p := range paths {
		b := need.Value(os.ReadFile(p))(f)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
}
