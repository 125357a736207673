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
	t.Run("float32", dotIsPortable[float32])
	t.Run("float64", dotIsPortable[float64])
	// 1 is lost beside 1e17 in the same lane and kept in another until the lanes meet.
	if got := Dot([]float64{1e17, 1, 0, 0, -1e17, 1}, []float64{1, 1, 1, 1, 1, 1}); got != 2 {
		t.Errorf("the lanes are not four: %g, want 2", got)
	}
}

// What this machine runs has the bits of the portable code, for every length and beginning.
func dotIsPortable[T Float](t *testing.T) {
	for n := range 70 {
		a, b := normals[T](n + n%3)[n%3:], normals[T](n+n%5, "b")[n%5:]
		var lane [4]T
		dotGo(&lane, a, b)
		if got, want := Dot(a, b), (lane[0]+lane[1])+(lane[2]+lane[3]); got != want {
			t.Errorf("%d terms: %v, the portable code's %v", n, got, want)
		}
	}
}

// A sum has the rounding of its order.
func TestSumInOrder(t *testing.T) {
	if a, b := Sum([]float64{1e16, 1, -1e16}), Sum([]float64{1e16, -1e16, 1}); a != 0 || b != 1 {
		t.Error(a, b)
	}
}
