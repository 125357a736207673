package dense

import (
	"fmt"
	"testing"

	"prgnn/numeric/random"
)

func normals[T Float](n int, name ...any) []T {
	r := random.New(1, name...)
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.Normal())
	}
	return v
}

// slow is the definition: one sum over the depth, in order.
func slow[T Float](c []T, cs int, a, b View[T], m, depth, n int, add bool) {
	for i := range m {
		for j := range n {
			var s T
			if add {
				s = c[i*cs+j]
			}
			for p := range depth {
				s = fma(a.Data[i*a.Row+p*a.Col], b.Data[p*b.Row+j*b.Col], s)
			}
			c[i*cs+j] = s
		}
	}
}

// Every form of a product has the bits of the definition, and writes nothing beside c.
func TestMultiply(t *testing.T) {
	t.Run("float32", multiply[float32])
	t.Run("float64", multiply[float64])
}

func multiply[T Float](t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 7, 33}, {13, 40, 32}, {84, 32, 84}, {61, 129, 70},
		{3, 0, 5}, {200, 9, 16}, {250, 600, 37}, {3, depthOfPanel + 100, 9}} {
		m, depth, n := shape[0], shape[1], shape[2]
		for form := range 16 {
			a, b := Rows(normals[T](m*depth, "a"), depth), Rows(normals[T](depth*n, "b"), n)
			if form&1 != 0 {
				a = View[T]{a.Data, 1, m}
			}
			if form&2 != 0 {
				b = View[T]{b.Data, 1, depth}
			}
			add, threads := form&4 != 0, 1+form>>3*2
			cs := n + 3
			got, want := normals[T](m*cs, "c"), normals[T](m*cs, "c")
			Multiply(got, cs, a, b, m, depth, n, add, threads)
			slow(want, cs, a, b, m, depth, n, add)
			same(t, got, want, fmt.Sprint(shape, " form ", form))
		}
	}
}

// Every kernel that this machine can run has the bits of the portable one.
func TestKernels(t *testing.T) {
	t.Run("float32", agree[float32])
	t.Run("float64", agree[float64])
}

func agree[T Float](t *testing.T) {
	for _, k := range kernels[T]() {
		for m := 1; m < 30; m++ {
			for form := range 16 { // c as it is or added to; a turned; rows of c and of b that begin anywhere
				add, depth, off := form&1 != 0, 1+m%7, form>>2
				ai, ap := depth+2, 1
				if form&2 != 0 {
					ai, ap = 1, m+1
				}
				a, b := normals[T]((m+1)*(depth+2), "a"), normals[T](off+depth*(k.cols+3), "b")[off:]
				got, want := normals[T](m*(k.cols+5)+off, "c"), normals[T](m*(k.cols+5)+off, "c")
				k.run(got[off:], k.cols+5, a, ai, ap, b, k.cols+3, m, depth, k.cols, add)
				slow(want[off:], k.cols+5, View[T]{a, ai, ap}, View[T]{b, k.cols + 3, 1}, m, depth, k.cols, add)
				same(t, got, want, fmt.Sprint(k.rows, "×", k.cols, " m ", m, " form ", form))
			}
		}
	}
}

func TestGram(t *testing.T) {
	for _, m := range []int{1, 31, 50} {
		a := Rows(normals[float64](m*40, "a"), 40)
		for threads := 1; threads < 4; threads++ {
			got, want := make([]float64, m*m), make([]float64, m*m)
			Gram(got, a, m, 40, threads)
			slow(want, m, a, a.T(), m, 40, m, false)
			same(t, got, want, fmt.Sprint(m))
		}
	}
}

func same[T Float](t *testing.T, got, want []T, what string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}
