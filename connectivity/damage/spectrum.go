package damage

import (
	"math"
	"slices"

	"prgnn/connectivity"
	"prgnn/numeric/dense"
	"prgnn/numeric/exact"
)

// A Spectrum is what the correlations of regions with a signal show together.
type Spectrum struct {
	Mean       float64 // of the correlations
	Spread     float64 // SD of their Fisher's z; 0 where it is not known
	Singular   bool    // the smallest eigenvalue is 0
	Constant   bool    // singular: a mean of all regions, with positive weights, is constant
	Indefinite bool    // an eigenvalue is clearly below 0, as of no set of series
}

// Bounds of eigenvalues, whose mean is 1, for √N = 1: what counts as 0 has the error of entries with four decimals, and
// what is below 0 is more than that of two decimals.
const zeroEigenvalue, belowZero = 1e-4, 0.01

// largestR bounds correlations whose z is finite, and not that of one pair alone.
const largestR = 0.999

// SpectrumOf is that of correlations, N×N, with rows of 0 for regions without a signal. Inverse iteration from equal
// weights finds the mean of all regions where it is constant, as after regression of the mean over the regions.
func SpectrumOf(r connectivity.Matrix) (s Spectrum) {
	var place []int
	for i := range r.Rows {
		for j := range r.Cols {
			if i != j && r.At(i, j) != 0 {
				place = append(place, i)
				break
			}
		}
	}
	n := len(place)
	if n < fewestRegions {
		return s
	}
	var z []float64
	meanZ, pairs := 0.0, float64(n*(n-1))/2
	for i, pi := range place {
		for _, pj := range place[:i] {
			v := r.At(pi, pj)
			z = append(z, exact.Atanh(max(-largestR, min(largestR, v))))
			s.Mean += v
			meanZ += z[len(z)-1]
		}
	}
	s.Mean, meanZ = s.Mean/pairs, meanZ/pairs
	for _, v := range z {
		s.Spread += float64((v - meanZ) * (v - meanZ))
	}
	s.Spread = math.Sqrt(s.Spread / pairs)
	c := dense.NewCholesky(n)
	a := make([]float64, c.M*c.M)
	for i, pi := range place {
		for j, pj := range place {
			a[i*c.M+j] = r.At(pi, pj)
		}
	}
	shifted := make([]float64, len(a))
	positive := func(shift float64) bool {
		copy(shifted, a)
		for i := range n {
			shifted[i*c.M+i] += shift
		}
		return c.Factor(shifted)
	}
	root := math.Sqrt(float64(n))
	if s.Indefinite = !positive(float64(belowZero * root)); s.Indefinite {
		return s
	}
	for shift := zeroEigenvalue / 100; !positive(shift); shift = float64(shift * 10) {
	}
	c.Invert(shifted)
	v, w := make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = 1 / root
	}
	for range 4 {
		for i := range w {
			w[i] = dense.Dot(shifted[i*c.M:][:n], v)
		}
		length := math.Sqrt(dense.Dot(w, w))
		for i := range v {
			v[i] = w[i] / length
		}
	}
	for i := range w {
		w[i] = dense.Dot(a[i*c.M:][:n], v)
	}
	s.Singular = dense.Dot(v, w) < zeroEigenvalue*root
	s.Constant = s.Singular && slices.Min(v) > 0
	return s
}
