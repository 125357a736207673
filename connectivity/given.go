package connectivity

import (
	"fmt"
	"math"

	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// asymmetry is how much the two halves of a given matrix may differ: text with six
// digits, and single precision.
const asymmetry = 1e-5

// A UnitError refuses numbers that are no correlations: the matrices of all participants may have the same unit, also
// those of which no number shows it.
type UnitError struct{ error }

// Given makes a matrix that others estimated fit for Build: symmetric to the last bit,
// 1 on the diagonal, 0 in the rows of regions without a signal. z says that it holds
// Fisher's z, which is turned back.
//
// A row that is NaN off the diagonal is a missing region, one that is 0 a constant one.
// The diagonal may be 1, 0 or NaN (anything in z), as tools differ. A NaN elsewhere, an
// entry beyond ±1, and halves that differ by more than 1e-5 are errors.
func Given(x Matrix, z bool) (r Matrix, missing, constant int, err error) {
	n := x.Rows
	if n != x.Cols || n < 2 {
		return Matrix{}, 0, 0, fmt.Errorf("a %d×%d matrix is not a matrix of regions by regions", x.Rows, x.Cols)
	}
	status := make([]Status, n)
	for i := range n {
		status[i] = givenStatus(x, i)
	}
	if err := diagonal(x, status); err != nil && !z {
		return Matrix{}, 0, 0, err
	}
	lone := Lone(x)
	r = NewMatrix(n, n)
	for i := range n {
		r.Row(i)[i] = 1
		for j := range i {
			if status[i] != Present || status[j] != Present {
				continue
			}
			a, b := x.At(i, j), x.At(j, i)
			switch {
			case math.IsNaN(a) || math.IsNaN(b):
				return Matrix{}, 0, 0, fmt.Errorf("no value in row %d, column %d; a missing region is a whole row and column of n/a", i+1, j+1)
			case math.IsInf(a, 0) || math.IsInf(b, 0):
				what := "a correlation is between −1 and 1"
				if z {
					what = "only a correlation of ±1 has an infinite Fisher's z: the two regions have the same series, or the file is damaged"
				}
				err := fmt.Errorf("row %d, column %d is %g and row %d, column %d is %g: %s", i+1, j+1, a, j+1, i+1, b, what)
				if z || lone {
					return Matrix{}, 0, 0, err
				}
				return Matrix{}, 0, 0, UnitError{err}
			case !(math.Abs(a-b) <= asymmetry*max(1, math.Abs(a))):
				return Matrix{}, 0, 0, fmt.Errorf("row %d, column %d is %g and row %d, column %d is %g: the matrix is not symmetric (directed connectivity is not supported)", i+1, j+1, a, j+1, i+1, b)
			}
			v := 0.5 * (a + b)
			if z {
				v = exact.Tanh(v)
			}
			if math.Abs(v) > 1+asymmetry {
				if lone {
					return Matrix{}, 0, 0, fmt.Errorf("row %d, column %d is %g, but a correlation is between −1 and 1, as all others here are: correct the value; if these are Fisher's z, set fisher_z", i+1, j+1, v)
				}
				return Matrix{}, 0, 0, UnitError{fmt.Errorf("row %d, column %d is %g, but a correlation is between −1 and 1: if these are Fisher's z, set fisher_z; covariances and distances are refused", i+1, j+1, v)}
			}
			v = max(-1, min(1, v))
			r.Row(i)[j], r.Row(j)[i] = v, v
		}
	}
	missing, constant = count(status)
	return r, missing, constant, nil
}

// diagonal is what is wrong with the diagonal of correlations: 1, 0 or NaN in each row of a region with a signal.
// Values
// in half of the rows or more are of another unit, a few are damaged.
func diagonal(x Matrix, status []Status) error {
	present, negative, first, odd := 0, 0, -1, 0
	for i := range x.Rows {
		d := x.At(i, i)
		if status[i] != Present {
			continue
		}
		present++
		if d == 0 || math.IsNaN(d) || math.Abs(d-1) <= asymmetry {
			continue
		}
		if odd++; first < 0 {
			first = i
		}
		if math.Abs(d+1) <= asymmetry {
			negative++
		}
	}
	if odd == 0 {
		return nil
	}
	err := fmt.Errorf("row %d has %g on the diagonal, but a correlation matrix has 1 (or 0, or n/a)", first+1,
		x.At(first, first))
	switch {
	case negative == odd && 2*odd >= present:
		return fmt.Errorf("%w, and partial correlations from a precision matrix have −1 where nothing sets it: set it to 1 in all files", err)
	case 2*odd < present || x.At(first, first) < 0:
		return fmt.Errorf("%w, as %d of %d rows here: correct the values", err, present-odd, present)
	}
	return UnitError{fmt.Errorf("%w: if the files hold Fisher's z, set fisher_z; covariance and precision matrices are refused", err)}
}

// mostZ is a Fisher's z that two regions do not have unless they have one series: of a correlation of 0.9999.
const mostZ = 5

// Lone reports whether one pair alone is beyond ±1, which a damaged value explains better than another unit: beside 1
// on
// the diagonal, where Fisher's z is infinite, or beyond any z of two regions.
func Lone(x Matrix) bool {
	pairs, most, ones := 0, 0.0, true
	for i := range x.Rows {
		ones = ones && (math.Abs(x.At(i, i)-1) <= asymmetry || givenStatus(x, i) != Present)
		for j := range i {
			if v := max(math.Abs(x.At(i, j)), math.Abs(x.At(j, i))); v > 1+asymmetry {
				pairs, most = pairs+1, max(most, v)
			}
		}
	}
	return pairs == 1 && x.Rows > 2 && (ones || most > mostZ)
}

// givenStatus tells from row i and column i whether a region has a signal.
func givenStatus(x Matrix, i int) Status {
	absent, zero := true, true
	for j := range x.Cols {
		if j == i {
			continue
		}
		a, b := x.At(i, j), x.At(j, i)
		// The partner may be the missing one: only what it has with all others counts.
		absent = absent && math.IsNaN(a) && math.IsNaN(b)
		zero = zero && (a == 0 || math.IsNaN(a)) && (b == 0 || math.IsNaN(b))
	}
	switch {
	case absent:
		return Missing
	case zero:
		return Constant
	}
	return Present
}

// PartialOf gives the partial correlation that follows from a correlation matrix of
// Given: by its inverse (Empirical), or by that of r + ρI (Ridge, the form of FSLNets,
// whose covariance scaled to unit diagonal is the correlation). teff is how many
// independent volumes stand behind it, 0 when that is not known; Empirical needs it.
func PartialOf(r Matrix, e Estimator, rho, teff float64) (partial Matrix, q Quality, err error) {
	n := r.Rows
	var place []int
	for i := range n {
		if givenStatus(r, i) == Present {
			place = append(place, i)
		}
	}
	q = Quality{Regions: n, Constant: n - len(place), TEff: teff, Shrinkage: math.NaN(), PearsonShrinkage: math.NaN()}
	if len(place) < 2 {
		return Matrix{}, q, fmt.Errorf("%d of %d regions have a signal, which is too few", len(place), n)
	}
	switch e {
	case Empirical:
		if err := q.judge(len(place), e, "ridge", Options{}); err != nil {
			return Matrix{}, q, err
		}
	case Ridge:
		q.Shrinkage = rho
		if teff > 0 {
			if err := q.judge(len(place), e, "ridge", Options{}); err != nil {
				return Matrix{}, q, err
			}
		} else {
			q.PartialSE = math.NaN()
		}
	default:
		return Matrix{}, q, fmt.Errorf("%s needs the time series; from a correlation matrix, use partial: empirical or ridge", e)
	}
	s := dense.NewCholesky(len(place))
	m := s.M
	cov, inv := make([]float64, m*m), make([]float64, m*m)
	for i, pi := range place {
		for j, pj := range place {
			cov[i*m+j] = r.At(pi, pj)
		}
		if e == Ridge {
			cov[i*m+i] += rho
		}
	}
	if !s.Factor(cov) {
		if e == Ridge {
			return Matrix{}, q, fmt.Errorf("the correlation matrix of %d regions has a negative eigenvalue that ridge with rho: %g does not lift above 0: it cannot come from one set of series; use a larger rho", len(place), rho)
		}
		return Matrix{}, q, fmt.Errorf("the correlation matrix of %d regions cannot be inverted: there are too few volumes, or two regions are identical; use ridge", len(place))
	}
	s.Invert(inv)
	q.Condition = norm1(cov, len(place), m) * norm1(inv, len(place), m)
	partial = NewMatrix(n, n)
	partials(partial, place, inv, m)
	return partial, q, nil
}
