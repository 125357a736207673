package connectivity

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randoms(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// The tile has the bits of the plain sum, for the portable code and for the one
// that this machine runs.
func TestTileIsThePlainSum(t *testing.T) {
	for name, tile := range map[string]func([]float64, int, []float64, []float64, int, int){"portable": tileAddGo, "here": tileAdd} {
		for _, n := range []int{1, 2, 3, 7, 146, 257} {
			const ld, ldc = 11, 9
			a, b, c := randoms(1, ld*n), randoms(2, ld*n), randoms(3, 4*ldc)
			want := append([]float64(nil), c...)
			for r := range tileRows {
				for s := range tileCols {
					for k := range n {
						want[r*ldc+s] += float64(a[k*ld+r] * b[k*ld+s])
					}
				}
			}
			tile(c, ldc, a, b, ld, n)
			for i := range c {
				if math.Float64bits(c[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%s, n = %d: element %d is %v, the plain sum %v", name, n, i, c[i], want[i])
				}
			}
		}
	}
}

func TestGramIsThePlainSum(t *testing.T) {
	for _, rows := range []int{1, 146, 600} {
		const n = 24
		x := randoms(4, rows*n)
		got := make([]float64, n*n)
		gram(got, x, rows, n)
		for i := range n {
			for j := i; j < n; j++ {
				var want float64
				for k := range rows {
					want += float64(x[k*n+i] * x[k*n+j])
				}
				if math.Float64bits(got[i*n+j]) != math.Float64bits(want) {
					t.Fatalf("rows %d: (%d,%d) is %v, the plain sum %v", rows, i, j, got[i*n+j], want)
				}
			}
		}
	}
}

func BenchmarkGram84(b *testing.B) {
	x := randoms(5, 146*88)
	dst := make([]float64, 88*88)
	for b.Loop() {
		gram(dst, x, 146, 88)
	}
}
