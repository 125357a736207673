package inference

import (
	"iter"
	"math"
	"slices"

	"prgnn/internal/lists"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Motion tells how the edges of connectomes go with head motion over participants (QC-FC: Satterthwaite et al. 2012,
// NeuroImage 60:623; Ciric et al. 2017, NeuroImage 154:174; Parkes et al. 2018, NeuroImage 171:415).
type Motion struct {
	R, P, Q []float64 // of each edge; NaN where one does not vary
	Null    float64   // median |r| without any relation
}

// MotionOf correlates motion with each edge over participants: an edge has a value (Fisher z) of each participant, NaN
// where the participant lacks one of the regions, and is of use until the next one is asked for. An edge counts over
// those who have it, where they are at least half of the participants. What covariates explain is taken out of both
// first (partial correlation). Degrees of freedom are N − 2 − the number of independent covariates; R is NaN where
// fewer than 2 are left.
func MotionOf(edges iter.Seq[[]float64], motion []float64, covariates [][]float64) Motion {
	var m Motion
	var null []float64
	complete := prepareMotion(motion, covariates, nil)
	for of := range edges {
		e := len(m.R)
		m.R, m.P, null = append(m.R, math.NaN()), append(m.P, math.NaN()), append(null, math.NaN())
		who, lacking := complete, slices.ContainsFunc(of, math.IsNaN)
		if lacking {
			present := where(of, of)
			if 2*len(present) < len(of) {
				continue
			}
			who, of = prepareMotion(motion, covariates, of), present
		}
		y, _, ok := Remainder(who.basis, of, rounding)
		if who.unit == nil || !ok {
			continue
		}
		r, degrees := max(-1, min(1, dense.Inner(who.unit, y))), who.degrees
		m.R[e] = r
		m.P[e] = StudentP(r*math.Sqrt(float64(degrees)/max(1-float64(r*r), 0)), degrees)
		// The median of |N(0, 1)| times the standard error of Fisher's z.
		null[e] = 0.6744897501960817 / math.Sqrt(float64(degrees-1))
	}
	m.Null, m.Q = MedianAbs(null), FDR(m.P)
	return m
}

// FisherEdges are Fisher z of the Pearson correlations of the columns of x, time × regions; NaN where a region is
// missing or constant.
func FisherEdges(x []float64, volumes, n, threads int) []float64 {
	const nearOne = 1 - 1e-15
	unit := make([]float64, n*volumes)
	for j := range n {
		mean, q := 0.0, 0.0
		for v := range volumes {
			mean += x[v*n+j]
		}
		mean /= float64(volumes)
		of := unit[j*volumes:][:volumes]
		for v := range of {
			of[v] = x[v*n+j] - mean
			q += float64(of[v] * of[v])
		}
		length := math.Sqrt(q)
		if !(length > 1e-12*math.Abs(mean)*math.Sqrt(float64(volumes))) {
			length = math.NaN()
		}
		for v := range of {
			of[v] /= length
		}
	}
	r := make([]float64, n*n)
	dense.Gram(r, dense.Rows(unit, volumes), n, volumes, max(threads, 1))
	z := make([]float64, 0, n*(n-1)/2)
	for i := range n {
		for j := i + 1; j < n; j++ {
			v := r[j*n+i]
			if !math.IsNaN(v) {
				v = exact.Atanh(max(-nearOne, min(nearOne, v)))
			}
			z = append(z, v)
		}
	}
	return z
}

// A preparedMotion is the motion of some participants, of length 1, without what covariates explain.
type preparedMotion struct {
	basis   [][]float64 // of the constant and the covariates
	unit    []float64   // nil where nothing of motion is left, or fewer than 2 degrees of freedom
	degrees int
}

// prepareMotion is that of the participants of whom a value is not NaN; of all where values are nil.
func prepareMotion(motion []float64, covariates [][]float64, values []float64) (p preparedMotion) {
	if values != nil {
		motion = where(values, motion)
	}
	one := make([]float64, len(motion))
	for i := range one {
		one[i] = 1
	}
	p.basis = addDirection(nil, one)
	for _, c := range covariates {
		if values != nil {
			c = where(values, c)
		}
		p.basis = addDirection(p.basis, c)
	}
	if p.degrees = len(motion) - 1 - len(p.basis); p.degrees >= 2 { // the basis holds the constant too
		p.unit, _, _ = Remainder(p.basis, motion, rounding)
	}
	return p
}

// where are the elements of v at the places where values are not NaN.
func where(values, v []float64) (out []float64) {
	for i, x := range values {
		if !math.IsNaN(x) {
			out = append(out, v[i])
		}
	}
	return out
}

// addDirection adds to an orthonormal basis what is new in v.
func addDirection(basis [][]float64, v []float64) [][]float64 {
	if v, _, ok := Remainder(basis, v, rounding); ok {
		basis = append(basis, v)
	}
	return basis
}

// rounding is what may be left of a vector, as a share of its length, that lies in a basis.
const rounding = 1e-12

// Remainder is v without its part in the orthonormal basis, of length 1, and the length that it had; ok is false where
// that is not above least times the length of v.
func Remainder(basis [][]float64, v []float64, least float64) (rest []float64, length float64, ok bool) {
	rest = slices.Clone(v)
	whole := math.Sqrt(dense.Inner(v, v))
	for range 2 { // twice is enough (Giraud et al. 2005)
		for _, b := range basis {
			d := dense.Inner(b, rest)
			for i := range rest {
				rest[i] -= float64(d * b[i])
			}
		}
	}
	length = math.Sqrt(dense.Inner(rest, rest))
	if !(length > least*whole) {
		return nil, 0, false
	}
	for i := range rest {
		rest[i] /= length
	}
	return rest, length, true
}

// Correlation is Pearson's; NaN where x or y does not vary.
func Correlation(x, y []float64) float64 {
	one := make([]float64, len(x))
	for i := range one {
		one[i] = 1
	}
	basis := addDirection(nil, one)
	a, _, ok1 := Remainder(basis, x, rounding)
	b, _, ok2 := Remainder(basis, y, rounding)
	if !ok1 || !ok2 {
		return math.NaN()
	}
	return max(-1, min(1, dense.Inner(a, b)))
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
func Median(v []float64) float64 { return exact.Median(slices.Clone(v)) }
