package memo

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
)

// FuzzMemoLog: whatever lies in the file of a memo, what loads is whole, and what is written
// after it loads again.
func FuzzMemoLog(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendFrame(appendFrame(nil, []byte("one")), nil))
	f.Add(appendFrame(nil, bytes.Repeat([]byte("x"), 300))[:200])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1})
	path := filepath.Join(f.TempDir(), "memo")
	f.Fuzz(func(t *testing.T, b []byte) {
		need.NoError(t, os.WriteFile(path, b, 0o666))
		m := Log{path: path}
		loaded := m.Load()
		var framed []byte
		for _, e := range loaded {
			framed = appendFrame(framed, e)
		}
		if !bytes.HasPrefix(b, framed) {
			t.Fatalf("%d entries that the file does not hold", len(loaded))
		}
		m.Append([]byte("new"))
		m.Close()
		again := (&Log{path: path}).Load()
		if len(again) != len(loaded)+1 || string(again[len(loaded)]) != "new" {
			t.Fatalf("%d entries, then %d", len(loaded), len(again))
		}
		// As the digests of files they are looked at once more.
		x := Files{}
		x.Open(path, 0)
		x.load()
		x.Close()
	})
}
