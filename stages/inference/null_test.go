package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

func TestAgainstNullByHand(t *testing.T) {
	got := AgainstNull([]float64{5, 1}, [][]float64{{1, 1}, {2, 3}, {3, 2}})
	for j, want := range [][]float64{{5, 2, 1, 3, 0.25, 0.25}, {1, 2, 1, -1, 1, 1}} {
		g := got[j]
		equal(t, "null", []float64{g.Value, g.Mean, g.SD, g.Excess, g.P, g.PAny}, want)
	}
}

// Of nothing, both p are spread evenly: the data as they are differ from a
// permutation in nothing.
func TestAgainstNullOfNothing(t *testing.T) {
	const times = 600
	first, any := 0, 0
	for i := range times {
		s := random.New(11, i)
		rows := make([][]float64, 20)
		for r := range rows {
			for j := range 12 {
				rows[r] = append(rows[r], math.Exp(float64(j%3)*s.Normal())) // of different spread and shape
			}
		}
		least := 1.0
		tests := AgainstNull(rows[0], rows[1:])
		for _, x := range tests {
			least = min(least, x.PAny)
		}
		if tests[1].P <= 0.1 {
			first++
		}
		if least <= 0.1 {
			any++
		}
	}
	if first < 38 || first > 84 || any < 38 || any > 84 { // 60 ± 7.3
		t.Errorf("p ≤ 0.1 in %d, of any region in %d, of %d", first, any, times)
	}
}
