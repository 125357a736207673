package dense

import (
	"fmt"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkMultiply has the shapes of the baselines: a Gram matrix, an MLP, and
// the layers of BrainNetCNN at 84 nodes.
func BenchmarkMultiply(b *testing.B) {
	b.Run("float32", benchmark[float32])
	b.Run("float64", benchmark[float64])
}

// BenchmarkGonum is the first of these products by gonum, on one thread as well.
func BenchmarkGonum(b *testing.B) {
	const m, depth = 940, 3486
	b.Run("float32", func(b *testing.B) {
		x, c := blas32.General{Rows: m, Cols: depth, Stride: depth, Data: normals[float32](m * depth)},
			blas32.General{Rows: m, Cols: m, Stride: m, Data: make([]float32, m*m)}
		rate(b, 2*m*m*depth, func() { blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, c) })
	})
	b.Run("float64", func(b *testing.B) {
		x, c := blas64.General{Rows: m, Cols: depth, Stride: depth, Data: normals[float64](m * depth)},
			blas64.General{Rows: m, Cols: m, Stride: m, Data: make([]float64, m*m)}
		rate(b, 2*m*m*depth, func() { blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, x, 0, c) })
	})
}

func rate(b *testing.B, operations int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // gonum takes all there are
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func benchmark[T Float](b *testing.B) {
	for _, s := range []struct {
		m, depth, n int
		turn        bool // of a
		turnB       bool
	}{{940, 3486, 940, false, true}, {100, 3486, 20, false, false}, {84, 2688, 32, false, false},
		{84, 2688, 32, true, false}, {2688, 84, 32, true, false}, {2688, 32, 84, false, false},
		{84, 32, 2688, false, false}, {84, 2688, 64, false, false}} {
		b.Run(fmt.Sprint(s.m, "x", s.depth, "x", s.n, s.turn), func(b *testing.B) {
			x, y, c := Rows(normals[T](s.m*s.depth), s.depth), Rows(normals[T](s.depth*s.n), s.n), make([]T, s.m*s.n)
			if s.turn {
				x = View[T]{x.Data, 1, s.m}
			}
			if s.turnB {
				y = View[T]{y.Data, 1, s.depth}
			}
			for b.Loop() {
				Multiply(c, s.n, x, y, s.m, s.depth, s.n, false, 1)
			}
			b.ReportMetric(2*float64(s.m*s.depth*s.n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// BenchmarkTiles has the orders of connectivity matrices: the Gram matrix of 300 volumes, its
// Cholesky factor and its inverse.
func BenchmarkTiles(b *testing.B) {
	for _, n := range []int{20, 84, 200, 400, 1000} {
		m := Padded(n)
		x := normals[float64](300 * m)
		a, inverse := make([]float64, m*m), make([]float64, m*m)
		b.Run(fmt.Sprint("Gram", n), func(b *testing.B) {
			for b.Loop() {
				GramColumns(a, x, 300, m)
			}
		})
		for i := range n {
			a[i*m+i] += 300
		}
		w := NewCholesky(n)
		b.Run(fmt.Sprint("Factor", n), func(b *testing.B) {
			for b.Loop() {
				if !w.Factor(a) {
					b.Fatal("not positive definite")
				}
			}
		})
		b.Run(fmt.Sprint("Invert", n), func(b *testing.B) {
			for b.Loop() {
				w.Invert(inverse)
			}
		})
	}
}

// BenchmarkKernels has each kernel of this machine on what lies in the nearest cache.
func BenchmarkKernels(b *testing.B) {
	b.Run("float32", benchmarkKernels[float32])
	b.Run("float64", benchmarkKernels[float64])
}

func benchmarkKernels[T Float](b *testing.B) {
	for _, k := range kernels[T]() {
		m, depth := 2*k.rows, 96
		x, y, c := normals[T](m*depth), normals[T](depth*k.cols), make([]T, m*k.cols)
		b.Run(fmt.Sprint(k.rows, "x", k.cols), func(b *testing.B) {
			rate(b, 2*m*depth*k.cols, func() { k.run(c, k.cols, x, depth, 1, y, k.cols, m, depth, k.cols, false) })
		})
	}
}
