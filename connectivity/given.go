package connectivity

import (
	"fmt"
	"math"
	"slices"

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
				if half := triangle(x); half != "" {
					return Matrix{}, 0, 0, fmt.Errorf("all entries %s the diagonal are 0: the file holds one triangle of the matrix; supply both halves", half)
				}
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

// triangle is the half of a matrix in which all entries are 0; "" for none.
func triangle(x Matrix) string {
	above, below := true, true
	for i := range x.Rows {
		for j := range i {
			above, below = above && x.At(j, i) == 0, below && x.At(i, j) == 0
		}
	}
	switch {
	case above:
		return "above"
	case below:
		return "below"
	}
	return ""
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
		if math.Abs(d) <= asymmetry || math.IsNaN(d) || math.Abs(d-1) <= asymmetry {
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

// Form is what shows how a matrix was written, of the regions with a signal: the value of its diagonal (1, 0, n/a, or
// others), the share of its other entries that are below 0, and of those that occur at several pairs of regions, as
// after rounding or a threshold.
func Form(x Matrix) (diagonal string, negative, repeated float64) {
	below, again := 0, 0
	var all []float64
	for i := range x.Rows {
		if givenStatus(x, i) != Present {
			continue
		}
		d := x.At(i, i)
		is := "others"
		switch {
		case math.IsNaN(d):
			is = "n/a"
		case d == 0:
			is = "0"
		case math.Abs(d-1) <= asymmetry:
			is = "1"
		}
		if diagonal != "" && diagonal != is {
			is = "others"
		}
		diagonal = is
		for j := range i {
			if v := x.At(i, j); finite(v) {
				if all = append(all, v); v < 0 {
					below++
				}
			}
		}
	}
	slices.Sort(all)
	for i, v := range all {
		if i > 0 && v == all[i-1] || i+1 < len(all) && v == all[i+1] {
			again++
		}
	}
	n := float64(max(len(all), 1))
	return diagonal, float64(below) / n, float64(again) / n
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
// whose covariance scaled to unit diagonal is the correlation). teff is its
// degrees of freedom, 0 when they are not known; Empirical needs it.
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
			return Matrix{}, q, UnitError{fmt.Errorf("the matrix of %d regions has a negative eigenvalue that ridge with rho: %g does not lift above 0, so it cannot be the correlation matrix of one set of series: if the files hold Fisher's z, set fisher_z; if they hold partial or thresholded correlations, supply the correlations; if each pair has its own volumes, use a larger rho", len(place), rho)}
		}
		return Matrix{}, q, fmt.Errorf("the correlation matrix of %d regions cannot be inverted: there are too few volumes, or two regions are identical; use ridge", len(place))
	}
	s.Invert(inv)
	q.Condition = norm1(cov, len(place), m) * norm1(inv, len(place), m)
	partial = NewMatrix(n, n)
	partials(partial, place, inv, m)
	return partial, q, nil
}

// A PartialProblem is what a matrix that was given as the partial correlation is beside that of the correlation.
type PartialProblem int

// From none on.
const (
	NoProblem   PartialProblem = iota
	EqualMatrix                // one matrix was given for both
	Exchanged                  // each is that of the other
	// NoPartial is a matrix p that no set of series has as its partial correlations: with 1 on its diagonal, 2·I − p is
	// their scaled inverse covariance, which has no negative eigenvalue. Correlations mostly have eigenvalues far
	// above 2.
	NoPartial
)

// The bounds of CheckPartial: lift is added to eigenvalues, for rounded entries; related and unrelated are how far,
// relative to its entries, a matrix lies from the other's inverse where it is the partial correlation of the other, and
// where it is not.
const lift, related, unrelated = 0.1, 0.02, 0.2

// CheckPartial compares a correlation and a partial correlation, both as Given gives them. Matrices whose regions are
// alike in both readings, as two regions are, are no problem.
func CheckPartial(r, p Matrix) PartialProblem {
	var place []int
	for i := range r.Rows {
		if givenStatus(r, i) == Present && givenStatus(p, i) == Present {
			place = append(place, i)
		}
	}
	if len(place) < 3 || r.Rows != p.Rows {
		return NoProblem
	}
	r, p = pick(r, place), pick(p, place)
	ofR, forward := inverted(r)
	ofP, backward := inverted(p)
	isPartial := forward && distance(ofR, p) < unrelated
	if unit := max(decimalUnit(r), decimalUnit(p)); farthest(r, p) <= 1.01*unit {
		if most := farthest(r, NewMatrix(r.Rows, r.Cols)); most > 10*unit &&
			!(forward && farthest(ofR, p) <= 3*unit) {
			return EqualMatrix
		}
		return NoProblem
	}
	switch bounded := positive(p, -1, 2); {
	case backward && distance(ofP, r) < related && !isPartial,
		!bounded && positive(r, -1, 2) && positive(p, 1, 0) && !positive(r, 1, 0):
		return Exchanged
	case !bounded:
		return NoPartial
	}
	return NoProblem
}

// pick is a matrix of some of the regions.
func pick(x Matrix, place []int) Matrix {
	y := NewMatrix(len(place), len(place))
	for i, pi := range place {
		for j, pj := range place {
			y.Row(i)[j] = x.At(pi, pj)
		}
	}
	return y
}

// inverted is the partial correlation that follows from a correlation, if its matrix can be inverted.
func inverted(r Matrix) (Matrix, bool) {
	p, _, err := PartialOf(r, Ridge, 0, 0)
	return p, err == nil
}

// positive reports whether sign·x + shift·I has no eigenvalue below −lift.
func positive(x Matrix, sign, shift float64) bool {
	s := dense.NewCholesky(x.Rows)
	a := make([]float64, s.M*s.M)
	for i := range x.Rows {
		for j := range x.Cols {
			a[i*s.M+j] = sign * x.At(i, j)
		}
		a[i*s.M+i] += shift + lift
	}
	return s.Factor(a)
}

// farthest is the largest difference of two matrices beside their diagonals.
func farthest(a, b Matrix) (most float64) {
	for i := range a.Rows {
		for j := range i {
			most = max(most, math.Abs(a.At(i, j)-b.At(i, j)))
		}
	}
	return most
}

// distance is the root of the mean square of a − b, relative to that of b, beside the diagonals.
func distance(a, b Matrix) float64 {
	var apart, all float64
	for i := range a.Rows {
		for j := range i {
			d := a.At(i, j) - b.At(i, j)
			apart += float64(d * d)
			all += float64(b.At(i, j) * b.At(i, j))
		}
	}
	return math.Sqrt(apart / all)
}

// decimalUnit is the unit of the last decimal with which the entries were written, 1e-6 or larger.
func decimalUnit(x Matrix) float64 {
	unit := 1.0
	for _, v := range x.Data {
		for unit > 2e-6 && math.Abs(v/unit-math.Round(v/unit)) > 1e-6 {
			unit /= 10
		}
	}
	return unit
}
