package baseline

import (
	"fmt"
	"math"

	"prgnn/internal/dense"
)

// Rows are n cases of d values each, row-major: X in memory, or a RowFile, which ridge and logistic regression take,
// and of more than MostPaired cases kernel ridge regression and linear support vector machines.
type Rows struct {
	N, D int
	X    []float64
	file *RowFile // in place of X
	unit bool     // each row is centered and scaled to length 1 when it is used
}

// Row is one case in memory.
func (r Rows) Row(i int) []float64 { return r.X[i*r.D:][:r.D] }

// First are the first n cases.
func (r Rows) First(n int) Rows {
	if r.N = n; r.file == nil {
		r.X = r.X[:n*r.D]
	}
	return r
}

// Err says why rows could not be read from their file: what was computed with them is void.
func (r Rows) Err() error {
	if r.file == nil {
		return nil
	}
	return r.file.err
}

func (r Rows) view() dense.View[float64] { return dense.Rows(r.X, r.D) }

// each calls use for all rows, a block after the other: the number of its first row, and the block, which is in memory
// until use returns. Passes do not overlap.
func (r Rows) each(use func(first int, b Rows)) {
	const some = 1024 // in memory at a time once more
	switch {
	case r.unit:
		whole := r
		whole.unit = false
		whole.each(func(first int, b Rows) {
			for i := 0; i < b.N; i += some {
				n := min(some, b.N-i)
				use(first+i, unitRows(Rows{N: n, D: b.D, X: b.X[i*b.D : (i+n)*b.D]}))
			}
		})
	case r.file == nil:
		use(0, r)
	default:
		r.file.each(0, r.N, use)
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
	var s size
	if s.add(r.X); r.file != nil {
		s = r.file.size // of all rows, as they were added
	}
	sum, largest := s.sum, s.largest
	if largest == 0 || sum >= 0x1p-900 && sum <= math.MaxFloat64 {
		return nil
	}
	if largest-largest != 0 {
		return fmt.Errorf("an input is %v, which is not finite: exclude the participant, or the region", largest)
	}
	return fmt.Errorf("inputs are up to %.3g: their squares are beyond double precision; use inputs nearer 1", largest)
}

// A size is that of numbers: the sum of their squares, and the largest absolute value.
type size struct{ sum, largest float64 }

func (s *size) add(v []float64) {
	for _, x := range v {
		s.sum += float64(x * x)
		s.largest = max(s.largest, math.Abs(x))
	}
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
	k := make([]T, r.N*r.N)
	if r.file == nil {
		dense.Gram(k, dense.Rows(to[T](r.X), r.D), r.N, r.D, threads)
		return k
	}
	// As many rows as memory holds are multiplied by themselves and those before them.
	for first, n := 0, 0; first < r.N && r.Err() == nil; first += n {
		n = min(r.N-first, r.file.group())
		rows := make([]T, 0, n*r.D)
		r.file.each(first, first+n, func(_ int, b Rows) { rows = append(rows, to[T](b.X)...) })
		r.file.each(0, first+n, func(at int, b Rows) {
			dense.Multiply(k[first*r.N+at:], r.N, dense.Rows(rows, r.D), dense.Rows(to[T](b.X), r.D).T(), n, r.D, b.N,
				false, threads)
		})
	}
	for i := range r.N {
		for j := range i {
			k[j*r.N+i] = k[i*r.N+j]
		}
	}
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
// the SD of each input, 1 of those. Rows in a file are z-scored when they are read, from then on; by are some of them.
func Standardize(by, rows Rows) []float64 {
	mean, sd := by.mean(), make([]float64, by.D)
	by.eachRow(func(_ int, row []float64) {
		for j, v := range row {
			sd[j] += float64((v - mean[j]) * (v - mean[j]))
		}
	})
	for j := range sd {
		if sd[j] = math.Sqrt(sd[j] / float64(by.N)); sd[j] == 0 {
			sd[j] = 1
		}
	}
	if rows.file != nil {
		rows.file.mean, rows.file.sd = mean, sd
	} else {
		zscore(rows.X, mean, sd)
	}
	return sd
}

// zscore z-scores rows.
func zscore(x, mean, sd []float64) {
	for ; len(x) > 0; x = x[len(mean):] {
		for j, v := range x[:len(mean)] {
			x[j] = (v - mean[j]) / sd[j]
		}
	}
}
