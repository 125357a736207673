package dense

import (
	"math"
	"testing"
)

// Above finds every pair of rows whose exact product is large enough, those with a NaN, and no pair that is clearly
// below.
func TestAbove(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 70, 5}, {530, 33, 40}, {40, 31, 700}} {
		m, n, depth := s[0], s[1], s[2]
		a, b := normals[float32](m*depth), normals[float32](n*depth + 1)[1:]
		if depth > 0 && n > 20 {
			b[17*depth] = float32(math.NaN())
		}
		for _, least := range []float64{0.01, 1.5, 30} {
			found := map[[2]int]bool{}
			Above(a, b, m, n, depth, least, func(i, j int) {
				if found[[2]int{i, j}] {
					t.Fatalf("%v: %d and %d twice", s, i, j)
				}
				found[[2]int{i, j}] = true
			})
			for i := range m {
				for j := range n {
					sum := 0.0
					for p := range depth {
						sum += float64(a[i*depth+p]) * float64(b[j*depth+p])
					}
					size := math.Abs(sum)
					got := found[[2]int{i, j}]
					if !(size < least) && !got || size < least-1e-3*float64(depth+1) && got {
						t.Fatalf("%v: the product %g of %d and %d at %g: %v", s, sum, i, j, least, got)
					}
				}
			}
		}
	}
}

// A product that rounding brings below what is asked for is found.
func TestAboveAllowsForRounding(t *testing.T) {
	a, b := make([]float32, 4000), make([]float32, 4000)
	sum := 0.0
	for i := range a { // each addition of 1 to 2²⁴ is lost
		a[i], b[i] = 1, 1
		if i == 0 {
			a[i], b[i] = 1<<12, 1<<12
		}
		sum += float64(a[i]) * float64(b[i])
	}
	found := 0
	Above(a, b, 1, 1, len(a), sum, func(_, _ int) { found++ })
	if found != 1 {
		t.Errorf("a product of %g is not found", sum)
	}
}
