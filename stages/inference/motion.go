package inference

import (
	"math"
	"slices"

	"prgnn/internal/lists"
)

// A Motion tells how the edges of connectomes go with head motion over participants (QC-FC: Satterthwaite et al. 2012,
// NeuroImage 60:623; Ciric et al. 2017, NeuroImage 154:174; Parkes et al. 2018, NeuroImage 171:415).
type Motion struct {
	R, P, Q []float64 // of each edge; NaN where one does not vary
	Null    float64   // median |r| without any relation
}

// MotionOf correlates motion with each edge over participants: edges[e] has a value (Fisher z) of each participant.
// What
// covariates explain is taken out of both first (partial correlation). Degrees of freedom are N − 2 − the number of
// independent covariates; all is NaN where fewer than 2 are left.
func MotionOf(edges [][]float64, motion []float64, covariates [][]float64) Motion {
	n := len(motion)
	one := make([]float64, n)
	for i := range one {
		one[i] = 1
	}
	basis := addDirection(nil, one)
	for _, c := range covariates {
		basis = addDirection(basis, c)
	}
	degrees := n - 1 - len(basis) // the basis holds the constant too
	m := Motion{R: nans(len(edges)), P: nans(len(edges)), Null: math.NaN()}
	if degrees >= 2 {
		// The median of |N(0, 1)| times the standard error of Fisher's z.
		m.Null = 0.6744897501960817 / math.Sqrt(float64(degrees-1))
		if x, ok := remainder(basis, motion); ok {
			for e, of := range edges {
				if y, ok := remainder(basis, of); ok {
					m.R[e] = max(-1, min(1, inner(x, y)))
					m.P[e] = StudentP(m.R[e]*math.Sqrt(float64(degrees)/max(1-float64(m.R[e]*m.R[e]), 0)), degrees)
				}
			}
		}
	}
	m.Q = FDR(m.P)
	return m
}

// addDirection adds to an orthonormal basis what is new in v.
func addDirection(basis [][]float64, v []float64) [][]float64 {
	if v, ok := remainder(basis, v); ok {
		basis = append(basis, v)
	}
	return basis
}

// remainder is v without its part in the basis, of length 1; ok is false where nothing but rounding is left.
func remainder(basis [][]float64, v []float64) (rest []float64, ok bool) {
	rest = slices.Clone(v)
	whole := math.Sqrt(inner(v, v))
	for range 2 { // twice is enough (Giraud et al. 2005)
		for _, b := range basis {
			d := inner(b, rest)
			for i := range rest {
				rest[i] -= float64(d * b[i])
			}
		}
	}
	length := math.Sqrt(inner(rest, rest))
	if !(length > 1e-12*whole) {
		return nil, false
	}
	for i := range rest {
		rest[i] /= length
	}
	return rest, true
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// Correlation is Pearson's; NaN where x or y does not vary.
func Correlation(x, y []float64) float64 {
	one := make([]float64, len(x))
	for i := range one {
		one[i] = 1
	}
	basis := addDirection(nil, one)
	a, ok1 := remainder(basis, x)
	b, ok2 := remainder(basis, y)
	if !ok1 || !ok2 {
		return math.NaN()
	}
	return max(-1, min(1, inner(a, b)))
}

// MedianAbs is the median magnitude of the numbers that are none of NaN; NaN of none.
func MedianAbs(v []float64) float64 {
	var all []float64
	for _, x := range v {
		if !math.IsNaN(x) {
			all = append(all, math.Abs(x))
		}
	}
	return Median(all)
}

// RobustZ are the distances from the median in robust standard deviations, 0.6745 (x − median) / MAD (Iglewicz and
// Hoaglin 1993, How to Detect and Handle Outliers); NaN where x is, and throughout where the MAD is 0.
func RobustZ(v []float64) []float64 {
	median := Median(slices.DeleteFunc(slices.Clone(v), math.IsNaN))
	from := lists.Map(v, func(x float64) float64 { return x - median })
	mad := MedianAbs(from)
	out := nans(len(v))
	if mad > 0 {
		for i, d := range from {
			out[i] = 0.6744897501960817 * d / mad
		}
	}
	return out
}

// Median is the median of numbers without NaN; NaN of none.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	return (v[(n-1)/2] + v[n/2]) / 2
}
