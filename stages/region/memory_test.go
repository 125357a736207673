package region

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"prgnn/internal/peak"
)

// gzipped is an npy file of zeros, and counts what is read of it.
func gzipped(t *testing.T, descr string, size, rows, cols int) []byte {
	t.Helper()
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, cols)
	dict += strings.Repeat(" ", 117-len(dict)) + "\n"
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, err := fmt.Fprintf(w, "%s\x01\x00\x76\x00%s", npyMagic, dict)
	zeros := make([]byte, 1<<16)
	for left := rows * cols * size; left > 0 && err == nil; left -= len(zeros) {
		_, err = w.Write(zeros[:min(left, len(zeros))])
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A small npy.gz that unpacks to much is refused by its header; the largest that is read takes a
// small multiple of its size.
func TestMemoryOfArrays(t *testing.T) {
	for _, c := range []struct {
		name  string
		descr string
		size  int
		rows  int
		want  string
		limit int
	}{
		{"of 924 MB", "<f8", 8, 115_500, "npy: shape [115500 1000] has 115500000 numbers; the limit is 33554432", 30},
		{"of bytes", "|u1", 1, 115_500, "npy: shape [115500 1000] has 115500000 numbers; the limit is 33554432", 30},
		{"just few enough", "<f8", 8, 33_554, "", 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			peak.Below(t, c.limit, func(t *testing.T) {
				b := gzipped(t, c.descr, c.size, c.rows, 1000)
				_, x, _, err := ReadSeries(bytes.NewReader(b))
				if c.want == "" && (err != nil || x.Rows != c.rows) || c.want != "" &&
					(err == nil || err.Error() != c.want) {
					t.Errorf("%d rows, %v, want %q", x.Rows, err, c.want)
				}
				if c.want == "" {
					return
				}
				read := &counted{r: bytes.NewReader(b)}
				if _, _, err := ReadSquares(read, ""); err == nil || err.Error() != c.want || read.n > 64<<10 {
					t.Errorf("matrices: %d bytes were read for %v", read.n, err)
				}
			})
		})
	}
}

type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
