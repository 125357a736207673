package exact_test

import (
	"math"
	"slices"
	"testing"

	"prgnn/numeric/exact"
	"prgnn/numeric/random"
)

// As of sorted numbers, with many that are equal.
func TestMedian(t *testing.T) {
	s := random.New(2, "median")
	for n := 1; n < 40; n++ {
		for range 20 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(s.IntN(12)) / 4
			}
			sorted := slices.Sorted(slices.Values(v))
			want := (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2
			if got := exact.Median(v); got != want {
				t.Fatalf("the median of %v is %v, want %v", sorted, got, want)
			}
		}
	}
	if !math.IsNaN(exact.Median([]float64{})) {
		t.Error("no numbers have a median")
	}
}
