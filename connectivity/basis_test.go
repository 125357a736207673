package connectivity

import (
	"math"
	"testing"

	"prgnn/internal/lists"
	"prgnn/internal/need"
	"prgnn/numeric/dense"
)

func TestBasisIsOrthonormalAndDropsWhatIsNotNew(t *testing.T) {
	const n = 50
	var b basis
	b.trend(floats(lists.UpTo(n)), 3)
	a, c := randoms(1, n), randoms(2, n)
	sum := make([]float64, n)
	for i := range sum {
		sum[i] = 2*a[i] - 3*c[i] + float64(i) + 1e-12*float64(i%3) // what a table prints
	}
	for _, add := range []struct {
		v   []float64
		new bool
	}{{a, true}, {c, true}, {sum, false}, {make([]float64, n), false}, {cosine(n, 7), true}} {
		need.Equal(t, b.add(add.v), add.new, "a vector counts as new")
	}
	if len(b.q) != 7 {
		t.Fatalf("%d vectors, want 7", len(b.q))
	}
	for i, p := range b.q {
		for j, q := range b.q {
			want := 0.0
			if i == j {
				want = 1
			}
			if d := dense.Inner(p, q); math.Abs(d-want) > 1e-14 {
				t.Errorf("vectors %d and %d: %v, want %v", i, j, d, want)
			}
		}
	}
	x := columns(randoms(3, n), randoms(4, n))
	b.remove(x)
	for j := range 2 {
		for _, v := range [][]float64{a, c, sum} {
			if d := dense.Inner(x.column(j), v) / math.Sqrt(dense.Inner(v, v)); math.Abs(d) > 1e-11 {
				t.Errorf("what is left of column %d still has %v of a regressor", j, d)
			}
		}
	}
}

func TestCosineIsTheCosine(t *testing.T) {
	for _, n := range []int{1, 5, 146} {
		for k := range n {
			for i, v := range cosine(n, k) {
				if want := math.Cos(math.Pi * float64(k) * (float64(i) + 0.5) / float64(n)); math.Abs(v-want) > 1e-13 {
					t.Fatalf("n = %d, k = %d, t = %d: %v, want %v", n, k, i, v, want)
				}
			}
		}
	}
}
