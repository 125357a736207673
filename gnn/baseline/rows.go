package baseline

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
)

// Rows are n cases of d values each, row-major.
type Rows struct {
	N, D int
	X    []float64
	unit bool // each row is centered and scaled to length 1 when it is used

	pairs *pairs // nil: the products of rows are computed when they are needed
}

// Paired are the same rows, for a model that is trained on the first of them and then, by a Retrainer, on other
// targets:
// the products of the rows with one another are computed once for both.
func (r Rows) Paired() Rows {
	r.pairs = &pairs{all: r}
	return r
}

// pairs are the products of all rows, from when those of the first ones are needed until a Retrainer takes them.
type pairs struct {
	all Rows
	k   []float64
}

// first are the products of the first n rows; all are given away.
func (p *pairs) first(n, threads int) []float64 {
	if p.k == nil {
		p.k = gram[float64](p.all, threads)
	}
	k := p.k
	if n == p.all.N {
		p.k = nil
		return k
	}
	return corner(k, p.all.N, n)
}

// corner are the first n rows and columns of a square matrix.
func corner(k []float64, all, n int) []float64 {
	out := make([]float64, 0, n*n)
	for i := range n {
		out = append(out, k[i*all:][:n]...)
	}
	return out
}

// Row is one case.
func (r Rows) Row(i int) []float64 { return r.X[i*r.D:][:r.D] }

// First are the first n cases.
func (r Rows) First(n int) Rows {
	r.N, r.X = n, r.X[:n*r.D]
	return r
}

func (r Rows) view() dense.View[float64] { return dense.Rows(r.X, r.D) }

// each calls use for all rows, a block after the other: the number of its first row, and the block.
func (r Rows) each(use func(first int, b Rows)) {
	if !r.unit {
		use(0, r)
		return
	}
	const some = 1024 // in memory at a time once more
	for i := 0; i < r.N; i += some {
		n := min(some, r.N-i)
		use(i, unitRows(Rows{N: n, D: r.D, X: r.X[i*r.D : (i+n)*r.D]}))
	}
}

// eachRow is each, row by row.
func (r Rows) eachRow(use func(i int, row []float64)) {
	r.each(func(first int, b Rows) {
		for i := range b.N {
			use(first+i, b.Row(i))
		}
	})
}

// squares refuses rows that are not finite, or whose squares overflow, or vanish although there are numbers. Every
// model of products of rows asks, before it makes them.
func (r Rows) squares() error {
	sum, largest := r.size()
	if largest == 0 || sum >= 0x1p-900 && sum <= math.MaxFloat64 {
		return nil
	}
	if largest-largest != 0 {
		return fmt.Errorf("an input is %v, which is not finite: exclude the participant, or the region", largest)
	}
	return fmt.Errorf("inputs are up to %.3g: their squares are beyond double precision; use inputs nearer 1", largest)
}

// size is the sum of the squares of all numbers, and the largest absolute value.
func (r Rows) size() (sum, largest float64) {
	for _, x := range r.X {
		sum += float64(x * x)
		largest = max(largest, math.Abs(x))
	}
	return sum, largest
}

// times sets out to the products of the rows with w.
func (r Rows) times(out, w []float64, threads int) {
	r.each(func(first int, b Rows) {
		dense.Multiply(out[first:], 1, b.view(), dense.Rows(w, 1), b.N, b.D, 1, false, threads)
	})
}

// mean is that of each input.
func (r Rows) mean() []float64 {
	mean := make([]float64, r.D)
	r.eachRow(func(_ int, row []float64) { dense.Axpy(mean, 1, row) })
	for j := range mean {
		mean[j] /= float64(r.N)
	}
	return mean
}

// gram are the products of the rows with one another, in the precision T.
func gram[T dense.Float](r Rows, threads int) []T {
	if _, double := any(T(0)).(float64); double && r.pairs != nil {
		return any(r.pairs.first(r.N, threads)).([]T)
	}
	k := make([]T, r.N*r.N)
	dense.Gram(k, dense.Rows(to[T](r.X), r.D), r.N, r.D, threads)
	return k
}

// to are numbers in another precision.
func to[T dense.Float](v []float64) []T {
	if same, ok := any(v).([]T); ok {
		return same
	}
	return narrow[T](v)
}

// Standardize z-scores rows by mean and SD of the inputs of by; one that does not vary only loses its mean. It returns
// these means and SDs, 1 for the inputs that do not vary.
func Standardize(by, rows Rows) (mean, sd []float64) {
	mean, sd = by.mean(), make([]float64, by.D)
	first, varies := make([]float64, by.D), make([]bool, by.D)
	by.eachRow(func(i int, row []float64) {
		if i == 0 {
			copy(first, row)
		}
		for j, v := range row {
			sd[j] += float64((v - mean[j]) * (v - mean[j]))
			varies[j] = varies[j] || v != first[j]
		}
	})
	for j := range sd {
		if sd[j] = math.Sqrt(sd[j] / float64(by.N)); !varies[j] { // the mean of equal numbers is rounded
			mean[j], sd[j] = first[j], 1
		}
	}
	for x := rows.X; len(x) > 0; x = x[len(mean):] {
		for j, v := range x[:len(mean)] {
			x[j] = (v - mean[j]) / sd[j]
		}
	}
	return mean, sd
}
