package connectivity

import (
	"math"

	"prgnn/internal/exact"
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
	f := make([]float64, len(place))
	for i := range f {
		f[i] = 1 / math.Sqrt(a[i*m+i])
	}
	for i, pi := range place {
		row, dst := a[i*m:][:len(place)], out.Row(pi)
		fi := sign * f[i]
		for j := i + 1; j < len(place); j++ {
			r := row[j] * fi * f[j]
			if r > 1 {
				r = 1
			} else if r < -1 {
				r = -1
			}
			dst[place[j]] = r
			out.Data[place[j]*out.Cols+pi] = r
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
