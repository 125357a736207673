package encoding

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
)

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
	AddFiles(f, "testdata/npy/*.npy")
	f.Fuzz(func(t *testing.T, b []byte) {
		var a *Array
		var err error
		bounded(t, b, 1<<20, func() { a, err = ReadArray(struct{ *bytes.Reader }{bytes.NewReader(b)}) })
		for begin := range 2 { // of two neighboring bytes only one is where a number may begin
			own := append(make([]byte, begin, begin+len(b)), b...)[begin:]
			same, errOwn := DecodeArray(own)
			if fmt.Sprint(err) != fmt.Sprint(errOwn) {
				t.Fatalf("from a reader: %v; from memory: %v", err, errOwn)
			}
			if err == nil && (same.DType() != a.DType() || !bytes.Equal(Encoded(t, same), Encoded(t, a))) {
				t.Fatal("an array is another one when it is read from memory")
			}
		}
		if err != nil {
			return
		}
		file := Encoded(t, a)
		again, err := ReadArray(bytes.NewReader(file))
		if err != nil || !bytes.Equal(Encoded(t, again), file) {
			t.Fatalf("what was read does not read back: %v", err)
		}
	})
}

func FuzzReadTable(f *testing.F) {
	AddFiles(f, "testdata/arrow/*.arrow")
	f.Add(Encoded(f, Sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		var tab *Table
		var err error
		// The budget, doubled by growing, and the window of a decompressor.
		bounded(t, b, 320<<20, func() { tab, err = ReadTable(bytes.NewReader(b)) })
		if err != nil {
			return
		}
		if err := tab.WriteCSV(io.Discard, ','); err != nil {
			t.Fatal(err)
		}
		file := new(bytes.Buffer)
		if err := tab.Encode(file); err != nil {
			return // text that is not UTF-8
		}
		again, err := ReadTable(bytes.NewReader(file.Bytes()))
		if err != nil || !bytes.Equal(Encoded(t, again), file.Bytes()) {
			t.Fatalf("what was read does not read back: %v", err)
		}
	})
}
