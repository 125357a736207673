package inference

import (
	"math"
	"slices"
	"testing"

	"prgnn/numeric/random"
)

// A tail gives the quantile of all values, to the bit.
func TestTailQuantile(t *testing.T) {
	s := random.New(1, "tail")
	for n := 1; n < 400; n++ {
		v, kept := make([]float64, n), tailFor(0.95, n)
		for i := range v {
			v[i] = s.Normal()
			kept.add(v[i])
		}
		slices.Sort(v)
		if got, want := kept.quantile(0.95, n), Quantile(v, 0.95); got != want {
			t.Fatalf("of %d values: %v, want %v", n, got, want)
		}
	}
	nan := tailFor(0.95, 3)
	for _, v := range []float64{1, math.NaN(), 2} {
		nan.add(v)
	}
	if got := nan.quantile(0.95, 3); !math.IsNaN(got) {
		t.Errorf("of values with NaN: %v", got)
	}
}

// Of one participant in one group and two in the other, the permutations give three contrasts, each as often: the
// 95th percentile is the largest.
func TestContrastPercentile(t *testing.T) {
	models := []HeldOut{{Person: []int{0, 1, 2}, Scores: [][]float64{{0}, {1}, {5}}}}
	largest := 0.0
	for _, group := range [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		largest = max(largest, Contrasts(models, group, 2)[0])
	}
	got := TestContrasts(models, []int{1, 0, 0}, 2, []int{0, 0, 0}, 200, random.New(3))[0]
	if got.High != largest || got.Mean >= got.High {
		t.Errorf("95th percentile %v, mean %v, want %v", got.High, got.Mean, largest)
	}
}
