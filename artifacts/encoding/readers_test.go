package encoding_test

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/artifacts/parquet"
	"prgnn/internal/need"
)

// What we write is read by the programs that users have.
func TestReadersOfOthers(t *testing.T) {
	python := need.Python(t, "numpy", "pyarrow")
	dir := t.TempDir()
	writeForReaders(t, dir)
	// What version 1 wrote opens for ever, as what is written today.
	for _, dir := range []string{dir, goldenExports} {
		out, err := exec.Command(python, "testdata/readers.py", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v:\n%s", dir, err, out)
		}
		t.Logf("%s", out)
	}
}

// writeForReaders fills a directory with every form in which we write, small.
func writeForReaders(t *testing.T, dir string) {
	t.Helper()
	write := func(name string, encode func(io.Writer) error) {
		f := need.Value(os.Create(filepath.Join(dir, name)))(t)
		need.NoError(t, encode(f))
		need.NoError(t, f.Close())
	}
	write("table.arrow", encoding.Sample().Encode)
	write("table-zstd.arrow", encoding.Sample().WriteArrowZstd)
	write("table.parquet", func(w io.Writer) error { return parquet.Write(w, encoding.Sample()) })
	write("table.tsv", func(w io.Writer) error { return encoding.Sample().WriteCSV(w, '\t') })
	write("empty.arrow", encoding.NewTable(encoding.Column{Name: "text", Values: []string{}},
		encoding.Column{Name: "number", Values: []float64{}}).Encode)
	write("tensor.arrow", func(w io.Writer) error {
		return encoding.NewArray(encoding.Counted[float64](), 2, 3, 4).WriteArrow(w, "series",
			[]string{"draw", "time", "roi"}, map[string]string{"unit": "1"})
	})
	write("small.arrow", func(w io.Writer) error {
		return encoding.NewArray(encoding.Counted[int16](), 2, 12).WriteArrow(w, "x", nil, nil)
	})
	for name, a := range map[string]*encoding.Array{
		"array-f8": encoding.NewArray(encoding.Counted[float64](), 2, 3, 4),
		"array-f4": encoding.NewArray(encoding.Counted[float32](), 2, 3, 4),
		"array-i8": encoding.NewArray(encoding.Counted[int64](), 2, 3, 4),
		"array-i4": encoding.NewArray(encoding.Counted[int32](), 2, 3, 4),
		"array-i2": encoding.NewArray(encoding.Counted[int16](), 2, 3, 4),
		"array-u1": encoding.NewArray(encoding.Counted[uint8](), 2, 3, 4),
		"scalar":   encoding.NewArray([]float64{math.NaN()}),
	} {
		write(name+".npy", a.Encode)
	}
}

// goldenExports is what version 1 of every export looked like. It stays as it is; a new
// version of a form is written into a new directory: PRGNN_GOLDEN=testdata/exports-2.
const goldenExports = "testdata/exports-1"

func TestGoldenExports(t *testing.T) {
	if dir := os.Getenv("PRGNN_GOLDEN"); dir != "" {
		need.NoError(t, os.Mkdir(dir, 0o777), "a corpus is written once")
		writeForReaders(t, dir)
	}
	want := need.Value(encoding.ReadTable(bytes.NewReader(encoding.Encoded(t, encoding.Sample()))))(t)
	for _, name := range []string{"table.arrow", "table-zstd.arrow", "table.parquet"} {
		b := need.Value(os.ReadFile(filepath.Join(goldenExports, name)))(t)
		got, err := encoding.ReadTable(bytes.NewReader(b))
		if err != nil || !bytes.Equal(encoding.Encoded(t, got), encoding.Encoded(t, want)) {
			t.Errorf("%s is not read as it was written: %v", name, err)
		}
	}
	paths, _ := filepath.Glob(filepath.Join(goldenExports, "array-*.npy"))
	need.Equal(t, len(paths), 6, "arrays")
	for _, p := range paths {
		a, err := encoding.ReadArray(bytes.NewReader(need.Value(os.ReadFile(p))(t)))
		if err != nil || a.Len() != 24 || a.Float64s()[23] != encoding.NewArray(encoding.Counted[float64](), 2, 3,
			4).Float64s()[23] {
			t.Errorf("%s is not read as it was written: %v", p, err)
		}
	}
	// Tensors are for others, and not compressed: the same bytes as today's.
	today := t.TempDir()
	writeForReaders(t, today)
	for _, name := range []string{"tensor.arrow", "small.arrow", "table.tsv"} {
		a, b := need.Value(os.ReadFile(filepath.Join(goldenExports, name)))(t),
			need.Value(os.ReadFile(filepath.Join(today, name)))(t)
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not written as it was", name)
		}
	}
}
