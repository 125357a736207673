package encoding

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"prgnn/internal/need"
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
		need.NoError(b, os.WriteFile(path, file, 0o666))
		for b.Loop() {
			f := need.Value(os.Open(path))(b)
			need.Value(ReadArray(f))(b)
			f.Close()
		}
	})
}
