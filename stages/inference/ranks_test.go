package inference

import (
	"math"
	"testing"

	"prgnn/numeric/random"
)

// kendallByPairs is the definition of τ_b, pair by pair.
func kendallByPairs(x, y []float64) float64 {
	same, untiedX, untiedY := 0, 0, 0
	for i := range x {
		for j := range i {
			a, b := compare(x[i], x[j]), compare(y[i], y[j])
			same += a * b
			untiedX += a * a
			untiedY += b * b
		}
	}
	return float64(same) / math.Sqrt(float64(untiedX)*float64(untiedY))
}

// With many ties, few and none, with NaN, and at sizes around whole words of 64 places.
func TestKendallIsThatOfItsDefinition(t *testing.T) {
	s := random.New(1, "kendall")
	for _, n := range []int{1, 2, 63, 64, 65, 111, 128, 200} {
		for _, values := range []int{1, 2, 7, 1000000} {
			x, y := make([]float64, n), make([]float64, n)
			for i := range n {
				x[i], y[i] = float64(s.IntN(values)), float64(s.IntN(values))
				if s.IntN(20) == 0 {
					x[i] = math.NaN()
				}
			}
			got, want := newRanking(x).kendall(newRanking(y)), kendallByPairs(x, y)
			if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%d places, %d values: %v, by pairs %v", n, values, got, want)
			}
		}
	}
}
