package inflate

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// BenchmarkReader decompresses $PRGNN_BENCH_GZ, or a noisy image made up here.
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
	n, err := io.Copy(io.Discard, NewReader(bytes.NewReader(z)))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(n)
	for b.Loop() {
		if _, err := io.Copy(io.Discard, NewReader(bytes.NewReader(z))); err != nil {
			b.Fatal(err)
		}
	}
}
