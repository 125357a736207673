package connectivity

import (
	"math"
	"math/rand/v2"
	"slices"
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

// What this machine runs has the bits of the portable code, for every length.
func TestVectorsAreThePortableCode(t *testing.T) {
	for n := range 70 {
		x, w := randoms(uint64(n), n+1)[1:], randoms(uint64(n+100), n)
		for name, f := range map[string][2]func([]float64){
			"axpy":       {func(y []float64) { axpyGo(y, 0.3, x) }, func(y []float64) { axpy(y, 0.3, x) }},
			"addSquares": {func(y []float64) { addSquaresGo(y, x) }, func(y []float64) { addSquares(y, x) }},
			"scale":      {func(y []float64) { scaleGo(y, x, 0.3, w) }, func(y []float64) { scale(y, x, 0.3, w) }},
			"clip":       {clipGo, clip},
			"sums": {
				func(y []float64) { copy(y, []float64{sumSquaresGo(x), sumMagnitudesGo(x)}) },
				func(y []float64) { copy(y, []float64{sumSquares(x), sumMagnitudes(x)}) },
			},
		} {
			a := randoms(uint64(n+200), n)
			b := slices.Clone(a)
			f[0](a)
			f[1](b)
			for i := range a {
				if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s of %d: element %d is %v, the portable code's %v", name, n, i, b[i], a[i])
				}
			}
		}
	}
	y := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if s, m := sumSquares(y), sumMagnitudes([]float64{-1, 2, -3}); s != 285 || m != 6 {
		t.Errorf("sums %v and %v, want 285 and 6", s, m)
	}
	scale(y, y, 2, slices.Repeat([]float64{0.5}, 9))
	axpy(y, -1, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	addSquares(y, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if !slices.Equal(y, []float64{1, 4, 9, 16, 25, 36, 49, 64, 81}) {
		t.Errorf("%v, want the squares", y)
	}
	if clip(y); y[8] != 1 {
		t.Errorf("%v is not clipped", y)
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

// Wide matrices are worked on in packed blocks, and keep the bits of the plain sums.
func TestBlocksArePlainSums(t *testing.T) {
	const n, rows = 328, 150 // more than manyColumns, and no whole number of blocks
	x := randoms(4, rows*n)
	got := make([]float64, n*n)
	gram(got, x, rows, n)
	for i := 0; i < n; i += 7 {
		for j := i; j < n; j += 5 {
			s := 0.0
			for k := range rows {
				s += float64(x[k*n+i] * x[k*n+j])
			}
			if math.Float64bits(got[i*n+j]) != math.Float64bits(s) {
				t.Fatalf("gram: (%d, %d) is %v, want %v", i, j, got[i*n+j], s)
			}
		}
	}
	// A positive definite matrix of an order that needs padding.
	order := n - 5
	a := make([]float64, n*n)
	for i := range order {
		for j := range order {
			a[i*n+j] = 1 / float64(1+(i-j)*(i-j))
		}
		a[i*n+i] += 1
	}
	w := newSPD(order)
	if !w.factor(a) {
		t.Fatal("not positive definite")
	}
	u := make([]float64, n*n) // the formula of factor, k ascending
	for i := range order {
		for j := i; j < order; j++ {
			s := 0.0
			for k := range i {
				s += float64(u[k*n+i] * u[k*n+j])
			}
			if j == i {
				u[i*n+i] = math.Sqrt(a[i*n+i] - s)
			} else {
				u[i*n+j] = (a[i*n+j] - s) * (1 / u[i*n+i])
			}
		}
	}
	for i := range order {
		for j := i; j < order; j++ {
			if math.Float64bits(w.u[i*n+j]) != math.Float64bits(u[i*n+j]) {
				t.Fatalf("U[%d][%d] is %v, want %v", i, j, w.u[i*n+j], u[i*n+j])
			}
		}
	}
	y := make([]float64, n*n) // and that of invert
	for i := range order {
		for j := range i {
			s := 0.0
			for k := j; k < i; k++ {
				s += float64(u[k*n+i] * y[k*n+j])
			}
			y[i*n+j] = -s * (1 / u[i*n+i])
		}
		y[i*n+i] = 1 / u[i*n+i]
	}
	inv := make([]float64, n*n)
	w.invert(inv)
	for i := 0; i < order; i += 3 {
		for j := i; j < order; j += 2 {
			s := 0.0
			for k := j; k < order; k++ {
				s += float64(y[k*n+i] * y[k*n+j])
			}
			if math.Float64bits(inv[i*n+j]) != math.Float64bits(s) || inv[j*n+i] != inv[i*n+j] {
				t.Fatalf("the inverse at (%d, %d) is %v, want %v", i, j, inv[i*n+j], s)
			}
		}
	}
}
