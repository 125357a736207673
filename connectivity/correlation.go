package connectivity

import (
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// correlations sets the entries of out (N×N) for the regions in place to
// a_ij/√(a_ii a_jj) for the covariance a (row length m), 1 on the diagonal.
func correlations(out Matrix, place []int, a []float64, m int) {
	scaled(out, place, a, m, 1)
}

// partials does the same for a precision matrix, −p_ij/√(p_ii p_jj).
func partials(out Matrix, place []int, p []float64, m int) {
	scaled(out, place, p, m, -1)
}

func scaled(out Matrix, place []int, a []float64, m int, sign float64) {
	n := len(place)
	f, row := make([]float64, n), make([]float64, n)
	for i := range f {
		f[i] = 1 / math.Sqrt(a[i*m+i])
	}
	for i, pi := range place {
		dst := out.Row(pi)
		if n == out.Cols {
			row = dst
		}
		// f_i·f_j first: the same both ways round.
		dense.Scale(row, a[i*m:], sign*f[i], f)
		dense.Clip(row) // the rounding of regions that are copies of each other
		if n < out.Cols {
			for j, v := range row {
				dst[place[j]] = v
			}
		}
	}
	for i := range out.Rows {
		out.Data[i*out.Cols+i] = 1
	}
}

// spread copies a (row length m) to the rows and columns of out named by place.
func spread(out Matrix, place []int, a []float64, m int) {
	for i, pi := range place {
		for j, pj := range place {
			out.Data[pi*out.Cols+pj] = a[i*m+j]
		}
	}
}

// nearOne is the largest correlation whose Fisher z is taken as it is; two regions
// with the same series would be at infinity.
const nearOne = 1 - 1e-15

// FisherZ replaces correlations by their inverse hyperbolic tangent (Fisher 1915),
// in place. The diagonal becomes 0. It returns the number of pairs whose correlation
// is 1 or −1 to rounding; they are given the z of ±(1−1e-15), about ±17.6.
func FisherZ(r Matrix) (saturated int) {
	for i := range r.Rows {
		row := r.Row(i)
		for j, v := range row {
			switch {
			case i == j:
				row[j] = 0
				continue
			case math.Abs(v) > nearOne:
				v = math.Copysign(nearOne, v)
				if i < j {
					saturated++
				}
			}
			row[j] = exact.Atanh(v)
		}
	}
	return saturated
}
