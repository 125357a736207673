package inflate

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"

	"prgnn/internal/need"
)

// BenchmarkReader decompresses $PRGNN_BENCH_GZ, or a noisy image made up here, beside the standard
// library and klauspost/compress.
func BenchmarkReader(b *testing.B) {
	var z []byte
	if path := os.Getenv("PRGNN_BENCH_GZ"); path != "" {
		var err error
		if z, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	} else {
		z = zip(b, 6, bytes.Repeat(samples()["noise"], 10))
	}
	for _, r := range []struct {
		name string
		open func(io.Reader) (io.Reader, error)
	}{
		{"ours", func(r io.Reader) (io.Reader, error) { return NewReader(r), nil }},
		{"klauspost", func(r io.Reader) (io.Reader, error) { return kgzip.NewReader(r) }},
		{"standard", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	} {
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				z := need.Value(r.open(bytes.NewReader(z)))(b)
				n := need.Value(io.Copy(io.Discard, z))(b)
				b.SetBytes(n)
			}
		})
	}
}
