package baseline

import (
	"fmt"

	"prgnn/internal/dense"
)

// equations are those of a linear model with a free offset, solved for its weights,
//
//	(1 + XᵀEX)·w + q·b = g
//	        q·w + ΣE·b = h,
//
// X being the inputs less a mean, E a positive number a case, and q = XᵀE·1.
type equations struct {
	matrix []float64 // 1 + XᵀEX as a Cholesky factor, in its lower triangle
	level  []float64 // (1 + XᵀEX)⁻¹q
	q      []float64
	total  float64 // ΣE
}

func tooWide(x Rows) error {
	return fmt.Errorf("%d training graphs with %d inputs each: this model compares all pairs of the one or of the other, and takes at most %d; use fewer draws, or fewer regions", x.N, x.D, MostPaired)
}

// set sets them up, in a pass in which visit sees each case less the mean, and factors the matrix, whose diagonal gets
// a share of its largest number more.
func (e *equations) set(x Rows, mean, cases []float64, more float64, threads int,
	visit func(i int, centered []float64)) error {
	d := x.D
	e.total, e.q = sumOf(cases), make([]float64, d)
	if e.matrix == nil {
		e.matrix = make([]float64, d*d)
	} else {
		clear(e.matrix)
	}
	x.products(e.matrix, mean, cases, threads, func(i int, centered []float64) {
		dense.Axpy(e.q, cases[i], centered)
		visit(i, centered)
	})
	largest := 0.0
	for j := range d {
		largest = max(largest, e.matrix[j*d+j])
	}
	for j := range d {
		e.matrix[j*d+j] += 1 + float64(more*largest)
	}
	if err := cholesky(e.matrix, d, threads); err != nil {
		return err
	}
	e.level = append([]float64(nil), e.q...)
	substitute(e.matrix, e.level)
	return nil
}

// solve replaces g by w and gives b.
func (e *equations) solve(g []float64, h float64) (b float64) {
	substitute(e.matrix, g)
	b = (h - dot(e.q, g)) / (e.total - dot(e.q, e.level))
	dense.Axpy(g, -b, e.level)
	return b
}

// times solves them for g and h, the last number, and gives w and b.
func (e *equations) times(g []float64) []float64 {
	v, last := append([]float64(nil), g...), len(g)-1
	v[last] = e.solve(v[:last], g[last])
	return v
}

func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
