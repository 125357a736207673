package connectivity

import (
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A basis is a set of orthonormal vectors in time; taking its part out of a
// series is the regression of the series on whatever the basis was made from.
type basis struct{ q [][]float64 }

// collinear is the share of a regressor's length that must be new for it to count:
// tables of confounds are printed with about ten digits, and what is left of a sum of
// two columns after those have been taken out is the rounding of the print.
const collinear = 1e-9

// add orthogonalises v against the basis (modified Gram-Schmidt, twice: Björck
// 1994, "Numerics of Gram-Schmidt orthogonalization") and takes it in, unless
// nothing of it is new.
func (b *basis) add(v []float64) bool {
	w := append([]float64(nil), v...)
	before := math.Sqrt(dense.Inner(w, w))
	if before == 0 {
		return false
	}
	for range 2 {
		for _, q := range b.q {
			c := dense.Inner(q, w)
			for t := range w {
				w[t] -= float64(c * q[t])
			}
		}
	}
	after := math.Sqrt(dense.Inner(w, w))
	if !(after > collinear*before) {
		return false
	}
	for t := range w {
		w[t] /= after
	}
	b.q = append(b.q, w)
	return true
}

// remove takes the basis's part out of every column of x.
func (b *basis) remove(x Matrix) {
	c := make([]float64, x.Cols)
	for _, q := range b.q {
		clear(c)
		for t := range x.Rows {
			f := q[t]
			for j, v := range x.Row(t) {
				c[j] += float64(f * v)
			}
		}
		for t := range x.Rows {
			f, row := q[t], x.Row(t)
			for j := range row {
				row[j] -= float64(f * c[j])
			}
		}
	}
}

// An oblique part of a series is what components explain in a regression with a basis: A β, where β are their
// coefficients beside those of the basis. The zero value has none.
type oblique struct {
	a   Matrix      // the components
	own basis       // of what the basis does not have of them (Frisch & Waugh 1933)
	r   [][]float64 // a[j] has the part r[i][j] along own[i], 0 for j < i
}

// obliqueOf prepares the part of components, of which none may be a sum of the others and the basis.
func obliqueOf(a Matrix, b basis) (oblique, error) {
	o := oblique{a: a}
	both := basis{append([][]float64(nil), b.q...)}
	for j := range a.Cols {
		if !both.add(a.column(j)) {
			return o, TooLittle("the signal components and the regressors are linearly dependent, " +
				"so their parts of the series cannot be separated: use fewer regressors")
		}
	}
	o.own.q = both.q[len(b.q):]
	for _, q := range o.own.q {
		row := make([]float64, a.Cols)
		for j := range row {
			row[j] = dense.Inner(q, a.column(j))
		}
		o.r = append(o.r, row)
	}
	return o, nil
}

// part is that of every column of x.
func (o oblique) part(x Matrix) Matrix {
	p, k := NewMatrix(x.Rows, x.Cols), o.a.Cols
	beta := make([]float64, k)
	for j := range x.Cols {
		v := x.column(j)
		for i := k - 1; i >= 0; i-- {
			beta[i] = dense.Inner(o.own.q[i], v)
			for after := i + 1; after < k; after++ {
				beta[i] -= float64(o.r[i][after] * beta[after])
			}
			beta[i] /= o.r[i][i]
		}
		for t := range x.Rows {
			p.Data[t*p.Cols+j] = dense.Inner(o.a.Row(t), beta)
		}
	}
	return p
}

// trend adds the polynomials of degree 0 to order over the volumes at these times
// (any unit): the Legendre polynomials of their range, by the recurrence
// (k+1) P_{k+1} = (2k+1) x P_k − k P_{k−1}, made orthogonal on the times there are.
func (b *basis) trend(times []float64, order int) {
	if order < 0 {
		return
	}
	n := len(times)
	x := make([]float64, n)
	first, span := times[0], times[n-1]-times[0]
	for i, t := range times {
		if span > 0 {
			x[i] = 2*(t-first)/span - 1
		}
	}
	before, p := make([]float64, n), make([]float64, n)
	for i := range p {
		p[i] = 1
	}
	for k := 0; k <= order; k++ {
		b.add(p)
		next := make([]float64, n)
		for i := range next {
			next[i] = (float64(float64(2*k+1)*float64(x[i]*p[i])) - float64(float64(k)*before[i])) / float64(k+1)
		}
		before, p = p, next
	}
}

// cosine is the k-th regressor of the discrete cosine transform over n volumes,
// cos(πk(t+½)/n): k half waves, the frequency k/(2·n·TR) Hz.
func cosine(n, k int) []float64 {
	v := make([]float64, n)
	for t := range v {
		// The angle is reduced first: cos has the period 4n in k(2t+1).
		_, v[t] = exact.Sincos(math.Pi * float64(k*(2*t+1)%(4*n)) / float64(2*n))
	}
	return v
}
