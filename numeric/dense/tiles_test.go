package dense

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The tiles have the bits of the plain sum, by the portable code and by that of this machine.
func TestTilesArePlainSums(t *testing.T) {
	for name, add := range map[string]func([]float64, int, []float64, []float64, int, int,
		int){"portable": addTilesGo, "here": addTiles} {
		for m := 1; m < 27; m++ {
			for _, depth := range []int{1, 2, 7, 257} {
				const ld, cs = 29, 9
				a, b, c := normals[float64](ld*depth, "a"), normals[float64](ld*depth, "b"), normals[float64](cs*m, "c")
				want := slices.Clone(c)
				slow(want, cs, View[float64]{a, 1, ld}, Rows(b, ld), m, depth, tileCols, true)
				add(c, cs, a, b, ld, m, depth)
				same(t, c, want, fmt.Sprint(name, ", m ", m, ", depth ", depth))
			}
		}
	}
}

// What this machine runs has the bits of the portable code, for every length.
func TestVectorsAreThePortableCode(t *testing.T) {
	for n := range 70 {
		x, w := normals[float64](n+1, "x", n)[1:], normals[float64](n, "w", n)
		for name, f := range map[string][2]func([]float64){
			"axpy":       {func(y []float64) { axpyGo(y, 0.3, x) }, func(y []float64) { Axpy(y, 0.3, x) }},
			"addSquares": {func(y []float64) { addSquaresGo(y, x) }, func(y []float64) { AddSquares(y, x) }},
			"scale":      {func(y []float64) { scaleGo(y, x, 0.3, w) }, func(y []float64) { Scale(y, x, 0.3, w) }},
			"clip":       {clipGo, Clip},
			"sums": {
				func(y []float64) { copy(y, []float64{sumSquaresGo(x), sumMagnitudesGo(x)}) },
				func(y []float64) { copy(y, []float64{SumSquares(x), SumMagnitudes(x)}) },
			},
		} {
			a := normals[float64](n, "y", n)
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
	for n := range 70 {
		x, a := normals[float32](n, "x", n), normals[float32](n, "y", n)
		b := slices.Clone(a)
		axpyGo(a, 0.3, x)
		Axpy(b, 0.3, x)
		same(t, b, a, fmt.Sprint("axpy of ", n))
	}
	y := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if s, m := SumSquares(y), SumMagnitudes([]float64{-1, 2, -3}); s != 285 || m != 6 {
		t.Errorf("sums %v and %v, want 285 and 6", s, m)
	}
	Scale(y, y, 2, slices.Repeat([]float64{0.5}, 9))
	Axpy(y, -1, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	AddSquares(y, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if !slices.Equal(y, []float64{1, 4, 9, 16, 25, 36, 49, 64, 81}) {
		t.Errorf("%v, want the squares", y)
	}
	if Clip(y); y[8] != 1 {
		t.Errorf("%v is not clipped", y)
	}
}

func TestGramIsThePlainSum(t *testing.T) {
	for _, rows := range []int{1, 146, 600} {
		const n = 24
		x := normals[float64](rows * n)
		got := make([]float64, n*n)
		GramColumns(got, x, rows, n)
		for i := range n {
			for j := i; j < n; j++ {
				var want float64
				for k := range rows {
					want = math.FMA(x[k*n+i], x[k*n+j], want)
				}
				if math.Float64bits(got[i*n+j]) != math.Float64bits(want) {
					t.Fatalf("rows %d: (%d,%d) is %v, the plain sum %v", rows, i, j, got[i*n+j], want)
				}
			}
		}
	}
}

// Wide matrices are worked on in packed blocks, and keep the bits of the plain sums.
func TestBlocksArePlainSums(t *testing.T) {
	const n, rows = 328, 150 // more than manyColumns, and no whole number of blocks
	x := normals[float64](rows * n)
	got := make([]float64, n*n)
	GramColumns(got, x, rows, n)
	for i := 0; i < n; i += 7 {
		for j := i; j < n; j += 5 {
			s := 0.0
			for k := range rows {
				s = math.FMA(x[k*n+i], x[k*n+j], s)
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
	w := NewCholesky(order)
	if !w.Factor(a) {
		t.Fatal("not positive definite")
	}
	u := make([]float64, n*n) // the formula of factor, k ascending
	for i := range order {
		for j := i; j < order; j++ {
			s := 0.0
			for k := range i {
				s = math.FMA(u[k*n+i], u[k*n+j], s)
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
				s = math.FMA(u[k*n+i], y[k*n+j], s)
			}
			y[i*n+j] = -s * (1 / u[i*n+i])
		}
		y[i*n+i] = 1 / u[i*n+i]
	}
	inv := make([]float64, n*n)
	w.Invert(inv)
	for i := 0; i < order; i += 3 {
		for j := i; j < order; j += 2 {
			s := 0.0
			for k := j; k < order; k++ {
				s = math.FMA(y[k*n+i], y[k*n+j], s)
			}
			if math.Float64bits(inv[i*n+j]) != math.Float64bits(s) || inv[j*n+i] != inv[i*n+j] {
				t.Fatalf("the inverse at (%d, %d) is %v, want %v", i, j, inv[i*n+j], s)
			}
		}
	}
}
