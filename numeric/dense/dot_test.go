package dense

import (
	"math"
	"testing"
)

// Dot has a sum of products of any length within the rounding of its terms, and the order of its four lanes.
func TestDot(t *testing.T) {
	for n := range 23 {
		a, b := normals[float64](n), normals[float64](n + 1)[1:]
		sum, size := 0.0, 0.0
		for i, v := range a {
			sum, size = sum+float64(v*b[i]), size+math.Abs(v*b[i])
		}
		if got := Dot(a, b); math.Abs(got-sum) > 1e-14*size {
			t.Errorf("%d terms: %g, want %g", n, got, sum)
		}
	}
	// 1 is lost beside 1e17 in the same lane and kept in another until the lanes meet.
	if got := Dot([]float64{1e17, 1, 0, 0, -1e17, 1}, []float64{1, 1, 1, 1, 1, 1}); got != 2 {
		t.Errorf("the lanes are not four: %g, want 2", got)
	}
}
