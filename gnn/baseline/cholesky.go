package baseline

import (
	"errors"
	"math"

	"prgnn/numeric/dense"
)

// cholesky replaces the lower triangle of a symmetric positive definite matrix
// (n × n, row-major) by L, LLᵀ being the matrix. What is above the diagonal is not
// looked at. It goes block by block: factor a block of the diagonal, solve for
// what is below it, take its products off the rest.
func cholesky(a []float64, n, threads int) error {
	const block = 48
	for k := 0; k < n; k += block {
		end := min(n, k+block)
		for j := k; j < end; j++ {
			row := a[j*n:]
			d := row[j]
			for p := k; p < j; p++ {
				d -= float64(row[p] * row[p])
			}
			if !(d > 0) {
				return errors.New("the matrix of a linear model is not positive definite: a feature is not finite, or the penalty is too small")
			}
			row[j] = math.Sqrt(d)
			dense.Each(threads, (n-j-1+63)/64, func(c int) {
				for i := j + 1 + 64*c; i < min(n, j+1+64*(c+1)); i++ {
					below := a[i*n:]
					s := below[j]
					for p := k; p < j; p++ {
						s -= float64(below[p] * row[p])
					}
					below[j] = s / row[j]
				}
			})
		}
		rest := n - end
		if rest == 0 {
			break
		}
		width := end - k
		minus := make([]float64, rest*width)
		for i := range rest {
			for p := range width {
				minus[i*width+p] = -a[(end+i)*n+k+p]
			}
		}
		// Strips of rows, each up to its diagonal.
		const strip = 96
		dense.Each(threads, (rest+strip-1)/strip, func(c int) {
			i0 := c * strip
			m := min(strip, rest-i0)
			dense.Multiply(a[(end+i0)*n+end:], n, dense.Rows(minus[i0*width:], width),
				dense.View[float64]{Data: a[end*n+k:], Row: 1, Col: n}, m, width, min(rest, i0+m), true, 1)
		})
	}
	return nil
}

// substitute solves LLᵀx = v in place.
func substitute(l, x []float64) {
	n := len(x)
	for i := range n {
		s := x[i]
		for j, v := range l[i*n:][:i] {
			s -= float64(v * x[j])
		}
		x[i] = s / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		x[i] /= l[i*n+i]
		for j, v := range l[i*n:][:i] {
			x[j] -= float64(v * x[i])
		}
	}
}

// substituteAll is substitute of many right sides, the columns of x (n rows): block by block, as cholesky.
func substituteAll(l, x []float64, n, threads int) {
	const block = 48
	w := len(x) / n
	row := func(i int) []float64 { return x[i*w:][:w] }
	divide := func(i int) {
		of, d := row(i), l[i*n+i]
		for c := range of {
			of[c] /= d
		}
	}
	minus := make([]float64, n*block)
	for k := 0; k < n; k += block {
		end := min(n, k+block)
		for i := k; i < end; i++ {
			for j := k; j < i; j++ {
				dense.Axpy(row(i), -l[i*n+j], row(j))
			}
			divide(i)
		}
		for i := end; i < n; i++ {
			for j := k; j < end; j++ {
				minus[i*block+j-k] = -l[i*n+j]
			}
		}
		dense.Multiply(x[end*w:], w, dense.Rows(minus[end*block:], block), dense.Rows(x[k*w:], w), n-end, end-k, w,
			true, threads)
	}
	for k := (n - 1) / block * block; k >= 0; k -= block {
		end := min(n, k+block)
		for i := end - 1; i >= k; i-- {
			for j := i + 1; j < end; j++ {
				dense.Axpy(row(i), -l[j*n+i], row(j))
			}
			divide(i)
		}
		for j := k; j < end; j++ {
			for i := range k {
				minus[i*block+j-k] = -l[j*n+i]
			}
		}
		dense.Multiply(x, w, dense.Rows(minus, block), dense.Rows(x[k*w:], w), k, end-k, w, true, threads)
	}
}
