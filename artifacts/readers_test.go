package artifacts

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What we write is read by the programs that users have. PRGNN_PYTHON names a Python
// that has numpy and pyarrow; without it, python3 is tried.
func TestReadersOfOthers(t *testing.T) {
	python := os.Getenv("PRGNN_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy, pyarrow").CombinedOutput(); err != nil {
		t.Skipf("no Python with numpy and pyarrow (set PRGNN_PYTHON): %v: %s", err, bytes.TrimSpace(out))
	}
	dir := t.TempDir()
	write := func(name string, encode func(io.Writer) error) {
		f := must(os.Create(filepath.Join(dir, name)))(t)
		if err := encode(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write("table.arrow", sample().Encode)
	write("table-zstd.arrow", sample().WriteArrowZstd)
	write("table.parquet", sample().WriteParquet)
	write("table.tsv", func(w io.Writer) error { return sample().WriteCSV(w, '\t') })
	write("empty.arrow", NewTable(Column{Name: "text", Values: []string{}}, Column{Name: "number", Values: []float64{}}).Encode)
	write("tensor.arrow", func(w io.Writer) error {
		return NewArray(counted[float64](), 2, 3, 4).WriteArrow(w, "series", []string{"draw", "time", "roi"}, map[string]string{"unit": "1"})
	})
	write("small.arrow", func(w io.Writer) error { return NewArray(counted[int16](), 2, 12).WriteArrow(w, "x", nil, nil) })
	for name, a := range map[string]*Array{
		"array-f8": NewArray(counted[float64](), 2, 3, 4),
		"array-f4": NewArray(counted[float32](), 2, 3, 4),
		"array-i8": NewArray(counted[int64](), 2, 3, 4),
		"array-i4": NewArray(counted[int32](), 2, 3, 4),
		"array-i2": NewArray(counted[int16](), 2, 3, 4),
		"array-u1": NewArray(counted[uint8](), 2, 3, 4),
		"scalar":   NewArray([]float64{math.NaN()}),
	} {
		write(name+".npy", a.Encode)
	}
	out, err := exec.Command(python, "testdata/readers.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}

func counted[T Number]() []T {
	d := make([]T, 24)
	for i := range d {
		d[i] = T(i)
	}
	return d
}
