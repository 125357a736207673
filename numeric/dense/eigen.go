package dense

import (
	"errors"
	"math"
)

var (
	// ErrNotFinite is about a matrix with infinite or missing entries, or with eigenvalues that overflow.
	ErrNotFinite = errors.New("the matrix has entries that are not finite")
	// ErrNotConverged is about a finite matrix whose eigenvalues are not found.
	ErrNotConverged = errors.New("the eigenvalues of the matrix do not converge")
)

// Eigen finds the eigenvalues of a symmetric n × n matrix and its eigenvectors, row k of vectors
// for values[k], in no order: Householder reduction to tridiagonal form and implicit QL steps
// (Golub & Van Loan 2013, Matrix Computations, 8.3). Errors are of the order of the rounding of the
// largest eigenvalue. The error is ErrNotFinite or ErrNotConverged.
func Eigen(a []float64, n int) (values, vectors []float64, err error) { return eigen(a, n, true) }

// Eigenvalues are those of Eigen, to the bit.
func Eigenvalues(a []float64, n int) (values []float64, err error) {
	values, _, err = eigen(a, n, false)
	return values, err
}

func eigen(a []float64, n int, both bool) (values, vectors []float64, err error) {
	largest := 0.0
	for _, v := range a[:n*n] {
		if v-v != 0 { // infinite or NaN
			return nil, nil, ErrNotFinite
		}
		largest = max(largest, math.Abs(v))
	}
	// Entries of at most 1: squares neither overflow nor lose digits. A power of 2 changes no bits.
	_, power := math.Frexp(largest)
	w := make([]float64, n*n)
	for i, v := range a[:n*n] {
		w[i] = math.Ldexp(v, -power)
	}
	values, off, scale := tridiagonal(w, n)
	if both {
		vectors = accumulate(w, scale, n)
	}
	if !implicitQL(values, off, vectors, n) {
		return nil, nil, ErrNotConverged
	}
	for i, v := range values {
		if values[i] = math.Ldexp(v, power); math.IsInf(values[i], 0) {
			return nil, nil, ErrNotFinite
		}
	}
	return values, vectors, nil
}

// negligible is a sum of squares beside a largest entry of ½ to 1: far below its rounding, and above the squares that
// lose digits.
const negligible = 0x1p-400

// tridiagonal finds A = Q·T·Qᵀ: the diagonal and the off-diagonal of T, off[i] the entry (i, i+1). Q is
// the product of reflections I − β·v·vᵀ: β is scale[k], v lies in row k of w behind the diagonal. A is w before.
func tridiagonal(w []float64, n int) (diagonal, off, scale []float64) {
	diagonal, off, scale = make([]float64, n), make([]float64, n), make([]float64, n)
	p := make([]float64, n)
	for k := range n {
		diagonal[k] = w[k*n+k]
		if k == n-1 {
			break
		}
		v := w[k*n+k+1 : (k+1)*n]
		rest := 0.0
		for _, x := range v[1:] {
			rest = math.FMA(x, x, rest)
		}
		off[k] = v[0]
		if rest <= negligible {
			continue
		}
		norm := math.Sqrt(math.FMA(v[0], v[0], rest))
		if v[0] > 0 {
			norm = -norm
		}
		off[k] = norm
		v[0] -= norm
		beta := 2 / math.FMA(v[0], v[0], rest)
		scale[k] = beta
		// A ← A − v·uᵀ − u·vᵀ, u = p − (β/2)(pᵀv)·v, p = β·A·v.
		m := len(v)
		u := p[:m]
		clear(u)
		for i, x := range v {
			Axpy(u, x, w[(k+1+i)*n+k+1:][:m])
		}
		along := 0.0
		for i := range u {
			u[i] *= beta
			along = math.FMA(u[i], v[i], along)
		}
		Axpy(u, -float64(beta/2*along), v)
		for i := range m {
			row := w[(k+1+i)*n+k+1:][:m]
			Axpy(row, -v[i], u)
			Axpy(row, -u[i], v)
		}
	}
	return diagonal, off, scale
}

