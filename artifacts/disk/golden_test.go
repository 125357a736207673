package disk

import (
	"bytes"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"prgnn/artifacts"
	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

var update = flag.Bool("update", false, "write testdata/store-3 anew, for a new version of a format only")

// sample is a table with a column of each type and missing values.
func sample() *encoding.Table {
	t := encoding.NewTable(
		encoding.Column{Name: "name", Values: []string{"a", "bç", "?"}, Valid: []bool{true, true, false}},
		encoding.Column{Name: "time", Values: []float64{1.5, math.NaN(), 9}, Valid: []bool{true, true, false},
			Unit: "s", Doc: "of the scan"},
		encoding.Column{Name: "small", Values: []float32{0.1, -1, float32(math.Inf(1))}},
		encoding.Column{Name: "count", Values: []int64{1 << 60, 0, -1}},
		encoding.Column{Name: "index", Values: []int32{1, 2, 3}},
		encoding.Column{Name: "flag", Values: []bool{true, false, true}, Valid: []bool{true, true, true}},
	)
	t.Meta = map[string]string{"z": "1", "a": "2"}
	return t
}

// goldenValues are in testdata/store-1, store-2 and store-3 in every encoding there is.
func goldenValues() map[string]artifacts.Value {
	return map[string]artifacts.Value{
		"f8": encoding.NewArray([]float64{0, -0.5, math.Inf(1), math.NaN(), 5e-324, math.MaxFloat64}, 2, 3),
		"f4": encoding.NewArray([]float32{1, 2, 3, 0.1}, 4),
		"i8": encoding.NewArray([]int64{math.MinInt64, math.MaxInt64}, 2, 1),
		"i4": encoding.NewArray([]int32{-1}, 1, 1, 1), "i2": encoding.NewArray([]int16{}, 0, 7),
		"u1":    encoding.NewArray([]uint8{255}),
		"table": sample(), "empty": encoding.NewTable(encoding.Column{Name: "text", Values: []string{}}),
		"text": artifacts.Text("a line\n"), "svg": artifacts.Bytes{Kind: "svg", Data: []byte("<svg/>")},
	}
}

const goldenRecipe = "prgnn recipe 1\nkind golden\nparam value = \"ç\"\n"

func goldenRun(k artifacts.Key, outputs artifacts.Refs) *artifacts.RunRecord {
	return &artifacts.RunRecord{ID: "0123456789abcdef", Pipeline: "golden run",
		Started:  time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC),
		Finished: time.Date(2026, 3, 1, 12, 7, 31, 0, time.UTC), Ran: 1, Cached: 2, Failed: 3, Skipped: 4,
		Tasks: []artifacts.RunTask{{ID: "golden[value=ç]", Key: k, Outputs: outputs}}, Detail: []byte("{\"a\":\n1}")}
}

// A store that version 1, 2 or 3 of the layout and version 1 of all formats wrote is read by today's
// program, for ever; and what today's program makes of the same values are the same
// bytes, or every result of every user would be made anew.
func TestGoldenStore(t *testing.T) {
	const golden = "testdata/store-3"
	fill := func(dir string) (artifacts.Key, artifacts.Refs) {
		s := need.Value(Open(dir))(t)
		refs := artifacts.Refs{}
		for _, name := range slices.Sorted(maps.Keys(goldenValues())) {
			refs.Set(name, need.Value(s.Put(goldenValues()[name]))(t))
		}
		k := need.Value(s.Record(artifacts.Action{Recipe: goldenRecipe, Outputs: refs}))(t)
		need.NoError(t, s.SaveRun(goldenRun(k, refs)))
		need.NoError(t, s.Close())
		for _, sub := range []string{"memo", "locks", "tmp", "scratch", "README"} {
			os.RemoveAll(filepath.Join(dir, sub))
		}
		packs := need.Value(filepath.Glob(filepath.Join(dir, packsDir, "*")))(t)
		if len(packs) != 1 {
			t.Fatal(packs)
		}
		need.NoError(t, os.Rename(packs[0], filepath.Join(dir, packsDir, goldenPack)))
		return k, refs
	}
	if *update {
		os.RemoveAll(golden)
		fill(golden)
	}
	today := filepath.Join(t.TempDir(), "today")
	k, refs := fill(today)
	if a, b := files(t, golden), files(t, today); !reflect.DeepEqual(a, b) {
		t.Errorf("%s holds %q, and today it would hold %q", golden, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	}
	for _, version := range []string{"testdata/store-1", "testdata/store-2", golden} {
		t.Run(version, func(t *testing.T) { readGolden(t, version, k, refs) })
	}
}

// goldenPack is the name of the only pack, which is random otherwise.
const goldenPack = "0123456789abcdef-1"

func readGolden(t *testing.T, golden string, k artifacts.Key, refs artifacts.Refs) {
	dir := filepath.Join(t.TempDir(), "copy")
	need.NoError(t, os.CopyFS(dir, os.DirFS(golden)))
	s := openStore(t, dir)
	if a, err := s.Lookup(k); err != nil || !reflect.DeepEqual(a, artifacts.Action{Recipe: goldenRecipe,
		Outputs: refs}) {
		t.Errorf("%+v, %v", a, err)
	}
	if r, err := s.LoadRun("0123"); err != nil || !reflect.DeepEqual(r, goldenRun(k, refs)) {
		t.Errorf("%+v, %v", r, err)
	}
	for name, v := range goldenValues() {
		f := need.Value(s.OpenBlob(refs.Of(name)))(t)
		var got artifacts.Value
		var err error
		switch v.(type) {
		case *encoding.Array:
			got, err = encoding.ReadArray(f)
		case *encoding.Table:
			got, err = encoding.ReadTable(f)
		default:
			continue
		}
		if err != nil || !bytes.Equal(encoded(t, got), encoded(t, v)) {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

// files are the contents of all files of a directory, by their names.
func files(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	})
	need.NoError(t, err)
	return all
}
