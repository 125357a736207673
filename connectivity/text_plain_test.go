package connectivity

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// TestPlainRows: a text has the same numbers whether its rows are plain or not.
func TestPlainRows(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	rare := []string{"n/a", "NaN", "1e-300", "-0.5e+120", "1E5", ".5", "+3", "12345678901234567890.5"}
	for _, separator := range []string{"\t", ",", " ", "   "} {
		var plain, other strings.Builder
		for row := range 60 {
			for j := range 5 {
				x := fmt.Sprintf("%.18e", draw.NormFloat64())
				if row > 0 && draw.IntN(8) == 0 {
					x = rare[draw.IntN(len(rare))]
				}
				if j > 0 {
					plain.WriteString(separator)
					other.WriteString(separator)
				}
				plain.WriteString(x)
				other.WriteString(x)
			}
			plain.WriteString("\r\n")
			other.WriteString(" \n") // a blank at the end is for the general reader
		}
		_, want, err := ReadText(strings.NewReader(other.String()))
		need.NoError(t, err)
		_, got, err := ReadText(strings.NewReader(plain.String()))
		need.NoError(t, err)
		need.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "numbers, separated by "+separator)
		for at, row := range strings.Split(strings.TrimSpace(plain.String()), "\r\n") {
			if !plainRow(make([]float64, 5), []byte(row), separator[0]) {
				t.Fatalf("row %d is not plain: %q", at, row)
			}
		}
	}
	for _, row := range []string{"", "1", "1 ,2", "1,2 ", "1,\"2\"", "1,", ",2", "1,2,3", "1,1_0", "1,0x1", "# 1,2",
		"1,\u00a02", "1,2\x00"} {
		if plainRow(make([]float64, 2), []byte(row), ',') {
			t.Errorf("%q is a plain row", row)
		}
	}
}

func BenchmarkReadText(b *testing.B) {
	draw := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for range 150 {
		for range 84 {
			fmt.Fprintf(&text, "%.18e\t", draw.NormFloat64())
		}
		text.Truncate(text.Len() - 1)
		text.WriteByte('\n')
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		_, _, err := ReadText(bytes.NewReader(text.Bytes()))
		need.NoError(b, err)
	}
}
