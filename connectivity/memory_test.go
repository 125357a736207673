package connectivity

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"prgnn/internal/need"
	"prgnn/internal/peak"
)

// squeezed is a text of n times the same line, gzipped.
func squeezed(t *testing.T, head, line string, n int) []byte {
	t.Helper()
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed)
	io.WriteString(w, head)
	many := strings.Repeat(line, 1000)
	for range n / 1000 {
		io.WriteString(w, many)
	}
	need.NoError(t, w.Close())
	return z.Bytes()
}

// A small file that decompresses to much is refused, or read, in bounded memory.
func TestMemoryOfTexts(t *testing.T) {
	row := strings.Repeat("0 ", 999) + "0\n"
	for _, c := range []struct {
		name       string
		head, line string
		lines      int
		want       string
		limit      int
	}{
		{"many numbers", "", row, 17_000, "more than the limit of 16777216 numbers", 250},
		{"just few enough", "", row, 16_000, "", 400},
		{"many bytes", "1 2\n", "                                                 \n", 6_000_000, "more than the limit of 256 MiB", 100},
		{"many lines", "1 2\n", "\n", 17_000_000, "more than the limit of 16777216 lines", 100},
		{"one line", "", strings.Repeat(" ", 100), 3_000_000, "a line is longer than 16 MiB", 150},
	} {
		for _, square := range []bool{false, true} {
			if square && c.head != "" {
				continue
			}
			name := c.name
			if square {
				name += " of a matrix"
			}
			t.Run(name, func(t *testing.T) {
				peak.Below(t, c.limit, func(t *testing.T) {
					read, want := ReadText, c.want
					if square {
						read = ReadRelmat
						if want == "" {
							want = "16000 rows and 1000 columns"
						}
					}
					_, x, err := read(bytes.NewReader(squeezed(t, c.head, c.line, c.lines)))
					if want == "" && (err != nil || x.Rows != c.lines) || want != "" &&
						(err == nil || !strings.Contains(err.Error(), want)) {
						t.Errorf("%d rows, %v, want %q", x.Rows, err, want)
					}
				})
			})
		}
	}
}
