package inference

import (
	"cmp"
	"math"
	"slices"
)

// Ranks numbers the values from 1, the largest first; equal values share the mean of their ranks. NaN ranks last, and
// all NaN are equal.
func Ranks(v []float64) []float64 {
	at := order(v)
	out := make([]float64, len(v))
	for lo := 0; lo < len(at); {
		hi := lo + 1
		for hi < len(at) && compare(v[at[hi]], v[at[lo]]) == 0 {
			hi++
		}
		for _, i := range at[lo:hi] {
			out[i] = float64(lo+1+hi) / 2
		}
		lo = hi
	}
	return out
}

// order lists the places of the values, the largest value first, of equal ones the
// lower place.
func order(v []float64) []int {
	at := make([]int, len(v))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return compare(v[b], v[a]) })
	return at
}

// compare is cmp.Compare, for which NaN is less than everything and equal to itself.
func compare(a, b float64) int { return cmp.Compare(a, b) }

// Top marks the k largest values; of equal values the one at the lower index. NaN is never marked.
func Top(v []float64, k int) []bool {
	in := make([]bool, len(v))
	for _, i := range order(v)[:min(k, len(v))] {
		in[i] = !math.IsNaN(v[i])
	}
	return in
}

// Spearman is the correlation of the ranks of x and y (Spearman 1904); NaN when
// either is constant.
func Spearman(x, y []float64) float64 {
	a, b := Ranks(x), Ranks(y)
	mean := float64(len(x)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		p, q := a[i]-mean, b[i]-mean
		ab += float64(p * q)
		aa += float64(p * p)
		bb += float64(q * q)
	}
	return ab / math.Sqrt(float64(aa*bb))
}

// Kendall is τ_b: the pairs in the same order less those in the opposite order, of
// the pairs that are not tied (Kendall 1945); NaN when either is constant.
func Kendall(x, y []float64) float64 {
	same, tiedX, tiedY, pairs := 0, 0, 0, 0
	for i := range x {
		for j := range i {
			a, b := compare(x[i], x[j]), compare(y[i], y[j])
			same += a * b
			pairs++
			if a == 0 {
				tiedX++
			}
			if b == 0 {
				tiedY++
			}
		}
	}
	return float64(same) / math.Sqrt(float64(pairs-tiedX)*float64(pairs-tiedY))
}
