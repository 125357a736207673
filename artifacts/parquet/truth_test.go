package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/internal/need"
)

func readFile(name string) (*encoding.Table, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return encoding.ReadTable(bytes.NewReader(b))
}

// keptTypes are the types of Arrow of the columns that pass through; the others are text, numbers and Booleans.
var keptTypes = map[string]string{"binary": "binary", "large_binary": "large_binary", "fixed": "fixed_size_binary[2]",
	"decimal": "decimal(9, 2)", "decimal256": "decimal256(45, 2)", "date32": "date32", "date64": "date64",
	"time_s": "time32[s]", "time_ms": "time32[ms]", "time_us": "time64[us]", "time_ns": "time64[ns]",
	"stamp_s": "timestamp[s]", "stamp_ms": "timestamp[ms]", "stamp_us": "timestamp[us]", "stamp_ns": "timestamp[ns]",
	"zoned": "timestamp[us, tz=Europe/Berlin]", "duration": "duration[ms]",
	"bool": "bool", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64", "uint8": "int32",
	"uint32": "int64", "float": "float32", "double": "float64", "text": "text", "words": "list<item: utf8, nullable>",
	"numbers": "list<item: float64, nullable>", "whole": "list<item: int64, nullable>", "days": "list<item: date32, nullable>"}

// otherTypes are those of files without an Arrow schema, and of a version without the units of Arrow.
var otherTypes = map[string]map[string]string{
	"bare": {"large_binary": "binary", "decimal256": "decimal256(45, 2)", "date64": "date32", "time_s": "time32[ms]",
		"stamp_s": "timestamp[ms]", "zoned": "timestamp[us, tz=UTC]", "duration": "int64"},
	"version-1": {"stamp_us": "timestamp[ms]", "stamp_ns": "timestamp[ms]", "zoned": "timestamp[ms, tz=Europe/Berlin]"},
}

// Every type, encoding, compression and version of pages, with and without missing values, as pyarrow writes them.
func TestTruth(t *testing.T) {
	var truth map[string]map[string][]*string
	need.NoError(t, json.Unmarshal(need.Value(os.ReadFile("testdata/truth.json"))(t), &truth))
	for file, columns := range truth {
		tab, err := readFile("testdata/" + file + ".parquet")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		need.Equal(t, len(tab.Columns), len(columns), file)
		for _, c := range tab.Columns {
			want, other := otherTypes[file][c.Name]
			if !other {
				want = keptTypes[c.Name]
			}
			need.Equal(t, c.TypeName(), want, file, c.Name)
			for i, text := range columns[c.Name] {
				if v := c.Value(i); v == nil || text == nil {
					need.Equal(t, v == nil, text == nil, file, c.Name, i)
				} else if got := cellText(c, v); got != *text && !(other && c.Name == "duration" && got+"ms" == *text) {
					t.Errorf("%s, %s, row %d: %s, want %s", file, c.Name, i, got, *text)
				}
			}
		}
	}
}

func cellText(c encoding.Column, v any) string {
	switch v := v.(type) {
	case float64:
		return encoding.FormatFloat(v, 64)
	case float32:
		return encoding.FormatFloat(float64(v), 32)
	}
	return fmt.Sprint(v)
}

func TestRefused(t *testing.T) {
	for file, want := range map[string]string{
		"nested": `has type list or structure of others, which cannot be read from Parquet`,
		"struct": `parquet: column "both" has type structure, which cannot be read from Parquet`,
		"lz4":    `its compression LZ4`,
	} {
		_, err := readFile("testdata/refused-" + file + ".parquet")
		need.Error(t, err, want, file)
	}
}

// What is written reads back with its types, here and in pyarrow.
func TestWriteKept(t *testing.T) {
	source := need.Value(os.ReadFile("../encoding/testdata/arrow/types.arrow"))(t)
	all := need.Value(encoding.ReadTable(bytes.NewReader(source)))(t)
	var flat, lists encoding.Table
	for _, c := range all.Columns {
		switch typ := c.TypeName(); {
		case strings.Contains(typ, "interval"), strings.HasPrefix(typ, "struct"), strings.HasPrefix(typ, "map"),
			strings.Contains(typ, "list<item: list"), strings.Contains(typ, "null,"):
			err := Write(new(bytes.Buffer), &encoding.Table{Columns: []encoding.Column{c}})
			need.Error(t, err, fmt.Sprintf("parquet: column %q: the type ", c.Name))
		case strings.Contains(typ, "list"):
			lists.Columns = append(lists.Columns, c)
		default:
			flat.Columns = append(flat.Columns, c)
		}
	}
	if len(flat.Columns) < 20 || len(lists.Columns) < 5 {
		t.Fatal(len(flat.Columns), len(lists.Columns))
	}
	dir := t.TempDir()
	write := func(name string, tab *encoding.Table) string {
		var b, a bytes.Buffer
		need.NoError(t, Write(&b, tab), name)
		need.NoError(t, tab.Encode(&a), name)
		need.NoError(t, os.WriteFile(filepath.Join(dir, name+".parquet"), b.Bytes(), 0o666))
		need.NoError(t, os.WriteFile(filepath.Join(dir, name+".arrow"), a.Bytes(), 0o666))
		return filepath.Join(dir, name)
	}
	flatFile, listFile := write("flat", &flat), write("lists", &lists)
	again := need.Value(readFile(flatFile + ".parquet"))(t)
	want := need.Value(flat.Decoded())(t)
	for i, c := range want.Columns {
		got := again.Columns[i]
		if !strings.HasPrefix(c.TypeName(), "dictionary") {
			need.Equal(t, got.TypeName(), c.TypeName(), c.Name)
		}
		for row := range want.Rows() {
			need.Equal(t, got.Value(row), c.Value(row), c.Name, row)
		}
	}
	listed := need.Value(readFile(listFile + ".parquet"))(t)
	for i, c := range lists.Columns {
		for row := range lists.Rows() {
			need.Equal(t, listed.Columns[i].Value(row), c.Value(row), c.Name, row)
		}
	}
	python := need.Python(t, "pyarrow")
	if out, err := exec.Command(python, "testdata/same.py", flatFile, listFile).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
