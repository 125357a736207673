package connectivity

import "math"

// symmetricEigen returns the eigenvalues of a symmetric matrix and its eigenvectors
// as the rows of a matrix, by cyclic Jacobi rotations (Golub & Van Loan 2013, Matrix
// Computations, §8.5): slower than a reduction to tridiagonal form, but accurate for
// small eigenvalues and the same bits everywhere.
func symmetricEigen(a Matrix) (values []float64, vectors Matrix) {
	n := a.Rows
	w := a.Clone()
	v := NewMatrix(n, n)
	for i := range n {
		v.Data[i*n+i] = 1
	}
	const sweeps = 60
	for range sweeps {
		off, diagonal := 0.0, 0.0
		for i := range n {
			for j := range i {
				off += float64(w.At(i, j) * w.At(i, j))
			}
			diagonal += float64(w.At(i, i) * w.At(i, i))
		}
		if off <= 1e-36*diagonal {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(w, v, p, q)
			}
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = w.At(i, i)
	}
	return values, v
}

// rotate makes w's entry (p, q) 0, and turns the rows p and q of v likewise.
func rotate(w, v Matrix, p, q int) {
	n := w.Rows
	apq := w.At(p, q)
	if apq == 0 {
		return
	}
	tau := (w.At(q, q) - w.At(p, p)) / (2 * apq)
	t := 1 / (math.Abs(tau) + math.Sqrt(1+float64(tau*tau)))
	if tau < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(1+float64(t*t))
	s := t * c
	turn := func(x, y []float64) {
		for k := range x {
			a, b := x[k], y[k]
			x[k] = float64(c*a) - float64(s*b)
			y[k] = float64(s*a) + float64(c*b)
		}
	}
	turn(w.Row(p), w.Row(q))
	for k := range n {
		a, b := w.Data[k*n+p], w.Data[k*n+q]
		w.Data[k*n+p] = float64(c*a) - float64(s*b)
		w.Data[k*n+q] = float64(s*a) + float64(c*b)
	}
	w.Data[p*n+q], w.Data[q*n+p] = 0, 0
	turn(v.Row(p), v.Row(q))
}

// spectral is the symmetric matrix Σ_k f(λ_k) v_k v_kᵀ.
func spectral(values []float64, vectors Matrix, f func(float64) float64) Matrix {
	n := vectors.Rows
	out := NewMatrix(n, n)
	for k, l := range values {
		fl, v := f(l), vectors.Row(k)
		for i := range n {
			axpy(out.Row(i)[:i+1], float64(fl*v[i]), v[:i+1])
		}
	}
	for i := range n {
		for j := range i {
			out.Data[j*n+i] = out.At(i, j)
		}
	}
	return out
}

// sandwich is B·A·B for symmetric A and B, made exactly symmetric.
func sandwich(b, a Matrix) Matrix {
	n := a.Rows
	half, out := NewMatrix(n, n), NewMatrix(n, n)
	for i := range n {
		for k, f := range a.Row(i) {
			axpy(half.Row(i), f, b.Row(k))
		}
	}
	for i := range n {
		for k, f := range b.Row(i) {
			axpy(out.Row(i)[:i+1], f, half.Row(k)[:i+1])
		}
		for j := range i {
			out.Data[j*n+i] = out.At(i, j)
		}
	}
	return out
}