// accumulate multiplies the reflections: Qᵀ.
func accumulate(w, scale []float64, n int) []float64 {
	q, sum := make([]float64, n*n), make([]float64, n)
	for i := range n {
		q[i*n+i] = 1
	}
	for k := n - 2; k >= 0; k-- {
		if scale[k] == 0 {
			continue
		}
		v := w[k*n+k+1 : (k+1)*n]
		s := sum[:len(v)]
		clear(s)
		for i, x := range v {
			Axpy(s, x, q[(k+1+i)*n+k+1:][:len(v)])
		}
		for i, x := range v {
			Axpy(q[(k+1+i)*n+k+1:][:len(v)], -float64(scale[k]*x), s)
		}
	}
	turned := make([]float64, n*n)
	for i := range n {
		for j := range n {
			turned[j*n+i] = q[i*n+j]
		}
	}
	return turned
}

// implicitQL makes d the eigenvalues of a tridiagonal matrix with off-diagonal e, and turns the
// rows of z, unless it is nil, as the matrix is turned.
//
// With Wilkinson's shift the off-diagonal entry of the block's end goes to 0 from every start
// (Wilkinson 1968, Linear Algebra Appl 1:409; Parlett 1998, The Symmetric Eigenvalue Problem, 8.10). Steps
// are rounded to about the norm of the whole matrix times 2⁻⁵³: an entry counts as 0 below
// twice that. A bound relative to its two neighbors on the diagonal is never reached where many eigenvalues are
// at the rounding of the largest, as those of a covariance of fewer volumes than regions.
func implicitQL(d, e, z []float64, n int) bool {
	const most = 60 // steps an eigenvalue; two are usual
	norm := 0.0
	for i := range n {
		row := math.Abs(d[i]) + math.Abs(e[i])
		if i > 0 {
			row += math.Abs(e[i-1])
		}
		norm = max(norm, row)
	}
	for l := range n {
		for step := 0; ; step++ {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(e[m]) <= 0x1p-52*norm {
					break
				}
			}
			if m == l {
				break
			}
			if step == most {
				return false
			}
			// The shift of Wilkinson.
			g := (d[l+1] - d[l]) / (2 * e[l])
			r := math.Sqrt(float64(g*g) + 1)
			if g < 0 {
				r = -r
			}
			g = d[m] - d[l] + e[l]/(g+r)
			s, c, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := float64(s*e[i]), float64(c*e[i])
				r = math.Sqrt(float64(f*f) + float64(g*g))
				e[i+1] = r
				if r == 0 { // the matrix has come apart
					d[i+1] -= p
					e[m] = 0
					break
				}
				s, c = f/r, g/r
				g = d[i+1] - p
				r = float64((d[i]-g)*s) + float64(2*float64(c*b))
				p = float64(s * r)
				d[i+1] = g + p
				g = float64(c*r) - b
				if z != nil {
					rotate(z[i*n:][:n], z[(i+1)*n:][:n], c, s)
				}
			}
			if i >= l {
				continue
			}
			d[l] -= p
			e[l] = g
			e[m] = 0
		}
	}
	return true
}

// rotate: (x, y) ← (c·x − s·y, s·x + c·y).
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for k, a := range x {
		b := y[k]
		x[k] = float64(c*a) - float64(s*b)
		y[k] = float64(s*a) + float64(c*b)
	}
}

// Spectral sets dst (n × n) to Σ_k f(λ_k)·v_k·v_kᵀ, symmetric to the bit, for what Eigen returned.
func Spectral(dst, values, vectors []float64, n int, f func(float64) float64) {
	scaled := make([]float64, n*n)
	for k, l := range values {
		Axpy(scaled[k*n:][:n], f(l), vectors[k*n:][:n])
	}
	Multiply(dst, n, Rows(vectors, n).T(), Rows(scaled, n), n, n, n, false, 1)
	Mirror(dst, n)
}
