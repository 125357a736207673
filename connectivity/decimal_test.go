package connectivity

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
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
		"18446744073709551615 18446744073709551616 1844674407370955161.5 18014398509481986.001 0x1p3 1_0 1234567890 12345678 1234567:9 inf nan 9007199254740992.5") {
		check(text)
	}
	const rounds = 10_000
	for range rounds {
		x := draw.NormFloat64() * math.Pow(10, float64(draw.IntN(12)-4))
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
	for _, separator := range []string{"\t", ",", " ", "   "} {
		var plain, other strings.Builder
		for range 30 {
			for j := range 5 {
				x := fmt.Sprintf("%.18e", draw.NormFloat64())
				if j > 0 {
					plain.WriteString(separator)
					other.WriteString(separator)
				}
				plain.WriteString(x)
				other.WriteString(strings.Replace(x, "e", "E", 1))
			}
			plain.WriteString("\r\n")
			other.WriteString(" \n")
		}
		_, want, err := ReadText(strings.NewReader(other.String()))
		need.NoError(t, err)
		_, got, err := ReadText(strings.NewReader(plain.String()))
		need.NoError(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", separator, got, want)
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
