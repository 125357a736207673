package encoding

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkArray is the throughput of the canonical encoding, both ways, 1000 × 84 × 84.
func BenchmarkArray(b *testing.B) {
	data := make([]float64, 1000*84*84)
	for i := range data {
		data[i] = float64(i)
	}
	a := NewArray(data, 1000, 84, 84)
	file := Encoded(b, a)
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			a.Encode(io.Discard)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		path := filepath.Join(b.TempDir(), "a.npy")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			f := Must(os.Open(path))(b)
			Must(ReadArray(f))(b)
			f.Close()
		}
	})
}
