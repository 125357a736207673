package inference

import (
	"math"
	"math/big"
	"testing"
)

// TestFisher against the definition in rational numbers, and scipy.stats.fisher_exact 1.17 of a few tables.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		in1, n1, in2, n2 int
		want             float64
	}{
		{8, 24, 0, 24, 0.00389809439905384},
		{3, 4, 1, 4, 0.485714285714286},
		{10, 500, 30, 520, 0.00196626840563138},
		{0, 5, 0, 7, 1},
		{300, 1000, 0, 1000, 3.00417429967027e-102},
	} {
		if got := Fisher(c.in1, c.n1, c.in2, c.n2); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%d of %d, %d of %d: %.15g, want %.15g", c.in1, c.n1, c.in2, c.n2, got, c.want)
		}
	}
	for n1 := 1; n1 < 8; n1++ {
		for n2 := 1; n2 < 9; n2++ {
			for in1 := 0; in1 <= n1; in1++ {
				for in2 := 0; in2 <= n2; in2++ {
					want, _ := fisherSlow(in1, n1, in2, n2).Float64()
					if got := Fisher(in1, n1, in2, n2); math.Abs(got-want) > 1e-13 {
						t.Fatalf("%d of %d, %d of %d: %v, want %v", in1, n1, in2, n2, got, want)
					}
				}
			}
		}
	}
}

// fisherSlow adds up the tables that are no more likely, exactly.
func fisherSlow(in1, n1, in2, n2 int) *big.Rat {
	ways := func(k int) *big.Int {
		a, b := new(big.Int).Binomial(int64(n1), int64(k)), new(big.Int).Binomial(int64(n2), int64(in1+in2-k))
		return a.Mul(a, b)
	}
	rare, all := new(big.Int), new(big.Int)
	for k := 0; k <= in1+in2; k++ {
		if k > n1 || in1+in2-k > n2 {
			continue
		}
		all.Add(all, ways(k))
		if ways(k).Cmp(ways(in1)) <= 0 {
			rare.Add(rare, ways(k))
		}
	}
	return new(big.Rat).SetFrac(rare, all)
}
