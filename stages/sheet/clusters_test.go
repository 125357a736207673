package sheet

import (
	"math"
	"testing"

	"prgnn/internal/need"
)

// Numbers in two units are two clusters far apart; those of one scale are not, whatever it is.
func TestNumbersInTwoClusters(t *testing.T) {
	for _, c := range []struct {
		what string
		of   func(i int) float64
		two  bool
	}{
		{"z and IQ", func(i int) float64 { return []float64{float64(i%7)/3 - 1, 80 + float64(i)}[i%2] }, true},
		{"years and months", func(i int) float64 { return (10 + float64(i)/4) * []float64{1, 12}[i%2] }, true},
		{"even", func(i int) float64 { return float64(i) }, false},
		{"logarithmic", func(i int) float64 { return math.Exp(float64(i) / 4) }, false},
		{"counts", func(i int) float64 { return float64(i * i % 17) }, false},
		{"codes", func(i int) float64 { return float64(i%2) * 100 }, false},
	} {
		numbers := make([]float64, 40)
		for i := range numbers {
			numbers[i] = c.of(i)
		}
		need.Equal(t, InTwoClusters(numbers) != nil, c.two, c.what)
	}
	code, times := LargestRepeated([]float64{472, 543, 700, 820, 959, 999, 999, 999})
	need.Equal(t, code, 999)
	need.Equal(t, times, 3)
	_, times = LargestRepeated([]float64{99, 99, 99, 98, 98, 97})
	need.Equal(t, times, 0)
}
