package connectivity

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"prgnn/internal/need"
)

// TestDecimal: numbers as programs write them, and those that lie between two floats, get the bits of strconv.
func TestDecimal(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	read := 0
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		got, n := decimal([]byte(text + "\t"))
		if n < len(text) { // it is left to strconv: no row goes on behind a part of a number
			return
		}
		if read++; err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s is %v, want %v, %v", text, got, want, err)
		}
	}
	for _, text := range strings.Fields("0 -0 -0.0 00 1. .5 - -- --1 +1 1e 1e- 1e+5 1E5 1e005 0.5e-3 -1e22 1e23 1e-22 1e-23 1e99 1e100 9007199254740993 " +
		"18446744073709551615 18446744073709551616 1844674407370955161.5 18014398509481986.001 9.999999999999999999e-09 0e-25 0x1p3 1_0 1234567890 12345678 1234567:9 inf nan 9007199254740992.5") {
		check(text)
	}
	const rounds = 10_000
	for range rounds {
		x := draw.NormFloat64() * math.Pow(10, float64(draw.IntN(16)-8))
		for _, form := range []string{"%.18e", "%.17g", "%.6f", "%.10g", "%.0f"} {
			check(fmt.Sprintf(form, x))
		}
		check(strconv.FormatFloat(x, 'g', -1, 64))
		check(fmt.Sprintf("%d.%0*d", draw.Uint64N(1000), 1+draw.IntN(18), draw.Uint64N(1e18)))
		// Halfway between two floats: 2⁵³ + 1 and more, odd, in quarters and so on.
		odd, shift := draw.Uint64N(1<<52)<<1|1<<53|1, draw.IntN(9)
		check(strconv.FormatFloat(float64(odd>>shift), 'f', 0, 64) + ".5")
		check(fmt.Sprint(odd))
	}
	if read < 7*rounds {
		t.Errorf("only %d numbers are read", read)
	}
}

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
