package artifacts

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// addFiles seeds a fuzz target with fixtures, and with each cut in half.
func addFiles(f *testing.F, pattern string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatal("no fixtures", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
}

// bounded runs a decoder, and fails when it takes far more memory than its input
// can need.
func bounded(t *testing.T, input []byte, limit uint64, decode func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > limit+64*uint64(len(input)) {
		t.Fatalf("%d bytes of input took %d bytes of memory", len(input), took)
	}
}

func FuzzReadArray(f *testing.F) {
	addFiles(f, "testdata/npy/*.npy")
	f.Fuzz(func(t *testing.T, b []byte) {
		var a *Array
		var err error
		bounded(t, b, 1<<20, func() { a, err = ReadArray(struct{ *bytes.Reader }{bytes.NewReader(b)}) })
		if err != nil {
			return
		}
		file := encoded(t, a)
		again, err := ReadArray(bytes.NewReader(file))
		if err != nil || !bytes.Equal(encoded(t, again), file) {
			t.Fatalf("what was read does not read back: %v", err)
		}
	})
}

func FuzzReadTable(f *testing.F) {
	addFiles(f, "testdata/arrow/*.arrow")
	f.Add(encoded(f, sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, []byte(parquetMagic)) {
			return
		}
		var tab *Table
		var err error
		// The budget, doubled by growing, and the window of a decompressor.
		bounded(t, b, 320<<20, func() { tab, err = ReadTable(bytes.NewReader(b)) })
		if err != nil {
			return
		}
		file := new(bytes.Buffer)
		if err := tab.Encode(file); err != nil {
			return // text that is not UTF-8
		}
		again, err := ReadTable(bytes.NewReader(file.Bytes()))
		if err != nil || !bytes.Equal(encoded(t, again), file.Bytes()) {
			t.Fatalf("what was read does not read back: %v", err)
		}
	})
}

// Parquet comes from outside and does not go into the store: it has to be refused, or
// to become a table that encodes.
func FuzzReadParquet(f *testing.F) {
	addFiles(f, "testdata/parquet/*.parquet")
	f.Fuzz(func(t *testing.T, b []byte) {
		if !bytes.HasPrefix(b, []byte(parquetMagic)) {
			return
		}
		if tab, err := ReadTable(bytes.NewReader(b)); err == nil {
			if err := tab.Encode(discard{}); err != nil && !strings.Contains(err.Error(), "is not UTF-8 text") {
				t.Fatal(err)
			}
		}
	})
}

func FuzzAction(f *testing.F) {
	for _, a := range []Action{
		{},
		{Recipe: "kind echo\nvalue = 1\n", Outputs: map[string]Ref{"value": {DigestOf(nil), 12, "npy"}, "other": {DigestOf([]byte("x")), 0, "text"}}},
	} {
		b, err := a.encode()
		if err != nil {
			f.Fatal(err)
		}
		body, _ := unseal(b)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := parseActionBody(string(body))
		if err != nil {
			return
		}
		again, err := a.encode()
		if err != nil || !bytes.Equal(again, seal(bytes.Clone(body))) {
			t.Fatalf("%q parses, and is written as %q (%v)", body, again, err)
		}
		if b, err := parseAction(KeyOf(a.Recipe), again); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, %v", b, err)
		}
	})
}

func FuzzRun(f *testing.F) {
	r := RunRecord{ID: "0123456789abcdef", Pipeline: "a b", Started: time.Unix(1e9, 5), Ran: 3, Detail: []byte("{}")}
	body, _ := unseal(r.encode(Ref{Size: 7}))
	tasks, _ := encodeTasks([]RunTask{{ID: "a[b=c d]", Outputs: map[string]Ref{"x": {Format: "npy"}}}, {ID: "z"}})
	f.Add(body, tasks)
	f.Fuzz(func(t *testing.T, body, tasks []byte) {
		if r, ref, err := parseRun(seal(bytes.Clone(body))); err == nil {
			again, ref2, err := parseRun(r.encode(ref))
			if err != nil || ref2 != ref || !reflect.DeepEqual(r, again) {
				t.Fatalf("%+v became %+v (%v)", r, again, err)
			}
		}
		if list, err := parseTasks(tasks); err == nil {
			b, err := encodeTasks(list)
			if err != nil || !bytes.Equal(b, tasks) {
				t.Fatalf("%q became %q (%v)", tasks, b, err)
			}
		}
	})
}
