package connectivity

import (
	"math"

	"prgnn/numeric/exact"
)

// An Average is the mean of correlation matrices: of their Fisher z, turned back (Silver &
// Dunlap 1987, J Appl Psychol 72:146). A pair counts only those matrices in which both
// regions have a signal. The zero value is ready.
type Average struct {
	Plain bool // the values are no correlations, and are averaged as they are

	n, matrices int
	sum         []float64 // N×N, of z
	count       []int32   // N×N
}

// Add takes one matrix in, N×N. All must be of one size.
func (a *Average) Add(r Matrix) {
	if a.sum == nil {
		a.n, a.sum, a.count = r.Rows, make([]float64, r.Rows*r.Rows), make([]int32, r.Rows*r.Rows)
	}
	if r.Rows != a.n || r.Cols != a.n {
		panic("connectivity: matrices of different sizes cannot be averaged")
	}
	a.matrices++
	signal := make([]bool, a.n)
	for i := range signal {
		signal[i] = givenStatus(r, i) == Present
	}
	for i := range a.n {
		for j := range a.n {
			if i == j && !a.Plain || !signal[i] || !signal[j] {
				continue
			}
			if a.Plain {
				a.sum[i*a.n+j] += r.At(i, j)
				a.count[i*a.n+j]++
				continue
			}
			v := max(-nearOne, min(nearOne, r.At(i, j)))
			a.sum[i*a.n+j] += exact.Atanh(v)
			a.count[i*a.n+j]++
		}
	}
}

// Matrices is how many were added.
func (a *Average) Matrices() int { return a.matrices }

// Mean is the mean correlation, 1 on the diagonal, NaN where no matrix has the pair; of Plain, the mean value.
func (a *Average) Mean() Matrix {
	m := NewMatrix(a.n, a.n)
	for i := range m.Data {
		switch {
		case i%(a.n+1) == 0 && !a.Plain:
			m.Data[i] = 1
		case a.count[i] == 0:
			m.Data[i] = math.NaN()
		case a.Plain:
			m.Data[i] = a.sum[i] / float64(a.count[i])
		default:
			m.Data[i] = exact.Tanh(a.sum[i] / float64(a.count[i]))
		}
	}
	return m
}
